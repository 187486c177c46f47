/** One HTTP exchange with a supplier. Instants of performance.now(); undefined = it did not come to that. */
export interface Exchange {
  readonly queuedAt: number;
  /** It has a connection and begins to leave. */
  sentAt: number | undefined;
  firstByteAt: number | undefined;
  endedAt: number | undefined;
}

/** What a request saw of one call of a supplier. Instants of performance.now(). */
export interface TracedCall {
  readonly supplier: string;
  readonly brand: string | undefined;
  readonly operation: string;
  readonly timeoutMs: number;
  /** Of a shared call: maybe before this request. */
  readonly startedAt: number;
  /** The same list for everybody who shares the call; it grows while the call runs. */
  readonly exchanges: readonly Exchange[];
  /** Another request had asked the same at the same time; the call was made once. */
  readonly shared: boolean;
  /** `open` = it had not ended when the request went on without it. */
  outcome: 'answered' | 'empty' | 'failed' | 'open';
  /** Why it failed, in our own words. */
  cause: string | undefined;
  /** What the adapter made of the answer, after the caller's filters; undefined where nothing is counted. */
  items: number | undefined;
  /** Its answer is mapped, or it has failed. */
  endedAt: number | undefined;
}

/** One entry of the status container, without its text. */
export interface TracedEntry {
  readonly reason: string;
  readonly supplier?: string | undefined;
  readonly brand?: string | undefined;
  readonly cause?: string | undefined;
  readonly field?: string | undefined;
}

/** How a call ended, as its trace keeps it. */
export type TracedEnd = Pick<TracedCall, 'supplier' | 'brand' | 'outcome' | 'cause' | 'items'> & {
  readonly durationMs: number;
};

/** What happened inside one request, collected while it runs: plain pushes and instants, nothing is formatted. Nothing personal comes in. */
export class RequestTrace {
  readonly calls: TracedCall[] = [];
  /** Ids of suppliers that were not asked for maintenance. */
  readonly skipped: string[] = [];
  entries: readonly TracedEntry[] = [];
  /** Maintenance, token, limits, product and version are checked. */
  admittedAt: number | undefined;
  /** The answer is merged and written as text. */
  answeredAt: number | undefined;

  /** A call has begun, or is shared from here on; what comes back is that call in this trace. */
  begin(call: Omit<TracedCall, 'outcome' | 'cause' | 'items' | 'endedAt'>): TracedCall {
    const traced: TracedCall = { ...call, outcome: 'open', cause: undefined, items: undefined, endedAt: undefined };
    this.calls.push(traced);
    return traced;
  }

  /** The open call of this supplier (and brand) has ended. */
  end({ supplier, brand, outcome, cause, items, durationMs }: TracedEnd): void {
    const call = this.calls.find(
      (known) => known.outcome === 'open' && known.supplier === supplier && known.brand === brand,
    );
    if (!call) return;
    call.outcome = outcome;
    call.cause = cause;
    call.items = items;
    call.endedAt = call.startedAt + durationMs;
  }

  /** What the answer tells; the last word holds. */
  setEntries(entries: readonly TracedEntry[]): void {
    this.entries = entries;
  }
}
