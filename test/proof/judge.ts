import type { State } from '../../src/reservations/states.js';
import type { SimulatedBooking } from '../../src/simulators/bookings.js';
import type { Evidence, GivenAnswer, Intent, Kept, KeptReservation } from './evidence.js';

/** One violation. */
export interface Finding {
  readonly supplier: string;
  /** `res_…`, or the Idempotency-Key if there is no reservation. */
  readonly about: string;
  readonly fault: string;
  readonly what: string;
}

/** What a person has to resolve at one supplier, with the actual entry of its book. */
export interface Review {
  readonly supplier: string;
  readonly booked: number;
  readonly notBooked: number;
}

/** Proven = the first four are empty. */
export interface Verdict {
  /** More than one active booking for one reference, or for one intent of a client. */
  readonly doubled: readonly Finding[];
  /** Active bookings without a reservation. */
  readonly lost: readonly Finding[];
  /** Reservations and answers that state as certain what the supplier's book contradicts. */
  readonly wronglyFinal: readonly Finding[];
  /** Reservations that are still open, and intents that never got an answer. */
  readonly unresolved: readonly Finding[];
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
  /** Active bookings of its reservations. */
  readonly living: readonly SimulatedBooking[];
}

/** Compares the clients' answers and the gateways' reservations with the suppliers' books. Pure. */
export function judge({ intents, reservations, books }: Evidence): Verdict {
  const living = new Map<string, SimulatedBooking[]>();
  const strays: Finding[] = [];
  const known = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  const faults = new Map(intents.map(({ key, fault }) => [key, fault]));
  for (const [supplier, book] of Object.entries(books)) {
    for (const booking of book.filter(isLiving)) {
      living.set(booking.reference, [...(living.get(booking.reference) ?? []), booking]);
      const reservation = known.get(booking.reference);
      const fault = faults.get(reservation?.key ?? '') ?? '?';
      const state = reservation?.state ?? 'not there';
      if (!reservation || OVER.includes(reservation.state))
        strays.push({
          supplier,
          about: booking.reference,
          fault,
          what: `booking ${booking.confirmation} lives, its reservation is ${state}`,
        });
    }
  }
  const byKey = Map.groupBy(reservations, ({ key }) => key);
  const cases = intents.map((intent): Case => {
    const own = byKey.get(intent.key) ?? [];
    return { intent, reservations: own, living: own.flatMap(({ id }) => living.get(id) ?? []) };
  });
  return {
    doubled: cases
      .filter((one) => one.living.length > 1)
      .map((one) => finding(one, `${one.living.length} living bookings: ${numbers(one)}`)),
    lost: strays,
    wronglyFinal: cases.flatMap((one) => contradictions(one).map((what) => finding(one, what))),
    unresolved: cases.flatMap((one) => loose(one).map((what) => finding(one, what))),
    review: reviews(cases),
  };
}

/** Whether there are no violations. */
export function isProven({ doubled, lost, wronglyFinal, unresolved }: Verdict): boolean {
  return doubled.length + lost.length + wronglyFinal.length + unresolved.length === 0;
}

function isLiving({ status }: SimulatedBooking): boolean {
  return status === 'confirmed' || status === 'on_request';
}

function finding({ intent, reservations }: Case, what: string): Finding {
  return { supplier: intent.supplier, about: reservations[0]?.id ?? intent.key, fault: intent.fault, what };
}

function numbers({ living }: Case): string {
  return living.map(({ confirmation }) => confirmation).join(', ');
}

function loose({ intent, reservations }: Case): string[] {
  const open = reservations.filter(({ state }) => OPEN.includes(state)).map(({ state }) => `still ${state}`);
  return intent.answers.every(({ status }) => NOT_YET.includes(status)) ? [...open, 'never answered'] : open;
}

function contradictions(one: Case): string[] {
  return [
    ...stateContradictions(one),
    ...answerContradictions(one),
    ...cancelContradictions(one),
    ...changeContradictions(one),
  ];
}

function stateContradictions({ reservations, living }: Case): string[] {
  return reservations.flatMap(({ id, state }) => {
    const booked = living.some(({ reference }) => reference === id);
    if (OVER.includes(state) && booked) return [`${state}, and the supplier has it`];
    if ((state === 'confirmed' || state === 'on_request') && !booked) return [`${state}, and the supplier has it not`];
    return [];
  });
}

/** A stored answer stays; "no" means not booked; 201 means booked, unless it was cancelled later. */
function answerContradictions({ intent, reservations, living }: Case): string[] {
  const stored = new Set(intent.answers.filter(isStored).map(({ text }) => text));
  const told: string[] = stored.size > 1 ? [`${stored.size} different answers for one key`] : [];
  const accepted = intent.answers.some(({ status }) => status < 300);
  const last = intent.answers.findLast(({ status }) => !NOT_YET.includes(status));
  if (!accepted && last && living.length > 0) told.push(`answered ${last.status}, and the supplier has it`);
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
  if (intent.cancel === 'done' && living.length > 0) return ['cancellation answered 2xx, and the supplier has it'];
  if (intent.cancel === 'done' && state !== 'cancelled') return [`cancellation answered 2xx, and it is ${state}`];
  const asked = intent.cancel === 'done' || intent.cancel === 'unknown';
  return state === 'cancelled' && !asked ? ['cancelled, and nobody was told so'] : [];
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
function keptBy({ email = '', flight = '', remark = '', reference }: SimulatedBooking): Kept {
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
  const open = cases.filter(({ reservations }) => reservations.some(({ state }) => state === 'manual_review'));
  return [...Map.groupBy(open, ({ intent }) => intent.supplier)].map(([supplier, list]) => {
    const booked = list.filter(({ living }) => living.length > 0).length;
    return { supplier, booked, notBooked: list.length - booked };
  });
}
