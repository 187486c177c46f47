/** Rate of a limit: `perMinute` calls steadily, or a burst of `burst` calls after a pause. */
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
 * What the algorithm makes of one call: microseconds used up (after the call when it is allowed) and to wait (0 =
 * allowed).
 */
export interface GcraResult {
  readonly allowed: boolean;
  readonly tatUs: number;
  readonly usedUs: number;
  readonly waitUs: number;
}

/**
 * Generic cell rate algorithm over one stored number, the theoretical arrival time (`tatUs`, microseconds; 0 = never
 * used). A refused call changes nothing; a call that costs more than the burst costs the burst, else it could never be
 * made. The Redis scripts (redis/scripts.ts) are the same arithmetic in Lua; one contract suite holds both to it.
 */
export function gcra(tatUs: number, nowUs: number, rate: LimitRate, cost: number): GcraResult {
  const intervalUs = intervalOf(rate);
  const before = Math.max(nowUs, tatUs);
  const after = before + Math.min(cost, rate.burst) * intervalUs;
  const waitUs = after - rate.burst * intervalUs - nowUs;
  if (waitUs > 0) return { allowed: false, tatUs: before, usedUs: before - nowUs, waitUs };
  return { allowed: true, tatUs: after, usedUs: after - nowUs, waitUs: 0 };
}

/** Puts raw microseconds (time used up, time to wait) into the words of a decision. */
export function rateDecision(rate: LimitRate, allowed: boolean, usedUs: number, waitUs: number): RateDecision {
  return {
    allowed,
    limit: rate.burst,
    // Adding 0.01 keeps rounding of the stored time from costing a call.
    remaining: Math.max(0, Math.floor(rate.burst - usedUs / intervalOf(rate) + 0.01)),
    resetSeconds: Math.ceil(usedUs / 1_000_000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitUs / 1_000_000)),
  };
}

/** Seconds in which an exhausted limit refills: burst ÷ rate, rounded up. */
export function windowSeconds(rate: LimitRate): number {
  return Math.ceil((rate.burst * intervalOf(rate)) / 1_000_000);
}

function intervalOf({ perMinute }: LimitRate): number {
  return 60_000_000 / perMinute;
}
