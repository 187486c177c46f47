const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const MAX_CACHED = 4_096;

/**
 * The clock of one time zone. Intl takes microseconds per call, so offsets are cached: per local day if the entire day
 * has one offset (all but a few days a year), and per quarter of an hour for instants (no zone in current use changes
 * at any other time).
 */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsetByQuarter = new Map<number, number>();
  /** An undefined value means that the clocks change near that day. */
  readonly #offsetByLocalDay = new Map<number, number | undefined>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  offsetAt(epochMs: number): number {
    const quarter = Math.floor(epochMs / QUARTER_MS);
    const known = this.#offsetByQuarter.get(quarter);
    if (known !== undefined) return known;
    const instant = quarter * QUARTER_MS;
    const offset = this.#wallClockMs(instant) - instant;
    if (this.#offsetByQuarter.size >= MAX_CACHED) this.#offsetByQuarter.clear();
    this.#offsetByQuarter.set(quarter, offset);
    return offset;
  }

  /**
   * The offset to subtract from a local time (given as if it were UTC). If the time occurs twice or not at all, the
   * earlier offset.
   */
  offsetOfLocal(localMs: number): number {
    const day = Math.floor(localMs / DAY_MS);
    const known = this.#offsetByLocalDay.get(day);
    if (known !== undefined) return known;
    if (!this.#offsetByLocalDay.has(day)) {
      const before = this.offsetAt((day - 1) * DAY_MS);
      const steady = before === this.offsetAt((day + 2) * DAY_MS) ? before : undefined;
      if (this.#offsetByLocalDay.size >= MAX_CACHED) this.#offsetByLocalDay.clear();
      this.#offsetByLocalDay.set(day, steady);
      if (steady !== undefined) return steady;
    }
    const before = this.offsetAt(localMs - DAY_MS);
    const after = this.offsetAt(localMs + DAY_MS);
    if (before === after || this.offsetAt(localMs - before) === before) return before;
    return this.offsetAt(localMs - after) === after ? after : before;
  }

  /** The local time at an instant, in milliseconds of a UTC clock with the same digits. */
  #wallClockMs(epochMs: number): number {
    const digits = this.#format.format(epochMs);
    const part = (from: number, to: number) => Number(digits.slice(from, to));
    return Date.UTC(part(6, 10), part(0, 2) - 1, part(3, 5), part(12, 14), part(15, 17), part(18, 20));
  }
}

const clocks = new Map<string, ZoneClock>();

function clockOf(timeZone: string): ZoneClock {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new ZoneClock(timeZone);
    clocks.set(timeZone, clock);
  }
  return clock;
}

/**
 * Converts a local time to UTC: (`2026-07-01T10:00:00`, `America/New_York`) → `2026-07-01T14:00:00Z`. A time that the
 * clocks skip moves forward by the length of the gap; a time that occurs twice means the first occurrence, as in
 * java.time. Throws a RangeError for an unknown zone or an invalid date, so check input first.
 */
export function toUtc(localDateTime: string, timeZone: string): string {
  const localMs = Date.parse(`${localDateTime}Z`);
  return `${new Date(localMs - clockOf(timeZone).offsetOfLocal(localMs)).toISOString().slice(0, 19)}Z`;
}

/**
 * The latest instant, in epoch milliseconds, at which it is this local time: the second occurrence of one that occurs twice.
 * Otherwise as `toUtc`.
 */
export function latestOfLocal(localDateTime: string, timeZone: string): number {
  const localMs = Date.parse(`${localDateTime}Z`);
  const clock = clockOf(timeZone);
  const after = clock.offsetAt(localMs + DAY_MS);
  return localMs - (clock.offsetAt(localMs - after) === after ? after : clock.offsetOfLocal(localMs));
}

/**
 * Converts epoch milliseconds to the local time `YYYY-MM-DDTHH:mm:ss` of a zone. Throws a RangeError for an unknown
 * zone.
 */
export function toLocal(epochMs: number, timeZone: string): string {
  return new Date(epochMs + clockOf(timeZone).offsetAt(epochMs)).toISOString().slice(0, 19);
}
