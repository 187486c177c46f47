import type { FastifyReply } from 'fastify';
import { ApiError } from '../status/api-error.js';
import type { LimitDecision } from '../store/gcra.js';

/**
 * Writes a limit on an answer: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10; q = calls at once, w = seconds
 * in which an exhausted limit refills, r = calls left, t = seconds until it is unused again) and the older `X-RateLimit-*`.
 */
export function writeLimitHeaders(reply: FastifyReply, name: string, decision: LimitDecision): void {
  reply.header('ratelimit-policy', `"${name}";q=${decision.limit};w=${decision.windowSeconds}`);
  reply.header('ratelimit', `"${name}";r=${decision.remaining};t=${decision.resetSeconds}`);
  reply.header('x-ratelimit-limit', decision.limit);
  reply.header('x-ratelimit-remaining', decision.remaining);
  reply.header('x-ratelimit-reset', decision.resetSeconds);
}

/** The 429 of spec §7.3 with plain Retry-After (ruling 17). */
export function throttled(decision: LimitDecision): ApiError {
  return ApiError.of('throttled', `The rate limit is exceeded. Try again in ${decision.retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(decision.retryAfterSeconds) },
  });
}
