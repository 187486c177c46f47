import { type SQL, sql } from 'drizzle-orm';
import { ApiError } from '../../status/api-error.js';

/** `<epoch µs>.<id>`. */
const CURSOR = /^(\d{1,16})\.(\w{1,60})$/;

/** The condition for rows after a cursor, in the order of `created_at` and `id`, newest first. Throws ApiError 400 for another text. */
export function olderThan(cursor: string | undefined, table: SQL): SQL {
  if (cursor === undefined) return sql`true`;
  const [, at, id] = CURSOR.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw ApiError.of('invalid_format', '"cursor" must be the next_cursor of the page before.', { field: 'cursor' });
  return sql`(${table}.created_at, ${table}.id) < (timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond', ${id})`;
}

/** The column from which the next cursor is made. */
export function cursorColumn(table: SQL): SQL {
  return sql`(extract(epoch from ${table}.created_at) * 1000000)::bigint || '.' || ${table}.id as cursor`;
}

/** A page of at most `most` rows out of one more than that. */
export function pageFrom<T extends { readonly cursor: string }>(rows: readonly T[], most: number) {
  const items = rows.slice(0, most).map(({ cursor: _own, ...item }) => item);
  return { items, next_cursor: rows.length > most ? (rows[most - 1]?.cursor ?? null) : null };
}

/** A text that `ilike` finds anywhere. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
