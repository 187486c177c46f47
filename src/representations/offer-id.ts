import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { formatAmount, type Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { seal } from './sealed-id.js';

const searchKey = z
  .tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.number()])
  .readonly()
  .describe('pickup, dropoff, pickupDate, dropoffDate, countryCode, age');

/** What a sealed id repeats of a search: places as the caller gave them, local dates, then residence and age of the driver. */
export type SearchKey = z.infer<typeof searchKey>;

/** The content of an offer id; that of a quote id starts with the same members. */
export const offerTuple = z.tuple([
  z.string().describe('application'),
  z.string().describe('supplier'),
  z.string().describe('brand'),
  searchKey,
  z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .readonly()
    .describe('supplierRef'),
  z.string().describe('car'),
  z.string().describe('amount of the total'),
  z.string().describe('currency of the total'),
  z.number().describe('expiresAt, epoch seconds'),
]);

/** What an id says of one offer. `total` is the offer's without extras for an offer id, with what was chosen for a quote id. */
export interface SealedOffer {
  readonly application: string;
  readonly supplier: string;
  readonly offer: SupplierOffer;
  readonly total: Money;
  /** The search it belongs to. */
  readonly search: SearchKey;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** Makes the `off_…` id of an offer; `readPriced` reads it back. */
export function offerId(sealed: SealedOffer, key: KeyObject): string {
  return seal('off_', JSON.stringify(offerMembers(sealed)), key);
}

/** The members that offer and quote ids have in common. */
export function offerMembers({
  application,
  supplier,
  offer,
  total,
  search,
  expiresAt,
}: SealedOffer): Readonly<z.infer<typeof offerTuple>> {
  return [
    application,
    supplier,
    offer.brand,
    search,
    offer.supplierRef,
    carOf(offer),
    formatAmount(total),
    total.currency,
    expiresAt,
  ];
}

/** What stays when an offer is priced again: the way to pay and, where the supplier tells it, the class of the car (SIPP). */
export function carOf({ vehicle, rate }: SupplierOffer): string {
  return vehicle.sippCode === undefined ? rate.payment : `${rate.payment} ${vehicle.sippCode}`;
}

/** Whether an offer is of another class, or to be paid another way, than `car` (of carOf) says; a class that one of them does not tell is no difference. */
export function isOtherCar(car: string, offer: SupplierOffer): boolean {
  const [[payment, sippCode], [ownPayment, ownSippCode]] = [car.split(' '), carOf(offer).split(' ')];
  return payment !== ownPayment || (sippCode !== undefined && ownSippCode !== undefined && sippCode !== ownSippCode);
}

/** When an offer ends, epoch milliseconds: `ttlSeconds` after `now` (epoch milliseconds), or earlier by the supplier's word. */
export function expiryOf(offer: SupplierOffer, now: number, ttlSeconds: number): number {
  const cap = now + ttlSeconds * 1000;
  return offer.expiresAt === undefined ? cap : Math.min(cap, Date.parse(offer.expiresAt));
}
