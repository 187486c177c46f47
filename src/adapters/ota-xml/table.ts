/**
 * The table's entry for a supplier's code. Undefined for an absent or unlisted code, including names such as
 * `constructor` that every object has.
 */
export function rowOf<T>(table: Readonly<Record<string, T>>, code: string | undefined): T | undefined {
  return code !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
}
