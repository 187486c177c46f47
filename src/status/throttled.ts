import { ApiError } from './api-error.js';

/**
 * Creates every 429. `why` names the exceeded limit (without it, `details` is the default of the reason); `advice` says
 * what to do; `headers` are sent besides Retry-After. The time until the next call comes from the limit (store/limits.ts, store/gcra.ts).
 */
export function throttled(
  retryAfterSeconds: number,
  why?: string,
  advice = `Try again in ${retryAfterSeconds} s.`,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return ApiError.of('throttled', why === undefined ? undefined : `${why} ${advice}`, {
    headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
  });
}
