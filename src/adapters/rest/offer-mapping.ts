import { cardBrandsOf } from '../../model/card-brands.js';
import { MOST_ITEMS, refuseMoreThan } from '../../model/limits.js';
import type { PlaceRef, SupplierLocation } from '../../model/locations.js';
import { UnreadableAmountError } from '../../model/money.js';
import type {
  Cancellation,
  OfferStatus,
  PaymentType,
  Requirements,
  SupplierOffer,
  Term,
  Vehicle,
} from '../../model/offers.js';
import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import { allWarnings, Warnings } from '../../model/warnings.js';
import { atBareAirport } from '../places/bare-airport.js';
import { zonesAt } from '../places/earliest-clock.js';
import { mapDistance } from './distance-mapping.js';
import { isUnreadable, mapLocation, type Unreadable } from './location-mapping.js';
import type { LocationMapping, OfferMapping } from './mapping.schema.js';
import { mapCoverages, mapExtras } from './option-mapping.js';
import { mapPrice } from './price-mapping.js';
import type { AnswerReader } from './wire.js';

/**
 * How offers are read, the requested places, and the requested dates, which apply, with their number of days, unless the
 * answer states its own.
 */
export interface OfferFrame {
  readonly offer: OfferMapping;
  readonly location: LocationMapping;
  readonly brands: readonly string[];
  readonly pickup: PlaceRef;
  readonly dropoff: PlaceRef;
  readonly pickupDate: string;
  readonly dropoffDate: string;
  /** The status of an offer that doesn't state one. Absent = available. */
  readonly status?: OfferStatus | undefined;
}

const DAY_MS = 86_400_000;
const UNKNOWN_CANCELLATION: Cancellation = { rules: [], source: 'unknown' };

/**
 * The offers of an answer in the supplier's order. An unreadable row becomes a warning; if no row is readable, the
 * answer is a bad payload, because "nothing found" would be wrong.
 */
export function mapOffers(frame: OfferFrame, reader: AnswerReader): SupplierAnswer<SupplierOffer> {
  const { items, warnings } = readRows(frame.offer.rows.text, reader.rows(frame.offer.rows, reader.answer), (row) =>
    mapOffer(frame, reader, row),
  );
  return { items, warnings: allWarnings([{ warnings }, { warnings: reader.warnings.list }]) };
}

/**
 * Reads rows one by one and turns unreadable ones into warnings. Throws SupplierError bad_payload if there is no list,
 * or no row is readable.
 */
export function readRows<T extends object>(
  name: string,
  rows: readonly unknown[] | undefined,
  read: (row: unknown) => T | Unreadable,
): SupplierAnswer<T> {
  if (!rows) throw new SupplierError('bad_payload', `the answer has no list "${name}"`);
  refuseMoreThan(MOST_ITEMS, rows.length, 'rows');
  const items: T[] = [];
  const warnings = new Warnings();
  for (const [index, row] of rows.entries()) {
    try {
      const item = read(row);
      if (isUnreadable(item)) warnings.add('row_dropped', `${name}[${index}] is unreadable: ${item.unreadable}`);
      else items.push(item);
    } catch (error) {
      if (!(error instanceof UnreadableAmountError)) throw error;
      warnings.add('amount_rejected', `${name}[${index}] is unreadable: ${error.message}`);
    }
  }
  const [first] = warnings.list;
  if (items.length === 0 && first) throw new SupplierError('bad_payload', `no row could be read: ${first.text}`);
  return { items, warnings: warnings.list };
}

