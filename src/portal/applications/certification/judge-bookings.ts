import {
  after,
  type Booked,
  bySame,
  crowded,
  type Evidence,
  type Finding,
  few,
  firstAfter,
  idsOf,
  isBooked,
  isBooking,
  isPassing,
  isRead,
  isSame,
  MINUTE_MS,
  SECOND_MS,
  type Seen,
  sameMark,
} from './evidence.js';

const LATER_MS = 10 * MINUTE_MS;
/** Refused before the key was read. */
const UNREAD = [401, 403, 429];

/** Bookings without an Idempotency-Key. */
export function keySent({ requests }: Evidence): Finding {
  const bookings = requests.filter((one) => isBooking(one) && !UNREAD.includes(one.status));
  return { failed: idsOf(bookings, ({ key }) => key === null), passed: idsOf(bookings, ({ key }) => key !== null) };
}

/** What followed a booking whose answer was lost or that failed with `Idempotent-Retry: same-key`. */
export function keyRepeated({ requests }: Evidence): Finding {
  const same = bySame(requests.filter(isBooking));
  return byNext(
    requests,
    (one) => isBooking(one) && one.key !== null && isPassing(one) && one.retry !== 'new-key',
    (one) => [same.get(sameMark(one))],
    (one, other) => one.key === other.key,
  );
}

/** A key for another booking than its first. */
export function keyPerBooking({ requests }: Evidence): Finding {
  const booked = requests.filter((one) => isBooked(one) && one.key !== null);
  const keys = new Set(booked.map(({ key }) => key));
  return {
    failed: idsOf(requests, ({ cause }) => cause === 'idempotency_mismatch'),
    passed: keys.size < 2 ? [] : booked.map(({ id }) => id),
  };
}

/** What followed a booking that the supplier refused. */
export function newKeyAfterRefusal({ requests }: Evidence): Finding {
  const bookings = requests.filter(isBooking);
  return byNext(
    requests,
    (one) => isBooking(one) && one.key !== null && one.retry === 'new-key' && one.status !== 499,
    () => [bookings],
    (one, other) => one.key !== other.key,
  );
}

/** What followed a booking whose price had risen. */
export function priceChangeAccepted({ requests }: Evidence): Finding {
  const bookings = requests.filter(isBooking);
  const same = bySame(bookings);
  const accepted = bookings.filter(({ status }) => status < 300);
  return byNext(
    requests,
    (one) => isBooking(one) && one.cause === 'price_changed',
    (one) => [same.get(sameMark(one)), accepted],
    (one, other) => !isSame(one, other),
  );
}

/** How long an application may take to see an outcome. */
const FOLLOWED_MS = 5 * MINUTE_MS;

/** Whether the outcome of each 202 was read, or accepted as an event. */
export function outcomeFollowed({ requests, bookings, now }: Evidence): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  const bySubject = new Map<string | null, Booked>(bookings.map((booking) => [booking.subject, booking]));
  const readAt = lastReads(requests);
  for (const one of requests) {
    if (!isBooking(one) || one.status !== 202) continue;
    const { clearAt, toldAt } = bySubject.get(one.subject) ?? { clearAt: null, toldAt: null };
    if (clearAt === null) continue;
    if (readAt(one.subject) >= clearAt || toldAt !== null) passed.push(one.id);
    else if (now > clearAt + FOLLOWED_MS) failed.push(one.id);
  }
  return { failed, passed };
}

/** When the last answer about a reservation came, by the mark of its subject: of its own, or a list. -Infinity = never. */
function lastReads(requests: readonly Seen[]): (subject: string | null) => number {
  const bySubject = new Map<string | null, number>();
  let listedAt = Number.NEGATIVE_INFINITY;
  for (const one of requests) {
    if (!isRead(one) || one.status >= 300) continue;
    if (one.operation === 'listReservations') listedAt = Math.max(listedAt, one.endedAt);
    else bySubject.set(one.subject, Math.max(bySubject.get(one.subject) ?? one.endedAt, one.endedAt));
  }
  return (subject) => Math.max(listedAt, bySubject.get(subject) ?? listedAt);
}

/** The same booking with another key, or none, while its outcome is open. */
export function notBookedAgain({ requests }: Evidence): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  const same = bySame(requests.filter(isBooking));
  const reads = requests.filter(isRead);
  for (const one of requests) {
    if (!isBooking(one) || one.status !== 202) continue;
    const again = few(after(same.get(sameMark(one)) ?? [], one, LATER_MS), ({ key }) => key !== one.key);
    if (again.length > 0) failed.push(one.id, ...again);
    else if (firstAfter(reads, one, LATER_MS)) passed.push(one.id);
  }
  return { failed: [...new Set(failed)], passed };
}

const POLLS = 6;
const POLLS_MS = 2 * SECOND_MS;

/** How often a reservation is read. */
export function pollsGently({ requests }: Evidence): Finding {
  const reads = requests.filter(({ operation, subject }) => operation === 'readReservation' && subject !== null);
  const groups = [...Map.groupBy(reads, ({ subject }) => subject).values()];
  return {
    failed: groups.flatMap((group) => crowded(group, POLLS, POLLS_MS)),
    passed: groups.flatMap((group) => (group.length < 2 ? [] : (group[0]?.id ?? []))),
  };
}

const CHANGES = ['changeReservation', 'replaceReservation'];

/** What followed a change whose outcome is unknown. */
export function unknownChangeRead({ requests }: Evidence): Finding {
  const about = Map.groupBy(requests, ({ subject }) => subject);
  const lists = requests.filter(({ operation }) => operation === 'listReservations');
  return byNext(
    requests,
    ({ operation, cause, status }) => CHANGES.includes(operation) && (cause === 'outcome_unknown' || status === 202),
    ({ subject }) => [about.get(subject), lists],
    (_one, other) => isRead(other),
  );
}

const LEFT_MS = 60 * MINUTE_MS;

/** Bookings that are left at suppliers. */
export function bookingsCancelled({ requests, bookings, now }: Evidence): Finding {
  const active = bookings.filter(({ isActive }) => isActive);
  const left = active.filter(({ createdAt }) => now - createdAt > LEFT_MS);
  const made = new Map(
    requests
      .filter(isBooked)
      .toReversed()
      .map((one) => [one.subject, one.id]),
  );
  const shown = ({ id, subject }: { readonly id: string; readonly subject: string }): string => made.get(subject) ?? id;
  return {
    failed: left.map(shown),
    passed: active.length > 0 ? [] : bookings.filter(({ isCancelled }) => isCancelled).map(shown),
  };
}

/**
 * Judges the first request that answers each occasion: right or wrong. Without one, nothing was seen. `answersTo`: lists of those that
 * answer it if they came later, each oldest first.
 */
function byNext(
  requests: readonly Seen[],
  isOccasion: (one: Seen) => boolean,
  answersTo: (one: Seen) => readonly (readonly Seen[] | undefined)[],
  isRight: (one: Seen, other: Seen) => boolean,
): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  for (const one of requests) {
    if (!isOccasion(one)) continue;
    const [next] = answersTo(one)
      .flatMap((list) => firstAfter(list ?? [], one, LATER_MS) ?? [])
      .sort((first, second) => first.at - second.at);
    if (!next) continue;
    if (isRight(one, next)) passed.push(one.id);
    else failed.push(one.id, next.id);
  }
  return { failed: [...new Set(failed)], passed };
}
