import type { EndedRequest } from '../http/request-recorder.js';

/** Statuses of complete answers, unless entries report missing parts. */
const WHOLE = new Set([200, 201, 204, 304]);

/**
 * Chooses which requests of one second are kept: at most `most`, and what is not plain before what is. They are held as
 * they came, for most are never written.
 */
export class SecondSample {
  #plain: EndedRequest[] = [];
  #notable: EndedRequest[] = [];
  #left = 0;

  constructor(private readonly most: number) {}

  offer(request: EndedRequest): void {
    const isPlain = isLikeOthers(request);
    const isFull = this.#plain.length + this.#notable.length >= this.most;
    if (isFull) this.#left += 1;
    if (isFull && (isPlain || !this.#plain.pop())) return;
    if (isPlain) this.#plain.push(request);
    else this.#notable.push(request);
  }

  /** Ends the second: what is kept of it, what is not plain first, and how many requests were left out. */
  turn(): { readonly kept: readonly EndedRequest[]; readonly left: number } {
    const second = { kept: [...this.#notable, ...this.#plain], left: this.#left };
    this.#plain = [];
    this.#notable = [];
    this.#left = 0;
    return second;
  }
}

/** Complete answers, and errors that a caller in a loop gets by the thousand. */
function isLikeOthers({ status, trace }: EndedRequest): boolean {
  return status === 429 || (WHOLE.has(status) && (trace?.entries.length ?? 0) === 0);
}
