/** Its turn didn't come in time. */
export class TurnMissedError extends Error {
  constructor() {
    super('the turn did not come');
    this.name = 'TurnMissedError';
  }
}

/** The work of one caller. */
interface Places {
  busy: number;
  /** In order of arrival. */
  readonly waiting: (() => void)[];
}

/** Work of which this process does `most` at a time for each caller, so that none takes all of what they share. */
export class Turns {
  /** By caller; only those with work. */
  readonly #callers = new Map<string, Places>();

  /** `waitMs`: how long other work of a caller waits. */
  constructor(
    private readonly most = 1,
    private readonly waitMs = 2_000,
  ) {}

  /** Returns what `work` returns, in turn with the caller's other work. Throws TurnMissedError if its turn doesn't come in time. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const places = this.#callers.get(caller) ?? { busy: 0, waiting: [] };
    this.#callers.set(caller, places);
    if (places.busy < this.most) places.busy += 1;
    else await this.#turn(places);
    try {
      return await work();
    } finally {
      this.#leave(caller, places);
    }
  }

  async #turn({ waiting }: Places): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(new TurnMissedError());
      }, this.waitMs);
      waiting.push(enter);
    });
  }

  /** The next one that waits takes the place over. */
  #leave(caller: string, places: Places): void {
    const next = places.waiting.shift();
    if (next) next();
    else if (places.busy > 1) places.busy -= 1;
    else this.#callers.delete(caller);
  }
}
