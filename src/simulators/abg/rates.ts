import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import { hashText } from '../random.js';
import type { SimulatedRental } from '../world.js';

/** What fixes the price of a car for a rental. */
export type RatePercents = Required<Pick<SimulatedRental, 'pricePercent' | 'discountPercent'>>;

/** The rate codes of a car: L… paid at pickup, P… prepaid. The same for every rental of the brand. */
export function rateCodesOf(brand: string, sippCode: string): { readonly later: string; readonly now: string } {
  const digit = (hashText(3, `${brand} ${sippCode}`) % 9) + 1;
  return { later: `L${digit}`, now: `P${digit}` };
}

/**
 * The quote id of a car for a rental. It contains the percentages of scenario price and of the discount, so that quoted
 * prices need no storage.
 */
export function quoteIdOf(brand: string, sippCode: string, rental: SimulatedRental): string {
  return `${stem(brand, sippCode, rental)}_${rental.pricePercent ?? 0}_${rental.discountPercent ?? 0}`;
}

/** The percentages in a quote id; undefined if the id is unknown or belongs to another car or rental. */
export function quotedPercents(
  quoteId: string,
  brand: string,
  sippCode: string,
  rental: SimulatedRental,
): RatePercents | undefined {
  const [, told, price, discount] = /^(q[0-9a-z]+)_(-?\d{1,3})_(\d{1,2})$/.exec(quoteId) ?? [];
  if (told !== stem(brand, sippCode, rental)) return undefined;
  return { pricePercent: Number(price), discountPercent: Number(discount) };
}

/** The proof of the rate at which a booking was made. */
export function rateGuaranteeOf({ confirmation }: SimulatedBooking): string {
  return `${confirmation}.${hashText(6, `guarantee ${confirmation}`).toString(36)}`;
}

/** The percentages of the booking that a proof belongs to; undefined if it isn't one, or is for another car or rate. */
export function guaranteedPercents(
  proof: string,
  brand: string,
  sippCode: string,
  rateCode: string,
  ledger: BookingLedger,
): RatePercents | undefined {
  const booking = ledger.byConfirmation(proof.replace(/\.[0-9a-z]+$/, ''));
  if (!booking || rateGuaranteeOf(booking) !== proof) return undefined;
  const isSame = booking.brand === brand && booking.sippCode === sippCode && booking.rateCode === rateCode;
  return isSame ? booking.ratePercents : undefined;
}

function stem(brand: string, sippCode: string, { pickup, dropoff, pickupDate, dropoffDate }: SimulatedRental): string {
  return `q${hashText(5, `${brand} ${sippCode} ${pickup.code} ${dropoff.code} ${pickupDate} ${dropoffDate}`).toString(36)}`;
}
