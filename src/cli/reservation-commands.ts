import type { Command } from 'commander';
import { changeBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import { within } from '../database/by-index.js';
import {
  cancelInReview,
  checkReason,
  RESOLUTIONS,
  resolveReservation,
  storeMove,
} from '../reservations/operator-resolution.js';
import { PersonalData } from '../reservations/personal-data.js';
import type { Reservation } from '../reservations/reservation.js';
import { ReservationRepository } from '../reservations/reservation.repository.js';
import { ReservationKeys } from '../reservations/reservation-keys.js';
import { reservationView } from '../reservations/reservation-view.js';
import { hasEnded } from '../reservations/states.js';
import { changing } from './changing.js';
import type { CommandRun } from './command-run.js';
import { recordedRotation } from './recorded-rotation.js';
import { type AuditOptions, auditReservations } from './reservation-audit.js';
import { printRows } from './table.js';

/** More than operators can resolve: a list that ends earlier would hide second bookings. */
const MOST_LISTED = 100_000;
const ACTOR = 'ops';

/** Records a change of a reservation in the audit log. */
type Record = (action: string, before?: unknown, after?: unknown) => Promise<void>;

/** Adds `gw reservation …`, with which operators inspect and correct reservations in the database. */
export function addReservationCommands(gw: Command, run: CommandRun): void {
  const reservation = gw.command('reservation').description('inspect and correct reservations');
  const withRepository = (work: (repository: ReservationRepository) => Promise<void>) =>
    run.gateway(({ database, config, keys }) => work(new ReservationRepository(database, config, keys)));
  /** Changes a reservation and records it, in one transaction; then does `afterwards`, and prints what `work` returns. */
  const withChange = async (
    id: string,
    work: (repository: ReservationRepository, personalData: PersonalData, record: Record) => Promise<string>,
    afterwards?: (personalData: PersonalData, tookMs: number) => Promise<void>,
  ) => {
    const line = await run.gateway(async ({ database, config, keys }) => {
      const began = performance.now();
      const done = await changeBy(database, ACTOR, (tx) => {
        const own = within(tx, database);
        const record: Record = (action, before, after) =>
          recordAudit(
            { tables: tx, environment: config.environment },
            { actor: ACTOR, action, subject: id, before, after },
          );
        return work(new ReservationRepository(own, config, keys), new PersonalData(own, config.environment), record);
      });
      await afterwards?.(new PersonalData(database, config.environment), performance.now() - began);
      return done;
    });
    run.print(line);
  };

  reservation
    .command('unclear')
    .description(
      'list reservations with an unknown outcome or a second booking, oldest first: id, supplier, state, age, reason',
    )
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withRepository(async (repository) => {
        const rows = await repository.listUnclear(MOST_LISTED);
        const cells = rows.map(({ id, supplier, state, updatedAt, history, strays = [] }) => {
          const minutes = Math.round((repository.now() - updatedAt) / 60_000);
          const second = strays.map(({ number }) => `second booking ${number}`);
          return [
            id,
            supplier,
            state,
            `${minutes} min`,
            history.at(-1)?.reason ?? '',
            ...(json ? [second.join(', ')] : second),
          ];
        });
        printRows(run, ['reservation', 'supplier', 'state', 'age', 'reason', 'second_booking'], cells, json);
        run.tell(`${rows.length} unclear`);
      }),
    );

  reservation
    .command('show <id>')
    .description('print a reservation with its history as JSON; includes personal data only with --personal')
    .option('--personal', 'include the driver')
    .option('--json', 'as without it')
    .action((id: string, { personal }: { personal?: boolean }) =>
      run.gateway(async ({ database, config, keys }) => {
        const found = await reservationOf(new ReservationRepository(database, config, keys), id);
        if (personal)
          await recordAudit(
            { tables: database.tables, environment: config.environment },
            { actor: ACTOR, action: 'reservation_driver_shown', subject: id },
          );
        const { personal: _hidden, ...rest } = found;
        const { driver: _driver, ...shown } = reservationView(rest);
        run.print(JSON.stringify(personal ? reservationView(found) : shown, null, 2));
      }),
    );

  changing(reservation.command('resolve <id>'), 'own')
    .description(
      'record the outcome of a reservation in manual_review (`changed`: its change in doubt was made), or that a confirmed one was cancelled by phone',
    )
    .requiredOption('--as <state>', RESOLUTIONS.join(' | '))
    .option('--confirmation-number <number>', "the supplier's confirmation number, for --as confirmed")
    .requiredOption('--reason <text>', 'why; shown to the caller in the history')
    .action((id: string, options: { as: string; confirmationNumber?: string; reason: string }) =>
      withChange(id, async (repository, _personalData, record) => {
        const to = RESOLUTIONS.find((state) => state === options.as);
        if (!to) throw new Error(`--as must be one of ${RESOLUTIONS.join(', ')}`);
        const found = await reservationOf(repository, id);
        const { confirmationNumber, reason } = options;
        await resolveReservation(repository, found, { to, confirmationNumber, reason });
        const after = { state: to, confirmation_number: confirmationNumber };
        await record('reservation_resolved', { state: found.state }, after);
        return `${id}: ${found.state} → ${to}`;
      }),
    );

  changing(reservation.command('cancel <id>'), 'own')
    .description('let the gateway cancel the booking of a reservation in manual_review at its supplier')
    .option('--second', 'cancel only further bookings of the reservation that `unclear` lists')
    .requiredOption('--reason <text>', 'why; shown to the caller in the history')
    .action((id: string, options: { second?: boolean; reason: string }) =>
      withChange(id, async (repository, _personalData, record) => {
        checkReason(options.reason);
        const before = await reservationOf(repository, id);
        if (options.second) {
          if (!before.strays) throw new Error(`${id} has no second booking: list those that do with \`unclear\``);
          const strays = before.strays.map((stray) => ({ ...stray, cancel: true }));
          await storeMove(repository, before, before.state, options.reason, { strays, nextCheckAt: repository.now() });
        } else {
          await cancelInReview(repository, before, options.reason);
        }
        await record('reservation_cancelled', { state: before.state }, { second: options.second === true });
        return `${id}: the gateways cancel it now; see \`show ${id}\``;
      }),
    );

  changing(reservation.command('erase <id>'))
    .description(
      'permanently erase the driver, arrival, remark, client_reference, card digits and stored answers of a reservation',
    )
    .option(
      '--force',
      'erase even if the reservation is not final; suppliers that require a name can then no longer cancel it',
    )
    .action((id: string, { force }: { force?: boolean }) =>
      withChange(
        id,
        async (repository, personalData, record) => {
          const { state } = await reservationOf(repository, id);
          if (!hasEnded(state) && !force) throw new Error(`${id} is ${state}: wait for its end, or use --force`);
          if (!(await personalData.erase(id))) throw new Error(`there is no reservation ${id}`);
          await record('reservation_erased', { state });
          return `${id}: personal data erased`;
        },
        (personalData, tookMs) => personalData.forgetWritten(id, tookMs),
      ),
    );

  reservation
    .command('audit')
    .description(
      "compare reservations and the journal of bookings with the suppliers' books, for example after a restore (docs/backup.md); exits with 1 if they differ",
    )
    .requiredOption(
      '--since <time>',
      'UTC time (ISO 8601): what was made or changed since then, here or in the journal',
    )
    .option('--journal <folder...>', "folders with journals of all gateways; default: this gateway's")
    .option('--rate <per second>', 'questions per second to each supplier', '4')
    .option('--json', 'print all references as JSON instead of a table of those that differ')
    .action((options: AuditOptions) => auditReservations(options, run));

  changing(reservation.command('reseal'))
    .description(
      're-encrypt personal data with the first of PERSONAL_DATA_KEYS, which every gateway must have; afterwards, the other keys can be removed',
    )
    .action(() =>
      run.gateway(async ({ database, config, keys }) => {
        const reservations = new ReservationKeys(database, config, keys);
        const { personal_data: total } = await recordedRotation({ database, config, keys }, async () => {
          let done = 0;
          for await (const count of reservations.reseal()) {
            done += count;
            if (count > 0) run.tell(`${done} re-encrypted …`);
          }
          return { personal_data: done };
        });
        run.print(`${total} re-encrypted`);
      }),
    );
}

async function reservationOf(repository: ReservationRepository, id: string): Promise<Reservation> {
  const found = await repository.get(id);
  if (!found) throw new Error(`there is no reservation ${id}`);
  return found;
}
