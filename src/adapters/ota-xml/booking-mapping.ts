import type { ChosenExtra, SupplierBooking } from '../../model/bookings.js';
import type { Money } from '../../model/money.js';
import { SupplierError } from '../../model/supplier.js';
import { numberOf } from './amounts.js';
import { readCharges } from './charge-mapping.js';
import { optionsOf } from './option-mapping.js';
import type { OtaOptions } from './options.js';
import { currencyOf, totalOf } from './price-mapping.js';
import { type ReservationStatus, statusOfWord } from './status-words.js';
import { mapVehicle } from './vehicle-mapping.js';
import { wallClock } from './wall-clock.js';
import { attribute, child, childrenNamed, flag, items, type XmlNode } from './wire.js';

/** A VehReservation or VehResSummary as the supplier wrote it, before it is known to be the one that was meant. */
export interface Reservation {
  readonly node: XmlNode;
  /** A summary tells of itself what it likes: status, total and reference may be missing. */
  readonly isSummary: boolean;
  /** UIT 14, else 40, else 8. */
  readonly confirmationNumber?: string;
  /** UIT 16: ours where the supplier repeats it, but also what it calls a reference itself. */
  readonly references: readonly string[];
  /** Every identifier, of whatever type. */
  readonly ids: readonly string[];
  /** In the supplier's words. */
  readonly statusWord?: string;
}

const NUMBER_TYPES = ['14', '40', '8'] as const;
const REFERENCE_TYPE = '16';

/** Reads the identity of one reservation. `statusWord` is what the message says around it. */
export function readReservation(node: XmlNode, statusWord?: string): Reservation {
  const ids = [...childrenNamed(node, 'ConfID'), ...childrenNamed(child(node, 'VehSegmentCore'), 'ConfID')];
  const idsOfType = (type: string) =>
    ids.flatMap((id) => (attribute(id, 'Type') === type ? (attribute(id, 'ID') ?? []) : []));
  const statusOfId = ids.map((id) => attribute(id, 'Status')).find((status) => status !== undefined);
  return {
    node,
    isSummary: node.name === 'VehResSummary',
    confirmationNumber: NUMBER_TYPES.flatMap(idsOfType)[0],
    references: idsOfType(REFERENCE_TYPE),
    ids: ids.flatMap((id) => attribute(id, 'ID') ?? []),
    statusWord: statusWord ?? attribute(node, 'ReservationStatus') ?? attribute(node, 'Status') ?? statusOfId,
  };
}

/**
 * What a reservation's status means; none at all is a confirmed one, as in OTA's own samples. Throws SupplierError `bad_payload` for a word
 * that nobody knows.
 */
export function statusOfReservation({ statusWord }: Reservation, options: OtaOptions): ReservationStatus {
  if (statusWord === undefined) return 'confirmed';
  const status = statusOfWord(statusWord, options.statusWords);
  if (status) return status;
  throw new SupplierError('bad_payload', 'a reservation in a status that is not known');
}

/**
 * The reservation in our model. Throws SupplierError `bad_payload` when it stands without a number, and `unavailable` while its
 * cancellation is not finished.
 */
export function bookingOf(reservation: Reservation, ownReference: string, options: OtaOptions): SupplierBooking {
  const { node, confirmationNumber, references } = reservation;
  const status = statusOfReservation(reservation, options);
  if (status === 'pending_cancellation') throw new SupplierError('unavailable', 'the cancellation is not finished');
  if (status === 'unchanged') throw new SupplierError('bad_payload', 'a reservation in status Unchanged');
  if (confirmationNumber === undefined && (status === 'confirmed' || status === 'on_request')) {
    throw new SupplierError('bad_payload', 'a reservation without a confirmation number');
  }
  const segment = child(node, 'VehSegmentCore') ?? node;
  const rental = child(segment, 'VehRentalCore') ?? segment;
  return {
    status,
    confirmationNumber,
    reference: references.includes(ownReference) ? ownReference : undefined,
    ref: {},
    total: totalBooked(segment, child(node, 'VehSegmentInfo'), options),
    pickupDate: wallClock(attribute(rental, 'PickUpDateTime')),
    dropoffDate: wallClock(attribute(rental, 'ReturnDateTime')),
    sippCode: mapVehicle(child(segment, 'Vehicle')).sippCode,
    extras: extrasBooked(segment),
  };
}

/** PricedEquips of a reservation are what is booked; undefined where there is no such element. */
function extrasBooked(segment: XmlNode): readonly ChosenExtra[] | undefined {
  if (!child(segment, 'PricedEquips')) return undefined;
  return items(segment, 'PricedEquips', 'PricedEquip').flatMap((priced) => {
    const equipment = child(priced, 'Equipment');
    const code = attribute(equipment, 'EquipType');
    return code === undefined
      ? []
      : [{ code, quantity: Math.max(1, Math.floor(numberOf(equipment, 'Quantity') ?? 1)) }];
  });
}

/** The total as told; undefined where the supplier leaves out of it what was chosen: then nobody told the whole. */
function totalBooked(segment: XmlNode, info: XmlNode | undefined, options: OtaOptions): Money | undefined {
  const rate = child(segment, 'RentalRate');
  const totalCharge = child(segment, 'TotalCharge') ?? child(rate, 'TotalCharge');
  const currency = currencyOf(totalCharge, rate, options);
  if (currency === undefined || leavesOut(segment, info, options)) return undefined;
  const context = { currency, warnings: [], known: new Map<string, Money | undefined>() };
  const charges = readCharges(segment, context, options);
  const choice = optionsOf(segment, info, context, options);
  return totalOf(totalCharge, [...charges.lines, ...choice.lines], currency, options, []);
}

function leavesOut(segment: XmlNode, info: XmlNode | undefined, options: OtaOptions): boolean {
  const countsThem = options.totalFrom === 'estimated' && options.chosenInTotal;
  const told = (priced: XmlNode) => flag(child(priced, 'Charge'), 'IncludedInEstTotalInd');
  const inRate = (priced: XmlNode) => flag(child(priced, 'Charge'), 'IncludedInRate') === true;
  const unclear = (priced: XmlNode) => !inRate(priced) && told(priced) === undefined && !countsThem;
  const equipment = items(segment, 'PricedEquips', 'PricedEquip');
  // Coverages of a reservation may be only on offer: one that is said to be outside the total says nothing.
  const coverages = items(info, 'PricedCoverages', 'PricedCoverage');
  return (
    equipment.some((priced) => unclear(priced) || (!inRate(priced) && told(priced) === false)) ||
    coverages.some(unclear)
  );
}
