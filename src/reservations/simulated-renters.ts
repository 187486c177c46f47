import { sql } from 'drizzle-orm';
import type { Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import type { SimulatedSuppliers } from '../suppliers/supplier-files.js';
import { keptSince } from './sandbox-retention.js';

/** Bookings that one statement looks up. */
const MOST = 500;

/**
 * Makes the simulators of this process forget the renters of reservations whose data is erased, and of those that the sandbox has
 * deleted. Simulated suppliers keep bookings of their own, as real ones do. Returns how many bookings were affected. Rejects with the
 * driver's error if the database is unavailable, and with the reason of `stop`.
 */
export async function forgetSimulatedRenters(
  database: Database,
  config: Config,
  simulators: Pick<SimulatedSuppliers, 'rented' | 'forgetRenters'>,
  stop?: AbortSignal,
): Promise<number> {
  // A reservation that is missing, but can't have been deleted, may be one that a restored database lacks.
  const since = Math.max(0, keptSince(config, database.clock.now()));
  let count = 0;
  for (const [supplier, bookings] of simulators.rented()) {
    const erased: string[] = [];
    for (let from = 0; from < bookings.length; from += MOST) {
      stop?.throwIfAborted();
      const lines = bookings
        .slice(from, from + MOST)
        .map(({ confirmation, reference, createdAt }) => ({ n: confirmation, r: reference, t: createdAt }));
      const own = sql`v.environment = ${config.environment}`;
      const isIt = sql`${own} and v.id = b.r`;
      const hasNumber = sql`${own} and v.supplier = ${supplier} and v.confirmation_number = b.n`;
      const rows = await database.rows<{ number: string }>(sql`
        select b.n as number from json_to_recordset(${JSON.stringify(lines)}::json) as b (n text, r text, t float8)
        where not exists (select from reservations v where ${isIt} and v.personal is not null)
          and not exists (select from reservations v where ${hasNumber} and v.personal is not null)
          and (b.t < ${since} or exists (select from reservations v where ${isIt})
            or exists (select from reservations v where ${hasNumber}))`);
      erased.push(...rows.map(({ number }) => number));
    }
    if (erased.length > 0) await simulators.forgetRenters(supplier, erased);
    count += erased.length;
  }
  return count;
}
