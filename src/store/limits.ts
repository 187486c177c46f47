import { gcra, type LimitRate, type RateDecision, rateDecision } from './gcra.js';

/** A limit from config/tiers.yaml. An absent member doesn't limit anything. */
export interface TierLimit extends LimitRate {
  /** Calls per UTC day. */
  readonly perDay?: number;
  /** Concurrent calls. */
  readonly concurrent?: number;
}

/** How many reservations may be made or changed. `perDay` refills steadily, unlike that of calls. */
export interface BookingLimit extends LimitRate {
  /** In 24 hours at a steady rate, or in one burst after a day without any. Absent = no such limit. */
  readonly perDay?: number;
}

/**
 * What a limit applies to: an account with all its applications, one application, or one access token (spec §8: user,
 * application or token).
 */
export type LimitName = (typeof LIMIT_NAMES)[number];

/** In evaluation order. If several are equally restrictive, the first is reported. */
export const LIMIT_NAMES = ['account', 'application', 'token'] as const;

/** Every limit that a call must pass. */
export interface PolicyLimits {
  readonly application: TierLimit;
  readonly account?: TierLimit;
  readonly token?: TierLimit;
  /** New and changed reservations of the account with all its applications. Not charged by `admit`, but by each of them. */
  readonly bookings?: BookingLimit;
}

/** The part of a limit. The order matches the numbers 1–3 in the Redis script. */
export type LimitKind = (typeof LIMIT_KINDS)[number];

export const LIMIT_KINDS = ['rate', 'day', 'concurrent'] as const;

/**
 * The combined decision of all limits, with the figures of one of them. For a rejected call, that is the rejecting limit
 * with the longest wait, so that Retry-After is long enough for all. For an allowed call, it is the rate or daily quota
 * with the smallest share left. Concurrency slots are not reported then, because they could be mistaken for remaining
 * calls.
 */
export interface LimitDecision extends RateDecision {
  readonly name: LimitName;
  readonly kind: LimitKind;
}

/** Usage of one limit. */
export interface Usage {
  tatUs: number;
  /** The UTC day that `today` counts, in days since 1970. */
  day: number;
  today: number;
  /** Calls in progress: id → expiry of the lease, epoch milliseconds. */
  readonly underWay: Map<string, number>;
}

/** A call to charge. */
export interface Charge {
  readonly nowUs: number;
  readonly cost: number;
  readonly callId: string;
  readonly leaseMs: number;
}

/** Microseconds per day. */
export const DAY_US = 86_400_000_000;

/** The usage of a new limit. */
export function unused(): Usage {
  return { tatUs: 0, day: 0, today: 0, underWay: new Map() };
}

/**
 * The decision of one part of a limit. `used` is in microseconds for a rate and in calls otherwise. The verdict with the
 * highest rank is reported; a rank of 2 or more rejects the call.
 */
interface LimitVerdict {
  readonly kind: LimitKind;
  readonly rank: number;
  readonly used: number;
  readonly waitUs: number;
}

/** Checks every limit and charges all of them, or none if one rejects the call. */
export function charge(limits: PolicyLimits, usages: Readonly<Record<LimitName, Usage>>, call: Charge): LimitDecision {
  const asked = LIMIT_NAMES.flatMap((name) => {
    const limit = limits[name];
    return limit ? [{ name, limit, usage: usages[name], verdicts: verdictsOf(limit, usages[name], call) }] : [];
  });
  const verdicts = asked.flatMap(({ name, limit, verdicts: own }) =>
    own.map((verdict) => ({ name, limit, ...verdict })),
  );
  const shown = verdicts.reduce((top, verdict) => (verdict.rank > top.rank ? verdict : top));
  const allowed = shown.rank < 2;
  if (allowed) for (const { limit, usage } of asked) use(limit, usage, call);
  return decide(limits, shown.name, shown.kind, allowed, shown.used, shown.waitUs);
}

/**
 * Converts the raw figures of the reported part into a decision. For a daily quota, `waitUs` is always the time until
 * midnight UTC.
 */
export function decide(
  limits: PolicyLimits,
  name: LimitName,
  kind: LimitKind,
  allowed: boolean,
  used: number,
  waitUs: number,
): LimitDecision {
  const limit = limits[name] ?? limits.application;
  if (kind === 'rate') return { name, kind, ...rateDecision(limit, allowed, used, waitUs) };
  const most = (kind === 'day' ? limit.perDay : limit.concurrent) ?? 0;
  const seconds = Math.max(1, Math.ceil(waitUs / 1_000_000));
  return {
    name,
    kind,
    allowed,
    limit: most,
    remaining: Math.max(0, most - used),
    resetSeconds: seconds,
    retryAfterSeconds: allowed ? 0 : seconds,
  };
}

/** Whether an admitted call holds a slot that must be released. */
export function holdsPlace(limits: PolicyLimits): boolean {
  return LIMIT_NAMES.some((name) => limits[name]?.concurrent !== undefined);
}

function verdictsOf(limit: TierLimit, usage: Usage, { nowUs, cost }: Charge): LimitVerdict[] {
  // Usage never exceeds one burst, so a raised rate takes effect immediately.
  usage.tatUs = Math.min(usage.tatUs, nowUs + (limit.burst * 60_000_000) / limit.perMinute);
  const { allowed, usedUs, waitUs } = gcra(usage.tatUs, nowUs, limit, cost);
  const share = (usedUs * limit.perMinute) / (60_000_000 * limit.burst);
  const verdicts: LimitVerdict[] = [{ kind: 'rate', rank: allowed ? share : 2 + waitUs, used: usedUs, waitUs }];
  if (limit.perDay !== undefined) {
    const day = Math.floor(nowUs / DAY_US);
    const before = usage.day === day ? usage.today : 0;
    const after = before + Math.min(cost, limit.perDay);
    const untilMidnightUs = (day + 1) * DAY_US - nowUs;
    const fits = after <= limit.perDay;
    const rank = fits ? after / limit.perDay : 2 + untilMidnightUs;
    verdicts.push({ kind: 'day', rank, used: fits ? after : before, waitUs: untilMidnightUs });
  }
  if (limit.concurrent !== undefined) {
    for (const [id, endsAtMs] of usage.underWay) if (endsAtMs * 1000 <= nowUs) usage.underWay.delete(id);
    const { size } = usage.underWay;
    if (size >= limit.concurrent)
      verdicts.push({ kind: 'concurrent', rank: 2 + PLACE_WAIT_US, used: size, waitUs: PLACE_WAIT_US });
  }
  return verdicts;
}

/** The suggested wait for a free slot. The actual time is unknown. */
const PLACE_WAIT_US = 1_000_000;

function use(limit: TierLimit, usage: Usage, { nowUs, cost, callId, leaseMs }: Charge): void {
  usage.tatUs = gcra(usage.tatUs, nowUs, limit, cost).tatUs;
  if (limit.perDay !== undefined) {
    const day = Math.floor(nowUs / DAY_US);
    usage.today = (usage.day === day ? usage.today : 0) + Math.min(cost, limit.perDay);
    usage.day = day;
  }
  if (limit.concurrent !== undefined) usage.underWay.set(callId, nowUs / 1000 + leaseMs);
}
