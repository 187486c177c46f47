import { decodeSipp } from '../model/acriss.js';
import type { SupplierLocation } from '../model/locations.js';
import { formatAmount, type Money } from '../model/money.js';
import type { Cancellation, Coverage, Extra, PriceItem, Requirements, SupplierOffer } from '../model/offers.js';
import { toUtc } from '../places/places.js';
import { type LocationFactsCache, locationSummaryJson } from './location-view.js';
import { moneyView } from './money-view.js';

/** What was written for a counter and a date. */
type Stays = Map<SupplierLocation, { readonly date: string; readonly json: string }>;

/**
 * Writes what an offer says of its rental (docs/model.md#offer, without id and expiry) as JSON text. One writer serves one answer: counters,
 * instants and decoded SIPP codes that many offers share are written once. What the supplier did not say is left out.
 */
export class RentalWriter {
  /** Offers of one answer share objects (counters, terms, …): the object itself is the key of what was written for it. */
  readonly #pickups: Stays = new Map();
  readonly #dropoffs: Stays = new Map();
  readonly #written = new Map<object, string>();

  constructor(private readonly facts: LocationFactsCache) {}

  /** Works out what an offer's places and dates need. Throws a RangeError for dates, coordinates or a length that cannot be. */
  prepare(supplier: string, offer: SupplierOffer): void {
    this.#stay(this.#pickups, supplier, offer.pickup, offer.pickupDate);
    this.#stay(this.#dropoffs, supplier, offer.dropoff, offer.dropoffDate);
    if (offer.expiresAt !== undefined && Number.isNaN(Date.parse(offer.expiresAt)))
      throw new RangeError('expiresAt is not an instant');
    if (!Number.isSafeInteger(offer.rentalDays)) throw new RangeError('rentalDays is not a whole number');
  }

  /** The members of one offer's JSON object, without braces. */
  members(supplier: string, offer: SupplierOffer): string {
    const { vehicle, rate } = offer;
    return (
      `"supplier":"${supplier}","brand":${text(offer.brand)},"status":"${offer.status}",` +
      `"vehicle":${JSON.stringify({
        sipp_code: vehicle.sippCode,
        sipp: sippView(vehicle.sippCode),
        name: vehicle.name,
        make: vehicle.make,
        model: vehicle.model,
        or_similar: vehicle.orSimilar,
        class_code: vehicle.classCode,
        class_name: vehicle.className,
        seats: vehicle.seats,
        doors: vehicle.doors,
        bags_large: vehicle.bagsLarge,
        bags_small: vehicle.bagsSmall,
        image_url: vehicle.imageUrl,
        transmission: vehicle.transmission,
        air_conditioning: vehicle.airConditioning,
        fuel: vehicle.fuel,
      })},"pickup":${this.#stay(this.#pickups, supplier, offer.pickup, offer.pickupDate)},"dropoff":${this.#stay(this.#dropoffs, supplier, offer.dropoff, offer.dropoffDate)},` +
      `"rate":${JSON.stringify({ code: rate.code, type: rate.type, payment: rate.payment, inclusive: rate.inclusive, discounts_applied: rate.discountsApplied })},` +
      `"price":${priceJson(offer)},"rental_days":${offer.rentalDays},"distance_policy":${list(
        offer.distancePolicy,
        (policy) =>
          `{"unlimited":${policy.unlimited}${member('included', policy.included && JSON.stringify(policy.included))}${member('per', policy.per && `"${policy.per}"`)}${moneyMember('overage', policy.overage)}}`,
      )},"fuel_policy":"${offer.fuelPolicy}","coverages":${list(offer.coverages, coverageJson)},"extras":${list(offer.extras, extraJson)}` +
      `${member('deposit', offer.deposit && `{"amount":${money(offer.deposit.amount)}${member('taken_at', offer.deposit.takenAt && `"${offer.deposit.takenAt}"`)}}`)},` +
      `"cancellation":${this.#once(offer.cancellation, cancellationJson)},"requirements":${this.#once(offer.requirements, requirementsJson)},"terms":${this.#once(offer.terms, (terms) => JSON.stringify(terms))},"dedupe_group":${text(dedupeGroup(offer))}`
    );
  }

  #stay(stays: Stays, supplier: string, location: SupplierLocation, date: string): string {
    const known = stays.get(location);
    if (known?.date === date) return known.json;
    const facts = this.facts.of(supplier, location);
    const place = this.#once(location, () => locationSummaryJson(supplier, location, facts));
    const json = `{"location":${place},"date":"${date}","date_utc":"${toUtc(date, facts.timeZone)}"}`;
    stays.set(location, { date, json });
    return json;
  }

  #once<T extends object>(value: T, write: (value: T) => string): string {
    let json = this.#written.get(value);
    if (json === undefined) {
      json = write(value);
      this.#written.set(value, json);
    }
    return json;
  }
}

