import type { Command } from 'commander';
import { readProductFile } from '../products/product-file.js';
import { type Switch, type SwitchKind, SwitchStorage } from '../supplier-states/switch-storage.js';
import { operations } from '../system/api-operations.js';
import { SERVICE } from '../system/maintenance-switch.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { endTime, utcTime } from './end-time.js';
import { printRows } from './table.js';

const ACTOR = 'ops';
const KILLED = ['operation', 'brand', 'product', 'supplier'] as const;

/** The options of a planned maintenance. */
export interface PlannedOptions {
  readonly from: string;
  readonly until: string;
  readonly reason: string;
}

/** Adds `gw switch …`, with which operators switch an operation, brand, product or supplier off on every gateway. */
export function addSwitchCommand(gw: Command, run: CommandRun): void {
  const parent = gw
    .command('switch')
    .description('switch an operation, brand, product or supplier off on every gateway');

  parent
    .command('list')
    .description('list what is off or planned: id, kind, subject, begin, end ("-" if not announced), reason')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      run.gateway(async ({ database, config }) => {
        const pending = await new SwitchStorage(database, config.environment).pending();
        printRows(run, ['id', 'kind', 'subject', 'begin', 'end', 'reason'], pending.map(cellsOf), json);
      }),
    );

  changing(parent.command('off <kind> <subject>'), 'own')
    .description(`answer with 503, or leave out of searches, from now on; <kind> is ${KILLED.join(', ')}`)
    .option('--until <time>', 'UTC time (ISO 8601) at which it is on again')
    .requiredOption('--reason <text>', 'why; callers see it if they see the subject')
    .action((word: string, subject: string, { until, reason }: { until?: string; reason: string }) =>
      run.gateway(async (gateway) => {
        const kind = KILLED.find((one) => one === word);
        if (!kind) throw new Error(`there is no kind "${word}"; use ${KILLED.join(', ')}`);
        const beginsAt = new Date();
        run.print(await addSwitch(gateway, { kind, subject, beginsAt, endsAt: endTime(until), reason }));
      }),
    );

  changing(parent.command('remove <id>'))
    .description('switch it on again, or cancel a planned maintenance')
    .action((id: string) =>
      run.gateway(async ({ database, config }) => {
        if (!(await new SwitchStorage(database, config.environment).remove(id, ACTOR)))
          throw new Error(`there is no switch ${id}: \`gw switch list\` lists them`);
        run.print(`${id}: removed`);
      }),
    );
}

/** Stores a planned maintenance and returns its line. Throws an Error that says which option is wrong. */
export function planMaintenance(
  gateway: OpenedGateway,
  kind: 'service' | 'product' | 'supplier',
  subject: string,
  { from, until, reason }: PlannedOptions,
): Promise<string> {
  const [beginsAt, endsAt] = [utcTime('--from', from), endTime(until)];
  if (!endsAt || endsAt <= beginsAt) throw new Error('--until must be later than --from');
  return addSwitch(gateway, { kind, subject, beginsAt, endsAt, reason });
}

async function addSwitch(gateway: OpenedGateway, added: Omit<Switch, 'id'>): Promise<string> {
  const { kind, subject, reason } = added;
  const known = switchSubjects(kind, gateway);
  if (!known.includes(subject)) throw new Error(`there is no ${kind} "${subject}"; use one of ${known.join(', ')}`);
  if (!/^[\x20-\x7e\u00a0-\uffff]{3,200}$/.test(reason))
    throw new Error('--reason must be 3 to 200 printable characters');
  const { database, config } = gateway;
  const id = await new SwitchStorage(database, config.environment).add(added, ACTOR);
  return cellsOf({ ...added, id }).join('\t');
}

/** What can be switched off of a kind: ids, and names of brands. */
export function switchSubjects(kind: SwitchKind, { folder, suppliers }: OpenedGateway): readonly string[] {
  if (kind === 'service') return [SERVICE];
  if (kind === 'product') return readProductFile(folder).products.map(({ id }) => id);
  if (kind === 'operation') return operations.map(({ id }) => id);
  if (kind === 'supplier') return suppliers.map(({ id }) => id);
  return [...new Set(suppliers.flatMap(({ brands }) => brands))];
}

function cellsOf({ id, kind, subject, beginsAt, endsAt, reason }: Switch): readonly string[] {
  return [id, kind, subject, beginsAt.toISOString(), endsAt?.toISOString() ?? '-', reason];
}
