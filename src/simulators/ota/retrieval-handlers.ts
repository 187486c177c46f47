import type { SimulatedBooking } from '../bookings.js';
import { OTA_ERRORS, type OtaError, successContent } from './answers.js';
import {
  bookingNamed,
  type HandlerOptions,
  nameOf,
  uniqueId,
  writeReservation,
  writeSummary,
  writeWarnings,
} from './booking-register.js';
import { wallClock } from './local-time.js';
import { codeOfElement, locationBySpelling } from './location-writer.js';
import { attribute, child, type XmlNode } from './wire.js';
import { wrap } from './wire-writer.js';

/** OTA_VehRetResRQ: by number, or by the renter's name and the pickup. Answers several matches with summaries. */
export function retrieve(root: XmlNode, options: HandlerOptions): string | OtaError {
  const core = child(root, 'VehRetResRQCore');
  const { firstName, lastName } = nameOf(core);
  if (uniqueId(core, '14') !== undefined) return retrieveByNumber(core, lastName, options);
  const found = bookingsOfRenter(child(root, 'VehRetResRQInfo'), lastName, options);
  if ('code' in found) return found;
  const bookings = found.filter(
    (booking) => firstName === undefined || booking.firstName.toLowerCase() === firstName.toLowerCase(),
  );
  const [first] = bookings;
  if (!first) return options.dialect.emptyAs === 'error' ? OTA_ERRORS.noBookings : successContent('');
  if (bookings.length === 1) return answer(writeReservation(first, options), writeWarnings(first, options));
  return answer(wrap('VehResSummaries', bookings.map((booking) => writeSummary(booking, options)).join('')));
}

function retrieveByNumber(
  core: XmlNode | undefined,
  lastName: string | undefined,
  options: HandlerOptions,
): string | OtaError {
  const booking = bookingNamed(core, options.ledger);
  if ('code' in booking) return booking;
  const isOther = lastName !== undefined && booking.lastName.toLowerCase() !== lastName.toLowerCase();
  return isOther ? OTA_ERRORS.otherName : answer(writeReservation(booking, options), writeWarnings(booking, options));
}

function bookingsOfRenter(
  info: XmlNode | undefined,
  lastName: string | undefined,
  { inventories, dialect, ledger }: HandlerOptions,
): readonly SimulatedBooking[] | OtaError {
  const code = codeOfElement(child(info, 'PickUpLocation'));
  const pickupDate = wallClock(attribute(info, 'PickUpDateTime'));
  const vendor = attribute(child(info, 'Vendor'), 'Code') ?? attribute(child(info, 'Vendor'), 'CompanyShortName');
  if (code === undefined || pickupDate === undefined || lastName === undefined || vendor === undefined)
    return OTA_ERRORS.missingField;
  const inventory = inventories[vendor];
  if (!inventory) return OTA_ERRORS.unknownVendor;
  const location = locationBySpelling(code, inventory, dialect.locationTemplate);
  if (!location) return OTA_ERRORS.unknownPickup;
  return ledger.byRenter(lastName, pickupDate, location.code).filter(({ brand }) => brand === vendor);
}

function answer(content: string, warnings = ''): string {
  return successContent(warnings + wrap('VehRetResRSCore', content));
}
