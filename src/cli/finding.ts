/** One line of `gw doctor`. */
export interface Finding {
  /** What was looked at: `store`, `supplier abg`, … */
  readonly subject: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do about it; always there when it is wrong. */
  readonly todo?: string;
}

/** Something as it should be. */
export function fine(subject: string, found: string): Finding {
  return { subject, ok: true, found };
}

/** Something that is wrong, with what to do about it. */
export function wrong(subject: string, found: string, todo: string): Finding {
  return { subject, ok: false, found, todo };
}

/** The text of anything thrown, on one line; a connection that fails at several addresses tells of the first. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (first instanceof Error ? first.message : String(first)).split('\n')[0] ?? '';
}

/** Beyond this the clock of another machine is wrong; tokens and offers live by clocks. */
const MOST_SKEW_MS = 2_000;

/** Compares a clock read over the network with ours; half the round trip is allowed for. All epoch milliseconds. */
export function clockFinding(subject: string, theirsMs: number, askedAtMs: number, answeredAtMs: number): Finding {
  const skewMs = Math.round(theirsMs - (askedAtMs + answeredAtMs) / 2);
  const found = `its clock is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  const tolerable = Math.abs(skewMs) <= MOST_SKEW_MS + (answeredAtMs - askedAtMs) / 2;
  return tolerable ? fine(subject, found) : wrong(subject, found, 'set both clocks by NTP');
}
