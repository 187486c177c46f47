import type { Budget } from './budget.js';
import { ApiError, ConnectionError, ForecourtError } from './errors.js';
import type { Tokens } from './tokens.js';
import type { ForecourtOptions, StatusEntry } from './types.js';

/** One operation of the API as it is sent. */
export interface Call {
  readonly method: string;
  /** Path and query below the base URL; begins with a slash. */
  readonly path: string;
  /** Sent as JSON. Absent: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** When it may be sent again: `always`, or only if it was certainly `refused` before anything changed. */
  readonly repeat: 'always' | 'refused';
}

/** What one attempt made of a successful answer. */
export type Reader<T> = (answer: Response) => Promise<T>;

const FIRST_WAIT_MS = 200;
const MOST_WAIT_MS = 5_000;
/** Answers of a proxy or a gateway that may be different next time. */
const PASSING = [408, 429, 502, 503, 504];

/** Sends calls, with attempts, waits and tokens as in the options. */
export class Transport {
  private readonly base: string;
  private readonly fetch: typeof fetch;
  private readonly attempts: number;
  private readonly attemptMs: number;
  private readonly maxWaitMs: number;

  constructor(options: ForecourtOptions) {
    this.base = options.baseUrl.replace(/\/+$/, '');
    // Called without `this`: browsers refuse a fetch that is a method of something else.
    const given = options.fetch ?? globalThis.fetch;
    this.fetch = (...words) => given(...words);
    this.attempts = options.attempts ?? 4;
    this.attemptMs = options.attemptMs ?? 30_000;
    this.maxWaitMs = options.maxWaitMs ?? 20_000;
  }

  /**
   * What `read` makes of the successful answer, after as many attempts as allowed and useful. A 401 renews the token
   * once and isn't counted. Throws the error of the last attempt, BudgetError, or the caller's reason.
   */
  async send<T>(call: Call, budget: Budget, read: Reader<T>, tokens?: Tokens): Promise<T> {
    let isRenewed = false;
    let last: unknown;
    for (let attempt = 1; ; ) {
      budget.check(last);
      const token = await tokens?.current(budget);
      try {
        return await this.attempt(call, budget, read, token);
      } catch (error) {
        budget.check(error);
        last = error;
        if (token !== undefined && !isRenewed && error instanceof ApiError && error.status === 401) {
          isRenewed = true;
          tokens?.refused(token);
          continue;
        }
        const wait = attempt < this.attempts ? this.waitAfter(error, call, attempt) : undefined;
        if (wait === undefined || wait >= budget.left) throw error;
        attempt += 1;
        await budget.wait(wait, error);
      }
    }
  }

  /** Milliseconds until the next attempt; undefined if there must be none. */
  private waitAfter(error: unknown, call: Call, attempt: number): number | undefined {
    if (!mayRepeat(error, call)) return undefined;
    const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
    if (asked !== undefined) return asked <= this.maxWaitMs ? asked : undefined;
    return Math.random() * Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  }

  private async attempt<T>(call: Call, budget: Budget, read: Reader<T>, token: string | undefined): Promise<T> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error(`No answer in ${this.attemptMs} ms.`)), this.attemptMs);
    try {
      const answer = await this.fetch(this.base + call.path, {
        method: call.method,
        headers: {
          accept: 'application/json',
          ...call.headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        // A redirect would repeat the body, with a driver's data, elsewhere.
        redirect: 'manual',
        cache: 'no-store',
        signal: AbortSignal.any([budget.signal, timeout.signal]),
      });
      if (answer.ok) return await read(answer);
      throw new ApiError(answer, await entriesOf(answer), Date.now());
    } catch (error) {
      if (error instanceof ForecourtError) throw error;
      throw new ConnectionError('No complete answer arrived.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

function mayRepeat(error: unknown, call: Call): boolean {
  if (error instanceof ConnectionError) return call.repeat === 'always';
  if (!(error instanceof ApiError) || !PASSING.includes(error.status) || error.retryWith === 'new-key') return false;
  if (call.repeat === 'always' || error.status === 429) return true;
  return error.status === 503 && error.has('maintenance') && !error.isOutcomeUnknown;
}

/** The entries of an answer's status container; empty if it has none, because it isn't from the gateway. */
async function entriesOf(answer: Response): Promise<readonly StatusEntry[]> {
  const text = await answer.text();
  try {
    const { status } = JSON.parse(text) as { status?: { errors?: StatusEntry[] } };
    return Array.isArray(status?.errors) ? status.errors : [];
  } catch {
    return [];
  }
}
