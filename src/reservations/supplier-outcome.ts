import type { Payment, SupplierBooking } from '../model/bookings.js';
import { isClearRefusal, SupplierError } from '../model/supplier.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';

/** The outcome of a call that books, changes or cancels: done with its result, not done, or unknown (ruling 15). */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly result: T }
  | { readonly kind: 'not_done'; readonly error: SupplierError }
  | { readonly kind: 'unknown'; readonly error: SupplierError };

/** Converts the settlement of a writing call into an outcome. Rethrows everything but SupplierError. */
export async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'done', result: await call };
  } catch (error) {
    if (!(error instanceof SupplierError)) throw error;
    return { kind: isClearRefusal(error) ? 'not_done' : 'unknown', error };
  }
}

/**
 * Whether a supplier refused a call. A call that wasn't sent isn't refused: this gateway's file of the supplier may lack what
 * another one has.
 */
export function isRefused<T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, { kind: 'not_done' }> {
  return outcome.kind === 'not_done' && outcome.error.fault === 'rejected' && outcome.error.sent;
}

/**
 * Whether a text can be a supplier's confirmation number: 1 to 64 printable characters, so that it can be stored and
 * read out.
 */
export function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/.test(text);
}

/**
 * Checks the answer to a booking. Throws SupplierError if it lacks required data, is about another booking, or repeats
 * the number of the card that was sent, which must not be stored (ruling 25): the outcome is then unknown. A request with our reference may have
 * no number yet, if the supplier `findsByReference`.
 */
export function checkedBooking(
  booking: SupplierBooking,
  reference: string,
  payment: Payment,
  findsByReference = false,
): SupplierBooking {
  if (payment.type === 'card' && digitsIn(booking).includes(payment.card.number))
    throw new SupplierError('bad_payload', 'a booking with the number of the card');
  const booked = booking.status === 'confirmed' || booking.status === 'on_request';
  const { confirmationNumber } = booking;
  const isUnnumbered = confirmationNumber === undefined && booking.status === 'on_request' && findsByReference;
  if (booked && !isNumber(confirmationNumber) && !(isUnnumbered && booking.reference === reference))
    throw new SupplierError('bad_payload', 'a booking without a usable confirmation number');
  if (!booked && booking.status !== 'rejected')
    throw new SupplierError('bad_payload', `a new booking that is ${booking.status}`);
  if (booking.reference !== undefined && booking.reference !== reference)
    throw new SupplierError('bad_payload', 'a booking of another reference');
  return booking;
}

/**
 * Whether a supplier's text repeats the number of the card that a reservation was paid with, which must not be stored
 * (ruling 25): a card number with the last four digits that are kept of it.
 */
export function repeatsCard(text: string, { lastFour }: { readonly lastFour?: string }): boolean {
  return lastFour !== undefined && holdsCardNumber(text) && digitsIn(text).includes(lastFour);
}

/** The same of a booking's `ref`. Its former numbers (ota-xml: `replacedNumbers`, with `|` between them) together aren't a card number. */
export function refRepeatsCard(
  { replacedNumbers, ...others }: SupplierBooking['ref'],
  payment: { readonly lastFour?: string },
): boolean {
  const texts = [JSON.stringify(others), ...String(replacedNumbers ?? '').split('|')];
  return texts.some((text) => repeatsCard(text, payment));
}

/** All digits of a value in order, including those between which a supplier wrote something else. */
function digitsIn(value: unknown): string {
  return JSON.stringify(value).normalize('NFKC').replaceAll(/\D/g, '');
}
