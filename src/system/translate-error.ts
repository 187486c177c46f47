import { ApiError } from '../status/api-error.js';
import { StoreUnavailableError } from '../store/store.js';

const RETRY = { 'retry-after': '5' };

/**
 * Converts infrastructure errors (ruling 26): an unavailable store or database → 503 with Retry-After. Undefined =
 * unknown.
 */
export function translateError(error: unknown): ApiError | undefined {
  if (error instanceof StoreUnavailableError || isDatabaseAway(error)) {
    return ApiError.of(
      'maintenance',
      'The service cannot check credentials at the moment. Try again in a few seconds.',
      {
        headers: RETRY,
      },
    );
  }
  return undefined;
}

/** Connection errors of pg and its pool, including those wrapped by drizzle. */
function isDatabaseAway(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; current = current.cause, depth += 1) {
    const code = 'code' in current ? String(current.code) : '';
    if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|57P0\d|57014|25006|08\d{3}|53300)$/.test(code))
      return true;
    if (/connection terminated|timeout exceeded when trying to connect|Query read timeout/i.test(current.message))
      return true;
  }
  return false;
}
