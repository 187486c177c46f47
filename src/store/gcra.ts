/** Rate of a limit: `perMinute` calls steadily, `burst` at once after a pause. */
export interface LimitRate {
  readonly perMinute: number;
  readonly burst: number;
}

/** What a limit says of one call. Seconds are whole, rounded up; `retryAfterSeconds` is 0 when the call is allowed. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** Calls possible at once (= burst). */
  readonly limit: number;
  readonly remaining: number;
  /** Until the limit is wholly unused again. */
  readonly resetSeconds: number;
  readonly retryAfterSeconds: number;
  /** Time in which an exhausted limit refills: burst ÷ rate. */
  readonly windowSeconds: number;
}

/**
 * Generic cell rate algorithm over one stored number, the theoretical arrival time (`tatUs`, microseconds; undefined = never used).
 * A refused call changes nothing. The Redis script (redis/scripts.ts) is the same arithmetic in Lua; one contract suite holds both to it.
 */
export function gcra(tatUs: number | undefined, nowUs: number, rate: LimitRate, cost: number): { decision: LimitDecision; tatUs: number } {
  const intervalUs = 60_000_000 / rate.perMinute;
  const before = Math.max(nowUs, tatUs ?? 0);
  const after = before + cost * intervalUs;
  const waitUs = after - rate.burst * intervalUs - nowUs;
  const allowed = waitUs <= 0;
  const used = (allowed ? after : before) - nowUs;
  return { tatUs: allowed ? after : before, decision: limitDecision(rate, allowed, used, allowed ? 0 : waitUs) };
}

/** Puts raw microseconds (time used up, time to wait) into the words of a decision. */
export function limitDecision(rate: LimitRate, allowed: boolean, usedUs: number, waitUs: number): LimitDecision {
  const intervalUs = 60_000_000 / rate.perMinute;
  return {
    allowed,
    limit: rate.burst,
    // The hundredth of a call keeps rounding of the stored time from costing a whole call.
    remaining: Math.max(0, Math.floor(rate.burst - usedUs / intervalUs + 0.01)),
    resetSeconds: Math.ceil(usedUs / 1_000_000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitUs / 1_000_000)),
    windowSeconds: Math.ceil((rate.burst * intervalUs) / 1_000_000),
  };
}
