import { MOST_ITEMS, MOST_OFFER_BYTES, MOST_TERMS } from '../../model/limits.js';
import type { LocationDetails, LocationOption } from '../../model/location-details.js';
import type { Distance, SupplierLocation } from '../../model/locations.js';
import type {
  Cancellation,
  Coverage,
  DistancePolicy,
  Extra,
  PriceItem,
  SupplierOffer,
  Term,
  Vehicle,
} from '../../model/offers.js';
import type { Operation, SupplierAnswer } from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { ADDRESS, LINE, MOST_CHARGES, MOST_DISTANCE, MOST_OPTIONS, NAME, PROSE } from './limits.js';
import { CODE, MOST_COUNT } from './tally.js';
import { sharedTexts, shortened } from './text-room.js';
import { each, mapped, object, once, type Trims } from './trims.js';
import { faultOf } from './unseen.js';

/*
 * Honest suppliers describe a coverage in a paragraph, send complete rental conditions, and write 2147483647 for "no maximum", or a
 * sentence in place of a coverage's code; other encodings make control characters of their quotes. Such a value is shortened, cleaned
 * or left out, so that it doesn't cost the answer. Other codes, money and lists with too many members still do (limits.ts).
 */

/** The most characters of a text in a search. */
const MOST_PROSE_FOUND = 20_000;
/** Bytes in JSON of the terms and cancellation texts of all offers of an answer: half of what it may have. */
const PROSE_BYTES = 2_000_000;
/** The part of it that is for the terms. Shared terms are cut once, whatever an offer says about its cancellation. */
const PART_OF_TERMS = 3 / 4;
/** The most characters of a paragraph in place of a name, and of a text: no honest supplier sends more, so that is refused. */
const LONGEST_NAME = 20_000;
const LONGEST_PROSE = 200_000;
/** More pieces than a renter needs. A request may have `PIECES`. */
const MOST_PIECES = 99;
const PIECES = 9;
const OLDEST = 150;

/**
 * The answer with texts cut to their limits and without characters that are not seen, and without numbers that mean "no limit" or nothing; each is a warning. What offers share
 * stays shared. An answer within the limits is returned as it is.
 */
export function trimmed(operation: Operation, answer: unknown): unknown {
  return isListed(operation) ? withTrimmedItems(operation, answer as SupplierAnswer<object>) : answer;
}

const LISTED = ['searchVehicles', 'priceCheck', 'searchLocations', 'locationDetails'] as const;
type Listed = (typeof LISTED)[number];

function isListed(operation: Operation): operation is Listed {
  return LISTED.some((one) => one === operation);
}

function withTrimmedItems(operation: Listed, answer: SupplierAnswer<object>): SupplierAnswer<object> {
  const { items, warnings: before = [] } = answer;
  // What isn't a list, or is too long, is refused.
  if (!Array.isArray(items) || items.length > MOST_ITEMS) return answer;
  const warnings = new Warnings();
  const trims = trimsOf(
    operation === 'searchVehicles' ? MOST_PROSE_FOUND : PROSE,
    roomOf(operation, items.length),
    warnings,
  );
  const kept = mapped<object>(items, MOST_ITEMS, trims[operation] as (item: object) => object);
  if (kept === items) return answer;
  warnings.addAll(before);
  return { items: kept, warnings: warnings.list };
}

/** Bytes for the terms and cancellation texts of one offer. An offer whose bytes are limited needs as many for the rest. */
function roomOf(operation: Listed, items: number): number {
  const limit =
    operation === 'searchVehicles' || operation === 'priceCheck' ? MOST_OFFER_BYTES[operation] / 2 : PROSE_BYTES;
  return Math.min(limit, PROSE_BYTES / Math.max(1, items));
}

