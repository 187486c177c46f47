/**
 * What a table says of a supplier's code. Undefined for a code that it does not list or that is absent: also for `constructor`, which every object has
 * and no supplier means.
 */
export function rowOf<T>(table: Readonly<Record<string, T>>, code: string | undefined): T | undefined {
  return code !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
}
