import type { Seen } from './observer.js';

/** A call or a question about readiness, in epoch milliseconds. */
export interface Observed {
  readonly sentMs: number;
  readonly answeredMs: number;
  /** 0 = no answer. */
  readonly status: number;
}

/** A call of an account. */
export interface AccountCall extends Observed {
  readonly account: number;
  /** Whether the answer, with its headers, has the words of Redis in it, or is a 503 without Retry-After. */
  readonly isStrange: boolean;
}

/** What was done to Redis, and the accounts that it may affect. */
export interface Strike {
  readonly name: string;
  readonly fromMs: number;
  /** When everything was in order again; the next strike comes later. */
  readonly toMs: number;
  readonly affected: ReadonlySet<number>;
}

export interface Verdict {
  readonly name: string;
  readonly failed: number;
  /** 503 of accounts that the strike doesn't affect. */
  readonly unaffected: number;
  /** From the strike to the last 503. */
  readonly outageMs: number;
  /** From the strike until a replica was a master; undefined = none became one. What follows is the gateway's share of the outage. */
  readonly promotedMs?: number;
  /** Time in which a gateway said that it is ready although an account got only 503. */
  readonly falselyReadyMs: number;
}

const SERVED = [400, 429];

/** How often each answer was given that no strike may cause: neither served nor 503, or strange. */
export function strangeCalls(calls: readonly AccountCall[]): Record<string, number> {
  const strange = calls.filter(({ status, isStrange }) => isStrange || ![...SERVED, 503].includes(status));
  const groups = Map.groupBy(strange, ({ status, isStrange }) => `${status}${isStrange ? ' with words of Redis' : ''}`);
  return Object.fromEntries([...groups].map(([answer, list]) => [answer, list.length]));
}

/** What one strike did. A readiness counts as false if it was asked between two consecutive 503s of an account. */
export function judgeStrike(
  strike: Strike,
  calls: readonly AccountCall[],
  { readiness, promotedMs }: Pick<Seen, 'readiness' | 'promotedMs'>,
): Verdict {
  const within = calls.filter(({ sentMs }) => sentMs >= strike.fromMs && sentMs < strike.toMs);
  const failed = within.filter(({ status }) => status === 503);
  const outages = failed.flatMap((call) => {
    const next = within
      .filter(({ account, sentMs }) => account === call.account && sentMs > call.answeredMs)
      .reduce<AccountCall | undefined>(
        (first, other) => (first && first.sentMs < other.sentMs ? first : other),
        undefined,
      );
    return next?.status === 503 ? [{ fromMs: call.answeredMs, toMs: next.sentMs }] : [];
  });
  const asked = [...readiness].sort((one, other) => one.sentMs - other.sentMs);
  const falselyReadyMs = asked.reduce((sum, { sentMs, answeredMs, status }, at) => {
    const isFalse = status === 200 && outages.some(({ fromMs, toMs }) => fromMs <= sentMs && toMs >= answeredMs);
    return isFalse ? sum + ((asked[at + 1]?.sentMs ?? answeredMs) - sentMs) : sum;
  }, 0);
  const promoted = promotedMs.find((at) => at > strike.fromMs && at < strike.toMs);
  return {
    name: strike.name,
    ...(promoted === undefined ? {} : { promotedMs: promoted - strike.fromMs }),
    failed: failed.length,
    unaffected: failed.filter(({ account }) => !strike.affected.has(account)).length,
    outageMs: Math.max(0, ...failed.map(({ answeredMs }) => answeredMs - strike.fromMs)),
    falselyReadyMs,
  };
}

/** Calls admitted beyond a rate over the complete time, as a loss of usage would allow them. */
export function overAdmitted(admitted: number, perMinute: number, burst: number, overMs: number): number {
  return Math.max(0, admitted - Math.floor(burst + (perMinute * overMs) / 60_000));
}
