import { ApiError } from './api-error.js';

/**
 * The only 429: which limit is used up, in `why` (default: the table's text alone), what to do, and Retry-After in whole seconds. How long
 * that is comes from the limit (store/limits.ts, store/gcra.ts).
 */
export function throttled(
  retryAfterSeconds: number,
  why?: string,
  advice = `Try again in ${retryAfterSeconds} s.`,
): ApiError {
  return ApiError.of('throttled', why === undefined ? undefined : `${why} ${advice}`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
