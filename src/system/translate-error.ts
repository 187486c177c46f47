import { missingKeyOf } from '../config/sealed-text.js';
import { databaseFault, mayBeDone } from '../database/database-fault.js';
import type { ApiError } from '../status/api-error.js';
import { doubtError, outageError } from '../status/outages.js';
import { StoreUnavailableError } from '../store/store.js';
import { storeFault } from '../store/store-fault.js';

/**
 * Converts infrastructure errors (ruling 26): a store or database that can't be used, or data whose key another gateway
 * may have → 503 with Retry-After and the cause, which is `outcome_unknown` if something may have been changed. Undefined = unknown.
 */
export function translateError(error: unknown): ApiError | undefined {
  if (error instanceof StoreUnavailableError) return outageError(`store_${storeFault(error)}`, error);
  const missing = missingKeyOf(error);
  if (missing) return outageError('key_missing', missing);
  const fault = databaseFault(error);
  return fault && (mayBeDone(error) ? doubtError : outageError)(`database_${fault}`, error);
}
