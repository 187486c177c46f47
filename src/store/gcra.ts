/** A rate: `perMinute` calls steadily, or `burst` calls in one burst after a pause. */
export interface LimitRate {
  readonly perMinute: number;
  readonly burst: number;
}

/** The decision of a rate about one call. Seconds are rounded up; `retryAfterSeconds` is 0 if the call is allowed. */
export interface RateDecision {
  readonly allowed: boolean;
  /** Calls in one burst. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the limit is fully available again. */
  readonly resetSeconds: number;
  readonly retryAfterSeconds: number;
}

/**
 * The result for one call: microseconds used (including the call if it is allowed) and microseconds to wait (0 =
 * allowed).
 */
export interface GcraResult {
  readonly allowed: boolean;
  readonly tatUs: number;
  readonly usedUs: number;
  readonly waitUs: number;
}

/**
 * The generic cell rate algorithm on one stored number, the theoretical arrival time (`tatUs`, microseconds; 0 = never
 * used). A rejected call changes nothing. A call that costs more than a burst is charged one burst; otherwise it could
 * never be made. A negative cost gives back what was charged. redis/scripts.ts has the same arithmetic in Lua, and one contract suite tests both.
 */
export function gcra(tatUs: number, nowUs: number, rate: LimitRate, cost: number): GcraResult {
  const intervalUs = intervalOf(rate);
  const before = Math.max(nowUs, tatUs);
  const after = Math.max(nowUs, before + Math.min(cost, rate.burst) * intervalUs);
  const waitUs = after - rate.burst * intervalUs - nowUs;
  if (waitUs > 0) return { allowed: false, tatUs: before, usedUs: before - nowUs, waitUs };
  return { allowed: true, tatUs: after, usedUs: after - nowUs, waitUs: 0 };
}

/** Converts microseconds used and to wait into a decision. */
export function rateDecision(rate: LimitRate, allowed: boolean, usedUs: number, waitUs: number): RateDecision {
  return {
    allowed,
    limit: rate.burst,
    // Without the 0.01, rounding of the stored time could cost a call.
    remaining: Math.max(0, Math.floor(rate.burst - usedUs / intervalOf(rate) + 0.01)),
    resetSeconds: Math.ceil(usedUs / 1_000_000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitUs / 1_000_000)),
  };
}

/** Seconds in which an exhausted limit refills: burst ÷ rate, rounded up. */
export function windowSeconds(rate: LimitRate): number {
  return Math.ceil(windowUs(rate) / 1_000_000);
}

/** The same in microseconds, not rounded: what a fully used limit is charged. */
export function windowUs(rate: LimitRate): number {
  return rate.burst * intervalOf(rate);
}

function intervalOf({ perMinute }: LimitRate): number {
  return 60_000_000 / perMinute;
}
