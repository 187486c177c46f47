import { hashText } from '../random.js';
import type { SimulatedRental } from '../world.js';

/** The rate codes of a car: L… paid at the counter, P… paid in advance. The same for every rental of the brand. */
export function rateCodesOf(brand: string, sippCode: string): { readonly later: string; readonly now: string } {
  const digit = (hashText(3, `${brand} ${sippCode}`) % 9) + 1;
  return { later: `L${digit}`, now: `P${digit}` };
}

/** Names the price of a car for a rental, and tells by how many percent a scenario had moved it: prices need no memory to be kept. */
export function quoteIdOf(brand: string, sippCode: string, rental: SimulatedRental): string {
  return `${stem(brand, sippCode, rental)}_${rental.pricePercent ?? 0}`;
}

/** The percent that a quote id of ours keeps; undefined for one of another car or rental, or of nobody. */
export function quotedPercent(
  quoteId: string,
  brand: string,
  sippCode: string,
  rental: SimulatedRental,
): number | undefined {
  const [, told, percent] = /^(q[0-9a-z]+)_(-?\d{1,3})$/.exec(quoteId) ?? [];
  return told === stem(brand, sippCode, rental) ? Number(percent) : undefined;
}

function stem(brand: string, sippCode: string, { pickup, dropoff, pickupDate, dropoffDate }: SimulatedRental): string {
  return `q${hashText(5, `${brand} ${sippCode} ${pickup.code} ${dropoff.code} ${pickupDate} ${dropoffDate}`).toString(36)}`;
}
