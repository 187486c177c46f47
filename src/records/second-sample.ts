import type { EndedRequest } from '../http/request-recorder.js';

/** Statuses of complete responses, unless entries report missing parts. */
const COMPLETE = new Set([200, 201, 204, 304]);

/** What the sample holds of one account. */
interface Held {
  readonly plain: EndedRequest[];
  readonly notable: EndedRequest[];
}

/**
 * Samples the requests of one second: at most `most`. When there are more, they are shared equally between accounts; of
 * each account, notable ones are kept before plain ones. They are held unformatted, because most are never written.
 */
export class SecondSample {
  #accounts = new Map<string, Held>();
  #held = 0;
  #left = 0;

  constructor(private readonly most: number) {}

  offer(request: EndedRequest): void {
    const isPlain = isPlainRequest(request);
    const own = this.#accounts.get(request.accountId) ?? { plain: [], notable: [] };
    if (this.#held < this.most) this.#held += 1;
    else {
      this.#left += 1;
      if (!this.#makeRoom(own, isPlain)) return;
    }
    this.#accounts.set(request.accountId, own);
    (isPlain ? own.plain : own.notable).push(request);
  }

  /** Ends the second and returns its sample, notable requests first, and the number of requests left out. */
  turn(): { readonly kept: readonly EndedRequest[]; readonly left: number } {
    const accounts = [...this.#accounts.values()];
    const kept = [...accounts.flatMap(({ notable }) => notable), ...accounts.flatMap(({ plain }) => plain)];
    const left = this.#left;
    this.#accounts = new Map();
    this.#held = 0;
    this.#left = 0;
    return { kept, left };
  }

  /** Drops a request of the account with the most, or a plain one of the same account for a notable one. False = none. */
  #makeRoom(own: Held, isPlain: boolean): boolean {
    let largest = own;
    for (const account of this.#accounts.values()) if (sizeOf(account) > sizeOf(largest)) largest = account;
    if (sizeOf(largest) > sizeOf(own) + (isPlain ? 1 : 0))
      return (largest.plain.pop() ?? largest.notable.pop()) !== undefined;
    return !isPlain && own.plain.pop() !== undefined;
  }
}

function sizeOf({ plain, notable }: Held): number {
  return plain.length + notable.length;
}

/** Complete responses, and the 429s that a caller in a loop gets by the thousand. */
function isPlainRequest({ status, trace }: EndedRequest): boolean {
  return status === 429 || (COMPLETE.has(status) && (trace?.entries.length ?? 0) === 0);
}
