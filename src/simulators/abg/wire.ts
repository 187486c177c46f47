/** A JSON object of a request. */
export type Wire = Readonly<Record<string, unknown>>;

/** The JSON object; undefined for a list, a scalar or null. */
export function wireObject(value: unknown): Wire | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wire) : undefined;
}

/** The JSON object; an absent one counts as empty, so that what is missing is reported by the member that is required in it. */
export function group(value: unknown): Wire {
  return wireObject(value) ?? {};
}

/** The list; an absent one counts as empty. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text as the contract types codes, names and dates, without blanks around it. A number in its place counts as missing. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

/** A number as the contract types ages and quantities: undefined when absent, NaN for anything else, such as its text. */
export function numeric(value: unknown): number | undefined {
  return value === undefined || typeof value === 'number' ? value : Number.NaN;
}
