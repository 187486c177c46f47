import { TimeShares } from './time-shares.js';

/** How many places there are, and how many entries of a caller wait for one and for how long. */
export interface PlaceLimits {
  readonly places: number;
  readonly mostWaiting: number;
  readonly waitMs: number;
}

/** No place became free in time, or the caller has too many entries that wait. */
export class NoPlaceError extends Error {}

/**
 * Places that callers share by time used (TimeShares). A caller never has all of them, unless there is only one, so those of
 * others find one that isn't theirs.
 */
export class FairPlaces {
  readonly #callers = new TimeShares<(() => void)[]>(() => []);
  readonly #mostOfCaller: number;
  #busy = 0;

  constructor(private readonly limits: PlaceLimits) {
    this.#mostOfCaller = Math.max(1, limits.places - 1);
  }

  /** Resolves when the caller has a place, with the function that gives it back. Rejects with NoPlaceError. */
  take(caller: string): Promise<() => void> {
    const share = this.#callers.of(caller);
    if (share.waiting >= this.limits.mostWaiting) return Promise.reject(new NoPlaceError());
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        const sinceMs = performance.now();
        let isTaken = true;
        resolve(() => {
          if (!isTaken) return;
          isTaken = false;
          this.#busy -= 1;
          this.#callers.end(share, performance.now() - sinceMs);
          this.#next();
        });
      };
      const timer = setTimeout(() => {
        share.value.splice(share.value.indexOf(enter), 1);
        share.waiting -= 1;
        reject(new NoPlaceError());
      }, this.limits.waitMs);
      share.value.push(enter);
      share.waiting += 1;
      this.#next();
    });
  }

  #next(): void {
    while (this.#busy < this.limits.places) {
      const share = this.#callers.begin(this.#mostOfCaller);
      if (!share) return;
      this.#busy += 1;
      share.value.shift()?.();
    }
  }
}
