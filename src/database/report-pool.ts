import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { FairPlaces, NoPlaceError } from '../config/fair-places.js';
import { Turns } from '../config/turns.js';
import { type PoolLimits, PostgresPool } from './postgres-pool.js';

/** Statements of one reader that may wait for a connection: more than any page has. */
const MOST_WAITING = 50;

/** Whose reads these are: an account, a key of an operator. */
const reader = new AsyncLocalStorage<string>();

/** Runs `read`, whose statements count for this reader. All reads without one count together. */
export function readFor<T>(caller: string, read: () => T): T {
  return reader.run(caller, read);
}

/** Turns of accounts, whose statements count for the account. */
export class ReportTurns extends Turns {
  override run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    return super.run(caller, () => readFor(caller, work));
  }
}

/**
 * A pool whose connections are shared fairly between readers: none gets all of them, and the next one goes to the reader that used them
 * least. A statement waits as long as another may take, so that who is next gets its turn.
 */
export class ReportPool extends PostgresPool {
  readonly #places: FairPlaces;

  constructor(url: string, limits: PoolLimits) {
    super(url, limits);
    this.#places = new FairPlaces({ places: limits.max, mostWaiting: MOST_WAITING, waitMs: limits.answerMs });
  }

  protected override async take(): Promise<pg.PoolClient> {
    const leave = await this.#places.take(reader.getStore() ?? '').catch((error: unknown) => {
      // In the words of the pool, by which database-fault.ts knows it.
      throw error instanceof NoPlaceError ? new Error('timeout exceeded when trying to connect') : error;
    });
    try {
      const client = await super.take();
      const release = client.release;
      client.release = (error) => {
        release(error);
        leave();
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
