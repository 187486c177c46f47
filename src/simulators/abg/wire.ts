/** A JSON object of a request. */
export type Wire = Readonly<Record<string, unknown>>;

/** The JSON object; undefined for a list, a scalar or null. */
export function wireObject(value: unknown): Wire | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wire) : undefined;
}

/** The JSON object; a missing one counts as empty, so that the missing required member in it is reported. */
export function group(value: unknown): Wire {
  return wireObject(value) ?? {};
}

/** The list; a missing one counts as empty. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The trimmed text of a code, name or date, as typed in the contract. A number instead counts as missing. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

/**
 * The number of an age or quantity, as typed in the contract: undefined if missing, NaN for anything else, including
 * numeric text.
 */
export function numeric(value: unknown): number | undefined {
  return value === undefined || typeof value === 'number' ? value : Number.NaN;
}
