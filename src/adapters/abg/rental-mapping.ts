import type { PlaceRef, SupplierLocation } from '../../model/locations.js';
import type { Cancellation, FuelPolicy, Term } from '../../model/offers.js';
import { atBareAirport } from '../places/bare-airport.js';
import { mapRentalPlace } from './location-mapping.js';
import { webAddress } from './vehicle-mapping.js';
import { flag, group, numeric, text, type Wire } from './wire.js';

/** ABG publishes no machine-readable cancellation terms. */
export const UNKNOWN_CANCELLATION: Cancellation = { rules: [], source: 'unknown' };

/**
 * Where a rental begins and ends, from the `reservation` of an answer; the same object twice if both are the same
 * location.
 */
export function mapPlaces(
  reservation: Wire,
  brand: string,
  pickupCode: string,
  dropoffCode: string,
  requested: { readonly pickup: PlaceRef; readonly dropoff: PlaceRef },
): { readonly pickup: SupplierLocation; readonly dropoff: SupplierLocation } {
  const pickup = place(reservation.pickup_location, brand, pickupCode, requested.pickup);
  const dropoff = place(reservation.dropoff_location, brand, dropoffCode, requested.dropoff);
  return { pickup, dropoff: dropoff.code === pickup.code && dropoff.name === pickup.name ? pickup : dropoff };
}

function place(wire: unknown, brand: string, code: string, requested: PlaceRef): SupplierLocation {
  const known = {
    brand,
    code,
    countryCode: requested.countryCode,
    ...(requested.name !== undefined && { name: requested.name }),
  };
  return atBareAirport(mapRentalPlace(wire, known), requested, code);
}

/** Codes that an answer mentions or that were requested, which doesn't mean that they were applied. */
export interface MentionedCodes {
  readonly discountCode: string | undefined;
  readonly couponCode: string | undefined;
}

/**
 * The codes that ABG applied to a rate with the totals `pay`, discount first: those that the rate itself confirms. The
 * other codes of an answer only repeat the request. They count if the coupon is marked as applied or, for the discount,
 * if the totals are below the original ones without a coupon.
 */
export function appliedCodes(rate: Wire, pay: Wire, mentioned: MentionedCodes): readonly string[] {
  const ownCoupon = group(rate.coupon);
  const hasCoupon = flag(rate.coupon_applied ?? ownCoupon.coupon_applied) === true;
  const discount =
    text(group(rate.discount).code) ?? (!hasCoupon && isReduced(pay) ? mentioned.discountCode : undefined);
  const coupon = hasCoupon ? (text(ownCoupon.code) ?? mentioned.couponCode) : undefined;
  return [discount, coupon].filter((code) => code !== undefined);
}

function isReduced(pay: Wire): boolean {
  return ['vehicle_total', 'reservation_total'].some(
    (name) => (numeric(pay[`original_${name}`]) ?? 0) > (numeric(pay[name]) ?? Number.POSITIVE_INFINITY),
  );
}

/** Links, then texts, each in the supplier's order. */
export function mapTerms(links: readonly unknown[], disclaimers: readonly unknown[]): readonly Term[] {
  const terms: Term[] = [];
  for (const entry of links) {
    const link = group(entry);
    const url = webAddress(link.endpoint);
    if (url !== undefined) terms.push({ kind: slug(text(link.type) ?? 'terms'), url });
  }
  for (const entry of disclaimers) {
    const disclaimer = group(entry);
    const words = text(disclaimer.description);
    if (words !== undefined) terms.push({ kind: slug(text(disclaimer.type) ?? 'disclaimer'), text: words });
  }
  return terms;
}

/** The policy is stated only as a sentence of a disclaimer: "FUEL POLICY IS FULL TO FULL". Never guessed. */
const FUEL_SENTENCES: readonly (readonly [words: string, policy: FuelPolicy])[] = [
  ['FULL TO FULL', 'full_to_full'],
  ['FULL TO EMPTY', 'full_to_empty'],
  ['SAME TO SAME', 'same_to_same'],
  ['PREPAID', 'prepaid'],
];

/** The fuel policy in the disclaimers; `unknown` if there is none. */
export function fuelPolicyOf(disclaimers: readonly unknown[]): FuelPolicy {
  for (const entry of disclaimers) {
    const words = text(group(entry).description)?.toUpperCase();
    if (!words?.includes('FUEL POLICY')) continue;
    for (const [sentence, policy] of FUEL_SENTENCES) if (words.includes(sentence)) return policy;
  }
  return 'unknown';
}

/** Started 24-hour periods between two wall clocks, at least 1. */
export function daysBetween(from: string, to: string): number {
  const hours = (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 3_600_000;
  return hours > 0 ? Math.ceil(hours / 24) : 1;
}

function slug(words: string): string {
  return words.toLowerCase().replaceAll(' ', '_');
}
