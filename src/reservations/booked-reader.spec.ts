import { beforeAll, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { amountText, BookedReader } from './booked-reader.js';

const FROM = Date.parse('2027-05-01T00:00:00Z');
const DAY_MS = 86_400_000;
const PERIODS = { before: FROM - DAY_MS, from: FROM, to: FROM + DAY_MS };
const database = migratedDatabase();
let made = 0;

/** A reservation that went through these states, after `pending`. */
async function reservation(
  path: readonly string[],
  more: { at?: number; app?: string; supplier?: string; total?: string } = {},
) {
  const { at = FROM, app = 'app_a', supplier = 'alpine', total = '{"amountMinor":10000,"currency":"USD"}' } = more;
  made += 1;
  const id = `res_${made}`;
  await database().rows(sql`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version,
    rental, view, payment, sent_until, created_at, updated_at) values (${id}, 'sandbox', ${app}, ${supplier}, 'pending', 'new', 'application', 1,
    ${`{"total":${total}}`}::json, '{}', '{}', now(), ${new Date(at).toISOString()}::timestamptz, now())`);
  for (const state of path)
    await database().rows(
      sql`update reservations set state = ${state}, version = version + 1, updated_at = now() where id = ${id}`,
    );
}

beforeAll(async () => {
  await database().rows(
    sql`insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'a', 'demo')`,
  );
  for (const app of ['app_a', 'app_b'])
    await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
      values (${app}, 'acc_a', ${app}, ${app}, 'sandbox', 'demo')`);
}, 30_000);

it('counts confirmed reservations, not those whose outcome is unknown or that were refused, and sums up what is still booked', async () => {
  await reservation(['confirmed']);
  await reservation(['unknown']);
  await reservation(['unknown', 'confirmed']);
  await reservation(['confirmed', 'modify_pending', 'unknown']);
  await reservation(['confirmed', 'cancel_pending', 'cancelled']);
  await reservation(['on_request', 'cancel_pending', 'cancelled']);
  await reservation(['on_request', 'rejected']);
  await reservation(['failed']);
  await reservation([]);
  expect(await new BookedReader(database()).read(['app_a'], PERIODS)).toEqual([
    {
      ...{ isCurrent: true, applicationId: 'app_a', supplier: 'alpine', currency: 'USD' },
      ...{ requested: 9, confirmed: 4, cancelled: 1, refused: 2, valueMinor: 30_000 },
    },
  ]);
});

it('keeps suppliers, currencies, applications and the period before apart', async () => {
  await database().rows(sql`delete from reservation_events`);
  await database().rows(sql`delete from reservations`);
  await reservation(['confirmed'], { at: FROM - 1 });
  await reservation(['confirmed'], { at: PERIODS.to - 1, supplier: 'bravo' });
  await reservation(['confirmed'], { total: '{"amountMinor":500,"currency":"JPY"}' });
  await reservation(['confirmed'], { app: 'app_b' });
  for (const at of [PERIODS.to, PERIODS.before - 1]) await reservation(['confirmed'], { at });
  const rows = await new BookedReader(database()).read(['app_a', 'app_b'], PERIODS);
  const texts = rows.map(({ isCurrent, applicationId, supplier, currency, valueMinor }) =>
    [isCurrent ? 'now' : 'before', applicationId, supplier, amountText(valueMinor, currency)].join(' '),
  );
  expect(texts.sort()).toEqual([
    'before app_a alpine 100.00 USD',
    'now app_a alpine 500 JPY',
    'now app_a bravo 100.00 USD',
    'now app_b alpine 100.00 USD',
  ]);
  expect(await new BookedReader(database()).read([], PERIODS)).toEqual([]);
});

it('writes amounts with separators between thousands, for pages', () => {
  const written = [99_999, 127_856, 123_456_789, -123_456].map((minor) => amountText(minor, 'USD'));
  expect(written).toEqual(['999.99 USD', '1,278.56 USD', '1,234,567.89 USD', '-1,234.56 USD']);
  expect(amountText(250_000, 'JPY')).toBe('250,000 JPY');
});
