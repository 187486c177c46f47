import type { BookEntry, Evidence, GivenAnswer, Intent, Kept, KeptReservation, State } from './evidence.js';

/** One violation. */
export interface Finding {
  readonly supplier: string;
  /** `res_…`, or the Idempotency-Key if there is no reservation. */
  readonly about: string;
  readonly fault: string;
  readonly what: string;
}

/** What a person has to resolve at one supplier, with the actual entries of its book. */
export interface Review {
  readonly supplier: string;
  readonly booked: number;
  readonly notBooked: number;
  /** Second bookings that are listed: still active there, and not. */
  readonly second: number;
  readonly secondGone: number;
}

/** Proven = the first five are empty. */
export interface Verdict {
  /** More than one active booking for one reference, or for one intent of a client, and not all further ones listed. */
  readonly doubled: readonly Finding[];
  /** Active bookings that are not listed and whose reservation is closed or missing. */
  readonly lost: readonly Finding[];
  /** Reservations and answers that state as certain what the supplier's book contradicts. */
  readonly wronglyFinal: readonly Finding[];
  /** Reservations that are still open, and intents that never got an answer. */
  readonly unresolved: readonly Finding[];
  /** Keys whose answer was not the same each time. */
  readonly answeredDifferently: readonly Finding[];
  readonly review: readonly Review[];
}

const OVER: readonly State[] = ['failed', 'rejected', 'cancelled', 'expired'];
const OPEN: readonly State[] = ['pending', 'unknown', 'modify_pending', 'cancel_pending', 'cancel_unknown'];
/** Refusals that mean "retry", not "not booked". */
const NOT_YET: readonly number[] = [408, 429, 503];

/** One intent with everything that belongs to it. */
interface Case {
  readonly intent: Intent;
  readonly reservations: readonly KeptReservation[];
  /** Active bookings of its reservations, without the listed second ones. */
  readonly living: readonly BookEntry[];
  /** All bookings of its reservations that the supplier ever made, also cancelled ones. */
  readonly made: readonly BookEntry[];
  /** How many of its active bookings are listed as second ones, and how many listed ones are no longer active. */
  readonly second: number;
  readonly secondGone: number;
}

/** Compares the clients' answers and the gateways' reservations with the suppliers' books. Pure. */
export function judge({ intents, reservations, books, listed, settledAfterMs }: Evidence): Verdict {
  const living = new Map<string, BookEntry[]>();
  const made = Map.groupBy(Object.values(books).flat().filter(isMade), ({ reference }) => reference);
  const lost: Finding[] = [];
  const known = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  const faults = new Map(intents.map(({ key, fault }) => [key, fault]));
  for (const [supplier, book] of Object.entries(books)) {
    for (const booking of book.filter(isLiving)) {
      const { reference, confirmation } = booking;
      living.set(reference, [...(living.get(reference) ?? []), booking]);
      const reservation = known.get(reference);
      if (reservation && (!OVER.includes(reservation.state) || listed[reference]?.includes(confirmation))) continue;
      const fault = faults.get(reservation?.key ?? '') ?? '?';
      const what = `booking ${confirmation} lives, its reservation is ${reservation?.state ?? 'not there'}`;
      lost.push({ supplier, about: reference, fault, what });
    }
  }
  const byKey = Map.groupBy(reservations, ({ key }) => key);
  const cases = intents.map((intent): Case => {
    const own = byKey.get(intent.key) ?? [];
    const all = own.flatMap(({ id }) => living.get(id) ?? []);
    const numbers = own.flatMap(({ id }) => listed[id] ?? []);
    const unlisted = all.filter((booking) => !isSecond(booking, known.get(booking.reference), numbers));
    const second = all.length - unlisted.length;
    return {
      intent,
      reservations: own,
      living: unlisted,
      made: own.flatMap(({ id }) => made.get(id) ?? []),
      second,
      secondGone: numbers.length - second,
    };
  });
  const each = (find: (one: Case) => readonly string[]): Finding[] =>
    cases.flatMap((one) => find(one).map((what) => finding(one, what)));
  return {
    doubled: each(doubles),
    lost,
    wronglyFinal: each((one) => contradictions(one, settledAfterMs)),
    unresolved: each(loose),
    answeredDifferently: each(differences),
    review: reviews(cases),
  };
}

