const WAIT_MS = 2_000;

/** Its turn didn't come within two seconds. */
export class TurnMissedError extends Error {
  constructor() {
    super('the turn did not come');
    this.name = 'TurnMissedError';
  }
}

/** Work of which this process does one at a time for each account, so that no account takes all its database connections. */
export class Turns {
  /** By account: the work that waits for the one that is being done, in order of arrival. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Returns what `work` returns, after the account's other work. Throws TurnMissedError if that takes more than two seconds. */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(accountId);
    try {
      return await work();
    } finally {
      this.#leave(accountId);
    }
  }

  async #enter(accountId: string): Promise<void> {
    const queue = this.#waiting.get(accountId);
    if (!queue) {
      this.#waiting.set(accountId, []);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(enter), 1);
        reject(new TurnMissedError());
      }, WAIT_MS);
      queue.push(enter);
    });
  }

  #leave(accountId: string): void {
    const next = this.#waiting.get(accountId)?.shift();
    if (next) next();
    else this.#waiting.delete(accountId);
  }
}
