import { Injectable } from '@nestjs/common';
import { databaseFault } from '../../database/database-fault.js';
import { throttled } from '../../status/throttled.js';
import { PageError } from './page-error.js';

const WAIT_MS = 2_000;
const RETRY_SECONDS = 2;

/** Pages that read many rows: this gateway makes one at a time for each account, so that no account takes all its capacity. */
@Injectable()
export class HeavyViews {
  /** By account: the views that wait for the one that is being made, in order of arrival. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * Returns what `read` reads, after the account's other views. Throws ApiError 429 with Retry-After if they take more
   * than two seconds, and PageError 503 if the database stopped the statement because it took too long.
   */
  async run<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    await this.#enter(accountId);
    try {
      return await read();
    } catch (error) {
      if (databaseFault(error) !== 'locked') throw error;
      throw new PageError(503, 'There is too much data for this page. Choose a shorter period or one application.');
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
        reject(
          throttled(RETRY_SECONDS, 'Another page of your account is being prepared.', 'Wait, then reload the page.'),
        );
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