function mapOffer(frame: OfferFrame, reader: AnswerReader, row: unknown): SupplierOffer | Unreadable {
  const { offer, brands } = frame;
  const brand = offer.brand ? reader.brand(offer.brand, row) : brands[0];
  if (brand === undefined || !brands.includes(brand)) return { unreadable: 'brand' };
  const supplierRef = reader.ref(offer.ref, row);
  if (!supplierRef) return { unreadable: 'ref' };
  const currency = reader.currency(offer.currency, row);
  if (currency === undefined) return { unreadable: 'currency' };
  const isStated = reader.node(offer.rentalDays, row) != null;
  const rentalDays = isStated ? reader.count(offer.rentalDays, row) : startedDays(frame);
  if (!rentalDays) return { unreadable: 'rentalDays' };
  const pickupDate = dateOf(offer.pickupDate, offer.zone, frame.pickupDate, reader, row);
  if (pickupDate === undefined) return { unreadable: 'pickupDate' };
  const dropoffDate = dateOf(offer.dropoffDate, offer.dropoffZone, frame.dropoffDate, reader, row);
  if (dropoffDate === undefined) return { unreadable: 'dropoffDate' };
  const pickup = placeOf('pickup', brand, frame, reader, row);
  if (isUnreadable(pickup)) return { unreadable: `pickup.${pickup.unreadable}` };
  const dropoff = placeOf('dropoff', brand, frame, reader, row);
  if (isUnreadable(dropoff)) return { unreadable: `dropoff.${dropoff.unreadable}` };
  const payment = reader.word('payment', offer.payment, row);
  if (payment === undefined) return { unreadable: 'payment' };
  const status = reader.word('offerStatus', offer.status, row);
  if (status === undefined && reader.isStated(offer.status, row)) return { unreadable: 'status' };
  // One that can't be read (with a warning) may be a condition.
  const creditCardRequired =
    reader.flag(offer.creditCardRequired, row) ?? (reader.isStated(offer.creditCardRequired, row) || undefined);
  const price = mapPrice(offer.price, payment, currency, reader, row);
  if (!price) return { unreadable: 'price.total' };
  const deposit = reader.payableMoney(
    offer.deposit?.amount,
    row,
    reader.ownCurrency(offer.deposit?.currency, row, currency),
  );
  return {
    brand,
    status: status ?? frame.status ?? 'available',
    supplierRef,
    expiresAt: reader.instant(offer.expiresAt, row),
    vehicle: mapVehicle(offer.vehicle, reader, row),
    pickup,
    dropoff: dropoff.code === pickup.code ? pickup : dropoff,
    pickupDate,
    dropoffDate,
    rate: rateOf(offer, payment, reader, row),
    price,
    rentalDays,
    statesDates: isStatedDate(offer.pickupDate, reader, row) && isStatedDate(offer.dropoffDate, reader, row),
    distancePolicy: mapDistance(offer.distance, currency, reader, row),
    fuelPolicy: reader.word('fuelPolicy', offer.fuelPolicy, row) ?? 'unknown',
    coverages: mapCoverages(offer.coverages, currency, reader, row),
    extras: mapExtras(offer.extras, currency, reader, row),
    ...(deposit && { deposit: { amount: deposit, takenAt: reader.word('depositTaken', offer.deposit?.takenAt, row) } }),
    cancellation: mapCancellation(offer, pickup, currency, reader, row),
    changes: mapChanges(offer.changes, reader, row),
    requirements: {
      ...requirementsOf(offer, price.items.find(({ kind }) => kind === 'young_driver')?.amount, reader, row),
      creditCardRequired,
    },
    terms: mapTerms(offer.terms, reader, row),
  };
}

/** The started 24-hour periods of the requested rental, at least 1. */
function startedDays({ pickupDate, dropoffDate }: OfferFrame): number {
  return Math.max(1, Math.ceil((Date.parse(`${dropoffDate}Z`) - Date.parse(`${pickupDate}Z`)) / DAY_MS));
}

/** The stated date, or the requested one if none is stated; undefined if it can't be read. */
function dateOf(
  field: OfferMapping['pickupDate'],
  zone: OfferMapping['zone'],
  requested: string,
  reader: AnswerReader,
  row: unknown,
): string | undefined {
  return reader.node(field, row) == null ? requested : reader.local(field, row, zone);
}

/** Whether the answer has a date; one that the manifest takes from the request says nothing about the answer. */
function isStatedDate(field: OfferMapping['pickupDate'], reader: AnswerReader, row: unknown): boolean {
  return field !== undefined && !field.text.includes('$request') && reader.node(field, row) != null;
}

function placeOf(
  end: 'pickup' | 'dropoff',
  brand: string,
  { offer, location, ...requested }: OfferFrame,
  reader: AnswerReader,
  row: unknown,
): SupplierLocation | Unreadable {
  const node = reader.node(offer[end], row);
  // An offer has the brand of its pickup location, even if a location of several brands names another.
  const place = reader.shared(node, `location ${brand}`, () =>
    mapLocation({ ...location, brand: undefined }, reader, node, [brand]),
  );
  return isUnreadable(place) || location.ownCodes ? place : atBareAirport(place, requested[end]);
}

function rateOf(offer: OfferMapping, payment: PaymentType, reader: AnswerReader, row: unknown): SupplierOffer['rate'] {
  return {
    code: reader.text(offer.rateCode, row),
    type: reader.text(offer.rateType, row),
    payment,
    inclusive: reader.flag(offer.inclusive, row) ?? false,
    discountsApplied: reader.texts(offer.discountsApplied, row),
  };
}