/** Whether there are no violations. */
export function isProven(verdict: Verdict): boolean {
  return COUNTS.every((count) => verdict[count].length === 0);
}

/** The members of a verdict that must be empty. */
export const COUNTS = ['doubled', 'lost', 'wronglyFinal', 'unresolved', 'answeredDifferently'] as const;

/** Whether a booking is listed as a further one; a reservation's own number is never that. */
function isSecond(booking: BookEntry, own: KeptReservation | undefined, numbers: readonly string[]): boolean {
  return booking.confirmation !== own?.confirmation && numbers.includes(booking.confirmation);
}

/** Several active bookings of a reservation that is in manual_review are listed with it. */
function doubles(one: Case): string[] {
  const { reservations, living } = one;
  const isListed = reservations.length === 1 && reservations[0]?.state === 'manual_review';
  return living.length > 1 && !isListed ? [`${living.length} living bookings: ${numbers(one)}`] : [];
}

function isLiving({ status }: BookEntry): boolean {
  return status === 'confirmed' || status === 'on_request';
}

/** Whether it ever gave the renter a car: not a hold, nor a request that the supplier refused. */
function isMade(booking: BookEntry): boolean {
  return isLiving(booking) || booking.status === 'cancelled';
}

function finding({ intent, reservations }: Case, what: string): Finding {
  return { supplier: intent.supplier, about: reservations[0]?.id ?? intent.key, fault: intent.fault, what };
}

function numbers({ living }: Case): string {
  return living.map(({ confirmation }) => confirmation).join(', ');
}

function loose({ intent, reservations }: Case): string[] {
  const open = reservations.filter(({ state }) => OPEN.includes(state)).map(({ state }) => `still ${state}`);
  const due = reservations.filter(({ isDue }) => isDue).map(({ state }) => `${state}, and a check is still due`);
  const silent = intent.answers.every(({ status }) => NOT_YET.includes(status)) ? ['never answered'] : [];
  return [...open, ...due, ...silent];
}

/** A stored answer stays, byte for byte. */
function differences({ intent }: Case): string[] {
  const stored = new Set(intent.answers.filter(isStored).map(({ text }) => text));
  return stored.size > 1 ? [`${stored.size} different answers for one key`] : [];
}

function contradictions(one: Case, settledAfterMs: number): string[] {
  return [
    ...stateContradictions(one, settledAfterMs),
    ...answerContradictions(one, settledAfterMs),
    ...cancelContradictions(one),
    ...changeContradictions(one),
  ];
}

function stateContradictions(one: Case, settledAfterMs: number): string[] {
  const { reservations, living, made } = one;
  return reservations.flatMap(({ id, state, givenUpAt }) => {
    const booked = living.some(({ reference }) => reference === id);
    if (OVER.includes(state) && booked) return [`${state}, and the supplier has it`];
    if ((state === 'confirmed' || state === 'on_request') && !booked) return [`${state}, and the supplier has it not`];
    // Only what the supplier did or showed late may have been given up.
    const early = made.find((booking) => booking.reference === id && !isLate(one, booking, settledAfterMs));
    return early && givenUpAt !== undefined
      ? [
          `${state}, and had been given up although the supplier booked in time, ${Math.round(early.createdAt - givenUpAt)} ms after that`,
        ]
      : [];
  });
}

/** Whether a booking was made, or shown, later than the gateway waits for it: only then may it be given up first. */
function isLate({ intent, reservations }: Case, { reference, createdAt }: BookEntry, settledAfterMs: number): boolean {
  const own = reservations.find(({ id }) => id === reference);
  return intent.isHidden === true || (own !== undefined && createdAt > own.createdAt + settledAfterMs);
}

