import type { Command } from 'commander';
import { sql } from 'drizzle-orm';
import type { CommandRun } from './command-run.js';
import { printable } from './finding.js';
import { checkHealthIn, type Query } from './health-database.js';
import { checkProcess } from './health-process.js';

/** Adds `gw health`: the part of `gw doctor` that a running gateway answers. Exits with 1 if a check fails. */
export function addHealthCommand(gw: Command, run: CommandRun): void {
  gw.command('health')
    .description('judge the health of the running gateway and of the service by its database; gw doctor includes it')
    .option('--json', 'print a JSON array of findings')
    .action(({ json }: { json?: boolean }) =>
      run.gateway(async ({ database, config, suppliers, isServing }) => {
        const query: Query = async (text) => ({
          rows: [...(await database.rows<Record<string, unknown>>(sql.raw(text)))],
        });
        const findings = [
          ...(await checkHealthIn(query, config, suppliers)),
          ...(isServing ? await checkProcess(suppliers) : []),
        ];
        if (json) run.print(JSON.stringify(findings));
        else for (const finding of findings) run.print(printable(finding));
        if (findings.some(({ ok }) => !ok)) run.fail();
      }),
    );
}
