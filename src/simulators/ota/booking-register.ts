import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import type { Inventory, SimulatedCarOffer } from '../world.js';
import { OTA_ERRORS, type OtaError, type OtaSimulatorDialect, requestWarnings } from './answers.js';
import { type BookedCar, reservationElement, summaryElement } from './booking-writer.js';
import { spelledCode } from './location-writer.js';
import { attribute, child, childrenNamed, textOf, type XmlNode } from './wire.js';

/** Dependencies of the handlers of one supplier. */
export interface HandlerOptions {
  /** The inventory of each brand by its vendor code. */
  readonly inventories: Readonly<Record<string, Inventory>>;
  readonly dialect: OtaSimulatorDialect;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/** The renter's first and last name in a PersonName; undefined if missing. */
export function nameOf(holder: XmlNode | undefined): { readonly firstName?: string; readonly lastName?: string } {
  const person = child(holder, 'PersonName');
  return { firstName: textOf(child(person, 'GivenName')), lastName: textOf(child(person, 'Surname')) };
}

/** A UniqueID of a message by its type (UIT list). */
export function uniqueId(core: XmlNode | undefined, type: '14' | '16'): string | undefined {
  const node = childrenNamed(core, 'UniqueID').find((candidate) => attribute(candidate, 'Type') === type);
  return attribute(node, 'ID');
}

/** The booking with the UniqueID of type 14; an error if that is missing or unknown. */
export function bookingNamed(core: XmlNode | undefined, ledger: BookingLedger): SimulatedBooking | OtaError {
  const number = uniqueId(core, '14');
  if (number === undefined) return OTA_ERRORS.missingField;
  return ledger.byConfirmation(number) ?? OTA_ERRORS.unknownBooking;
}

/**
 * The car of a booking as it is offered now, and its pickup location; undefined if it is no longer in the inventory.
 */
export function carOf(
  { brand, pickupCode, dropoffCode, pickupDate, dropoffDate, age, sippCode }: SimulatedBooking,
  inventories: HandlerOptions['inventories'],
): SimulatedCarOffer | undefined {
  const inventory = inventories[brand];
  const pickup = inventory?.locationByCode(pickupCode);
  const dropoff = inventory?.locationByCode(dropoffCode);
  if (!inventory || !pickup || !dropoff) return undefined;
  return inventory
    .carsFor({ pickup, dropoff, pickupDate, dropoffDate, age })
    .find(({ car }) => car.sippCode === sippCode);
}

/** A booking as VehReservation. */
export function writeReservation(booking: SimulatedBooking, options: HandlerOptions): string {
  return reservationElement(booking, bookedCar(booking, options), options.dialect.totalFrom);
}

/** The Warnings beside a booking, about extras that aren't confirmed yet. */
export function writeWarnings(booking: SimulatedBooking, { ledger }: HandlerOptions): string {
  return requestWarnings(ledger.openExtras(booking).map(({ code }) => code));
}

/** A booking as VehResSummary. */
export function writeSummary(booking: SimulatedBooking, options: HandlerOptions): string {
  return summaryElement(booking, bookedCar(booking, options));
}

function bookedCar(booking: SimulatedBooking, { inventories, dialect }: HandlerOptions): BookedCar {
  const inventory = inventories[booking.brand];
  const offer = carOf(booking, inventories);
  const pickup = inventory?.locationByCode(booking.pickupCode);
  const dropoff = inventory?.locationByCode(booking.dropoffCode);
  return {
    days: offer?.price.days ?? 1,
    extras: (pickup && inventory?.extras(pickup)) ?? [],
    coverages: (pickup && offer && inventory?.coverages(pickup, offer.car)) ?? [],
    pickupCode: pickup ? spelledCode(pickup, dialect.locationTemplate) : booking.pickupCode,
    dropoffCode: dropoff ? spelledCode(dropoff, dialect.locationTemplate) : booking.dropoffCode,
  };
}
