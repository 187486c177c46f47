import { STATUS_CODES } from 'node:http';
import type { UsagePoint } from '../../records/usage-reader.js';

/** A request of the application as far as its behavior is judged by it. */
export interface BehaviorRequest {
  /** Epoch milliseconds. */
  readonly at: number;
  /** operationId. */
  readonly operation: string;
  readonly status: number;
  /** Answered with the stored answer of its Idempotency-Key. */
  readonly isReplay: boolean;
  /** `reason cause` or `reason field` of the first entry of an error; null = it had none. */
  readonly why: string | null;
}

/** Reservations that the application made in the last 30 days; at most the newest 5,000 are counted. */
export interface BehaviorBookings {
  readonly made: number;
  readonly cancelled: number;
  /** Confirmed or on request, with a drop-off today or later. */
  readonly active: number;
  /** Made in the last 24 hours. */
  readonly recent: number;
  /** Of the recent ones, those with an Idempotency-Key. */
  readonly recentWithKey: number;
}

/** What an application did after answers of one kind, by its next request within a minute, or the lack of one. */
export interface Reactions {
  readonly answers: number;
  /** Of the answers, those after which a minute passed, or a request came. */
  readonly known: number;
  readonly repeated: number;
  readonly wentOn: number;
  readonly other: number;
  readonly nothing: number;
  /** The next request came within a second. */
  readonly withinSecond: number;
}

/** How an application used the sandbox. */
export interface SandboxBehavior {
  /** Of 30 days, without tokens. */
  readonly calls: number;
  readonly tokens: number;
  readonly searches: number;
  readonly partial: number;
  readonly limited: number;
  /** Requests that `afterPartial` to `errors` are about: the newest ones that are kept. */
  readonly sampled: number;
  /** Instant of the oldest of them, epoch milliseconds; undefined without any. */
  readonly sampledSince: number | undefined;
  readonly afterPartial: Reactions;
  readonly afterLimited: Reactions;
  readonly replays: number;
  readonly mismatches: number;
  /** The most frequent kinds of rejected and failed requests, at most ten. */
  readonly errors: readonly { readonly status: number; readonly why: string; readonly times: number }[];
  readonly bookings: BehaviorBookings;
}

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const MOST_ERRORS = 10;
const TOKENS = ['getAccessToken', 'issueToken'];
/** What follows a search whose answer is used. */
const ONWARD = ['priceOffer', 'createReservation', 'readSearch'];

/** Judges nothing, only counts. `points` are of 30 days; `newest` are requests, in any order; `now` is in epoch milliseconds. */
export function sandboxBehavior(
  points: readonly UsagePoint[],
  newest: readonly BehaviorRequest[],
  bookings: BehaviorBookings,
  now: number,
): SandboxBehavior {
  const total = (isIt: (point: UsagePoint) => boolean): number =>
    points.reduce((sum, point) => sum + (isIt(point) ? point.calls : 0), 0);
  const isToken = ({ operation }: { readonly operation: string }): boolean => TOKENS.includes(operation);
  const requests = newest.toSorted((one, other) => one.at - other.at);
  return {
    calls: total((point) => !isToken(point)),
    tokens: total((point) => isToken(point) && point.status === 200),
    searches: total((point) => isSearch(point) && [200, 206].includes(point.status)),
    partial: total((point) => isSearch(point) && point.status === 206),
    limited: total(({ status }) => status === 429),
    sampled: requests.length,
    sampledSince: requests[0]?.at,
    afterPartial: reactions(requests, (request) => isSearch(request) && request.status === 206, now),
    afterLimited: reactions(requests, ({ status }) => status === 429, now),
    replays: requests.filter(({ isReplay }) => isReplay).length,
    mismatches: requests.filter(({ why }) => why?.includes('idempotency_mismatch')).length,
    errors: errorsOf(requests),
    bookings,
  };
}

function isSearch({ operation }: { readonly operation: string }): boolean {
  return operation.startsWith('search');
}

function reactions(
  requests: readonly BehaviorRequest[],
  isIt: (request: BehaviorRequest) => boolean,
  now: number,
): Reactions {
  const counts = { answers: 0, known: 0, repeated: 0, wentOn: 0, other: 0, nothing: 0, withinSecond: 0 };
  for (const [index, request] of requests.entries()) {
    if (!isIt(request)) continue;
    counts.answers += 1;
    const next = requests[index + 1];
    const waitedMs = (next?.at ?? Number.POSITIVE_INFINITY) - request.at;
    if (waitedMs > MINUTE_MS && now - request.at <= MINUTE_MS) continue;
    counts.known += 1;
    if (waitedMs < SECOND_MS) counts.withinSecond += 1;
    if (next === undefined || waitedMs > MINUTE_MS) counts.nothing += 1;
    else if (next.operation === request.operation) counts.repeated += 1;
    else if (ONWARD.includes(next.operation)) counts.wentOn += 1;
    else counts.other += 1;
  }
  return counts;
}

function errorsOf(requests: readonly BehaviorRequest[]): SandboxBehavior['errors'] {
  const failed = requests.filter(({ status }) => status >= 400);
  const kinds = Map.groupBy(failed, ({ status, why }) => `${status} ${why ?? ''}`);
  return [...kinds.values()]
    .flatMap((same) => {
      const [first] = same;
      const why = first?.why ?? STATUS_CODES[first?.status ?? 0] ?? '';
      return first ? [{ status: first.status, why, times: same.length }] : [];
    })
    .sort((one, other) => other.times - one.times)
    .slice(0, MOST_ERRORS);
}
