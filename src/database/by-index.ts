import { type SQL, sql } from 'drizzle-orm';
import type { Database, Tables } from './database.js';

/** Runs a statement and returns its rows as the driver returns them. */
export type Run = <T>(statement: SQL) => Promise<readonly T[]>;

/**
 * For the rest of a transaction, rows are read in the order of an index. Without it, PGlite, which has no statistics, reads and
 * sorts all rows of an account for each part. PostgreSQL takes the penalty of a sort that it can't avoid for an expensive
 * statement and would compile it, which takes a second.
 */
export const BY_INDEX = sql`select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('jit', 'off', true)`;

/** For the rest of a transaction, rows are found by an index and not by reading a table, however many of them PostgreSQL expects. */
export const FOUND_BY_INDEX = sql`select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`;

/** Both: for statements with several steps that read the table in another order each, with or without statistics. */
export const ONLY_BY_INDEX = sql`select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('jit', 'off', true)`;

/** Runs each statement in a transaction of its own, in which `how` holds: rows are read in the order of an index by default. */
export function byIndex(tables: Tables, how = BY_INDEX): Run {
  return async (statement) =>
    await tables.transaction(async (tx) => {
      await tx.execute(how);
      return await rowsIn(tx)(statement);
    });
}

/** Like `rowsIn`; a statement that fails leaves the transaction usable, as one outside of a transaction leaves the next ones. */
export function rowsSaved(tx: Tables): Run {
  return async (statement) => await tx.transaction(async (saved) => await rowsIn(saved)(statement));
}

/** The database as seen in a transaction: what reads and writes with it is carried out, or not, together with the rest. */
export function within(tx: Tables, database: Database): Database {
  return { ...database, tables: tx, rows: rowsSaved(tx) };
}

/** Both drivers return the rows as a member, which drizzle's type for either of them lacks. */
export function rowsIn(tx: Tables): Run {
  return async <T>(statement: SQL) => ((await tx.execute(statement)) as unknown as { readonly rows: T[] }).rows;
}
