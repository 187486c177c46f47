import {
  type BookedExtra,
  type BookedPlace,
  type BookingKey,
  type ExtraNotice,
  isSameCode,
  type SupplierBooking,
  sameCodeAsIn,
} from '../../model/bookings.js';
import { SupplierError } from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { atBareAirport, bookedPlace } from '../places/bare-airport.js';
import { equipmentBooked, totalBooked } from './booked-total.js';
import {
  CANCELLATION_TYPE,
  candidatesOf,
  idsOfType,
  isListed,
  isReservationId,
  namedOf,
  numberOfType,
  numbersByType,
  REFERENCE_TYPE,
  withoutCompanies,
} from './booking-ids.js';
import { wallClock } from './local-time.js';
import { hasContext, statedPlace } from './location-codes.js';
import { minimalLocation } from './location-mapping.js';
import { numberOf } from './numbers.js';
import type { OtaOptions } from './options.js';
import { type ReservationStatus, statusOfWord } from './status-words.js';
import { mapVehicle } from './vehicle-mapping.js';
import { attribute, child, childrenNamed, textOf, type XmlNode } from './wire.js';

/** A VehReservation or VehResSummary as the supplier wrote it, before it is known to be the requested one. */
export interface Reservation {
  readonly node: XmlNode;
  /** A summary may omit anything: status, total and reference may be missing. */
  readonly isSummary: boolean;
  /** UIT 14, otherwise 40, otherwise 8, otherwise one of the supplier's own types. */
  readonly confirmationNumber?: string;
  /** The type of the confirmation number, if known. */
  readonly numberType?: string;
  /** All numbers by type. */
  readonly numbers: ReadonlyMap<string, readonly string[]>;
  /** Every identifier of a type that isn't for references and cancellations, and no company's code or name. */
  readonly named: readonly string[];
  /** Those that may be its number. */
  readonly candidates: readonly string[];
  /** UIT 16: our reference if the supplier returns it, but also whatever else it calls a reference, besides the booking's numbers (without one: `named`). */
  readonly references: readonly string[];
  /** UIT 15: numbers of a cancellation. */
  readonly cancellationNumbers: readonly string[];
  /** Numbers that it had before. */
  readonly replacedNumbers?: readonly string[];
  /** Every identifier, of any type. */
  readonly ids: readonly string[];
  /** In the supplier's words. */
  readonly statusWord?: string;
  /** What a missing word means; `confirmed` by default, as in OTA's own samples. `unclear`: it may be cancelled. */
  readonly unstated?: 'confirmed' | 'on_request' | 'cancelled' | 'unclear';
  /** What the Warnings of the surrounding message say of extras. */
  readonly extraNotices?: readonly ExtraNotice[];
}

/**
 * Reads the identity of one reservation. `statusWord` is the status from the surrounding message, `ownTypes` are the types of numbers that the
 * supplier has besides OpenTravel's, `asked` is the booking that was asked for.
 */
export function readReservation(
  node: XmlNode,
  statusWord?: string,
  ownTypes: readonly string[] = [],
  asked?: Pick<BookingKey, 'brand' | 'ref' | 'reference'>,
): Reservation {
  const reference = asked?.reference;
  const ids = [...childrenNamed(node, 'ConfID'), ...childrenNamed(child(node, 'VehSegmentCore'), 'ConfID')];
  const statusOfId = ids.map((id) => attribute(id, 'Status')).find((status) => status !== undefined);
  const numbered = withoutCompanies(ids, companiesOf(node, asked));
  const numbers = numbersByType(numbered, ownTypes, reference);
  const named = namedOf(numbered, reference);
  const candidates = candidatesOf(numbered, [...numbers.keys()], reference);
  const numberType = [...numbers.keys()].find((type) => numberOfType(type, numbers, candidates) !== undefined);
  const isOwn = sameCodeAsIn(numberType === undefined ? named : [...numbers.values()].flat());
  return {
    node,
    isSummary: node.name === 'VehResSummary',
    ...(numberType && { confirmationNumber: numberOfType(numberType, numbers, candidates), numberType }),
    numbers,
    named,
    candidates,
    references: idsOfType(ids, REFERENCE_TYPE).filter((one) => isReservationId(one) || !isOwn(one)),
    cancellationNumbers: idsOfType(ids, CANCELLATION_TYPE),
    ids: ids.flatMap((id) => attribute(id, 'ID') ?? []),
    statusWord: statusWord ?? attribute(node, 'ReservationStatus') ?? attribute(node, 'Status') ?? statusOfId,
  };
}

