import type { Command } from 'commander';
import { type FileState, SUPPLIER_STATES } from '../config/supplier-config.schema.js';
import { SupplierSwitch } from '../supplier-states/supplier-switch.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { endTime } from './end-time.js';
import { type PlannedOptions, planMaintenance } from './switch-command.js';
import { printRows } from './table.js';

const ACTOR = 'ops';

/** Adds `gw supplier …`, with which operators change the state of suppliers at run time, in the database. */
export function addSupplierCommands(gw: Command, run: CommandRun): void {
  const supplier = gw.command('supplier').description('change the state of suppliers on every gateway');
  const withSwitch = (work: (states: SupplierSwitch, gateway: OpenedGateway) => Promise<void>) =>
    run.gateway((gateway) => work(new SupplierSwitch(gateway.database, gateway.config.environment), gateway));

  supplier
    .command('list')
    .description('list all suppliers: id, current state, until when, configured state ("-" if its file was removed)')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withSwitch(async (states, { suppliers }) => {
        const given = new Map((await states.overrides()).map((row) => [row.supplierId, row]));
        const configured = new Map(suppliers.map(({ id, state }) => [id, state]));
        const rows = [...new Set([...configured.keys(), ...given.keys()])].map((id) => {
          const [row, own] = [given.get(id), configured.get(id)];
          const share = row?.percent === undefined ? '' : ` ${row.percent} %`;
          return [id, `${row?.state ?? own}${share}`, row?.until?.toISOString() ?? '-', own ?? '-'];
        });
        printRows(run, ['supplier', 'state', 'until', 'configured'], rows, json);
      }),
    );

  changing(supplier.command('maintenance <supplier>'), 'own')
    .description('plan a maintenance: the supplier is skipped from its beginning to its end, by itself')
    .requiredOption('--from <time>', 'UTC time (ISO 8601) at which it begins')
    .requiredOption('--until <time>', 'UTC time at which it ends')
    .requiredOption('--reason <text>', 'why; callers see it on the status page')
    .action((id: string, options: PlannedOptions) =>
      run.gateway(async (gateway) => run.print(await planMaintenance(gateway, 'supplier', id, options))),
    );

  changing(supplier.command('canary <supplier>'), 'own')
    .description('send a share of the searches to a supplier, and copies of the others as in shadow')
    .requiredOption('--percent <share>', 'share of the searches, 1 to 99')
    .requiredOption('--reason <text>', 'why; recorded in the audit log')
    .action((id: string, { percent, reason }: { percent: string; reason: string }) =>
      withSwitch(async (states, { suppliers }) => {
        mustBeKnown(id, suppliers);
        const share = percentFrom(percent);
        await states.canary(id, share, ACTOR, reason);
        run.print(`${id}: canary ${share} %`);
      }),
    );

  changing(supplier.command('state <supplier> <state>'))
    .description(
      `set a state: ${SUPPLIER_STATES.join(' | ')}, or "configured" to return to its file. Existing reservations are served in every state`,
    )
    .option('--until <time>', 'for maintenance: UTC time (ISO 8601) at which the supplier becomes live again')
    .action((id: string, word: string, { until }: { until?: string }) =>
      withSwitch(async (states, { suppliers }) => {
        const isTakenBack = word === 'configured' && (await states.reset(id, ACTOR));
        // Allowed even if the supplier's file was removed, because the state would apply to the next supplier with that
        // id.
        if (!isTakenBack) mustBeKnown(id, suppliers);
        if (word === 'configured') {
          run.print(
            isTakenBack ? `${id}: uses the state of its file again` : `${id}: already uses the state of its file`,
          );
          return;
        }
        const state = stateFrom(word);
        await states.set(id, state, endOf(state, until), ACTOR);
        run.print(`${id}: ${state}${until === undefined ? '' : ` until ${until}`}`);
      }),
    );
}

function mustBeKnown(id: string, suppliers: OpenedGateway['suppliers']): void {
  if (suppliers.some((row) => row.id === id)) return;
  throw new Error(`there is no supplier "${id}"; config/suppliers has ${suppliers.map((row) => row.id).join(', ')}`);
}

function percentFrom(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new Error('--percent must be a whole number from 1 to 99; for all searches, use `gw supplier state <id> live`');
}

function stateFrom(word: string): FileState {
  const state = SUPPLIER_STATES.find((one) => one === word);
  if (word === 'canary') throw new Error('use `gw supplier canary`, which needs --percent');
  if (!state) throw new Error(`there is no state "${word}"; use ${SUPPLIER_STATES.join(', ')} or configured`);
  return state;
}

function endOf(state: FileState, until: string | undefined): Date | null {
  if (until === undefined) return null;
  if (state !== 'maintenance') throw new Error('--until is allowed only with maintenance');
  return endTime(until);
}
