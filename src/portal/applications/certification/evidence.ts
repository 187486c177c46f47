/** A request of the application, as far as its behavior is judged by it. Times are epoch milliseconds. */
export interface Seen {
  /** X-Request-Id. */
  readonly id: string;
  readonly at: number;
  readonly endedAt: number;
  /** operationId. */
  readonly operation: string;
  /** 499 = the caller disconnected. */
  readonly status: number;
  /** A supplier is missing in the answer, whatever its status. */
  readonly isPartial: boolean;
  /** Cause and field of the first entry of the answer; null = none. */
  readonly cause: string | null;
  readonly field: string | null;
  /** Marks (records/request-marks.ts); null = none. */
  readonly token: string | null;
  readonly same: string | null;
  readonly key: string | null;
  readonly subject: string | null;
  readonly isPaged: boolean;
  /** Seconds of Retry-After in the answer; null = none. */
  readonly wait: number | null;
  /** Idempotent-Retry of the answer; null = none. */
  readonly retry: string | null;
}

/** A reservation of the application. Times are epoch milliseconds. */
export interface Booked {
  /** `res_…`. */
  readonly id: string;
  /** Mark of its id. */
  readonly subject: string;
  readonly createdAt: number;
  /** When its outcome became clear; null = it isn't yet. */
  readonly clearAt: number | null;
  /** When an endpoint of the application accepted an event of that time or later; null = none did. */
  readonly toldAt: number | null;
  readonly isCancelled: boolean;
  /** Confirmed or on request, with a dropoff today or later. */
  readonly isActive: boolean;
}

/** What an application's behavior is judged by. */
export interface Evidence {
  /** Oldest first. */
  readonly requests: readonly Seen[];
  readonly bookings: readonly Booked[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What one behavior was seen in: ids of requests, or of reservations that no kept request is about. */
export interface Finding {
  /** Not empty = failed. */
  readonly failed: readonly string[];
  /** Not empty and none failed = passed. Both empty = not seen yet. */
  readonly passed: readonly string[];
}

/** Ids that are shown of a behavior. */
export const MOST_SHOWN = 5;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;

/** A request that begins so shortly before the recorded end of another one may have been caused by its answer. */
export const RECORDED_LATE_MS = 25;

/** Those of `requests` (oldest first) that began after the answer to `one` and at most `withinMs` later, oldest first. */
export function after(requests: readonly Seen[], one: Seen, withinMs: number): readonly Seen[] {
  return requests.slice(placeAfter(requests, one), placeOf(requests, one.endedAt + withinMs + 1));
}

/** The first of them. */
export function firstAfter(requests: readonly Seen[], one: Seen, withinMs: number): Seen | undefined {
  const first = requests[placeAfter(requests, one)];
  return first && first.at <= one.endedAt + withinMs ? first : undefined;
}

function placeAfter(requests: readonly Seen[], { at, endedAt }: Seen): number {
  return placeOf(requests, Math.max(at + 1, endedAt - RECORDED_LATE_MS));
}

/** How many of `requests` (oldest first) began before an instant: found by halving, as there may be thousands of occasions. */
function placeOf(requests: readonly Seen[], instant: number): number {
  let [low, high] = [0, requests.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((requests[middle]?.at ?? instant) < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Requests that are the same, oldest first, by `sameMark`; those without a mark aren't in it. */
export function bySame(requests: readonly Seen[]): ReadonlyMap<string, readonly Seen[]> {
  return Map.groupBy(
    requests.filter(({ same }) => same !== null),
    sameMark,
  );
}

/** What requests that are the same have in common: operation, path, query and body. */
export function sameMark({ operation, same }: Seen): string {
  return `${operation} ${same}`;
}

/** The ids of the requests that a condition applies to. */
export function idsOf(requests: readonly Seen[], condition: (one: Seen) => boolean): readonly string[] {
  return requests.filter(condition).map(({ id }) => id);
}

/** The ids of the first that a condition applies to, no more than are shown: what a loop did isn't listed for each of its calls. */
export function few(requests: readonly Seen[], condition: (one: Seen) => boolean = () => true): readonly string[] {
  const ids: string[] = [];
  for (const one of requests) {
    if (ids.length === MOST_SHOWN) break;
    if (condition(one)) ids.push(one.id);
  }
  return ids;
}

/** The ids of those of which `times` began within less than `withinMs`. `group`: oldest first. */
export function crowded(group: readonly Seen[], times: number, withinMs: number): readonly string[] {
  return group.flatMap((one, index) => {
    const last = group[index + times - 1];
    return last !== undefined && last.at - one.at < withinMs
      ? group.slice(index, index + times).map(({ id }) => id)
      : [];
  });
}

/** Whether two requests are the same: operation, path, query and body. */
export function isSame(one: Seen, other: Seen): boolean {
  return one.same !== null && one.same === other.same && one.operation === other.operation;
}

export const isTokenCall = ({ operation }: Seen): boolean =>
  operation === 'getAccessToken' || operation === 'issueToken';
export const isBooking = ({ operation }: Seen): boolean => operation === 'createReservation';
export const isBooked = (one: Seen): boolean => isBooking(one) && (one.status === 201 || one.status === 202);
export const isRead = ({ operation }: Seen): boolean =>
  operation === 'readReservation' || operation === 'listReservations';
/** An answer that may be different next time: a failure of the gateway or of all suppliers, or none at all. */
export const isPassing = ({ status }: Seen): boolean => status >= 499 || status === 408;
