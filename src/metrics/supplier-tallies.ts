/** Upper bounds of the buckets of durations in milliseconds; the last bucket has none. */
export const TALLY_BOUNDS_MS = [
  10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_500, 4_000, 8_000,
] as const;

/** Applications that are counted each by itself per supplier, operation, and outcome (answered or failed) between two writes; others share ''. */
const MOST_APPLICATIONS = 50;
/** Minutes kept while they can't be written. */
const MOST_MINUTES = 120;
const FURTHER = '';

/** In place of a supplier: the gateway itself. */
const GATEWAY = '';

/** How often calls of one supplier and operation ended one way within one minute. Supplier '': requests that the gateway answered. */
export interface CallTally {
  readonly supplier: string;
  readonly operation: string;
  /** answered, empty, or a kind of failure (suppliers/failure-kind.ts). */
  readonly cause: string;
  /** Minutes since 1970. */
  readonly minute: number;
  /** Calls by bucket of TALLY_BOUNDS_MS; one more than bounds. */
  readonly buckets: number[];
}

/** Calls of one application that ended one way within one minute; `answered` also counts refusals. */
export interface ApplicationTally extends Omit<CallTally, 'buckets'> {
  /** '' = further applications, or calls for none. */
  readonly application: string;
  calls: number;
}

/** Numbers besides calls, of which the mean is wanted: `loop_lag` in ms (supplier ''), `price_level` (ln of the cheapest total), `offers` (per search), `price_change` (0 or 1). */
export interface MeasureTally {
  readonly supplier: string;
  readonly measure: 'loop_lag' | 'price_level' | 'offers' | 'price_change';
  readonly minute: number;
  count: number;
  sum: number;
}

/** What was counted since the last call of `take`. */
export interface Tallies {
  readonly calls: readonly CallTally[];
  readonly applications: readonly ApplicationTally[];
  readonly measures: readonly MeasureTally[];
}

interface Minute {
  readonly calls: Map<string, CallTally>;
  readonly applications: Map<string, ApplicationTally>;
  readonly measures: Map<string, MeasureTally>;
  /** By supplier, operation, and whether calls failed. */
  readonly known: Map<string, Set<string>>;
}

/**
 * Counts calls to suppliers in memory, for the timelines of operators (docs/operations-console.md). Counting costs four
 * lookups; the records writer takes the counts every few seconds. Beyond 120 minutes without a write, the oldest are dropped.
 */
export class SupplierTallies {
  readonly #minutes = new Map<number, Minute>();

  /** `at`: epoch milliseconds. Undefined `application`: background work. */
  call(
    {
      supplier,
      operation,
      application,
    }: { readonly supplier: string; readonly operation: string; readonly application: string | undefined },
    cause: string,
    isFailure: boolean,
    at: number,
    durationMs: number,
  ): void {
    const minute = Math.floor(at / 60_000);
    const own = this.#of(minute);
    countIn(own, { supplier, operation, cause, minute }, durationMs);
    this.#countFor(application ?? FURTHER, own, { supplier, operation, cause, minute }, isFailure);
  }

  /** Counts a request that the gateway answered, by duration only: usage counters have the rest. */
  answer(at: number, durationMs: number): void {
    const minute = Math.floor(at / 60_000);
    countIn(this.#of(minute), { supplier: GATEWAY, operation: 'all', cause: 'answered', minute }, durationMs);
  }

  /** Adds one value. */
  measure(supplier: string, measure: MeasureTally['measure'], value: number, at: number, count = 1): void {
    const minute = Math.floor(at / 60_000);
    const { measures } = this.#of(minute);
    const key = `${supplier}|${measure}`;
    const known = measures.get(key);
    if (!known) measures.set(key, { supplier, measure, minute, count, sum: value });
    else {
      known.count += count;
      known.sum += value;
    }
  }

  /** Removes and returns all counts, oldest minute first. */
  take(): Tallies {
    const minutes = [...this.#minutes.values()];
    this.#minutes.clear();
    return {
      calls: minutes.flatMap(({ calls }) => [...calls.values()]),
      applications: minutes.flatMap(({ applications }) => [...applications.values()]),
      measures: minutes.flatMap(({ measures }) => [...measures.values()]),
    };
  }

  #countFor(application: string, own: Minute, of: Omit<CallTally, 'buckets'>, isFailure: boolean): void {
    const cause = isFailure || of.cause === 'empty' ? of.cause : 'answered';
    const place = `${of.supplier}|${of.operation}`;
    const kind = isFailure ? `${place}|failed` : place;
    let known = own.known.get(kind);
    if (!known) {
      known = new Set();
      own.known.set(kind, known);
    }
    const counted = known.has(application) || known.size < MOST_APPLICATIONS ? application : FURTHER;
    known.add(counted);
    const key = `${place}|${cause}|${counted}`;
    const tally = own.applications.get(key);
    if (tally) tally.calls += 1;
    else own.applications.set(key, { ...of, cause, application: counted, calls: 1 });
  }

  #of(minute: number): Minute {
    const known = this.#minutes.get(minute);
    if (known) return known;
    const [oldest] = this.#minutes.keys();
    if (oldest !== undefined && this.#minutes.size >= MOST_MINUTES) this.#minutes.delete(oldest);
    const made: Minute = { calls: new Map(), applications: new Map(), measures: new Map(), known: new Map() };
    this.#minutes.set(minute, made);
    return made;
  }
}

function countIn({ calls }: Minute, of: Omit<CallTally, 'buckets'>, durationMs: number): void {
  const key = `${of.supplier}|${of.operation}|${of.cause}`;
  let tally = calls.get(key);
  if (!tally) {
    tally = { ...of, buckets: emptyBuckets() };
    calls.set(key, tally);
  }
  const bucket = bucketOf(durationMs);
  tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
}

/** No calls in each bucket of TALLY_BOUNDS_MS; one more than bounds. */
export function emptyBuckets(): number[] {
  return new Array<number>(TALLY_BOUNDS_MS.length + 1).fill(0);
}

/** The index of the bucket of a duration in milliseconds. */
export function bucketOf(durationMs: number): number {
  let bucket = 0;
  for (const bound of TALLY_BOUNDS_MS) {
    if (durationMs <= bound) break;
    bucket += 1;
  }
  return bucket;
}

/** Those of this process. */
export const supplierTallies = new SupplierTallies();
