import {
  after,
  bySame,
  crowded,
  type Evidence,
  type Finding,
  few,
  firstAfter,
  idsOf,
  isSame,
  isTokenCall,
  MINUTE_MS,
  RECORDED_LATE_MS,
  SECOND_MS,
  type Seen,
} from './evidence.js';

/** A token that is replaced so soon was not kept. */
const KEPT_MS = 5 * MINUTE_MS;
/** A token that was used so often was kept. */
const FEW_CALLS = 5;
/** So many replaced tokens are a fault; fewer may be a script that was started several times. */
const MANY_TOKENS = 4;

/** Tokens that another one replaced although they were valid and hardly used. */
export function tokenReused({ requests }: Evidence): Finding {
  const issues = requests.filter((one) => isTokenCall(one) && one.status === 200);
  const calls = Map.groupBy(
    requests.filter((one) => !isTokenCall(one) && one.token !== null),
    ({ token }) => token,
  );
  const replaced = issues.filter((one, index) => {
    const earlier = issues[index - 1];
    if (!earlier || one.at - earlier.at > KEPT_MS) return false;
    const used = calls.get(earlier.token) ?? [];
    return used.length < FEW_CALLS && used.every(({ at, status }) => status !== 401 && at < one.at);
  });
  return {
    failed: replaced.length < MANY_TOKENS ? [] : replaced.map(({ id }) => id),
    passed: [...calls.values()].flatMap((used) => (used.length < FEW_CALLS ? [] : (used[0]?.id ?? []))),
  };
}

/** Time in which calls that were already on their way end. */
const UNDERWAY_MS = SECOND_MS / 2;

/** What followed the first 401 of each token. */
export function tokenRenewed({ requests }: Evidence): Finding {
  const issues = requests.filter(isTokenCall);
  const calls = requests.filter((one) => !isTokenCall(one));
  const accepted = calls.filter(({ status }) => status < 400);
  const byToken = Map.groupBy(calls, ({ token }) => token);
  const failed: string[] = [];
  const passed: string[] = [];
  for (const [token, used] of byToken) {
    const first = used.find(({ status }) => status === 401);
    if (token === null || !first) continue;
    const isRepeat = (one: Seen) => isSame(one, first) || one.at > first.endedAt + UNDERWAY_MS;
    const repeated = after(used, first, MINUTE_MS).filter(isRepeat);
    const issued = after(issues, first, 10 * SECOND_MS - 1);
    if (repeated.length > 0 || issued.length > 1) failed.push(first.id, ...few([...repeated, ...issued.slice(1)]));
    else if (issued.length === 1 && firstAfter(accepted, first, MINUTE_MS)) passed.push(first.id);
  }
  return { failed: inOrder(failed, requests), passed: inOrder(passed, requests) };
}

/** Clocks and timers of a client may be so inexact. */
const EARLY_MS = 100;

/** A refused call, and when its answer counts as known. */
interface Waiting {
  readonly one: Seen;
  readonly knownAt: number;
}

/**
 * Whether refused calls were repeated before the end of Retry-After. Of the same call, sent several times concurrently, each
 * repetition belongs to the refused one whose wait ended, if there is any, and those that arrive soon were already sent.
 */
export function waitsAfter(status: 429 | 503, { requests }: Evidence): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  for (const group of bySame(requests).values()) {
    const waiting: Waiting[] = [];
    let lastEnd = Number.NEGATIVE_INFINITY;
    for (const [index, one] of group.entries()) {
      const own = waiting.filter(({ knownAt }) => knownAt <= one.at);
      const due = own.find(({ one: other }) => one.at >= other.endedAt + (other.wait ?? 0) * SECOND_MS - EARLY_MS);
      const repeated = due ?? own[0];
      if (repeated) waiting.splice(waiting.indexOf(repeated), 1);
      if (due) passed.push(due.one.id);
      else if (repeated) failed.push(repeated.one.id, one.id);
      const isBurst = lastEnd >= one.at || (group[index + 1]?.at ?? Number.POSITIVE_INFINITY) <= one.endedAt;
      lastEnd = Math.max(lastEnd, one.endedAt);
      const knownAt = one.endedAt + (isBurst ? UNDERWAY_MS : -RECORDED_LATE_MS);
      if (one.status === status && one.wait !== null && one.wait > 0 && !isTokenCall(one))
        waiting.push({ one, knownAt });
    }
  }
  return { failed: inOrder(failed, requests), passed: inOrder(passed, requests) };
}

/** Ids in the order of their requests. */
function inOrder(ids: readonly string[], requests: readonly Seen[]): readonly string[] {
  const wanted = new Set(ids);
  return idsOf(requests, ({ id }) => wanted.has(id));
}

const MANY_REFUSED = 10;
const REFUSED_SHARE = 0.3;
const MANY_CALLS = 30;

/** Minutes in which much of what the application sent was refused with 429. */
export function belowLimit({ requests }: Evidence): Finding {
  const calls = requests.filter((one) => !isTokenCall(one));
  const failed = [...Map.groupBy(calls, ({ at }) => Math.floor(at / MINUTE_MS)).values()].flatMap((minute) => {
    const refused = idsOf(minute, ({ status }) => status === 429);
    return refused.length >= MANY_REFUSED && refused.length / minute.length > REFUSED_SHARE ? refused : [];
  });
  return { failed, passed: calls.length < MANY_CALLS ? [] : [calls.at(-1)?.id ?? []].flat() };
}

const REFUSED = [400, 403, 404];
/** The first request and its repetitions; one repetition may be a person who looks again. */
const MANY_TIMES = 3;

/** The same request again after it was refused for what it says. */
export function refusalsAccepted({ requests }: Evidence): Finding {
  const refused = requests.filter(
    (one) => REFUSED.includes(one.status) && one.same !== null && !isTokenCall(one) && one.cause === null,
  );
  const groups = [...bySame(refused).values()];
  const repeated = groups.flatMap((group) => crowded(group, MANY_TIMES, MINUTE_MS));
  return { failed: repeated, passed: refused.map(({ id }) => id) };
}

/** So many failures of one request in so short a time have no pauses between them. */
const LOOP_TIMES = 5;
const LOOP_MS = 5 * SECOND_MS;

/** The same request again and again while it fails. */
export function failuresBackedOff({ requests }: Evidence): Finding {
  const failures = requests.filter(({ status, same }) => (status >= 500 || status === 408) && same !== null);
  const groups = [...bySame(failures).values()];
  const loops = groups.flatMap((group) => crowded(group, LOOP_TIMES, LOOP_MS));
  return { failed: loops, passed: failures.map(({ id }) => id) };
}