/** How to trim the items of each operation. `prose` is the most characters of a text, `room` the bytes for those of an offer. */
function trimsOf(prose: number, room: number, warnings: Warnings): Readonly<Record<Listed, (item: never) => object>> {
  const warn = (text: string): undefined => {
    warnings.add('incomplete', text);
  };
  const shared = sharedTexts();
  const cut =
    (most: number, name: string, longest: number = LONGEST_NAME) =>
    (text: string) => {
      if (typeof text !== 'string' || text.length > longest) return text;
      const seen = shared.seenIn(text);
      if (seen !== text) warn(`${name} cleaned of characters that are not seen`);
      if (seen.length <= most) return seen;
      warn(`${name} cut to ${most} characters`);
      return shortened(seen, most);
    };
  /** Cleans short texts that people write: no limit, because one that is too long is refused. */
  const clean = (name: string) => cut(LONGEST_NAME, name);
  /** Cuts the longest texts of a value so that all of them fit in `most` bytes. */
  const fitting =
    <T extends object>(
      name: string,
      most: number,
      textsOf: (value: T) => readonly unknown[],
      trimsWith: (cutText: (text: string) => string) => (value: T) => T,
    ) =>
    (value: T): T => {
      const own = shared.roomOfEach(textsOf(value), most);
      if (own === undefined) return value;
      warn(`${name} cut to ${Math.floor(most)} bytes`);
      return trimsWith((text) => shared.beginningIn(own, text, LONGEST_PROSE))(value);
    };
  /** Leaves out a text of which no part is of use. One of more than `longest` characters is refused. */
  const unbroken = (name: string, most: number, longest: number) => (text: string) => {
    const fault = faultOf(text, most, longest);
    return fault === undefined ? text : warn(`${name} left out: ${fault}`);
  };
  const address = (name: string) => unbroken(name, ADDRESS, Number.POSITIVE_INFINITY);
  const counted = (name: string) => (count: number) =>
    typeof count === 'number' && !(Number.isInteger(count) && count >= 0 && count <= MOST_COUNT)
      ? warn(`${name} left out: not a whole number up to ${MOST_COUNT}`)
      : count;
  const age = (name: string) => (most: number) =>
    typeof most === 'number' && !(most > 0 && most <= OLDEST) ? warn(`${name} taken as no maximum`) : most;

  /** Leaves out the options of an offer whose code is a sentence or has characters that are not seen: none can be chosen by it. A mandatory one may be part of the price. */
  const coded =
    <T extends { readonly code: string; readonly mandatory: boolean }>(
      name: string,
      trims: (list: readonly T[]) => readonly T[],
    ) =>
    (list: readonly T[]): readonly T[] => {
      const faultIn = (one: T) => (one?.mandatory === false ? faultOf(one.code, CODE, LONGEST_NAME) : undefined);
      const bad = Array.isArray(list) && list.length <= MOST_OPTIONS ? list.find((one) => faultIn(one)) : undefined;
      if (bad === undefined) return trims(list);
      warn(`${name} left out: a code of ${faultIn(bad)}`);
      return trims(list.filter((one) => faultIn(one) === undefined));
    };

  const location: Trims<SupplierLocation> = {
    name: cut(NAME, 'name'),
    address: object<SupplierLocation['address']>({
      lines: (lines) => mapped(lines, MOST_OPTIONS, cut(NAME, 'address.lines')),
      city: cut(NAME, 'address.city'),
      region: cut(NAME, 'address.region'),
      postalCode: clean('address.postalCode'),
    }),
    phone: cut(CODE, 'phone'),
    specialHours: each<SupplierLocation['specialHours'][number]>(400, { name: cut(NAME, 'specialHours.name') }),
    services: (services) => mapped(services, 50, clean('services')),
    distance: (distance: Distance) => (isBeyond(distance) ? warn('distance left out') : distance),
  };
  const place = once(object(location));
  const term: Trims<Term> = {
    kind: cut(NAME, 'terms.kind'),
    url: address('terms.url'),
    text: cut(prose, 'terms.text', LONGEST_PROSE),
  };
  const vehicle: Trims<Vehicle> = {
    name: cut(NAME, 'vehicle.name'),
    make: cut(NAME, 'vehicle.make'),
    model: cut(NAME, 'vehicle.model'),
    classCode: clean('vehicle.classCode'),
    className: cut(NAME, 'vehicle.className'),
    doors: (doors) => (typeof doors === 'string' ? clean('vehicle.doors')(doors) : doors),
    imageUrl: address('vehicle.imageUrl'),
    fuel: clean('vehicle.fuel'),
    seats: counted('vehicle.seats'),
    bagsLarge: counted('vehicle.bagsLarge'),
    bagsSmall: counted('vehicle.bagsSmall'),
  };
  const fitTerms = fitting<readonly Term[]>('texts of terms', room * PART_OF_TERMS, textsIn, (text) =>
    each<Term>(MOST_TERMS, { text }),
  );
  const cancellationWith = (
    noShow: (text: string) => string,
    rule: (text: string) => string,
  ): ((value: Cancellation) => Cancellation) =>
    object<Cancellation>({
      noShow: object<NonNullable<Cancellation['noShow']>>({ text: noShow }),
      rules: each<Cancellation['rules'][number]>(MOST_TERMS, { text: rule }),
    });
  const cancellation = cancellationWith(
    cut(prose, 'cancellation.noShow.text', LONGEST_PROSE),
    cut(prose, 'cancellation.rules.text', LONGEST_PROSE),
  );
  const fitCancellation = fitting<Cancellation>(
    'texts of cancellation',
    room * (1 - PART_OF_TERMS),
    ({ noShow, rules }) => [noShow?.text, ...textsIn(rules)],
    (text) => cancellationWith(text, text),
  );
  const offer: Trims<SupplierOffer> = {
    vehicle: object(vehicle),
    pickup: place,
    dropoff: place,
    rate: object<SupplierOffer['rate']>({
      code: clean('rate.code'),
      type: clean('rate.type'),
      discountsApplied: (applied) => mapped(applied, 20, clean('rate.discountsApplied')),
    }),
    price: object<SupplierOffer['price']>({
      items: each<PriceItem>(MOST_CHARGES, {
        description: cut(LINE, 'price.items.description'),
        code: unbroken('price.items.code', CODE, LONGEST_NAME),
      }),
    }),
    distancePolicy: (policies) =>
      mapped(policies, 20, (policy: DistancePolicy) => {
        if (!isBeyond(policy?.included)) return policy;
        warn('distancePolicy.included taken as no limit');
        return { unlimited: true };
      }),
    coverages: coded('coverages', each<Coverage>(MOST_OPTIONS, { name: cut(NAME, 'coverages.name') })),
    extras: coded(
      'extras',
      each<Extra>(MOST_OPTIONS, {
        name: cut(NAME, 'extras.name'),
        maxQuantity: (most) => {
          if (typeof most !== 'number' || !(most > MOST_PIECES)) return most;
          warn('extras.maxQuantity taken as no maximum');
          return PIECES;
        },
      }),
    ),
    cancellation: once((value) => fitCancellation(cancellation(value))),
    requirements: object<SupplierOffer['requirements']>({
      maxAge: age('requirements.maxAge'),
      acceptedCards: (cards) => mapped(cards, 30, clean('requirements.acceptedCards')),
    }),
    terms: once((list) => fitTerms(each<Term>(MOST_TERMS, term)(list))),
  };
  const options = each<LocationOption>(MOST_TERMS, {
    name: cut(NAME, 'name'),
    text: cut(prose, 'options.text', LONGEST_PROSE),
  });
  const details: Trims<LocationDetails> = {
    location: place,
    maxAge: age('maxAge'),
    shuttle: object<NonNullable<LocationDetails['shuttle']>>({ texts: each<Term>(MOST_TERMS, term) }),
    fees: each<LocationDetails['fees'][number]>(3 * MOST_TERMS, {
      name: cut(NAME, 'fees.name'),
      text: cut(prose, 'fees.text', LONGEST_PROSE),
    }),
    coverages: options,
    extras: options,
    vehicles: each<Vehicle>(MOST_TERMS, vehicle),
    terms: each<Term>(4 * MOST_TERMS, term),
  };
  const trimOffer = object(offer);
  return {
    searchVehicles: trimOffer,
    priceCheck: trimOffer,
    searchLocations: object(location),
    locationDetails: object(details),
  };
}

/** Whether a distance is more than any rental or city has: 9999999 means "no limit". */
function isBeyond(distance: Distance | undefined): boolean {
  const value = distance?.value;
  return typeof value === 'number' && Number.isFinite(value) && value > MOST_DISTANCE;
}

/** The texts of a list that isn't refused. */
function textsIn(list: readonly { readonly text?: string }[]): readonly unknown[] {
  return Array.isArray(list) && list.length <= MOST_TERMS ? list.map((one) => one?.text) : [];
}
