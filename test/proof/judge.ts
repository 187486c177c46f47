import { changeContradictions } from './changed.js';
import type { BookEntry, Evidence, GivenAnswer, Intent, KeptReservation, Restore, State } from './evidence.js';
import { comparable, isRefused, isReported, restoresOf } from './restored.js';

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
  /** More than one active booking for one reference, or for one intent of a client, and not all further ones listed or reported. */
  readonly doubled: readonly Finding[];
  /** Active bookings that are not listed or reported, and whose reservation is closed or missing. */
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
  /** Its active bookings, without the listed second ones, with those whose reservation is missing. */
  readonly living: readonly BookEntry[];
  /** All its bookings that the supplier ever made, also cancelled ones. */
  readonly made: readonly BookEntry[];
  /** The restores that may have lost something of it. */
  readonly hits: readonly Restore[];
  /** A restore hit it, and the audit reports its reference. */
  readonly isReported: boolean;
  /** How many of its active bookings are listed as second ones, and how many listed ones are no longer active. */
  readonly second: number;
  readonly secondGone: number;
}

/** Compares the clients' answers and the gateways' reservations with the suppliers' books. Pure. */
export function judge(evidence: Evidence): Verdict {
  const { intents, reservations, books, listed, restores, audited, settledAfterMs } = evidence;
  const known = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  const renters = new Map(intents.flatMap((intent) => emailsOf(intent).map((email) => [email, intent.key] as const)));
  const keyOf = ({ reference, email = '' }: BookEntry): string =>
    known.get(reference)?.key ?? renters.get(email) ?? reference;
  const made = Map.groupBy(Object.values(books).flat().filter(isMade), keyOf);
  const byKey = Map.groupBy(reservations, ({ key }) => key);
  const cases = intents.map((intent): Case => {
    const own = byKey.get(intent.key) ?? [];
    const bookings = made.get(intent.key) ?? [];
    const all = bookings.filter(isLiving);
    const hits = restoresOf(intent, restores);
    const references = [...new Set([...own.map(({ id }) => id), ...bookings.map(({ reference }) => reference)])];
    const numbers = own.flatMap(({ id }) => listed[id] ?? []);
    const unlisted = all.filter((booking) => !isSecond(booking, known.get(booking.reference), numbers));
    const second = all.length - unlisted.length;
    return {
      intent,
      reservations: own,
      living: unlisted,
      made: bookings,
      hits,
      isReported:
        hits.length > 0 && references.length > 0 && references.every((one) => isReported(one, bookings, audited)),
      second,
      secondGone: numbers.length - second,
    };
  });
  const ofKey = new Map(cases.map((one) => [one.intent.key, one]));
  const lost = Object.entries(books).flatMap(([supplier, book]) =>
    book.filter(isLiving).flatMap((booking): Finding[] => {
      const { reference, confirmation } = booking;
      const reservation = known.get(reference);
      if (reservation && (!OVER.includes(reservation.state) || listed[reference]?.includes(confirmation))) return [];
      const own = ofKey.get(keyOf(booking));
      if (own?.isReported) return [];
      const what = `booking ${confirmation} lives, its reservation is ${reservation?.state ?? 'not there'}`;
      return [{ supplier, about: reference, fault: own?.intent.fault ?? '?', what }];
    }),
  );
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

/** The renter's addresses, which no other intent has. */
function emailsOf({ booked, changes }: Intent): string[] {
  return [booked.email, ...changes.filter(({ part }) => part === 'email').map(({ value }) => value)];
}

/**
 * Several active bookings of a reservation that is in manual_review are listed with it. A reported reference may have
 * several only if its request was delivered twice; several references of one key are never excused.
 */
function doubles(one: Case): string[] {
  const { intent, reservations, living } = one;
  const isListed = reservations.length === 1 && reservations[0]?.state === 'manual_review';
  const isOneReference = new Set(living.map(({ reference }) => reference)).size === 1;
  const isExcused = isOneReference && (isListed || (one.isReported && intent.isTwice === true));
  return living.length > 1 && !isExcused ? [`${living.length} living bookings: ${numbers(one)}`] : [];
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
  const silent = intent.answers.every(({ status, replayed }) => NOT_YET.includes(status) && !replayed)
    ? ['never answered']
    : [];
  return [...open, ...due, ...silent];
}

/** A stored answer stays, byte for byte. */
function differences({ intent, hits }: Case): string[] {
  return comparable(intent.answers.filter(isStored), hits).flatMap((answers) => {
    const different = new Set(answers.map(({ text }) => text)).size;
    return different > 1 ? [`${different} different answers for one key`] : [];
  });
}

function contradictions(one: Case, settledAfterMs: number): string[] {
  if (one.isReported) {
    const isLost = one.reservations.length === 0 && one.living.length > 0;
    return isLost && !isRefused(one.intent) ? ['its reservation was lost, and its key was not refused'] : [];
  }
  return [
    ...stateContradictions(one, settledAfterMs),
    ...answerContradictions(one, settledAfterMs),
    ...cancelContradictions(one),
    ...changeContradictions(one.intent, one.reservations[0], one.living[0]),
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
    return early && givenUpAt !== undefined && !isForgotten(one)
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
  const gone = reservations.some(({ state }) => state === 'cancelled' || state === 'manual_review') || isForgotten(one);
  if (intent.answers.some(({ status }) => status === 201) && living.length === 0 && !gone)
    told.push('answered 201, and the supplier has it not');
  return told;
}

/** Whether an answer is the one stored for its key, as every success is. */
function isStored({ status, replayed }: GivenAnswer): boolean {
  return replayed || status < 300;
}

/**
 * It was cancelled as requested, and a restored database no longer knows that, or that it was booked; operators may be
 * shown it.
 */
function isForgotten({ intent, reservations, living, hits }: Case): boolean {
  const isOver = reservations.every(({ state }) => OVER.includes(state) || state === 'manual_review');
  return hits.length > 0 && isAsked(intent) && living.length === 0 && isOver;
}

/** Whether the client's cancellation may have been carried out. */
function isAsked({ cancel }: Intent): boolean {
  return cancel === 'done' || cancel === 'unknown';
}

function cancelContradictions(one: Case): string[] {
  const { intent, reservations, living } = one;
  if (isForgotten(one)) return [];
  const state = reservations[0]?.state;
  const isRevoked = reservations[0]?.isRevoked === true;
  if (intent.cancel === 'done' && living.length > 0) return ['cancellation answered 2xx, and the supplier has it'];
  if (intent.cancel === 'done' && state !== 'cancelled') return [`cancellation answered 2xx, and it is ${state}`];
  return state === 'cancelled' && !isAsked(intent) && !isRevoked ? ['cancelled, and no caller was told'] : [];
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
