import { throttled } from '../../status/throttled.js';

const RETRY_SECONDS = 2;

/** Limits how many pages of one caller are made at a time, so that its burst leaves database connections to others. */
export class PagePlaces {
  /** By caller: the pages being made, and those that wait in order of arrival. */
  readonly #callers = new Map<string, { busy: number; readonly waiting: (() => void)[] }>();

  /** `most` = pages of a caller at a time; `waitMs` = how long another one waits for its place. */
  constructor(
    private readonly most: number,
    private readonly waitMs: number,
  ) {}

  /** Resolves with what gives the place up, to call once. Throws ApiError 429 with Retry-After if no place was free in time. */
  async enter(caller: string): Promise<() => void> {
    const places = this.#callers.get(caller) ?? { busy: 0, waiting: [] };
    this.#callers.set(caller, places);
    if (places.busy < this.most) places.busy += 1;
    else await this.#wait(places.waiting);
    return () => this.#leave(caller);
  }

  #wait(waiting: (() => void)[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(throttled(RETRY_SECONDS, 'Other pages of yours are being prepared.', 'Wait, then reload the page.'));
      }, this.waitMs);
      waiting.push(enter);
    });
  }

  /** The next one that waits takes the place over. */
  #leave(caller: string): void {
    const places = this.#callers.get(caller);
    const next = places?.waiting.shift();
    if (next) next();
    else if (places && places.busy > 1) places.busy -= 1;
    else this.#callers.delete(caller);
  }
}
