import {
  after,
  crowded,
  type Evidence,
  type Finding,
  idsOf,
  isBooked,
  isBooking,
  isPassing,
  isRead,
  isSame,
  MINUTE_MS,
  SECOND_MS,
  type Seen,
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
export function keyRepeated(evidence: Evidence): Finding {
  return byNext(
    evidence,
    (one) => isBooking(one) && one.key !== null && isPassing(one) && one.retry !== 'new-key',
    (one, other) => isBooking(other) && isSame(one, other),
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
export function newKeyAfterRefusal(evidence: Evidence): Finding {
  return byNext(
    evidence,
    (one) => isBooking(one) && one.key !== null && one.retry === 'new-key' && one.status !== 499,
    (_one, other) => isBooking(other),
    (one, other) => one.key !== other.key,
  );
}

/** What followed a booking whose price had risen. */
export function priceChangeAccepted(evidence: Evidence): Finding {
  return byNext(
    evidence,
    (one) => isBooking(one) && one.cause === 'price_changed',
    (one, other) => isBooking(other) && (isSame(one, other) || other.status < 300),
    (one, other) => !isSame(one, other),
  );
}

/** How long an application may take to see an outcome. */
const FOLLOWED_MS = 5 * MINUTE_MS;

/** Whether the outcome of each 202 was read, or accepted as an event. */
export function outcomeFollowed({ requests, bookings, now }: Evidence): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  for (const one of requests) {
    if (!isBooking(one) || one.status !== 202) continue;
    const booking = bookings.find(({ subject }) => subject === one.subject);
    if (!booking || booking.clearAt === null) continue;
    const { clearAt, toldAt } = booking;
    const isRelated = ({ operation, subject }: Seen) => operation === 'listReservations' || subject === one.subject;
    const wasRead = requests.some(
      (other) => isRead(other) && isRelated(other) && other.endedAt >= clearAt && other.status < 300,
    );
    if (wasRead || toldAt !== null) passed.push(one.id);
    else if (now > clearAt + FOLLOWED_MS) failed.push(one.id);
  }
  return { failed, passed };
}

/** The same booking with another key, or none, while its outcome is open. */
export function notBookedAgain(evidence: Evidence): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  for (const one of evidence.requests) {
    if (!isBooking(one) || one.status !== 202) continue;
    const later = after(evidence, one, LATER_MS);
    const again = later.filter((other) => isBooking(other) && isSame(one, other) && other.key !== one.key);
    if (again.length > 0) failed.push(one.id, ...again.map(({ id }) => id));
    else if (later.some((other) => isRead(other))) passed.push(one.id);
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
export function unknownChangeRead(evidence: Evidence): Finding {
  return byNext(
    evidence,
    ({ operation, cause, status }) => CHANGES.includes(operation) && (cause === 'outcome_unknown' || status === 202),
    (one, other) => other.subject === one.subject || other.operation === 'listReservations',
    (_one, other) => isRead(other),
  );
}

const LEFT_MS = 60 * MINUTE_MS;

/** Bookings that are left at suppliers. */
export function bookingsCancelled({ requests, bookings, now }: Evidence): Finding {
  const active = bookings.filter(({ isActive }) => isActive);
  const left = active.filter(({ createdAt }) => now - createdAt > LEFT_MS);
  const shown = ({ id, subject }: { readonly id: string; readonly subject: string }): string =>
    requests.find((one) => isBooked(one) && one.subject === subject)?.id ?? id;
  return {
    failed: left.map(shown),
    passed: active.length > 0 ? [] : bookings.filter(({ isCancelled }) => isCancelled).map(shown),
  };
}

/** Judges the first request of those that answer each occasion: right or wrong. Without one, nothing was seen. */
function byNext(
  evidence: Evidence,
  isOccasion: (one: Seen) => boolean,
  isReaction: (one: Seen, other: Seen) => boolean,
  isRight: (one: Seen, other: Seen) => boolean,
): Finding {
  const failed: string[] = [];
  const passed: string[] = [];
  for (const one of evidence.requests) {
    const next = isOccasion(one) ? after(evidence, one, LATER_MS).find((other) => isReaction(one, other)) : undefined;
    if (!next) continue;
    if (isRight(one, next)) passed.push(one.id);
    else failed.push(one.id, next.id);
  }
  return { failed: [...new Set(failed)], passed };
}
