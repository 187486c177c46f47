/**
 * One HTTP exchange with a supplier. Timestamps are from performance.now and undefined if that point wasn't reached.
 */
export interface Exchange {
  readonly queuedAt: number;
  /** When it had a connection and started sending. */
  sentAt: number | undefined;
  firstByteAt: number | undefined;
  endedAt: number | undefined;
}

/** The span of a call to a supplier (docs/tracing.md). */
export interface CallSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** The sampled flag of the trace's caller. */
  readonly isSampled: boolean;
  /** Host and port of the supplier. */
  readonly address: string;
}

/** Warnings about the answers of a call, without their texts, which may quote the supplier. */
export interface TracedWarnings {
  readonly list: readonly { readonly kind: string; readonly times: number }[];
}

/** One call to a supplier, as one request saw it. Timestamps are from performance.now. */
export interface TracedCall {
  readonly supplier: string;
  readonly brand: string | undefined;
  readonly operation: string;
  readonly timeoutMs: number;
  /** For a shared call, possibly before this request. */
  readonly startedAt: number;
  /** All requests that share the call have the same list; it grows while the call runs. */
  readonly exchanges: readonly Exchange[];
  /** Grows like `exchanges`. */
  readonly warnings: TracedWarnings;
  /** Whether another request had already started this call. */
  readonly shared: boolean;
  /** Absent = requests aren't traced. */
  readonly span?: CallSpan | undefined;
  /** For a shared call, its span in the trace of the request that started it. */
  readonly joined?: CallSpan | undefined;
  /** Age of an answer from memory, in whole seconds; absent = the supplier was called. */
  readonly ageSeconds?: number;
  /** `open`: the request no longer waited for it. */
  outcome: 'answered' | 'empty' | 'failed' | 'open';
  /** Why it failed, as a cause or refusal. */
  cause: string | undefined;
  /** Number of results after the caller's filters; undefined if they aren't counted. */
  items: number | undefined;
  /** When its response was mapped or it failed. */
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

/** The price of an offer or quote when it was checked again, for the same driver and choices. */
export interface TracedPrice {
  readonly supplier: string;
  /** By how much it changed, in hundredths of a percent of the price before; 0 = it stayed. */
  readonly changeBasisPoints: number;
}

/** How a call ended. */
export type TracedEnd = Pick<TracedCall, 'supplier' | 'brand' | 'outcome' | 'cause' | 'items'> & {
  readonly durationMs: number;
};

/** Collects what happens while one request is processed, without formatting it. It never contains personal data. */
export class RequestTrace {
  readonly calls: TracedCall[] = [];
  /** Ids of suppliers that weren't called because they are in maintenance. */
  readonly skipped: string[] = [];
  entries: readonly TracedEntry[] = [];
  /** Ids of the suppliers with the cheapest offer of a search; several if their prices are equal. */
  cheapest: readonly string[] = [];
  readonly prices: TracedPrice[] = [];
  /** Mark of the reservation that it created, read or changed (reservations/reservation-mark.ts); undefined = none. */
  reservation: string | undefined;
  /** The id of that reservation. It is never stored. */
  reservationId: string | undefined;
  /** When maintenance, token, limits, product and version had been checked. */
  admittedAt: number | undefined;
  /** When the response had been merged and serialized. */
  answeredAt: number | undefined;

  /** Adds a call that begins or that this request joins, and returns it. */
  begin(call: Omit<TracedCall, 'outcome' | 'cause' | 'items' | 'endedAt'>): TracedCall {
    const traced: TracedCall = { ...call, outcome: 'open', cause: undefined, items: undefined, endedAt: undefined };
    this.calls.push(traced);
    return traced;
  }

  /** Records how the open call of this supplier and brand ended. */
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

  /** Sets the suppliers with the cheapest offer of the search. */
  setCheapest(suppliers: readonly string[]): void {
    this.cheapest = suppliers;
  }

  /** Sets the entries of the response; replaces earlier ones. */
  setEntries(entries: readonly TracedEntry[]): void {
    this.entries = entries;
  }
}
