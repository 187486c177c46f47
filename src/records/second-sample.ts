import type { EndedRequest } from '../http/request-recorder.js';

/** Statuses of complete responses, unless entries report missing parts. */
const COMPLETE = new Set([200, 201, 204, 304]);

/**
 * Samples the requests of one second: at most `most`, notable ones before plain ones. They are held unformatted, because
 * most are never written.
 */
export class SecondSample {
  #plain: EndedRequest[] = [];
  #notable: EndedRequest[] = [];
  #left = 0;

  constructor(private readonly most: number) {}

  offer(request: EndedRequest): void {
    const isPlain = isPlainRequest(request);
    const isFull = this.#plain.length + this.#notable.length >= this.most;
    if (isFull) this.#left += 1;
    if (isFull && (isPlain || !this.#plain.pop())) return;
    if (isPlain) this.#plain.push(request);
    else this.#notable.push(request);
  }

  /** Ends the second and returns its sample, notable requests first, and the number of requests left out. */
  turn(): { readonly kept: readonly EndedRequest[]; readonly left: number } {
    const second = { kept: [...this.#notable, ...this.#plain], left: this.#left };
    this.#plain = [];
    this.#notable = [];
    this.#left = 0;
    return second;
  }
}

/** Complete responses, and the 429s that a caller in a loop gets by the thousand. */
function isPlainRequest({ status, trace }: EndedRequest): boolean {
  return status === 429 || (COMPLETE.has(status) && (trace?.entries.length ?? 0) === 0);
}
