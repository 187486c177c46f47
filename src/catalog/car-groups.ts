import { inclusionsOf } from '../model/inclusions.js';
import type { ListedOffer, SupplierOffer } from '../model/offers.js';
import { fuelOf, transmissionOf } from '../model/vehicle-features.js';
import { type CarModel, carModelOf } from './car-models.js';
import type { RankedOffer } from './filter-and-sort.js';
import { comparedPrice, includedKm } from './offer-filters.js';

/** What the offers of a group have in common. */
export const MATCHES = ['place', 'sipp_code', 'model', 'inclusions', 'payment'] as const;

/** An offer that may be grouped: with its coverages, or what `inclusionsOf` returned for them. */
export type GroupedOffer = ListedOffer & {
  readonly inclusions?: string | undefined;
  readonly coverages?: SupplierOffer['coverages'];
};

/** The same car of several suppliers or brands. */
export interface CarGroup<T> {
  /** The cheapest first, then as sorted. At least one. */
  readonly offers: readonly RankedOffer<T & ListedOffer>[];
  /** In the order of MATCHES; empty for an offer without an equal. */
  readonly matchedBy: readonly (typeof MATCHES)[number][];
}

/** An offer, with what suppliers may leave out; undefined = unknown. */
export interface Member<T extends GroupedOffer> {
  readonly ranked: RankedOffer<T>;
  /** Undefined if the supplier names only a class of cars. */
  readonly model: CarModel | undefined;
  readonly make: string | undefined;
  readonly sippCode: string | undefined;
  readonly inclusions: string | undefined;
  /** Transmission and fuel; undefined if one of them is unknown. */
  readonly drive: string | undefined;
}

/** Reads what an offer is grouped by: most of the work, so do it in turns of the event loop. */
export function memberOf<T extends GroupedOffer>(ranked: RankedOffer<T>): Member<T> {
  const { vehicle, inclusions, coverages } = ranked.offer;
  const model = carModelOf(vehicle);
  const [transmission, fuel] = [transmissionOf(vehicle), fuelOf(vehicle)];
  return {
    ranked,
    model,
    make: model?.make,
    sippCode: vehicle.sippCode,
    inclusions: inclusions ?? inclusionsOf(coverages ?? []),
    drive: transmission === undefined || fuel === undefined ? undefined : `${transmission} ${fuel}`,
  };
}

/**
 * Groups offers that are the same car: at the same airport, with the same SIPP code, make and model, included coverages and
 * distance, and payment type. An offer that doesn't name a model, or isn't at an airport, has no equal at another supplier. One
 * without a SIPP code, make or list of coverages joins offers that have it if only one such group is possible. Prices of a group are in one
 * currency, the requested one if there is one. `sorted` is in the requested order; a group is at the position of its first offer.
 */
export function groupCars<T extends GroupedOffer>(
  sorted: readonly Member<T>[],
  currency: string | undefined,
): CarGroup<T>[] {
  const buckets = new Map<string, Member<T>[]>();
  const groups: Member<T>[][] = [];
  for (const member of sorted) {
    const { ranked, model } = member;
    if (!model) {
      groups.push([member]);
      continue;
    }
    const key = keyOf(ranked, model, currency);
    const bucket = buckets.get(key);
    if (bucket) bucket.push(member);
    else buckets.set(key, [member]);
  }
  for (const bucket of buckets.values()) groups.push(...clustersOf(bucket));
  const position = new Map(sorted.map((member, index) => [member, index]));
  const first = (group: readonly Member<T>[]) => Math.min(...group.map((member) => position.get(member) ?? 0));
  return groups
    .map((group) => ({ group, at: first(group) }))
    .sort((one, other) => one.at - other.at)
    .map(({ group }) => groupOf(group, currency));
}

function keyOf(
  { supplier, offer }: RankedOffer<GroupedOffer>,
  { model }: CarModel,
  currency: string | undefined,
): string {
  const { iataCode, brand, code } = offer.pickup;
  const place = iataCode ?? JSON.stringify([supplier, brand, code]);
  const money = comparedPrice(offer, currency)?.currency ?? `no rate ${offer.price.total.currency}`;
  return JSON.stringify([place, model, offer.rate.payment, distanceOf(offer), money]);
}

/** The included distance per day, to 10 km: suppliers round it in miles and in kilometers. */
function distanceOf(offer: ListedOffer): string {
  const km = includedKm(offer);
  if (km === undefined || km === Number.POSITIVE_INFINITY) return String(km);
  return String(Math.round(km / Math.max(1, offer.rentalDays) / 10));
}

/** The most offers of one model that are compared; with more, it isn't clear which group an offer joins, and comparing would take long. */
const MOST_COMPARED = 20;

/** Divides offers of one model: complete ones by what they state, then the others join if it is clear whom. */
function clustersOf<T extends GroupedOffer>(bucket: readonly Member<T>[]): Member<T>[][] {
  const complete = new Map<string, Member<T>[]>();
  const others: Member<T>[] = [];
  for (const member of bucket) {
    const { make, sippCode, inclusions } = member;
    if (make === undefined || sippCode === undefined || inclusions === undefined) others.push(member);
    else addTo(complete, JSON.stringify([make, sippCode, inclusions]), member);
  }
  const joinable = [...complete.values()];
  const firsts = joinable.map((cluster) => cluster[0]);
  const rest = new Map<string, Member<T>[]>();
  for (const [index, member] of others.entries()) {
    const possible = firsts
      .slice(0, MOST_COMPARED)
      .flatMap((one, at) => (one && isCompatible(member, one) ? [at] : []));
    const [only = -1, ...more] = possible;
    if (possible.length > 0 && more.length === 0 && firsts.length <= MOST_COMPARED) joinable[only]?.push(member);
    else {
      // Offers that lack the same are equal if they have the same SIPP code.
      const isComparable = member.sippCode !== undefined && possible.length === 0;
      const { make, sippCode, inclusions } = member;
      addTo(rest, JSON.stringify(isComparable ? [make ?? null, sippCode, inclusions ?? null] : index), member);
    }
  }
  return [...joinable, ...rest.values()];
}

function addTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Whether an offer that lacks something may be the other car. Without a SIPP code, transmission and fuel must agree. */
function isCompatible<T extends GroupedOffer>(member: Member<T>, other: Member<T>): boolean {
  if (member.make !== undefined && member.make !== other.make) return false;
  if (member.inclusions !== undefined && member.inclusions !== other.inclusions) return false;
  if (member.sippCode !== undefined) return member.sippCode === other.sippCode;
  return member.drive !== undefined && member.drive === other.drive;
}

function groupOf<T extends GroupedOffer>(group: readonly Member<T>[], currency: string | undefined): CarGroup<T> {
  const price = ({ ranked }: Member<T>) =>
    (comparedPrice(ranked.offer, currency) ?? ranked.offer.price.total).amountMinor;
  const offers = [...group].sort((one, other) => price(one) - price(other)).map(({ ranked }) => ranked);
  const isCommon = (of: (member: Member<T>) => string | undefined) => {
    const values = new Set(group.map(of));
    return values.size === 1 && !values.has(undefined);
  };
  const unmatched = new Set<string>([
    ...(isCommon(({ sippCode }) => sippCode) ? [] : ['sipp_code']),
    ...(isCommon(({ inclusions }) => inclusions) ? [] : ['inclusions']),
  ]);
  return { offers, matchedBy: group.length === 1 ? [] : MATCHES.filter((name) => !unmatched.has(name)) };
}
