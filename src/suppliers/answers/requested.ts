import {
  type BookedPlace,
  type BookingKey,
  type BookRequest,
  isSameCode,
  type SupplierBooking,
} from '../../model/bookings.js';
import type { LocalDateTime, PlaceRef, SupplierLocation } from '../../model/locations.js';
import type { Money } from '../../model/money.js';
import type { Price, SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { type Operation, type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import { contradictionsOf } from '../../model/vehicle-features.js';
import { Warnings } from '../../model/warnings.js';

/*
 * An answer must be for what was requested (ruling 30). The tolerances are wide enough for what honest suppliers do:
 * round times, answer a code with another name of the same place, or an airport with a branch nearby.
 */

const TOLERANCE_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MIDNIGHT = 'T00:00:00';
const MINIMUM_DAYS = 3;
/** Three weeks: from then on, a month is cheaper. */
const LEAST_AT_MONTHLY_RATE = 20;
/** Between two positions of one location. */
const SAME_PLACE_KM = 1;
/** Between two codes of one airport. Different airports of a city are farther apart. */
const SAME_AIRPORT_KM = 10;
/** Between a place and a branch that serves it. */
const NEARBY_KM = 100;
/** Airports of one city are closer than this. */
const ONE_CITY_KM = 60;
const KM_PER_DEGREE = 111.2;

type Rental = Pick<VehicleSearch, 'pickup' | 'dropoff' | 'pickupDate' | 'dropoffDate'>;
type Ends<T> = Readonly<Record<'pickup' | 'dropoff', T>>;

/**
 * The answer without offers that are for another date or place than requested, charge a number of days that no such rental has and state no dates, or whose price mixes
 * currencies; each is a warning, and so is what stays: a car with contradictory features or with items beyond its total, and
 * the requested location in another country.
 * Throws SupplierError `bad_payload` if that leaves none, and for a booking made for another date, whose outcome is then
 * in doubt (ruling 15). An answer without such an offer is returned as it is.
 */
export function onlyRequested(operation: Operation, question: unknown, answer: unknown): unknown {
  switch (operation) {
    case 'searchVehicles':
    case 'priceCheck':
      return onlyOffersFor(question as Rental, answer as SupplierAnswer<SupplierOffer>);
    case 'book':
    case 'modify':
      refuseOtherDates(question as BookRequest, answer as SupplierBooking);
      return answer;
    case 'retrieve': {
      const key = question as BookingKey;
      // A booking with a known number may have been changed at the counter, and one with our reference is the reservation's,
      // or a second one from before a change. Any other one must be the lost one.
      if (key.confirmationNumber === undefined)
        for (const booking of (answer as SupplierAnswer<SupplierBooking>).items)
          if (!isSameCode(booking.reference, key.reference)) refuseOtherDates(key, booking);
      return answer;
    }
    default:
      return answer;
  }
}

function onlyOffersFor(requested: Rental, answer: SupplierAnswer<SupplierOffer>): SupplierAnswer<SupplierOffer> {
  let warnings: Warnings | undefined;
  const frame = { requested, days: chargeableDays(requested), places: { pickup: new Map(), dropoff: new Map() } };
  const items = answer.items.filter((offer, index) => {
    const problem = problemOf(offer, frame);
    if (problem === undefined) {
      for (const text of [...contradictionsOf(offer.vehicle), ...overItemized(offer), ...oddDays(offer, frame)]) {
        warnings ??= new Warnings();
        warnings.add('contradiction', text);
      }
      return true;
    }
    warnings ??= new Warnings();
    warnings.add('contradiction', `item ${index} left out: ${problem}`);
    return false;
  });
  for (const text of otherCountries(frame)) {
    warnings ??= new Warnings();
    warnings.add('contradiction', text);
  }
  if (!warnings) return answer;
  if (items.length === 0 && answer.items.length > 0)
    throw new SupplierError('bad_payload', `nothing in the answer is for the request: ${warnings.list[0]?.text}`);
  warnings.addAll(answer.warnings);
  return { items, warnings: warnings.list };
}

/** What all offers of an answer are compared with. */
interface Frame {
  readonly requested: Rental;
  readonly days: ChargeableDays;
  /** Offers share their locations, so each is compared once. */
  readonly places: Readonly<Record<'pickup' | 'dropoff', Map<SupplierLocation, string | undefined>>>;
}

function problemOf(offer: SupplierOffer, { requested, days, places }: Frame): string | undefined {
  const { pickup, dropoff, pickupDate, dropoffDate } = requested;
  if (!isNear(offer.pickupDate, pickupDate)) return `pickupDate ${offer.pickupDate} instead of ${pickupDate}`;
  if (!isNear(offer.dropoffDate, dropoffDate)) return `dropoffDate ${offer.dropoffDate} instead of ${dropoffDate}`;
  // Without dates of its own, an answer shows only by the days that it charges what it is for.
  if (offer.rentalDays < 1 || (!offer.statesDates && !isChargeable(offer.rentalDays, days)))
    return `rentalDays ${offer.rentalDays} instead of ${days.least} to ${days.most}`;
  return (
    known(places.pickup, offer.pickup, pickup) ??
    known(places.dropoff, offer.dropoff, dropoff) ??
    otherEnd(offer, requested) ??
    mixedCurrency(offer.price)
  );
}

/** The numbers of days that suppliers charge for a rental. */
interface ChargeableDays {
  /** A weekend or week at the price of fewer days. */
  readonly least: number;
  /** Complete 24-hour periods (with hours of grace), started ones, or calendar days, which are one more at most. */
  readonly most: number;
  /** A minimum charge, started weeks at a weekly rate, or a month at a monthly one. */
  readonly packages: readonly number[];
}

function chargeableDays({ pickupDate, dropoffDate }: Rental): ChargeableDays {
  const elapsed = (Date.parse(`${dropoffDate}Z`) - Date.parse(`${pickupDate}Z`)) / DAY_MS;
  const started = Math.max(1, Math.ceil(elapsed));
  const months = started > LEAST_AT_MONTHLY_RATE ? [28, 30] : [];
  return {
    least: Math.max(1, Math.ceil((Math.floor(elapsed) * 2) / 3)),
    most: started + 1,
    packages: [Math.max(started, MINIMUM_DAYS), ...[7, ...months].map((days) => roundUp(started, days))],
  };
}

function roundUp(days: number, unit: number): number {
  return Math.ceil(days / unit) * unit;
}

function isChargeable(days: number, { least, most, packages }: ChargeableDays): boolean {
  return (days >= least && days <= most) || packages.includes(days);
}

/** A number of days that no supplier is known to charge; the dates and the total are stated, so this is for operators. */
function oddDays({ rentalDays }: SupplierOffer, { days }: Frame): string[] {
  return isChargeable(rentalDays, days) ? [] : [`${rentalDays} days charged for a rental of ${days.most - 1}`];
}

function known(
  problems: Map<SupplierLocation, string | undefined>,
  location: SupplierLocation,
  requested: PlaceRef,
): string | undefined {
  if (!problems.has(location)) problems.set(location, elsewhere(requested, location));
  return problems.get(location);
}

/** The dates that a booking must be for; a lookup knows one, and what a supplier showed may have none. */
type Dates = Partial<Pick<BookRequest, 'pickupDate' | 'dropoffDate'>>;

function refuseOtherDates(requested: Dates, booking: SupplierBooking): void {
  if (booking.status !== 'confirmed' && booking.status !== 'on_request') return;
  if (isForOtherDates(requested, booking))
    throw new SupplierError('bad_payload', 'the booking is for other dates than requested', true, { booked: booking });
}

/**
 * Whether a booking states dates that are more than an hour from those requested. Midnight may be a date without a time: of
 * such a date, only the day counts.
 */
export function isForOtherDates(requested: Dates, booking: SupplierBooking): boolean {
  return (['pickupDate', 'dropoffDate'] as const).some((end) => {
    const [date, stated] = [requested[end], booking[end]];
    return date !== undefined && stated !== undefined && isOtherDate(date, stated);
  });
}

/** Whether one stated date is, as in `isForOtherDates`. */
export function isOtherDate(requested: LocalDateTime, stated: LocalDateTime): boolean {
  if (isNear(stated, requested)) return false;
  return !(stated.endsWith(MIDNIGHT) && stated.slice(0, 10) === requested.slice(0, 10));
}

function isNear(stated: LocalDateTime, requested: LocalDateTime): boolean {
  return stated === requested || Math.abs(Date.parse(`${stated}Z`) - Date.parse(`${requested}Z`)) <= TOLERANCE_MS;
}

/** Whether the place of a booking is the requested one (true) or another one (false); undefined if that isn't clear. */
export function isRequested(requested: PlaceRef, stated: BookedPlace): boolean | undefined {
  if (elsewhere(requested, { ...stated, address: { countryCode: requested.countryCode } }) !== undefined) return false;
  const km = distanceKm(requested, stated) ?? Number.POSITIVE_INFINITY;
  return hasItsCode(requested, stated) || km <= SAME_PLACE_KM ? true : undefined;
}

type Stated = BookedPlace & { readonly address: Pick<SupplierLocation['address'], 'countryCode'> };

/** Why a location isn't the requested place. Without codes or coordinates to compare, only the country decides. */
function elsewhere(requested: PlaceRef, stated: Stated): string | undefined {
  const { iataCode, countryCode } = requested;
  if (hasItsCode(requested, stated)) return undefined;
  const isOtherAirport = iataCode !== undefined && stated.iataCode !== undefined;
  const problem = `${stated.iataCode ?? stated.code} (${stated.address.countryCode}) instead of ${codesOf(requested).join(' or ')} (${countryCode})`;
  const km = distanceKm(requested, stated);
  if (km !== undefined) return km > (isOtherAirport ? SAME_AIRPORT_KM : NEARBY_KM) ? problem : undefined;
  const isOtherCountry = countryCode !== '' && stated.address.countryCode !== countryCode;
  return isOtherAirport || isOtherCountry ? problem : undefined;
}

/**
 * Why an offer of a one-way search is for a return to where it begins: one end is stated with the code of the other, or
 * both with one code, and no position shows that it serves both.
 */
function otherEnd({ pickup, dropoff }: Ends<SupplierLocation>, requested: Ends<PlaceRef>): string | undefined {
  const codes = { pickup: codesOf(requested.pickup), dropoff: codesOf(requested.dropoff) };
  if (codes.pickup.some((code) => codes.dropoff.includes(code))) return undefined;
  const [from, to] = [pickup.code.toUpperCase(), dropoff.code.toUpperCase()];
  const isReturn = codes.pickup.includes(to) && !hasItsCode(requested.dropoff, dropoff);
  if (isReturn) return `dropoff ${to}, where the rental begins, instead of ${codes.dropoff.join(' or ')}`;
  const isReversed = codes.dropoff.includes(from) && !hasItsCode(requested.pickup, pickup);
  if (isReversed) return `pickup ${from}, where the rental ends, instead of ${codes.pickup.join(' or ')}`;
  const isSame = from === to && !hasItsCode(requested.dropoff, dropoff) && !hasItsCode(requested.pickup, pickup);
  const isAnywhere = distanceKm(requested.dropoff, dropoff) === undefined;
  // Suppliers may name two airports of a city by the code of the city.
  const isOneCity = (distanceKm(requested.pickup, requested.dropoff) ?? Number.POSITIVE_INFINITY) <= ONE_CITY_KM;
  return isSame && isAnywhere && !isOneCity ? `pickup and dropoff ${to} for a one-way rental` : undefined;
}

function codesOf({ supplierCode, iataCode }: PlaceRef): readonly string[] {
  return [supplierCode, iataCode].flatMap((code) => code?.toUpperCase() ?? []);
}

function hasItsCode(requested: PlaceRef, stated: BookedPlace): boolean {
  // A code adapter may leave out the code, or its capitals: this must not throw after the supplier has booked.
  const code: string | undefined = stated.code || undefined;
  return codesOf(requested).some((own) => isSameCode(code, own)) || isSameCode(stated.iataCode, requested.iataCode);
}

/** The requested locations that the answer says are in another country, once each. Their code counts for more. */
function otherCountries({ requested, places }: Frame): readonly string[] {
  const texts = (['pickup', 'dropoff'] as const).flatMap((end) =>
    [...places[end].keys()].flatMap((stated) => {
      const { countryCode } = requested[end];
      const isOther = countryCode !== '' && stated.address.countryCode !== countryCode;
      return isOther && hasItsCode(requested[end], stated)
        ? [`${stated.code} is in ${stated.address.countryCode} instead of ${countryCode}`]
        : [];
    }),
  );
  return [...new Set(texts)];
}

type Position = Pick<PlaceRef, 'latitude' | 'longitude'>;

/** Exact enough for short distances; undefined without both positions. */
function distanceKm(one: Position, other: Position): number | undefined {
  if (one.latitude === undefined || one.longitude === undefined) return undefined;
  if (other.latitude === undefined || other.longitude === undefined) return undefined;
  const turn = Math.abs(one.longitude - other.longitude);
  const east = Math.min(turn, 360 - turn) * Math.cos((one.latitude * Math.PI) / 180);
  return Math.hypot(one.latitude - other.latitude, east) * KM_PER_DEGREE;
}

/**
 * A total below the items that it includes: a tax counted twice, an unstated discount, or a total without tax. The total is
 * the supplier's and stays, so this is for operators.
 */
function overItemized({ vehicle, price: { total, unitemised } }: SupplierOffer): string[] {
  const isOver = unitemised !== undefined && unitemised.amountMinor * Math.sign(total.amountMinor) < 0;
  return isOver ? [`${vehicle.name.slice(0, 60)}: the items included in the total add up to more than the total`] : [];
}

/** `display` is in the requested currency, and charges that aren't in the total may be in the local one. */
function mixedCurrency(price: Price): string | undefined {
  const { currency } = price.total;
  const isOther = (amount: Money | undefined): boolean => amount !== undefined && amount.currency !== currency;
  const isMixed =
    isOther(price.base) ||
    isOther(price.taxes) ||
    isOther(price.fees) ||
    isOther(price.oneWay) ||
    isOther(price.extras) ||
    isOther(price.coverages) ||
    isOther(price.discount) ||
    isOther(price.dueNow) ||
    isOther(price.dueAtCounter) ||
    isOther(price.unitemised) ||
    price.items.some(({ includedInTotal, amount }) => includedInTotal && isOther(amount));
  return isMixed ? `its price has amounts in ${currency} and in another currency` : undefined;
}