/** The codes and names of the company in a reservation, and of the one that was asked. */
function companiesOf(node: XmlNode, asked?: Pick<BookingKey, 'brand' | 'ref'>): readonly (string | undefined)[] {
  const vendor = child(child(node, 'VehSegmentCore') ?? node, 'Vendor');
  const stated = [attribute(vendor, 'Code'), attribute(vendor, 'CompanyShortName'), textOf(vendor)];
  return [...stated, asked?.brand, typeof asked?.ref.vendor === 'string' ? asked.ref.vendor : undefined];
}

/**
 * A reservation that was called by a number and names it. A supplier that makes a new booking for a change or an acceptance gives it another
 * number of the same type, and names the one before with another type. `ref` is the booking's, which has the type unless an earlier
 * version stored it; without it, a number that has none of these types any more was replaced. Of a type that isn't OpenTravel's, only a single
 * number that can't be a code replaces one that is named as a reference or cancellation at most.
 */
export function renumbered(reservation: Reservation, called: string, ref: SupplierBooking['ref'] = {}): Reservation {
  const { numbers, named, candidates } = reservation;
  const isNamed = (type: string) => numbers.get(type)?.some((one) => isSameCode(one, called)) === true;
  const types = [...numbers.keys()];
  const numberType = types.find((type) => type === ref.numberType) ?? types.find(isNamed) ?? reservation.numberType;
  if (numberType === undefined) return withFormer({ ...reservation, confirmationNumber: called }, called, ref);
  const mayBeNumber = isListed(numberType) ? (numbers.get(numberType) ?? []) : named;
  const isKept = mayBeNumber.some((one) => isSameCode(one, called));
  const next = isKept ? undefined : numberOfType(numberType, numbers, candidates);
  return withFormer({ ...reservation, confirmationNumber: next ?? called, numberType }, called, ref);
}

/** A reservation of a booking that had a number, with those that it has no more: `ref` is the booking's. */
export function withFormer(
  reservation: Reservation,
  number: string | undefined,
  ref: SupplierBooking['ref'] = {},
): Reservation {
  const { confirmationNumber, replacedNumbers = [] } = reservation;
  const all = [...formerNumbersOf(ref), ...(number === undefined ? [] : [number]), ...replacedNumbers];
  const former = all.filter(
    (one, at) => !isSameCode(one, confirmationNumber) && all.findIndex((other) => isSameCode(other, one)) === at,
  );
  const kept = former.slice(-MOST_REPLACED);
  while (kept.join('|').length > MOST_REPLACED_CHARACTERS) kept.shift();
  return { ...reservation, replacedNumbers: kept };
}

/** They are stored with the booking, which can be changed as often as this (docs/reservations.md). */
const MOST_REPLACED = 100;
/** A booking's `ref` may have 3,000 characters (docs/resilience.md). */
const MOST_REPLACED_CHARACTERS = 2_500;

/** The numbers that a booking with this `ref` had before. */
export function formerNumbersOf({ replacedNumbers }: SupplierBooking['ref']): readonly string[] {
  return typeof replacedNumbers === 'string' ? replacedNumbers.split('|') : [];
}

/**
 * Whether a reservation names a cancellation: by a number of that type besides its own, which some suppliers give the same type, and besides
 * those that it had before, whose bookings were cancelled for it.
 */
export function namesCancellation(reservation: Reservation): boolean {
  const { confirmationNumber, numbers, cancellationNumbers, replacedNumbers = [] } = reservation;
  const isOwn = sameCodeAsIn([confirmationNumber, ...[...numbers.values()].flat(), ...replacedNumbers]);
  return confirmationNumber !== undefined && cancellationNumbers.some((one) => !isOwn(one));
}

