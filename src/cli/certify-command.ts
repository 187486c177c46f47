import type { Command } from 'commander';
import { type Certification, total } from '../portal/applications/certification/certification.js';
import { CertificationReader } from '../portal/applications/certification/certification-reader.service.js';
import type { CommandRun } from './command-run.js';
import { mustBeInSandbox } from './sandbox-application.js';
import { printRows } from './table.js';

const COLUMNS = ['behavior', 'result', 'title', 'seen_in'];

/** Adds `gw certify`, which judges an application as its page in the portal does. */
export function addCertifyCommand(gw: Command, run: CommandRun): void {
  gw.command('certify <application>')
    .description('judge an application by its requests in the sandbox; exit code 1 if a behavior failed')
    .option('--json', 'print the behaviors as JSON')
    .action((application: string, { json }: { json?: boolean }) =>
      run.gateway(async ({ database }) => {
        await mustBeInSandbox(database, application);
        const certification = await new CertificationReader(database).of(application);
        printRows(run, COLUMNS, certification.judged.map(cellsOf), json);
        if (!json) run.tell(summaryOf(certification));
        if (total(certification, 'failed') > 0) run.fail();
      }),
    );
}

function cellsOf({ behavior: { id, title }, verdict, shown }: Certification['judged'][number]): readonly string[] {
  return [id, verdict === 'unseen' ? 'not seen' : verdict, title, shown.join(',') || '-'];
}

function summaryOf(certification: Certification): string {
  const { judged, requests, counted, since } = certification;
  const missing = counted > requests ? `; ${counted - requests} more were not kept` : '';
  const passed = `${total(certification, 'passed')} of ${judged.length} passed, ${total(certification, 'failed')} failed`;
  return `${passed}. Judged by ${requests} requests since ${new Date(since).toISOString()}${missing}.`;
}
