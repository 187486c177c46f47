import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { formatAmount, type Money } from '../model/money.js';
import type { Deposit, ListedOffer, SupplierOffer, Vehicle } from '../model/offers.js';
import { seal } from './sealed-id.js';
import { placesOfWords, placeWords, type ShownPlaces } from './shown-places.js';
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
  z.string().describe('payment and car, and after them words for the other terms'),
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

/** What only the id of a quote says of the terms. */
interface QuotedTerms {
  readonly deposit?: Deposit | undefined;
  /** The words of its choices. */
  readonly words?: readonly string[];
}

/** The members that offer and quote ids have in common. */
export function offerMembers({
  application,
  supplier,
  offer,
  total,
  search,
  expiresAt,
  quoted,
}: SealedOffer & { readonly quoted?: QuotedTerms }): Readonly<z.infer<typeof offerTuple>> {
  return [
    application,
    supplier,
    offer.brand,
    search,
    offer.supplierRef,
    'shown' in offer ? offer.shown : shownOf(offer, quoted),
    formatAmount(total),
    total.currency,
    expiresAt,
  ];
}

/**
 * What must stay the same when an offer is priced again: the SIPP code or else the word of the supplier's class code; undefined if
 * the supplier provides neither.
 */
export function carOf({ vehicle }: Pick<SupplierOffer, 'vehicle'>): string | undefined {
  return vehicle.sippCode ?? classWord(vehicle);
}

/** No SIPP code. */
const NONE = '-';

/** What the word of a supplier's class code begins with. SIPP codes are upper-case. */
const CLASS = 'k:';
const MOST_CLASS = 40;

/**
 * The class code as a word, without what suppliers spell differently at times; undefined if there is none. Names of classes are
 * texts that may be worded differently each time.
 */
function classWord({ classCode }: Vehicle): string | undefined {
  const word = classCode?.toLowerCase().replaceAll(/\s/g, '').slice(0, MOST_CLASS);
  return word ? CLASS + word : undefined;
}

/**
 * The payment type, the car, and words for the places and the other terms that were shown. Earlier gateways read the
 * payment and the SIPP code only: a class code is one of the words.
 */
export function shownOf(offer: SupplierOffer, { deposit, words: more = [] }: QuotedTerms = {}): string {
  const { rate, vehicle } = offer;
  const named = vehicle.sippCode === undefined ? classWord(vehicle) : undefined;
  const words = [...(named === undefined ? [] : [named]), ...placeWords(offer), ...termWords(offer, deposit), ...more];
  return [rate.payment, vehicle.sippCode ?? NONE, ...words].join(' ');
}

/** What an id says of the offer that was shown. */
export interface Shown {
  /** As carOf. */
  readonly car?: string;
  /** Absent in ids of earlier gateways. */
  readonly places?: ShownPlaces;
  readonly terms: ShownTerms;
}

/** Reads what shownOf wrote. */
export function readShown(text: string): Shown {
  const [payment = '', sippCode, ...words] = text.split(' ');
  const hasCode = sippCode !== undefined && sippCode !== NONE;
  const car = hasCode ? sippCode : words.find(isClass);
  const places = placesOfWords(words);
  return { ...(car !== undefined && { car }), ...(places && { places }), terms: { payment, ...termsOfWords(words) } };
}

/**
 * Whether an offer has another SIPP code or, without one, class code than `car` (from carOf). A missing code or class isn't a
 * difference. Another way of payment isn't another car: many suppliers state it, or a guarantee, only when they price the car.
 */
export function isOtherCar(car: string, { vehicle }: Pick<SupplierOffer, 'vehicle'>): boolean {
  if (!isClass(car)) return vehicle.sippCode !== undefined && vehicle.sippCode !== car;
  const now = classWord(vehicle);
  return now !== undefined && now !== car;
}

function isClass(word: string): boolean {
  return word.startsWith(CLASS);
}

/** When an offer expires, in epoch milliseconds: `ttlSeconds` after `now`, or earlier if the supplier says so. */
export function expiryOf(offer: Pick<ListedOffer, 'expiresAt'>, now: number, ttlSeconds: number): number {
  const cap = now + ttlSeconds * 1000;
  return offer.expiresAt === undefined ? cap : Math.min(cap, Date.parse(offer.expiresAt));
}
