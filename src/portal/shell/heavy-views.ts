import { Injectable } from '@nestjs/common';
import { databaseFault } from '../../database/database-fault.js';
import { TurnMissedError, Turns } from '../../database/turns.js';
import { throttled } from '../../status/throttled.js';
import { PageError } from './page-error.js';

const RETRY_SECONDS = 2;

/** Pages that read many rows: this gateway makes one at a time for each account, so that no account takes all its capacity. */
@Injectable()
export class HeavyViews {
  readonly #turns = new Turns();

  /**
   * Returns what `read` reads, after the account's other views. Throws ApiError 429 with Retry-After if they take more
   * than two seconds, and PageError 503 if the database stopped the statement because it took too long.
   */
  async run<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    try {
      return await this.#turns.run(accountId, read);
    } catch (error) {
      if (error instanceof TurnMissedError)
        throw throttled(
          RETRY_SECONDS,
          'Another page of your account is being prepared.',
          'Wait, then reload the page.',
        );
      if (databaseFault(error) !== 'locked') throw error;
      throw new PageError(503, 'There is too much data for this page. Choose a shorter period or one application.');
    }
  }
}
