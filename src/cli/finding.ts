import { MOST_SKEW_MS } from '../database/database-clock.js';

/** One line of `gw doctor`. */
export interface Finding {
  /** The part that was checked: `store`, `supplier abg`, … */
  readonly subject: string;
  readonly ok: boolean;
  readonly found: string;
  /** Since when, in ISO 8601; absent = unknown, or it doesn't matter. */
  readonly since?: string;
  /** How to fix the problem; set whenever `ok` is false. */
  readonly todo?: string;
}

/** A passed check. */
export function fine(subject: string, found: string): Finding {
  return { subject, ok: true, found };
}

/** A failed check and how to fix the problem. `sinceMs`: since when, epoch milliseconds. */
export function wrong(subject: string, found: string, todo: string, sinceMs?: number): Finding {
  const since = sinceMs === undefined ? {} : { since: `${new Date(sinceMs).toISOString().slice(0, 19)}Z` };
  return { subject, ok: false, found, ...since, todo };
}

/** A finding in one line. */
export function printable({ ok, subject, found, since, todo }: Finding): string {
  return `${ok ? 'ok   ' : 'FAIL '}  ${subject}: ${found}${since ? `, since ${since}` : ''}${todo ? `. To fix: ${todo}` : ''}`;
}

/**
 * The first line of the message of any thrown value; for a connection that failed at several addresses, of the first.
 */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (first instanceof Error ? first.message : String(first)).split('\n')[0] ?? '';
}

/**
 * Compares a clock read over the network with the local clock, minus half the round trip. All in epoch milliseconds.
 */
export function clockFinding(subject: string, theirsMs: number, askedAtMs: number, answeredAtMs: number): Finding {
  const skewMs = Math.round(theirsMs - (askedAtMs + answeredAtMs) / 2);
  const found = `its clock is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  const tolerable = Math.abs(skewMs) <= MOST_SKEW_MS + (answeredAtMs - askedAtMs) / 2;
  return tolerable ? fine(subject, found) : wrong(subject, found, 'synchronize both clocks with NTP');
}