function mapVehicle(mapping: OfferMapping['vehicle'], reader: AnswerReader, row: unknown): Vehicle {
  const sippCode = reader.sippCode(mapping.sippCode, row);
  const make = reader.text(mapping.make, row);
  const model = reader.text(mapping.model, row);
  const className = reader.text(mapping.className, row);
  const named = [make, model].filter((part) => part !== undefined).join(' ');
  return {
    sippCode,
    name: reader.text(mapping.name, row) ?? (named || className || sippCode || 'Vehicle'),
    make,
    model,
    orSimilar: reader.flag(mapping.orSimilar, row) ?? false,
    classCode: reader.text(mapping.classCode, row),
    className,
    seats: reader.count(mapping.seats, row),
    doors: reader.matching(mapping.doors, row, /^\d-\d$/) ?? (reader.count(mapping.doors, row) || undefined),
    bagsLarge: reader.count(mapping.bagsLarge, row),
    bagsSmall: reader.count(mapping.bagsSmall, row),
    imageUrl: reader.matching(mapping.imageUrl, row, /^https?:\/\//),
    transmission: reader.word('transmission', mapping.transmission, row),
    airConditioning: reader.flag(mapping.airConditioning, row),
    fuel: reader.openWord('fuel', mapping.fuel, row),
  };
}

/** One rule: the fee applies from the end of free cancellation or, for a nonrefundable rate, at any time. */
function mapCancellation(
  { cancellation, zone }: OfferMapping,
  pickup: SupplierLocation,
  currency: string,
  reader: AnswerReader,
  row: unknown,
): Cancellation {
  const refundable = cancellation && reader.flag(cancellation.refundable, row);
  if (refundable === undefined) {
    if (reader.node(cancellation?.fee, row) != null)
      reader.warnings.add('amount_rejected', 'a cancellation fee without a readable "refundable": left out');
    return UNKNOWN_CANCELLATION;
  }
  const freeUntil = reader.deadline(cancellation?.freeUntil, row, zone, () => zonesAt(pickup));
  if (refundable && freeUntil === undefined && reader.node(cancellation?.freeUntil, row) != null) {
    reader.warnings.add('incomplete', 'cancellation terms with an unreadable "freeUntil" left out');
    return UNKNOWN_CANCELLATION;
  }
  const fee = reader.dueMoney(cancellation?.fee, row, reader.ownCurrency(cancellation?.currency, row, currency));
  if (!refundable) {
    if (freeUntil !== undefined)
      reader.warnings.add('contradiction', 'free cancellation of a nonrefundable rate: taken as never free');
    return { refundable, rules: fee ? [{ fee }] : [], source: 'structured' };
  }
  return { refundable, freeUntil, rules: fee ? [{ from: freeUntil, fee }] : [], source: 'structured' };
}

function mapChanges(changes: OfferMapping['changes'], reader: AnswerReader, row: unknown): SupplierOffer['changes'] {
  if (!changes) return undefined;
  const [allowed, penalty] = [reader.flag(changes.allowed, row), reader.flag(changes.penalty, row)];
  return allowed === undefined && penalty === undefined ? undefined : { allowed, penalty };
}

function requirementsOf(
  { minAge, maxAge, acceptedCards }: OfferMapping,
  youngDriverFee: Requirements['youngDriverFee'],
  reader: AnswerReader,
  row: unknown,
): Requirements {
  const cards = acceptedCards === undefined ? [] : reader.texts(acceptedCards, row);
  return {
    minAge: reader.count(minAge, row),
    maxAge: reader.count(maxAge, row),
    youngDriverFee,
    acceptedCards: cards.length === 0 ? undefined : cardBrandsOf(cards),
  };
}

function mapTerms(mapping: OfferMapping['terms'], reader: AnswerReader, row: unknown): readonly Term[] {
  if (!mapping) return [];
  const read = (term: unknown): readonly Term[] => {
    const kind = reader.text(mapping.kind, term);
    const url = reader.matching(mapping.url, term, /^https?:\/\//);
    const text = reader.prose(mapping.text, term);
    return kind === undefined || (url === undefined && text === undefined) ? [] : [{ kind, url, text }];
  };
  return reader.sharedRows({ rows: mapping.rows, mark: mapping.kind }, row, 'terms', (rows) => rows.flatMap(read));
}
