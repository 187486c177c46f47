// Stores reservations one after the other until it is killed: `reservation-writer.mjs <data folder> [<PostgreSQL
// url>]`. As soon as the database acknowledges one, it prints `<id> <version>`.
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import 'reflect-metadata';
import { sql } from 'drizzle-orm';
import { configSchema } from '../../build/config/config.schema.js';
import { loadKeys } from '../../build/config/keys.js';
import { openDatabase } from '../../build/database/database.js';
import { moved } from '../../build/reservations/reservation.js';
import { ReservationRepository } from '../../build/reservations/reservation.repository.js';

const [dataFolder, url] = process.argv.slice(2);
const config = configSchema.parse({ dataFolder, secret: 'a-secret-of-the-end-to-end-tests-0123456789' });
const database = await openDatabase(url, dataFolder);
const repository = new ReservationRepository(database, config, loadKeys(config));
await database.rows(
  sql`insert into accounts (id, environment, name, tier) values ('acc_w', 'sandbox', 'writer', 'demo') on conflict do nothing`,
);
await database.rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
  values ('app_w', 'acc_w', 'writer', 'client_w', 'sandbox', 'demo') on conflict do nothing`);

for (;;) {
  const id = `res_${randomBytes(10).toString('hex')}`;
  const request = { applicationId: 'app_w', key: id, bodyHash: 'hash' };
  let reservation = newReservation(id, Date.now());
  await repository.insert(reservation, request);
  acknowledge(reservation);
  const patch = { confirmationNumber: `CN${id}` };
  reservation = moved(reservation, { to: 'confirmed', actor: 'gateway', reason: 'booked', at: Date.now(), patch });
  await repository.updateAndAnswer(reservation, patch, request, { status: 201, headers: {}, body: id });
  acknowledge(reservation);
}

function newReservation(id, at) {
  const place = { iataCode: 'BOS', countryCode: 'US' };
  return {
    id,
    applicationId: 'app_w',
    supplier: 'uno',
    state: 'pending',
    version: 1,
    rental: { brand: 'Uno', ref: {}, pickup: place, dropoff: place, extras: [], coverages: [] },
    view: {},
    personal: {
      driver: { firstName: 'Ada', lastName: 'Sample', email: 'ada.sample@example.com', loyalty: [] },
      additionalDrivers: [],
    },
    payment: { type: 'counter' },
    sentUntil: at,
    nextCheckAt: at,
    checks: 0,
    createdAt: at,
    updatedAt: at,
    history: [{ to: 'pending', at, actor: 'application', reason: 'accepted' }],
  };
}

function acknowledge({ id, version }) {
  writeSync(1, `${id} ${version}\n`);
}
