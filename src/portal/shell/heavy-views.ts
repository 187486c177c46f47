import { Inject, Injectable } from '@nestjs/common';
import { TurnMissedError } from '../../config/turns.js';
import type { Reports } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { databaseFault } from '../../database/database-fault.js';
import { throttled } from '../../status/throttled.js';
import { PageError } from './page-error.js';

const RETRY_SECONDS = 2;

/** Pages that read many rows: this gateway makes one at a time for each account, in the turns of all its reports. */
@Injectable()
export class HeavyViews {
  constructor(@Inject(DATABASE) private readonly database: { readonly reports: Pick<Reports, 'turns'> }) {}

  /**
   * Returns what `read` reads, after the account's other reports. Throws ApiError 429 with Retry-After if they take more
   * than two seconds, and PageError 503 if the database stopped the statement because it took too long.
   */
  async run<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    try {
      return await this.database.reports.turns.run(accountId, read);
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
