import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { CountStorage } from '../incidents/count-storage.js';
import { certificateFinding, spaceFinding } from './doctor-checks.js';
import { printable } from './finding.js';
import { checkHealthIn, type Query, supplierFindings } from './health-database.js';
import { copiesFindings, lagFinding } from './health-process.js';

const database = migratedDatabase('service_counts', 'account_counts', 'outbox');
const query: Query = async (text) => ({ rows: [...(await database().rows<Record<string, unknown>>(sql.raw(text)))] });
const config = configSchema.parse({ mail: { smtpUrl: 'smtp://127.0.0.1:9' } });
const SUPPLIERS = [{ id: 'bravo' }, { id: 'dune' }];
const wrongIn = async (): Promise<readonly string[]> =>
  (await checkHealthIn(query, config, SUPPLIERS)).filter(({ ok }) => !ok).map(printable);
const NOW_MINUTE = Math.floor(Date.now() / 60_000);
const minute = (ago: number, failed: number, calls = 10, part = 'supplier:bravo') => ({
  ...{ part, operation: 'searchVehicles', minute: NOW_MINUTE - ago, account: '' },
  ...{ calls, failed },
});
const isoOf = (minutes: number): string => `${new Date(minutes * 60_000).toISOString().slice(0, 19)}Z`;

/** Adds a reservation in a state, without those checks of the database that need its application. */
async function reservation(id: string, values: Readonly<Record<string, string>>): Promise<void> {
  const row = {
    ...{ id, environment: "'sandbox'", application_id: "'app_one'", supplier: "'bravo'", state: "'pending'" },
    ...{ state_reason: "'r'", state_actor: "'ops'", version: '1', rental: "'{}'", view: "'{}'", payment: "'{}'" },
    ...{ sent_until: 'now()', created_at: 'now()', updated_at: 'now()' },
    ...values,
  };
  const columns = Object.keys(row).join();
  const list = Object.entries(row).map(([name, value]) => (name === 'id' ? `'${value}'` : value));
  await database().rows(sql.raw(`insert into reservations (${columns}) values (${list.join()})`));
}

describe('the health by a database', () => {
  it('is good without traffic', async () => {
    expect(await wrongIn()).toEqual([]);
  });

  it('is bad if a supplier fails often, since the first bad minute, and names what to do', async () => {
    const counts = new CountStorage(database(), 'sandbox');
    await counts.add({
      number: 1,
      rows: [minute(30, 0), minute(14, 5), minute(4, 9), minute(3, 8), minute(2, 2, 10, 'supplier:dune')],
    });
    const [line, ...rest] = await wrongIn();
    expect(line).toContain(
      `calls to bravo: searchVehicles fails: 17 of 20 calls in the last 10 minutes (85 %), since ${isoOf(NOW_MINUTE - 14)}. To fix: `,
    );
    expect(line).toContain('gw supplier state bravo maintenance');
    expect(rest).toEqual([expect.stringContaining('calls to dune: searchVehicles fails: 2 of 10')]);
    expect(await checkHealthIn(query, { ...config, environment: 'production' }, SUPPLIERS)).not.toContainEqual(
      expect.objectContaining({ ok: false }),
    );
  });

  it('is bad while reservations wait for an operator, for a check, or with a second booking', async () => {
    await database().rows(sql`alter table reservations disable trigger all`);
    await database().rows(sql`alter table reservations drop constraint reservations_application_environment`);
    const since = "'2026-01-02T03:04:05Z'";
    await reservation('res_1', { state: "'manual_review'", updated_at: since });
    await reservation('res_2', { state: "'manual_review'" });
    await reservation('res_3', { state: "'unknown'", next_check_at: `now() - interval '6 minutes'` });
    await reservation('res_4', {
      state: "'unknown'",
      next_check_at: `now() - interval '4 minutes'`,
      supplier: "'dune'",
    });
    await reservation('res_5', { state: "'confirmed'", strays: `'[{"number":"N1"}]'` });
    await reservation('res_6', { state: "'manual_review'", environment: "'production'" });
    expect(await wrongIn()).toEqual([
      'FAIL   reviews: 2 reservations of bravo wait for an operator in manual_review, since 2026-01-02T03:04:05Z. To fix: gw reservation unclear lists them; ask the supplier, then gw reservation resolve',
      expect.stringMatching(
        /^FAIL {3}unknown outcomes: 1 reservation of bravo should have been checked .*backgroundWork/,
      ),
      expect.stringMatching(/^FAIL {3}second bookings: 1 reservation of bravo has more than one .*--second/),
    ]);
    await database().rows(sql`delete from reservations`);
  });

  it('is bad if emails stay undelivered, but not without a mail server', async () => {
    await database().rows(sql`insert into outbox (environment, at, recipient, subject, text, html)
      values ('sandbox', now() - interval '16 minutes', 'a@b.example', 's', 't', 'h')`);
    expect(await wrongIn()).toEqual([
      expect.stringMatching(/^FAIL {3}emails: 1 could not be delivered so far, since \d{4}-/),
    ]);
    const subjects = await checkHealthIn(query, configSchema.parse({}), SUPPLIERS);
    expect(subjects.map(({ subject }) => subject)).not.toContain('emails');
  });

  it('is unknown, not an error, in a database from before its tables', async () => {
    const before: Query = async () => Promise.reject(Object.assign(new Error('no'), { code: '42P01' }));
    expect(await checkHealthIn(before, config, SUPPLIERS)).toEqual([]);
    const broken: Query = async () => Promise.reject(new Error('connection lost'));
    await expect(checkHealthIn(broken, config, SUPPLIERS)).rejects.toThrow('connection lost');
  });
});

describe('the bounds', () => {
  const now = 1_000 * 60_000;
  const at = (ago: number, failed: number, calls: number) => ({
    operation: 'book',
    at: now - ago * 60_000,
    failed,
    calls,
  });
  it.each([
    ['fewer than ten calls', [at(1, 9, 9)], 0],
    ['a share of 20 %', [at(1, 2, 10)], 1],
    ['less than that', [at(1, 19, 100)], 0],
    ['what is older than ten minutes', [at(11, 90, 100)], 0],
  ])('%s', (_case, rows, count) => {
    expect(supplierFindings('bravo', rows, now).filter(({ ok }) => !ok)).toHaveLength(count);
  });

  it.each([
    [spaceFinding(999_999_999).ok, false],
    [spaceFinding(1_000_000_000).ok, true],
    [lagFinding(51).ok, false],
    [lagFinding(50).ok, true],
    [copiesFindings(now - 300_001, now)[0]?.ok, false],
    [copiesFindings(now - 300_000, now)[0]?.ok, true],
    [copiesFindings(0, now).length, 0],
    [certificateFinding('supplier x', 'fine', now + 15 * 86_400_000, now).ok, true],
    [certificateFinding('supplier x', 'fine', now + 13 * 86_400_000, now).ok, false],
  ])('of space, lag, copies, and certificates: %j is %j', (found, expected) => {
    expect(found).toBe(expected);
  });
});
