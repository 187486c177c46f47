import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import type { Inventory, SimulatedCarOffer } from '../world.js';
import { OTA_ERRORS, type OtaError, type OtaSimulatorDialect } from './answers.js';
import { type BookedCar, reservationElement, summaryElement } from './booking-writer.js';
import { spelledCode } from './location-writer.js';
import { attribute, child, childrenNamed, textOf, type XmlNode } from './wire.js';

/** What the desks of one supplier share. */
export interface HandlerOptions {
  /** The stock of each brand by its vendor code. */
  readonly inventories: Readonly<Record<string, Inventory>>;
  readonly dialect: OtaSimulatorDialect;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/** The renter's first and last name as a message has them in a PersonName; undefined where one is missing. */
export function nameOf(holder: XmlNode | undefined): { readonly firstName?: string; readonly lastName?: string } {
  const person = child(holder, 'PersonName');
  return { firstName: textOf(child(person, 'GivenName')), lastName: textOf(child(person, 'Surname')) };
}

/** A UniqueID of a message by its type (UIT list). */
export function uniqueId(core: XmlNode | undefined, type: '14' | '16'): string | undefined {
  const node = childrenNamed(core, 'UniqueID').find((candidate) => attribute(candidate, 'Type') === type);
  return attribute(node, 'ID');
}

/** The booking that UniqueID type 14 names; an error when none is named, or none of that number is known. */
export function bookingNamed(core: XmlNode | undefined, ledger: BookingLedger): SimulatedBooking | OtaError {
  const number = uniqueId(core, '14');
  if (number === undefined) return OTA_ERRORS.missingField;
  return ledger.byConfirmation(number) ?? OTA_ERRORS.unknownBooking;
}

/** The car of a booking as it is offered today, and where it is picked up; undefined when the stock has it no more. */
export function carOf(
  { brand, pickupCode, dropoffCode, pickupDate, dropoffDate, age, sippCode }: SimulatedBooking,
  inventories: HandlerOptions['inventories'],
): SimulatedCarOffer | undefined {
  const inventory = inventories[brand];
  const pickup = inventory?.counterByCode(pickupCode);
  const dropoff = inventory?.counterByCode(dropoffCode);
  if (!inventory || !pickup || !dropoff) return undefined;
  return inventory
    .carsFor({ pickup, dropoff, pickupDate, dropoffDate, age })
    .find(({ car }) => car.sippCode === sippCode);
}

/** A booking as VehReservation. */
export function writeReservation(booking: SimulatedBooking, options: HandlerOptions): string {
  return reservationElement(booking, bookedCar(booking, options), options.dialect.totalFrom);
}

/** A booking as VehResSummary. */
export function writeSummary(booking: SimulatedBooking, options: HandlerOptions): string {
  return summaryElement(booking, bookedCar(booking, options));
}

function bookedCar(booking: SimulatedBooking, { inventories, dialect }: HandlerOptions): BookedCar {
  const inventory = inventories[booking.brand];
  const offer = carOf(booking, inventories);
  const pickup = inventory?.counterByCode(booking.pickupCode);
  const dropoff = inventory?.counterByCode(booking.dropoffCode);
  return {
    days: offer?.price.days ?? 1,
    extras: (pickup && inventory?.extras(pickup)) ?? [],
    coverages: (pickup && offer && inventory?.coverages(pickup, offer.car)) ?? [],
    pickupCode: pickup ? spelledCode(pickup, dialect.locationTemplate) : booking.pickupCode,
    dropoffCode: dropoff ? spelledCode(dropoff, dialect.locationTemplate) : booking.dropoffCode,
  };
}
