import { sql } from 'drizzle-orm';
import type { Database } from '../../src/database/database.js';

/** Tables that gateways write by themselves, or about every request. */
const BESIDES =
  /^(audit_checkpoints|failed_exchanges|outbox|record_|request_|service_counts|supplier_(?!states)|usage_|webhook_(arrivals|deliveries))/;
/** A code that was entered is used up, whatever becomes of the change. */
const ROW = `(to_jsonb(t) - 'last_step')::text`;

/** Runs a change while no transaction that adds to the audit log can be committed; returns the tables that it changed all the same. */
export async function changedUnrecorded(
  database: Database,
  change: () => Promise<unknown>,
): Promise<readonly string[]> {
  const run = (text: string) => database.rows<Record<string, string>>(sql.raw(text));
  const all = await run("select tablename as name from pg_tables where schemaname = 'public' order by 1");
  const names = all.map(({ name = '' }) => name).filter((name) => !BESIDES.test(name));
  const digests = names.map(
    (name) => `(select md5(coalesce(string_agg(${ROW}, ',' order by ${ROW}), '')) from "${name}" t) as "${name}"`,
  );
  const contents = async () => (await run(`select ${digests.join(', ')}`))[0] ?? {};
  await run(`create or replace function refuse_audit() returns trigger language plpgsql
    as $$ begin raise exception 'not recorded'; end $$`);
  await run(`create constraint trigger refused after insert on audit_events deferrable initially deferred
    for each row execute function refuse_audit()`);
  try {
    const before = await contents();
    await change();
    const after = await contents();
    return names.filter((name) => before[name] !== after[name]);
  } finally {
    await run('drop trigger refused on audit_events');
  }
}