/** "no" means not booked; 201 means booked, unless it was cancelled later. */
function answerContradictions(one: Case, settledAfterMs: number): string[] {
  const { intent, reservations, living } = one;
  const told: string[] = [];
  const accepted = intent.answers.some(({ status }) => status < 300);
  const last = intent.answers.findLast(({ status }) => !NOT_YET.includes(status));
  const isReviewed = reservations.every(({ state }) => state === 'manual_review');
  const contradicting = living.filter((booking) => !(isReviewed && isLate(one, booking, settledAfterMs)));
  if (!accepted && last && contradicting.length > 0) told.push(`answered ${last.status}, and the supplier has it`);
  const gone = reservations.some(({ state }) => state === 'cancelled' || state === 'manual_review');
  if (intent.answers.some(({ status }) => status === 201) && living.length === 0 && !gone)
    told.push('answered 201, and the supplier has it not');
  return told;
}

/** Whether an answer is the one stored for its key, as every success is. */
function isStored({ status, replayed }: GivenAnswer): boolean {
  return replayed || status < 300;
}

function cancelContradictions({ intent, reservations, living }: Case): string[] {
  const state = reservations[0]?.state;
  const isRevoked = reservations[0]?.isRevoked === true;
  if (intent.cancel === 'done' && living.length > 0) return ['cancellation answered 2xx, and the supplier has it'];
  if (intent.cancel === 'done' && state !== 'cancelled') return [`cancellation answered 2xx, and it is ${state}`];
  const asked = intent.cancel === 'done' || intent.cancel === 'unknown';
  return state === 'cancelled' && !asked && !isRevoked ? ['cancelled, and nobody was told so'] : [];
}

/**
 * The book must hold, part by part, the last answer the client received, and the reservation must show what the book
 * holds.
 */
function changeContradictions({ intent, reservations, living }: Case): string[] {
  const [reservation] = reservations;
  const [booking] = living;
  if (reservation?.state !== 'confirmed' || !booking || !reservation.kept) return [];
  const { kept } = reservation;
  const book = keptBy(booking);
  return PARTS.flatMap((part) => {
    const allowed = allowedValues(intent, part);
    const wrong = allowed.has(book[part])
      ? []
      : [`${part} is "${book[part]}" at the supplier, told was "${[...allowed].join('" or "')}"`];
    return kept[part] === book[part]
      ? wrong
      : [...wrong, `${part} is "${kept[part]}" here and "${book[part]}" at the supplier`];
  });
}

/** Some suppliers write flights with a space; some can only hold our reference in the remark, if there is no remark. */
function keptBy({ email = '', flight = '', remark = '', reference }: BookEntry): Kept {
  return { email, flight: flight.replace(' ', ''), remark: remark === reference ? '' : remark };
}

const PARTS = ['email', 'flight', 'remark'] as const;

/** The values that a part may have after the client's answers: done sets it, refused leaves it, unknown allows both. */
function allowedValues({ booked, changes }: Intent, part: keyof Kept): ReadonlySet<string> {
  let allowed = new Set([booked[part]]);
  for (const change of changes.filter((one) => one.part === part)) {
    if (change.word === 'done') allowed = new Set([change.value]);
    if (change.word === 'unknown') allowed.add(change.value);
  }
  return allowed;
}

function reviews(cases: readonly Case[]): Review[] {
  const isOpen = ({ reservations }: Case): boolean => reservations.some(({ state }) => state === 'manual_review');
  const shown = cases.filter((one) => isOpen(one) || one.second + one.secondGone > 0);
  return [...Map.groupBy(shown, ({ intent }) => intent.supplier)].map(([supplier, list]) => {
    const open = list.filter(isOpen);
    const booked = open.filter(({ living }) => living.length > 0).length;
    const sum = (count: (one: Case) => number): number => list.reduce((total, one) => total + count(one), 0);
    return {
      supplier,
      booked,
      notBooked: open.length - booked,
      second: sum(({ second }) => second),
      secondGone: sum(({ secondGone }) => secondGone),
    };
  });
}
