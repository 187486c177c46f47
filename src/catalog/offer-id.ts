import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SupplierOffer } from '../suppliers/models.js';
import { formatAmount } from '../suppliers/money.js';
import { seal, unseal } from '../suppliers/sealed-id.js';
import type { Understood } from './understand.js';

/** What an `off_…` id says: enough to price and book the same car again, bound to the application it was shown to. */
export interface OfferKey {
  readonly application: string;
  readonly supplier: string;
  readonly brand: string;
  /** Pickup and dropoff as the caller gave them, dates local, then residence and age. */
  readonly search: readonly [pickup: string, dropoff: string, pickupDate: string, dropoffDate: string, countryCode: string, age: number];
  readonly ref: Readonly<Record<string, string | number | boolean>>;
  readonly total: string;
  readonly currency: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

const tuple = z.tuple([
  z.string(),
  z.string(),
  z.string(),
  z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.number()]),
  z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  z.string(),
  z.string(),
  z.number(),
]);

/** The part of an offer id that all offers of a search share, as JSON text. */
export function searchText(search: Understood): string {
  return JSON.stringify([search.pickup.given, search.dropoff.given, search.pickupDate, search.dropoffDate, search.countryCode, search.age]);
}

/** Makes the `off_…` id of an offer; `shared` is searchText, `expiresAt` epoch seconds. */
export function offerId(
  application: string,
  supplier: string,
  offer: SupplierOffer,
  shared: string,
  expiresAt: number,
  key: KeyObject,
): string {
  const { total } = offer.price;
  const text = `["${application}","${supplier}",${JSON.stringify(offer.brand)},${shared},${JSON.stringify(offer.supplierRef)},"${formatAmount(total)}","${total.currency}",${expiresAt}]`;
  return seal('off_', text, key);
}

/** Reads an `off_…` id; undefined when it is not one of ours. Expiry and application are for the caller to judge. */
export function readOfferId(id: string, key: KeyObject): OfferKey | undefined {
  const text = unseal('off_', id, key);
  if (text === undefined) return undefined;
  const parsed = tuple.safeParse(JSON.parse(text));
  if (!parsed.success) return undefined;
  const [application, supplier, brand, search, ref, total, currency, expiresAt] = parsed.data;
  return { application, supplier, brand, search, ref, total, currency, expiresAt };
}
