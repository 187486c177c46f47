import type { Command } from 'commander';
import { acceptedKeys } from '../config/keys.js';
import { verifyAudit } from '../database/audit-chain.js';
import { AuditLog, type AuditRecord } from '../database/audit-log.js';
import type { CommandRun } from './command-run.js';
import { tableOf } from './table.js';

interface ListOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly limit: string;
  readonly json?: boolean;
}

const MOST_LISTED = 10_000;

/** Adds `gw audit …`, with which operators read and verify the log of all changes. */
export function addAuditCommands(gw: Command, run: CommandRun): void {
  const audit = gw.command('audit').description('read and verify the log of all changes');

  audit
    .command('list')
    .description('list changes, newest first')
    .option('--actor <id>', 'only of "ops" (commands), "system" (the gateway), or an account')
    .option('--action <name>', 'only such as supplier_state_given')
    .option('--subject <id>', 'only of this application, supplier, …')
    .option('--since <time>', 'only since this UTC time (ISO 8601)')
    .option('--limit <count>', 'at most so many', '50')
    .option('--json', 'print them as JSON, with all members')
    .action(({ since, limit, json, ...of }: ListOptions) =>
      run.gateway(async ({ database, config }) => {
        const filter = { ...of, since: instantOf(since), limit: countOf(limit) };
        const records = await new AuditLog(database, config.environment).list(filter);
        if (json) run.print(JSON.stringify(records, null, 2));
        else for (const line of tableOf(HEADERS, records.map(cellsOf))) run.print(line);
      }),
    );

  audit
    .command('verify')
    .description('compute the hash chain again; names the first altered, missing or inserted row, and exits with 1')
    .option('--head <sequence:hash>', 'also check that the log still has this seal, noted at an earlier verification')
    .option('--json', 'print the result as JSON')
    .action(({ head, json }: { head?: string; json?: boolean }) => verify(run, head, json === true));

  audit
    .command('export')
    .description('print the complete log as NDJSON in the order of the chain, with its hashes')
    .action(() =>
      run.gateway(({ database, config }) => run.write(new AuditLog(database, config.environment).export())),
    );
}

async function verify(run: CommandRun, noted: string | undefined, json: boolean): Promise<void> {
  const seal = noted === undefined ? undefined : sealOf(noted);
  const verdict = await run.gateway(({ database, config, keys }) =>
    verifyAudit(database, config.environment, acceptedKeys(keys, 'audit_checkpoint'), { noted: seal }),
  );
  const { events, erased, checkpoints, head, problem } = verdict;
  if (problem !== undefined) run.fail();
  if (json) {
    run.print(JSON.stringify(verdict, null, 2));
    return;
  }
  if (problem === undefined) run.print(`${events} events agree, ${erased} of them erased; ${checkpoints} checkpoints`);
  else
    run.print(
      `ALTERED at ${problem.sequence === null ? '' : `seal ${problem.sequence}, `}event ${problem.event ?? 'unknown'}: ${problem.message}`,
    );
  if (head !== undefined) run.print(`last seal that is right: ${head.sequence}:${head.hash}`);
}

const HEADERS = ['SEAL', 'TIME', 'ACTOR', 'FROM', 'ACTION', 'SUBJECT', 'REASON'];

function cellsOf(record: AuditRecord): readonly string[] {
  const { sequence, at, actor, channel, agent, address, action, subject, reason } = record;
  const from = [channel, agent, address].filter((part) => part !== null).join(' ');
  return [String(sequence ?? '-'), at.slice(0, 19), actor, from || '-', action, subject, reason ?? '-'];
}

function sealOf(text: string): { readonly sequence: number; readonly hash: string } {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (sequence === undefined || hash === undefined)
    throw new Error('--head must be a sequence and a hash, such as 12:0f…, as `gw audit verify` prints them');
  return { sequence: Number(sequence), hash };
}

function instantOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error('--since must be a UTC time such as 2027-01-31T04:00:00Z');
  return new Date(text);
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MOST_LISTED)
    throw new Error(`--limit must be a number from 1 to ${MOST_LISTED}`);
  return count;
}
