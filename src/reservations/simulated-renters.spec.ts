import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { pino } from 'pino';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { BookingLedger, type SimulatedBooking } from '../simulators/bookings.js';
import { LedgerFile } from '../simulators/ledger-file.js';
import { NO_SIMULATORS } from '../suppliers/fixtures/no-simulators.js';
import { PersonalDataRetention } from './personal-data.js';

const DAY_MS = 86_400_000;
const KEY = createSecretKey(randomBytes(32));
const booking: Omit<SimulatedBooking, 'confirmation' | 'reference' | 'createdAt'> = {
  ...{ status: 'confirmed', brand: 'Uno', firstName: 'Ada', lastName: 'Sample', email: 'ada@example.com', age: 35 },
  ...{ pickupCode: 'BOS', dropoffCode: 'BOS', pickupDate: '2999-05-01T10:00:00', dropoffDate: '2999-05-04T10:00:00' },
  ...{ sippCode: 'ECAR', rateCode: 'L1', prepaid: false, countryCode: 'US', currency: 'USD', total: 20_000 },
  ...{ extras: [], coverages: [], flight: 'LH 400', remark: 'ring' },
};

const database = migratedDatabase('reservation_events', 'reservations', 'applications', 'accounts');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'forecourt-ledger-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

claim(
  'personal-data',
  'Simulated suppliers that run in a gateway forget a renter whose data is erased, by any gateway or command, including in their files.',
  async () => {
    const reserved = (id: string, number: string | null, personal: string | null) =>
      `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
          confirmation_number, rental, view, payment, personal, sent_until, created_at, updated_at)
        values ('${id}', 'app_a', 'acc_a', 'sandbox', 'uno', 'confirmed', 'asked', 'caller', 2, ${number && `'${number}'`},
          '{"dropoffDate":"2999-05-04T10:00:00"}', '{}', '{}', ${personal && `'${personal}'`}, now(), now(), now())`;
    await withoutTriggers(
      database(),
      "insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'a', 'demo')",
      `insert into applications (id, account_id, name, client_id, environment, tier)
        values ('app_a', 'acc_a', 'a', 'a', 'sandbox', 'demo')`,
      reserved('res_kept', 'KEPT', 'sealed'),
      reserved('res_erased', 'ERASED', null),
      reserved('res_unnamed', 'NUMBER', null),
      reserved('res_named', 'NAMED', 'sealed'),
    );
    const now = Date.now();
    const file = join(folder, 'uno.jsonl');
    const ledger = new BookingLedger(() => now, new LedgerFile(file, [KEY]));
    const put = (confirmation: string, reference: string, days = 0) =>
      ledger.put({ ...booking, confirmation, reference, createdAt: now - days * DAY_MS });
    for (const number of ['KEPT', 'ERASED']) put(number, `res_${number.toLowerCase()}`);
    // What it was before it was confirmed has the renter as well.
    ledger.put({ ...put('HOLD', 'res_erased'), status: 'released' });
    // A dialect without references.
    for (const number of ['NUMBER', 'NAMED']) put(number, '');
    // Deleted by the sandbox, or missing in a restored database.
    put('DELETED', 'res_gone', 100);
    put('MISSING', 'res_missing', 10);
    const simulators = {
      ...NO_SIMULATORS,
      rented: () => new Map([['uno', ledger.rented()]]),
      forgetRenters: (_id: string, numbers: readonly string[]) => ledger.forget(numbers),
    };
    const logger = pino({ level: 'silent' });
    await new PersonalDataRetention(database(), configSchema.parse({}), logger, simulators).round();
    expect(ledger.rented().map(({ confirmation }) => confirmation)).toEqual(['KEPT', 'NAMED', 'MISSING']);
    const erased = ledger.byConfirmation('ERASED');
    expect(erased).toMatchObject({ firstName: '', lastName: '', total: 20_000, status: 'confirmed' });
    for (const name of ['email', 'flight', 'remark']) expect(erased).not.toHaveProperty(name);
    // One line per booking: no earlier state is left, and after a restart all are as they were.
    expect(readFileSync(file, 'utf8').match(/\n/g)).toHaveLength(7);
    expect(new BookingLedger(() => now, new LedgerFile(file, [KEY])).all()).toEqual(ledger.all());
  },
);
