import { MOST_ITEMS, MOST_TERMS } from '../../model/limits.js';
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

/*
 * Honest suppliers describe a coverage in a paragraph, send complete rental conditions, and write 2147483647 for "no
 * maximum". Such a value is shortened or left out, so that it doesn't cost the answer. Codes, money and lists with
 * too many members still do (limits.ts).
 */

/** The most characters of a text in a search; those of all its offers together have `SEARCH_PROSE`. */
const MOST_PROSE_FOUND = 20_000;
const SEARCH_PROSE = 2_000_000;
/** The most characters of a paragraph in place of a name, and of a text: no honest supplier sends more, so that is refused. */
const LONGEST_NAME = 20_000;
const LONGEST_PROSE = 200_000;
/** More pieces than a renter needs. A request may have `PIECES`. */
const MOST_PIECES = 99;
const PIECES = 9;
const OLDEST = 150;

/** How to trim members of an object; absent ones stay so. */
type Trims<T> = { readonly [K in keyof T]?: (value: NonNullable<T[K]>) => T[K] | undefined };

/**
 * The answer with texts cut to their limits, and without numbers that mean "no limit" or nothing; each is a warning. What offers share
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
  const share = Math.floor(SEARCH_PROSE / Math.max(1, items.length));
  const trims = trimsOf(operation === 'searchVehicles' ? Math.min(MOST_PROSE_FOUND, share) : PROSE, warnings);
  const kept = mapped<object>(items, MOST_ITEMS, trims[operation] as (item: object) => object);
  if (kept === items) return answer;
  warnings.addAll(before);
  return { items: kept, warnings: warnings.list };
}

/** How to trim the items of each operation. `prose` is the most characters of a text. */
function trimsOf(prose: number, warnings: Warnings): Readonly<Record<Listed, (item: never) => object>> {
  const warn = (text: string): undefined => {
    warnings.add('incomplete', text);
  };
  const cut =
    (most: number, name: string, longest: number = LONGEST_NAME) =>
    (text: string) => {
      if (typeof text !== 'string' || text.length <= most || text.length > longest) return text;
      warn(`${name} cut to ${most} characters`);
      return shortened(text, most);
    };
  const address = (name: string) => (url: string) =>
    typeof url === 'string' && url.length > ADDRESS ? warn(`${name} left out: more than ${ADDRESS} characters`) : url;
  const counted = (name: string) => (count: number) =>
    typeof count === 'number' && !(Number.isInteger(count) && count >= 0 && count <= MOST_COUNT)
      ? warn(`${name} left out: not a whole number up to ${MOST_COUNT}`)
      : count;
  const age = (name: string) => (most: number) =>
    typeof most === 'number' && !(most > 0 && most <= OLDEST) ? warn(`${name} taken as no maximum`) : most;

  const location: Trims<SupplierLocation> = {
    name: cut(NAME, 'name'),
    address: object<SupplierLocation['address']>({
      lines: (lines) => mapped(lines, MOST_OPTIONS, cut(NAME, 'address.lines')),
      city: cut(NAME, 'address.city'),
      region: cut(NAME, 'address.region'),
    }),
    phone: cut(CODE, 'phone'),
    specialHours: each<SupplierLocation['specialHours'][number]>(400, { name: cut(NAME, 'specialHours.name') }),
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
    className: cut(NAME, 'vehicle.className'),
    imageUrl: address('vehicle.imageUrl'),
    seats: counted('vehicle.seats'),
    bagsLarge: counted('vehicle.bagsLarge'),
    bagsSmall: counted('vehicle.bagsSmall'),
  };
  const offer: Trims<SupplierOffer> = {
    vehicle: object(vehicle),
    pickup: place,
    dropoff: place,
    price: object<SupplierOffer['price']>({
      items: each<PriceItem>(MOST_CHARGES, { description: cut(LINE, 'price.items.description') }),
    }),
    distancePolicy: (policies) =>
      mapped(policies, 20, (policy: DistancePolicy) => {
        if (!isBeyond(policy?.included)) return policy;
        warn('distancePolicy.included taken as no limit');
        return { unlimited: true };
      }),
    coverages: each<Coverage>(MOST_OPTIONS, { name: cut(NAME, 'coverages.name') }),
    extras: each<Extra>(MOST_OPTIONS, {
      name: cut(NAME, 'extras.name'),
      maxQuantity: (most) => {
        if (typeof most !== 'number' || !(most > MOST_PIECES)) return most;
        warn('extras.maxQuantity taken as no maximum');
        return PIECES;
      },
    }),
    cancellation: once(
      object<Cancellation>({
        noShow: object<NonNullable<Cancellation['noShow']>>({
          text: cut(prose, 'cancellation.noShow.text', LONGEST_PROSE),
        }),
        rules: each<Cancellation['rules'][number]>(MOST_TERMS, {
          text: cut(prose, 'cancellation.rules.text', LONGEST_PROSE),
        }),
      }),
    ),
    requirements: object<SupplierOffer['requirements']>({ maxAge: age('requirements.maxAge') }),
    terms: once(each<Term>(MOST_TERMS, term)),
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

/** The first characters of a text, with an ellipsis. */
function shortened(text: string, most: number): string {
  const end = most - 1;
  const isHalved = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalved ? end - 1 : end)}…`;
}

/** Applies the trims of an object's members; anything else stays, and is refused. */
function object<T extends object>(trims: Trims<T>): (value: T) => T {
  const entries = Object.entries(trims) as [keyof T, (value: unknown) => T[keyof T]][];
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    let copy: T | undefined;
    for (const [name, trim] of entries) {
      const before = value[name];
      if (before === undefined || before === null) continue;
      const after = trim(before);
      if (after === before) continue;
      copy ??= { ...value };
      copy[name] = after;
    }
    return copy ?? value;
  };
}

function each<T extends object>(most: number, trims: Trims<T>): (list: readonly T[]) => readonly T[] {
  const trim = object(trims);
  return (list) => mapped(list, most, trim);
}

/** The same list if nothing changes, isn't a list, or has more than `most` members, which is refused. */
function mapped<T>(list: readonly T[], most: number, change: (value: T) => T): readonly T[] {
  if (!Array.isArray(list) || list.length > most) return list;
  let copy: T[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const after = change(list[at]);
    if (after === list[at]) continue;
    copy ??= [...list];
    copy[at] = after;
  }
  return copy ?? list;
}

/** What several offers share is trimmed once. */
function once<T extends object>(trim: (value: T) => T): (value: T) => T {
  const done = new Map<T, T>();
  return (value) => {
    const known = done.get(value);
    if (known !== undefined) return known;
    const after = trim(value);
    done.set(value, after);
    return after;
  };
}
