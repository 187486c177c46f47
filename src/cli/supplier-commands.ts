import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { SUPPLIER_STATES, type SupplierState } from '../config/supplier-config.schema.js';
import { openConfigured } from '../database/database.js';
import { SupplierSwitch } from '../supplier-states/supplier-switch.js';
import { endTime } from './end-time.js';

const ACTOR = 'ops';

/** Adds `gw supplier …`, with which operators change the state of suppliers at run time, in the database. */
export function addSupplierCommands(gw: Command): void {
  const supplier = gw
    .command('supplier')
    .description(
      'change the state of suppliers on every gateway (with PGlite only while the gateway is stopped; with PostgreSQL at any time)',
    );

  supplier
    .command('list')
    .description('list all suppliers: id, current state, until when, configured state ("-" if its file was removed)')
    .action(() =>
      withSwitch(async (states, { suppliers }) => {
        const given = new Map((await states.overrides()).map((row) => [row.supplierId, row]));
        const configured = new Map(suppliers.map(({ id, state }) => [id, state]));
        for (const id of new Set([...configured.keys(), ...given.keys()])) {
          const row = given.get(id);
          console.log(
            [id, row?.state ?? configured.get(id), row?.until?.toISOString() ?? '-', configured.get(id) ?? '-'].join(
              '\t',
            ),
          );
        }
      }),
    );

  supplier
    .command('state <supplier> <state>')
    .description(
      `set a state: ${SUPPLIER_STATES.join(' | ')}, or "configured" to return to its file. Existing reservations are served in every state`,
    )
    .option('--until <time>', 'for maintenance: UTC time (ISO 8601) at which the supplier becomes live again')
    .action((id: string, word: string, { until }: { until?: string }) =>
      withSwitch(async (states, { suppliers }) => {
        const isTakenBack = word === 'configured' && (await states.reset(id, ACTOR));
        // Allowed even if the supplier's file was removed, because the state would apply to the next supplier with that
        // id.
        if (!isTakenBack && !suppliers.some((row) => row.id === id)) {
          throw new Error(
            `there is no supplier "${id}"; config/suppliers has ${suppliers.map((row) => row.id).join(', ')}`,
          );
        }
        if (word === 'configured') {
          console.log(
            isTakenBack ? `${id}: uses the state of its file again` : `${id}: already uses the state of its file`,
          );
          return;
        }
        const state = stateFrom(word);
        await states.set(id, state, endOf(state, until), ACTOR);
        console.log(`${id}: ${state}${until === undefined ? '' : ` until ${until}`}`);
      }),
    );
}

function stateFrom(word: string): SupplierState {
  const state = SUPPLIER_STATES.find((one) => one === word);
  if (!state) throw new Error(`there is no state "${word}"; use ${SUPPLIER_STATES.join(', ')} or configured`);
  return state;
}

function endOf(state: SupplierState, until: string | undefined): Date | null {
  if (until === undefined) return null;
  if (state !== 'maintenance') throw new Error('--until is allowed only with maintenance');
  return endTime(until);
}

async function withSwitch(work: (states: SupplierSwitch, loaded: LoadedConfig) => Promise<void>): Promise<void> {
  const loaded = loadConfig(configFolder(process.env), process.env, []);
  const database = await openConfigured(loaded.config, console.error);
  try {
    await work(new SupplierSwitch(database, loaded.config.environment), loaded);
  } finally {
    await database.close();
  }
}
