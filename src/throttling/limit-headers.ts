import type { FastifyReply } from 'fastify';
import type { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import { type LimitRate, type RateDecision, windowSeconds } from '../store/gcra.js';
import { LIMIT_NAMES, type LimitDecision, type LimitKind, type PolicyLimits } from '../store/limits.js';

/**
 * Writes the limits of an application: all of them in `RateLimit-Policy`, and the decisive one in the other headers.
 */
export function writeLimitHeaders(reply: FastifyReply, limits: PolicyLimits, decision: LimitDecision): void {
  write(reply, policyOf(limits), nameOf(decision.name, decision.kind), decision);
}

/** Writes the headers of a single rate. */
export function writeRateHeaders(reply: FastifyReply, name: string, rate: LimitRate, decision: RateDecision): void {
  write(reply, ratePolicy(name, rate), name, decision);
}

/** The 429 of spec §7.3 with plain Retry-After (ruling 17). */
export function limitExceeded({ retryAfterSeconds }: RateDecision, kind: LimitKind): ApiError {
  return throttled(retryAfterSeconds, EXCEEDED[kind]);
}

const EXCEEDED: Readonly<Record<LimitKind, string>> = {
  rate: 'The rate limit is exceeded.',
  day: 'The daily quota is used up. It resets at midnight UTC.',
  concurrent: 'Too many concurrent calls.',
};

/**
 * draft-ietf-httpapi-ratelimit-headers-10: q = quota, w = window in seconds (for a rate, the time in which an exhausted
 * limit refills), r = remaining calls, t = seconds until the limit is fully available. Also the older `X-RateLimit-*`.
 */
function write(
  reply: FastifyReply,
  policy: string,
  name: string,
  { remaining, resetSeconds, limit }: RateDecision,
): void {
  reply.header('ratelimit-policy', policy);
  reply.header('ratelimit', `"${name}";r=${remaining};t=${resetSeconds}`);
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetSeconds);
}

/** Caches the text per policy object; the stores return the same object for an unchanged policy. */
const policyTexts = new WeakMap<PolicyLimits, string>();

function policyOf(limits: PolicyLimits): string {
  const known = policyTexts.get(limits);
  if (known !== undefined) return known;
  const text = LIMIT_NAMES.flatMap((name) => {
    const limit = limits[name];
    if (!limit) return [];
    const { perDay, concurrent } = limit;
    return [
      ratePolicy(name, limit),
      ...(perDay === undefined ? [] : [`"${nameOf(name, 'day')}";q=${perDay};w=86400`]),
      ...(concurrent === undefined ? [] : [`"${nameOf(name, 'concurrent')}";q=${concurrent};qu="concurrent-requests"`]),
    ];
  }).join(', ');
  policyTexts.set(limits, text);
  return text;
}

function ratePolicy(name: string, rate: LimitRate): string {
  return `"${name}";q=${rate.burst};w=${windowSeconds(rate)}`;
}

function nameOf(name: string, kind: LimitKind): string {
  return kind === 'rate' ? name : `${name}-${kind}`;
}
