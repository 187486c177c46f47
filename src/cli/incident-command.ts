import type { Command } from 'commander';
import { IncidentStorage } from '../incidents/incident-storage.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { printRows } from './table.js';

const ACTOR = 'ops';
const API_PARTS = ['service', 'search', 'booking', 'token'];

/** Adds `gw incident …`, with which operators write on the status page. */
export function addIncidentCommand(gw: Command, run: CommandRun): void {
  const incident = gw.command('incident').description('list the incidents of the status page, and write about them');
  const withStorage = (work: (storage: IncidentStorage, gateway: OpenedGateway) => Promise<void>) =>
    run.gateway((gateway) => work(new IncidentStorage(gateway.database, gateway.config.environment), gateway));

  incident
    .command('list')
    .description(
      'list incidents of the last 90 days, newest first: id, kind, part, begin, end ("-" if not over), operations',
    )
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withStorage(async (storage) => {
        const rows = (await storage.recent()).map(({ id, kind, part, beganAt, endedAt, operations }) => {
          const times = [beganAt.toISOString(), endedAt?.toISOString() ?? '-'];
          return [id, kind, part, ...times, operations.join() || '-'];
        });
        printRows(run, ['id', 'kind', 'part', 'begin', 'end', 'operations'], rows, json);
      }),
    );

  changing(incident.command('open <part>'))
    .description('post a notice; <part> is service, search, booking, token, or the id of a supplier')
    .requiredOption('--text <text>', 'what callers should know')
    .action((word: string, { text }: { text: string }) =>
      withStorage(async (storage, { suppliers }) => {
        const part = suppliers.some(({ id }) => id === word) ? `supplier:${word}` : word;
        if (part === word && !API_PARTS.includes(word))
          throw new Error(`there is no part "${word}"; use ${API_PARTS.join(', ')} or the id of a supplier`);
        const beganAt = new Date();
        const notes = [{ at: beganAt.toISOString(), text: checked(text) }];
        const id = await storage.begin({ kind: 'notice', part, operations: [], beganAt, notes }, ACTOR);
        run.print(`${id}`);
      }),
    );

  changing(incident.command('note <id>'))
    .description('add a text to an incident')
    .requiredOption('--text <text>', 'what callers should know')
    .action((id: string, { text }: { text: string }) =>
      withStorage(async (storage) => {
        if (!(await storage.note(id, checked(text), ACTOR)))
          throw new Error(`there is no incident ${id}, or it has as many texts as it can`);
        run.print(`${id}: text added`);
      }),
    );

  changing(incident.command('close <id>'))
    .description('end a notice; the gateways end what they opened themselves')
    .action((id: string) =>
      withStorage(async (storage) => {
        const found = (await storage.open()).find((one) => one.id === id);
        if (!found) throw new Error(`there is no open incident ${id}`);
        if (found.kind !== 'notice')
          throw new Error(`${id} ends by itself when the gateways see that the failures have stopped`);
        await storage.end(id, new Date(), ACTOR);
        run.print(`${id}: ended`);
      }),
    );
}

function checked(text: string): string {
  if (!/^[\x20-\x7e\u00a0-\uffff]{3,500}$/.test(text))
    throw new Error('--text must be 3 to 500 printable characters, because callers see it');
  return text;
}
