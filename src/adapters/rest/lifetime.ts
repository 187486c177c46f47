/** How a supplier states the lifetime of a session: a duration, or the instant at which it ends. */
export const LIFETIME_UNITS = [
  'seconds',
  'minutes',
  'hours',
  'milliseconds',
  'epoch-seconds',
  'epoch-millis',
  'iso',
] as const;
export type LifetimeUnit = (typeof LIFETIME_UNITS)[number];

/** An instant without zone would be ambiguous. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

/**
 * Seconds until a session ends, negative if it has expired; `now`: epoch milliseconds. Undefined if the value is not a number,
 * or for `iso` not an instant with Z or an offset.
 */
export function lifetimeSeconds(
  value: number | string | undefined,
  unit: LifetimeUnit,
  now: number,
): number | undefined {
  if (unit === 'iso') {
    const at = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(at) ? undefined : (at - now) / 1_000;
  }
  if (typeof value !== 'number') return undefined;
  switch (unit) {
    case 'seconds':
      return value;
    case 'minutes':
      return value * 60;
    case 'hours':
      return value * 3_600;
    case 'milliseconds':
      return value / 1_000;
    case 'epoch-seconds':
      return value - now / 1_000;
    case 'epoch-millis':
      return (value - now) / 1_000;
  }
}