/** What a reservation's status means. Throws SupplierError `bad_payload` for an unknown word, and an unclear status. */
export function statusOfReservation(reservation: Reservation, options: OtaOptions): ReservationStatus {
  const { statusWord, unstated } = reservation;
  if (statusWord === undefined) {
    if (unstated === 'unclear')
      throw new SupplierError('bad_payload', 'a reservation without a status that may be cancelled');
    return namesCancellation(reservation) ? 'cancelled' : (unstated ?? 'confirmed');
  }
  const status = statusOfWord(statusWord, options.statusWords);
  if (status) return status;
  throw new SupplierError('bad_payload', 'a reservation with an unknown status');
}

/**
 * The reservation in our model. Throws SupplierError `bad_payload` if it is active but has no number, and `unavailable`
 * until its cancellation is finished.
 */
export function bookingOf(reservation: Reservation, ownReference: string, options: OtaOptions): SupplierBooking {
  const { node, confirmationNumber, numberType, replacedNumbers = [], references, extraNotices = [] } = reservation;
  const status = statusOfReservation(reservation, options);
  if (status === 'pending_cancellation') throw new SupplierError('unavailable', 'the cancellation is still pending');
  if (status === 'unchanged') throw new SupplierError('bad_payload', 'a reservation with status Unchanged');
  const isActive = status === 'confirmed' || status === 'on_request';
  if (confirmationNumber === undefined && isActive) {
    throw new SupplierError('bad_payload', 'a reservation without a confirmation number; see the option numberTypes');
  }
  const segment = child(node, 'VehSegmentCore') ?? node;
  const rental = child(segment, 'VehRentalCore') ?? segment;
  const pickupDate = wallClock(attribute(rental, 'PickUpDateTime'));
  const dropoffDate = wallClock(attribute(rental, 'ReturnDateTime'));
  const dates = pickupDate === undefined || dropoffDate === undefined ? undefined : { pickupDate, dropoffDate };
  const warnings = new Warnings();
  const mayBeCancelled = isActive && namesCancellation(reservation);
  if (mayBeCancelled)
    warnings.add(
      'contradiction',
      'the number of a cancellation beside a word that the booking is active: read as the word says',
    );
  for (const notice of extraNotices) warnings.add('notice', NOTICES[notice.status]);
  return {
    status,
    confirmationNumber,
    reference: references.some((one) => isSameCode(one, ownReference)) ? ownReference : undefined,
    ref: {
      ...(numberType !== undefined && { numberType }),
      ...(replacedNumbers.length > 0 && { replacedNumbers: replacedNumbers.join('|') }),
    },
    total: totalBooked(segment, child(node, 'VehSegmentInfo'), dates, options, warnings),
    pickupDate,
    dropoffDate,
    sippCode: mapVehicle(child(segment, 'Vehicle')).sippCode,
    pickup: placeBooked(child(rental, 'PickUpLocation'), options),
    dropoff: placeBooked(child(rental, 'ReturnLocation'), options),
    extras: extrasBooked(segment),
    ...(mayBeCancelled && { mayBeCancelled }),
    ...(extraNotices.length > 0 && { extraNotices }),
    warnings: warnings.list.length > 0 ? warnings.list : undefined,
  };
}

const NOTICES: Readonly<Record<ExtraNotice['status'], string>> = {
  on_request: 'an extra of the booking is only on request',
  not_booked: 'an extra of the booking is not available',
};

const ANYWHERE = { countryCode: '' };

/** PickUpLocation or ReturnLocation; undefined without a code. */
function placeBooked(node: XmlNode | undefined, options: OtaOptions): BookedPlace | undefined {
  const stated = statedPlace(node, 'LocationCode');
  if (!stated) return undefined;
  const location = minimalLocation(ANYWHERE, '', options, stated);
  return bookedPlace(hasContext(stated) ? location : atBareAirport(location, ANYWHERE));
}

/** In a reservation, PricedEquips are the booked extras; undefined without that element. */
function extrasBooked(segment: XmlNode): readonly BookedExtra[] | undefined {
  if (!child(segment, 'PricedEquips')) return undefined;
  return equipmentBooked(segment).flatMap((priced) => {
    const equipment = child(priced, 'Equipment');
    const code = attribute(equipment, 'EquipType');
    const quantity = Math.floor(numberOf(equipment, 'Quantity') ?? 0);
    return code === undefined ? [] : [{ code, ...(quantity > 0 && { quantity }) }];
  });
}
