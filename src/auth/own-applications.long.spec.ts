import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { embeddedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { OwnApplications } from './own-applications.js';

const database = embeddedDatabase();
beforeAll(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier)
    select 'acc_' || n, 'sandbox', 'n', 'demo' from generate_series(1, 2000) n`);
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state)
    select 'app_' || n, 'acc_' || n, 'n', 'client_' || n, 'sandbox', 'demo', 'suspended' from generate_series(1, 2000) n`);
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state)
    select 'app_gone_' || n, 'acc_' || (case when n <= 300 then 1 else n % 1999 + 2 end), 'n', 'client_gone_' || n, 'sandbox', 'demo', 'deleted' from generate_series(1, 20300) n`);
  // Without the hash chain, which takes minutes for so many.
  await withoutTriggers(
    database(),
    `insert into audit_events (actor, action, subject)
    select 'acc_1', case when n % 2 = 0 then 'application_suspended' else 'application_resumed' end, 'app_1' from generate_series(1, 5000) n`,
    `insert into audit_events (actor, action, subject)
    select 'acc_1', 'secret_shown', 'app_' || (case when n % 2 = 0 then 1 else n end) from generate_series(1, 2000) n`,
    `insert into audit_events (actor, action, subject)
    select 'acc_2', 'secret_shown', 'app_2' from generate_series(1, 300000) n`,
  );
  await database().rows(sql`insert into client_secrets (id, application_id, hmac)
    select 'sec_' || n, case when n <= 5 then 'app_1' else 'app_2' end, 'hmac' from generate_series(1, 50000) n`);
}, 120_000);

/** The rows of all tables that this connection has read so far. */
async function rowsRead(): Promise<number> {
  await database().rows(sql`select pg_stat_force_next_flush()`);
  const [row] = await database().rows<{ count: string }>(
    sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as count from pg_stat_user_tables`,
  );
  return Number(row?.count);
}

describe.each(['without', 'with'])('%s statistics of the tables', (which) => {
  beforeAll(async () => {
    if (which === 'with') await database().rows(sql`analyze`);
  });

  it.each([
    ['the list', (own: OwnApplications) => own.list('acc_1')],
    ['those that can call', (own: OwnApplications) => own.callable('acc_1')],
    ['one application', (own: OwnApplications) => own.find('acc_1', 'app_1')],
    ['its newest events', (own: OwnApplications) => own.events('app_1', 20)],
  ])('reads few rows for %s, however many applications, deleted ones and events there are', async (_, read) => {
    const before = await rowsRead();
    expect((await read(new OwnApplications(database())))?.constructor).toBeDefined();
    expect((await rowsRead()) - before).toBeLessThan(200);
  });
});
