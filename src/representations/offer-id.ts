import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { formatAmount, type Money } from '../model/money.js';
import type { Deposit, ListedOffer, SupplierOffer } from '../model/offers.js';
import { seal } from './sealed-id.js';
import { type ShownTerms, termsOfWords, termWords } from './shown-terms.js';

const searchKey = z
  .tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.number()])
  .readonly()
  .describe('pickup, dropoff, pickupDate, dropoffDate, countryCode, age');

/**
 * The search, as contained in a sealed id: places as the caller named them, local dates, country of residence and age
 * of the driver.
 */
export type SearchKey = z.infer<typeof searchKey>;

/** The members that offer and quote ids begin with. */
export const offerTuple = z.tuple([
  z.string().describe('application'),
  z.string().describe('supplier'),
  z.string().describe('brand'),
  searchKey,
  z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .readonly()
    .describe('supplierRef'),
  z.string().describe('car, and after it words for the terms'),
  z.string().describe('amount of the total'),
  z.string().describe('currency of the total'),
  z.number().describe('expiresAt, epoch seconds'),
]);

/**
 * The content of an offer id. At the end, if needed, an index of `origins`, and after that the currency of `price.display`
 * if one was requested.
 */
export const offerIdTuple = z.tuple([...offerTuple.def.items, z.literal([0, 1, 2]).optional(), z.string().optional()]);

/**
 * Where an offer comes from: the supplier's own answer, its answer in memory (docs/caching.md), or an answer under a
 * sandbox scenario.
 */
const origins = ['supplier', 'memory', 'scenario'] as const;

/** One of `origins`. */
export type OfferOrigin = (typeof origins)[number];

/** The origin of a decoded offer id. */
export function originOf(tuple: z.infer<typeof offerIdTuple>): OfferOrigin {
  return origins[tuple[9] ?? 0];
}

/** An offer without what its id says of the car and the terms, which is written already. */
export interface ReducedOffer extends ListedOffer {
  /** From shownOf. */
  readonly shown: string;
}

/** What an id contains about an offer. */
export interface SealedOffer {
  readonly application: string;
  readonly supplier: string;
  readonly offer: SupplierOffer | ReducedOffer;
  /** In an offer id without extras, in a quote id with the chosen extras. */
  readonly total: Money;
  /** The search that returned the offer. */
  readonly search: SearchKey;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** The currency that the search requested. */
  readonly displayCurrency?: string | undefined;
}

/** Creates the `off_…` id of an offer; `readPriced` reads it. */
export function offerId(sealed: SealedOffer, key: KeyObject, origin: OfferOrigin = 'supplier'): string {
  const members = offerMembers(sealed);
  const { displayCurrency } = sealed;
  const index = origins.indexOf(origin);
  const end = displayCurrency === undefined ? (index === 0 ? [] : [index]) : [index, displayCurrency];
  return seal('off_', JSON.stringify(end.length === 0 ? members : [...members, ...end]), key);
}

/** The members that offer and quote ids have in common. */
export function offerMembers({
  application,
  supplier,
  offer,
  total,
  search,
  expiresAt,
  deposit,
}: SealedOffer & { readonly deposit?: Deposit | undefined }): Readonly<z.infer<typeof offerTuple>> {
  return [
    application,
    supplier,
    offer.brand,
    search,
    offer.supplierRef,
    'shown' in offer ? offer.shown : shownOf(offer, deposit),
    formatAmount(total),
    total.currency,
    expiresAt,
  ];
}

/**
 * What must stay the same when an offer is priced again: the payment type and, if the supplier provides it, the SIPP
 * code.
 */
export function carOf({ vehicle, rate }: Pick<ListedOffer, 'vehicle' | 'rate'>): string {
  return vehicle.sippCode === undefined ? rate.payment : `${rate.payment} ${vehicle.sippCode}`;
}

/** No SIPP code. */
const NONE = '-';

/** The car and after it, if there are any, words for the terms that were shown. Earlier gateways read the car only. */
export function shownOf(offer: SupplierOffer, deposit?: Deposit): string {
  const words = termWords(offer, deposit);
  if (words.length === 0) return carOf(offer);
  return [offer.rate.payment, offer.vehicle.sippCode ?? NONE, ...words].join(' ');
}

/** Reads what an id says of the car (as carOf) and of the terms that were shown. */
export function readShown(text: string): { readonly car: string; readonly terms: ShownTerms } {
  const [payment = '', sippCode, ...words] = text.split(' ');
  const hasCode = sippCode !== undefined && sippCode !== NONE;
  return { car: hasCode ? `${payment} ${sippCode}` : payment, terms: termsOfWords(words) };
}

/**
 * Whether an offer has another payment type or SIPP code than `car` (from carOf). A missing SIPP code isn't a
 * difference.
 */
export function isOtherCar(car: string, offer: ListedOffer): boolean {
  const [[payment, sippCode], [ownPayment, ownSippCode]] = [car.split(' '), carOf(offer).split(' ')];
  return payment !== ownPayment || (sippCode !== undefined && ownSippCode !== undefined && sippCode !== ownSippCode);
}

/** When an offer expires, in epoch milliseconds: `ttlSeconds` after `now`, or earlier if the supplier says so. */
export function expiryOf(offer: Pick<ListedOffer, 'expiresAt'>, now: number, ttlSeconds: number): number {
  const cap = now + ttlSeconds * 1000;
  return offer.expiresAt === undefined ? cap : Math.min(cap, Date.parse(offer.expiresAt));
}
