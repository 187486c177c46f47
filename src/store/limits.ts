import { gcra, type LimitRate, type RateDecision, rateDecision } from './gcra.js';

/** A limit of config/tiers.yaml. Absent members don't limit anything. */
export interface TierLimit extends LimitRate {
  /** Calls of one UTC day. */
  readonly perDay?: number;
  /** Concurrent calls. */
  readonly concurrent?: number;
}

/**
 * Whose limit it is: everything of the account together, one application, one access token (spec §8: user, application
 * or token).
 */
export type LimitName = (typeof LIMIT_NAMES)[number];

/** In the order of evaluation; of equals, the first is reported. */
export const LIMIT_NAMES = ['account', 'application', 'token'] as const;

/** Every limit that a call must pass. */
export interface PolicyLimits {
  readonly application: TierLimit;
  readonly account?: TierLimit;
  readonly token?: TierLimit;
}

/** Which part of a limit a verdict is about. The order is that of the numbers 1–3 of the Redis script. */
export type LimitKind = (typeof LIMIT_KINDS)[number];

export const LIMIT_KINDS = ['rate', 'day', 'concurrent'] as const;

/**
 * What all limits of a call say together: its figures are those of one of them. Refused: of those that refuse, the one
 * with the longest wait, so that Retry-After is not too early for another. Allowed: the rate or day quota of which the
 * smallest share is left; places for calls under way are not shown then, because a caller would take them for calls
 * left.
 */
export interface LimitDecision extends RateDecision {
  readonly name: LimitName;
  readonly kind: LimitKind;
}

/** What is used of one limit. */
export interface Usage {
  tatUs: number;
  /** The UTC day that `today` counts, in days since 1970. */
  day: number;
  today: number;
  /** Calls under way: id → when its lease ends, epoch milliseconds. */
  readonly underWay: Map<string, number>;
}

/** A call as the limits see it. */
export interface Charge {
  readonly nowUs: number;
  readonly cost: number;
  readonly callId: string;
  readonly leaseMs: number;
}

/** Microseconds of a day. */
export const DAY_US = 86_400_000_000;

/** Nothing used yet. */
export function unused(): Usage {
  return { tatUs: 0, day: 0, today: 0, underWay: new Map() };
}

/**
 * What one part of a limit decides. `used`: microseconds of a rate, calls of the others. The highest rank is shown; 2
 * and more = refused.
 */
interface LimitVerdict {
  readonly kind: LimitKind;
  readonly rank: number;
  readonly used: number;
  readonly waitUs: number;
}

/** Asks every limit and charges either all of them or, when one refuses, none. */
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
 * Puts the raw figures of the shown part into the words of a decision. `waitUs` of a day is the time until it ends,
 * refused or not.
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

/** Whether an admitted call takes a place that must be given back. */
export function holdsPlace(limits: PolicyLimits): boolean {
  return LIMIT_NAMES.some((name) => limits[name]?.concurrent !== undefined);
}

function verdictsOf(limit: TierLimit, usage: Usage, { nowUs, cost }: Charge): LimitVerdict[] {
  // At most a burst can be used up, so a raised rate takes effect immediately.
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

/** The suggested wait for a free place. The actual time is unknown. */
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
