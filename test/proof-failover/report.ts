import { COUNTS, isProven } from '../proof/judge.js';
import { bookedAt, type Call, failedCalls, failedOutside, gaps, quietCalls, type Spread, spread } from './judge.js';
import type { FailoverRun } from './proof.js';

/** The longest p95 of the time without a booking. */
export const MOST_GAP_MS = 15_000;
/** Until when after a promotion a token call may fail: a statement may still be waiting for the old primary. */
const GRACE_MS = 5_000;

export interface FailoverReport {
  readonly isProven: boolean;
  readonly lines: readonly string[];
  readonly facts: object;
}

/** What a run showed. It is proven if nothing was lost, doubled or wrongly final, no search failed, and bookings went on in time. */
export function reportOf(run: FailoverRun): FailoverReport {
  const { verdict, failovers, calls, evidence, pendingAtKill, bookedUntil } = run;
  const booked = bookedAt(evidence.intents);
  const tokens = calls.flatMap(({ kind, status, answeredAt }) =>
    kind === 'token' && status === 200 ? [answeredAt] : [],
  );
  const issued = tokens.sort((one, other) => one - other);
  const bookingGap = spread(gaps(failovers, booked, bookedUntil));
  const tokenGap = spread(gaps(failovers, issued, bookedUntil));
  const searches = calls.filter(({ kind }) => kind === 'search');
  const failedSearches = failedCalls(calls, 'search');
  const quietSearches = quietCalls(searches, failovers);
  const failedQuiet = failedCalls(quietSearches, 'search');
  const slow = spread(quietSearches.map(({ sentAt, answeredAt }) => answeredAt - sentAt));
  const failedTokens = failedCalls(calls, 'token');
  const strayTokens = failedOutside(failedTokens, failovers, GRACE_MS);
  const isGood =
    isProven(verdict) &&
    booked.length > 0 &&
    searches.length > 0 &&
    failedSearches.length === 0 &&
    strayTokens.length === 0 &&
    bookingGap.p95 <= MOST_GAP_MS;
  const counts = Object.fromEntries(COUNTS.map((count) => [count, verdict[count].length]));
  const promotion = spread(failovers.map(({ killedAt, promotedAt }) => promotedAt - killedAt));
  const answers = evidence.intents.flatMap((intent) => intent.answers.map(({ status }) => status));
  const facts = {
    ...{ kills: failovers.length, intents: evidence.intents.length, booked: booked.length, pendingAtKill, counts },
    ...{ bookingGap, tokenGap, promotion, searches: searches.length, failedSearches: failedSearches.length },
    ...{ quietSearches: quietSearches.length, failedQuiet: failedQuiet.length, quietMs: slow },
    ...{ tokens: issued.length, failedTokens: failedTokens.length, strayTokens: strayTokens.length },
    answers: Object.fromEntries([...Map.groupBy(answers, String)].map(([status, list]) => [status, list.length])),
  };
  const lines = [
    `${failovers.length} primaries killed (${pendingAtKill} reservations in progress), the standby promoted after ${said(promotion)}`,
    `${evidence.intents.length} bookings wanted, ${booked.length} answered 201; answers: ${JSON.stringify(facts.answers)}`,
    `longest time without a booking per failover: ${said(bookingGap)}`,
    `searches before the first kill: ${quietSearches.length}, failed ${failedQuiet.length} ${JSON.stringify(tally(failedQuiet))}; they took ${said(slow)}`,
    `searches: ${searches.length}, failed ${failedSearches.length} ${JSON.stringify(tally(failedSearches))}`,
    `new tokens: ${issued.length}, failed ${failedTokens.length} (while a primary answered: ${strayTokens.length}); longest time without one: ${said(tokenGap)}`,
    ...COUNTS.flatMap((count) => [
      `${count}: ${verdict[count].length}`,
      ...verdict[count]
        .slice(0, 20)
        .map(({ supplier, fault, about, what }) => `  ${supplier} ${fault} ${about}: ${what}`),
    ]),
    ...Object.entries(run.histories)
      .flatMap(([id, history]) => [`  ${id}`, ...history.map((line) => `    ${line}`)])
      .slice(0, 60),
    ...(failedQuiet.length === 0
      ? []
      : ['The machine is too busy for this load: searches failed before anything was killed.']),
    isGood ? 'PROVEN' : 'NOT PROVEN',
  ];
  return { isProven: isGood, lines, facts };
}

/** How often each answer was given. */
function tally(calls: readonly Call[]): Record<string, number> {
  const groups = Map.groupBy(calls, ({ status, cause }) => [status, cause].join(' ').trim());
  return Object.fromEntries([...groups].map(([answer, list]) => [answer, list.length]));
}

function said({ p50, p95, max }: Spread): string {
  return `p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms, longest ${Math.round(max)} ms`;
}