/** The rental of an offer as a JSON object: what a reservation keeps of it. */
export function rentalView(supplier: string, offer: SupplierOffer, facts: LocationFactsCache): Record<string, unknown> {
  return JSON.parse(`{${new RentalWriter(facts).members(supplier, offer)}}`) as Record<string, unknown>;
}

const sippViews = new Map<string, Record<string, unknown> | undefined>();

function sippView(code: string | undefined): Record<string, unknown> | undefined {
  if (code === undefined) return undefined;
  if (sippViews.has(code)) return sippViews.get(code);
  const decoded = decodeSipp(code);
  const view = decoded && {
    category: decoded.category,
    type: decoded.type,
    transmission: decoded.transmission,
    drive: decoded.drive,
    fuel: decoded.fuel,
    air_conditioning: decoded.airConditioning,
  };
  if (sippViews.size < 10_000) sippViews.set(code, view);
  return view;
}

function priceJson({ price }: SupplierOffer): string {
  return (
    `{"total":${money(price.total)}${moneyMember('base', price.base)}${moneyMember('taxes', price.taxes)}${moneyMember('fees', price.fees)}` +
    `${moneyMember('one_way', price.oneWay)}${moneyMember('extras', price.extras)}${moneyMember('coverages', price.coverages)}${moneyMember('discount', price.discount)},` +
    `"due_now":${money(price.dueNow)},"due_at_counter":${money(price.dueAtCounter)},"items":${list(price.items, itemJson)}` +
    `${moneyMember('unitemised', price.unitemised)}${moneyMember('display', price.display)}}`
  );
}

function itemJson(item: PriceItem): string {
  return (
    `{"kind":"${item.kind}"${member('code', item.code && text(item.code))},"description":${text(item.description)},"amount":${money(item.amount)},"unit":"${item.unit}",` +
    `"quantity":${item.quantity},"mandatory":${item.mandatory},"included_in_total":${item.includedInTotal},"payable":"${item.payable}"}`
  );
}

function coverageJson(coverage: Coverage): string {
  return (
    `{"code":${text(coverage.code)},"type":${text(coverage.type)},"name":${text(coverage.name)},"included":${coverage.included},"mandatory":${coverage.mandatory}` +
    `${moneyMember('price_per_day', coverage.pricePerDay)}${moneyMember('price_total', coverage.priceTotal)}${moneyMember('excess', coverage.excess)}}`
  );
}

function extraJson(extra: Extra): string {
  return (
    `{"extra_id":${text(extra.code)},"type":${text(extra.type)},"code":${text(extra.code)},"name":${text(extra.name)}${moneyMember('price_per_day', extra.pricePerDay)}` +
    `${moneyMember('price_total', extra.priceTotal)},"max_quantity":${extra.maxQuantity},"mandatory":${extra.mandatory}}`
  );
}

function cancellationJson(cancellation: Cancellation): string {
  const rules = cancellation.rules.map((rule) => ({ ...rule, fee: moneyView(rule.fee) }));
  return (
    `{"source":"${cancellation.source}"${member('refundable', cancellation.refundable === undefined ? undefined : String(cancellation.refundable))}` +
    `${member('free_until', cancellation.freeUntil && text(cancellation.freeUntil))},"rules":${JSON.stringify(rules)}${moneyMember('no_show_fee', cancellation.noShowFee)}}`
  );
}

function requirementsJson(requirements: Requirements): string {
  return JSON.stringify({
    min_age: requirements.minAge,
    max_age: requirements.maxAge,
    young_driver_fee: moneyView(requirements.youngDriverFee),
    flight_required: requirements.flightRequired,
    credit_card_required: requirements.creditCardRequired,
  });
}

/** Offers of one place that differ only in supplier or price share a group: place, SIPP, way to pay, coverages included. */
function dedupeGroup(offer: SupplierOffer): string {
  const included = offer.coverages.filter((coverage) => coverage.included).map((coverage) => coverage.type);
  return `${offer.pickup.iataCode ?? offer.pickup.code}:${offer.vehicle.sippCode ?? offer.vehicle.name}:${offer.rate.payment}:${included.sort().join('+')}`;
}

function money(amount: Money): string {
  return `{"amount":"${formatAmount(amount)}","currency":"${amount.currency}"}`;
}

function moneyMember(name: string, amount: Money | undefined): string {
  return amount === undefined ? '' : `,"${name}":${money(amount)}`;
}

/** `,"name":json`, or nothing when there is no value. */
function member(name: string, json: string | undefined | ''): string {
  return json === undefined || json === '' ? '' : `,"${name}":${json}`;
}

function list<T>(items: readonly T[], write: (item: T) => string): string {
  if (items.length === 0) return '[]';
  let json = `[${write(items[0] as T)}`;
  for (let i = 1; i < items.length; i += 1) json += `,${write(items[i] as T)}`;
  return `${json}]`;
}

function text(value: string): string {
  return JSON.stringify(value);
}
