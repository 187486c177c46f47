import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadKeys } from '../config/keys.js';
import { loadConfig } from '../config/load-config.js';
import { holdsCardNumber } from '../http/sensitive-url.js';
import { moved, type Reservation } from '../reservations/reservation.js';
import { ReservationRepository } from '../reservations/reservation.repository.js';
import { reservationView } from '../reservations/reservation-view.js';
import { isFinal, type State } from '../reservations/states.js';
import { isNumber } from '../reservations/supplier-outcome.js';
import { openGatewayDatabase } from './gateway-database.js';

const RESOLUTIONS = ['confirmed', 'failed', 'cancelled'] as const;

/** Adds `gw reservation …`: what ops do by hand with reservations, on the database itself. */
export function addReservationCommands(gw: Command): void {
  const reservation = gw
    .command('reservation')
    .description(
      'work on reservations in the database (with PGlite, while the gateway is stopped; with PostgreSQL at any time)',
    );

  reservation
    .command('unclear')
    .description('list reservations whose outcome is not known, oldest first: id, supplier, state, age, reason')
    .action(() =>
      withRepository(async (repository) => {
        const rows = await repository.listUnclear(1_000);
        for (const { id, supplier, state, updatedAt, history } of rows) {
          const minutes = Math.round((Date.now() - updatedAt) / 60_000);
          console.log([id, supplier, state, `${minutes} min`, history.at(-1)?.reason ?? ''].join('\t'));
        }
        console.error(`${rows.length} unclear`);
      }),
    );

  reservation
    .command('show <id>')
    .description('print a reservation with its history as JSON; personal data only with --personal')
    .option('--personal', 'show the driver, too')
    .action((id: string, { personal }: { personal?: boolean }) =>
      withRepository(async (repository) => {
        const found = await reservationOf(repository, id);
        const { personal: _hidden, ...rest } = found;
        const { driver: _driver, ...shown } = reservationView(rest);
        console.log(JSON.stringify(personal ? reservationView(found) : shown, null, 2));
      }),
    );

  reservation
    .command('resolve <id>')
    .description('say what a person found out about a reservation in manual_review')
    .requiredOption('--as <state>', RESOLUTIONS.join(' | '))
    .option('--confirmation-number <number>', "the supplier's number, with --as confirmed")
    .requiredOption('--reason <text>', 'what was found out; public in the history')
    .action((id: string, options: { as: string; confirmationNumber?: string; reason: string }) =>
      withRepository(async (repository) => {
        const to = RESOLUTIONS.find((state) => state === options.as);
        if (!to) throw new Error(`--as must be one of ${RESOLUTIONS.join(', ')}`);
        const before = await reservationOf(repository, id);
        if (before.state !== 'manual_review')
          throw new Error(`${id} is ${before.state}: only manual_review is resolved by hand`);
        if (options.confirmationNumber !== undefined && !isNumber(options.confirmationNumber)) {
          throw new Error('--confirmation-number must be 1 to 64 printable characters');
        }
        if (!/^[\x20-\x7e\u00a0-\uffff]{3,200}$/.test(options.reason) || holdsCardNumber(options.reason)) {
          throw new Error(
            '--reason must be 3 to 200 printable characters without a card number: it is shown to the caller',
          );
        }
        if (to === 'confirmed' && (options.confirmationNumber ?? before.confirmationNumber) === undefined) {
          throw new Error(
            '--as confirmed needs --confirmation-number: without it the booking could be neither found nor cancelled',
          );
        }
        await store(repository, before, to, options.reason, options.confirmationNumber);
        console.log(`${id}: manual_review → ${to}`);
      }),
    );

  reservation
    .command('erase <id>')
    .description('erase driver, arrival, remark and stored answers of a reservation for good')
    .option(
      '--force',
      'although the reservation is not final: a supplier that wants the name cannot be asked to cancel it any more',
    )
    .action((id: string, { force }: { force?: boolean }) =>
      withRepository(async (repository) => {
        const { state } = await reservationOf(repository, id);
        if (!isFinal(state) && !force) throw new Error(`${id} is ${state}: erase it when it is final, or use --force`);
        if (!(await repository.erase(id, Date.now()))) throw new Error(`there is no reservation ${id}`);
        console.log(`${id}: personal data erased`);
      }),
    );

  reservation
    .command('reseal')
    .description(
      'seal personal data anew that an older key of PERSONAL_DATA_KEYS has sealed; then that key can be taken out',
    )
    .action(() =>
      withRepository(async (repository) => {
        let total = 0;
        for (let count = await repository.reseal(500); count > 0; count = await repository.reseal(500)) {
          total += count;
          console.error(`${total} sealed anew …`);
        }
        console.log(`${total} sealed anew`);
      }),
    );
}

async function withRepository(work: (repository: ReservationRepository) => Promise<void>): Promise<void> {
  const { config } = loadConfig(configFolder(process.env), process.env);
  const database = await openGatewayDatabase(config);
  try {
    await work(new ReservationRepository(database, config, loadKeys(config)));
  } finally {
    await database.close();
  }
}

async function reservationOf(repository: ReservationRepository, id: string): Promise<Reservation> {
  const found = await repository.get(id);
  if (!found) throw new Error(`there is no reservation ${id}`);
  return found;
}

async function store(
  repository: ReservationRepository,
  before: Reservation,
  to: State,
  reason: string,
  confirmationNumber: string | undefined,
): Promise<void> {
  const patch = {
    nextCheckAt: undefined,
    change: undefined,
    ...(confirmationNumber === undefined ? {} : { confirmationNumber }),
  };
  const after = moved(before, { to, actor: 'ops', reason, at: Date.now(), patch });
  const stored = await repository.update(after).catch((error: unknown) => {
    throw new Error('it could not be stored; is the confirmation number that of another reservation?', {
      cause: error,
    });
  });
  if (!stored) throw new Error(`${before.id} changed meanwhile: look again`);
}
