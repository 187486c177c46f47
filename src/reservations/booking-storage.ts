import { setTimeout as wait } from 'node:timers/promises';
import { databaseFault, mayBeDone } from '../database/database-fault.js';
import { ApiError } from '../status/api-error.js';
import { outageError } from '../status/outages.js';
import type { Insertion } from './reservation-insertion.js';

/** How long a request waits for a database that stops answering before the supplier is called. */
const STORE_MS = 3_000;
const FIRST_PAUSE_MS = 50;

interface Storing<T> {
  /** Whether `store` stored something: it may also have found that it must not. */
  isStored(result: T): boolean;
  /** The error if it isn't known whether something is stored. */
  inDoubt(error: unknown): ApiError;
  readonly until: number;
}

/**
 * Stores with `store` what is sent to a supplier afterwards. If the connection breaks, for example because another server becomes
 * the primary, it asks with `find` whether that is stored and tries again, for 3 s, at most until `until` (performance.now). Throws
 * `inDoubt` if it then isn't known; otherwise rejects with the error of `store`.
 */
export async function storeSurely<T>(
  store: () => Promise<T>,
  find: () => Promise<T | undefined>,
  { isStored, inDoubt, until }: Storing<T>,
): Promise<T> {
  const end = Math.min(until, performance.now() + STORE_MS);
  let isDoubtful = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      const found = isDoubtful ? await find() : undefined;
      if (found !== undefined) return found;
      const result = await store();
      return (isDoubtful && !isStored(result) ? await find() : undefined) ?? result;
    } catch (error) {
      const fault = databaseFault(error);
      // After a doubt, a broken constraint may say that the first try was stored after all.
      if (error instanceof ApiError || (!fault && !isDoubtful)) throw error;
      isDoubtful ||= mayBeDone(error);
      const isAgain = !fault || fault === 'unavailable' || fault === 'read_only';
      if (!isAgain || performance.now() + pauseMs > end) throw isDoubtful ? inDoubt(error) : error;
      await wait(pauseMs);
    }
  }
}

/** Stores a new reservation with `insert`. Throws ApiError 503 if it isn't known whether it is stored. */
export function insertSurely(
  insert: () => Promise<Insertion>,
  isStored: () => Promise<boolean>,
  { hasKey, until }: { readonly hasKey: boolean; readonly until: number },
): Promise<Insertion> {
  return storeSurely(insert, async () => ((await isStored()) ? 'stored' : undefined), {
    isStored: (insertion) => insertion === 'stored',
    inDoubt: (error) => storedInDoubt(error, hasKey),
    until,
  });
}

/** The error for a booking that wasn't sent, and of which it isn't known whether it was stored. */
function storedInDoubt(error: unknown, hasKey: boolean): ApiError {
  const sent =
    'This request sent no booking to the supplier, but may have stored a reservation, which then ends as failed.';
  const repeat = hasKey ? ' Repeat it with the same Idempotency-Key: you get that reservation, or a new try.' : '';
  return outageError(`database_${databaseFault(error) ?? 'unavailable'}`, error, `${sent}${repeat}`);
}

/** Adds to the error of a database that can't be used what it means for a booking; other errors are returned as is. */
export function unbooked(error: unknown, hasKey: boolean): unknown {
  const fault = error instanceof ApiError ? undefined : databaseFault(error);
  if (!fault) return error;
  const repeat = hasKey ? ' and can be repeated with the same Idempotency-Key' : '';
  return outageError(`database_${fault}`, error, `This request sent no booking to the supplier${repeat}.`);
}
