import type { SimulatedBooking } from '../bookings.js';
import type { SimulatedCoverage, SimulatedExtra } from '../world.js';
import type { OtaSimulatorDialect } from './answers.js';
import { chosenQuantity, chosenTotal, isChosen } from './option-prices.js';
import { amount, coverageElement, equipElement } from './option-writer.js';
import type { AskedRental } from './rental-reader.js';
import { element, escapeXml, wrap } from './wire-writer.js';

/** Data that the writer needs in addition to the booking. */
export interface BookedCar {
  /** Billable days. */
  readonly days: number;
  readonly extras: readonly SimulatedExtra[];
  readonly coverages: readonly SimulatedCoverage[];
  /** Its locations in the supplier's spelling. */
  readonly pickupCode: string;
  readonly dropoffCode: string;
}

/** OTA's TransactionStatusType. */
const STATUS_WORDS: Readonly<Record<SimulatedBooking['status'], string>> = {
  held: 'OnHold',
  confirmed: 'Reserved',
  on_request: 'Requested',
  cancelled: 'Cancelled',
  rejected: 'RequestDenied',
  released: 'Ignored',
};

/** The status of a booking as OTA's word. */
export function statusWord({ status }: SimulatedBooking): string {
  return STATUS_WORDS[status];
}

/** VehRentalCore with the codes of the request. */
export function rentalCoreElement({ pickupCode, dropoffCode, pickupDate, dropoffDate }: AskedRental): string {
  return element(
    'VehRentalCore',
    { PickUpDateTime: pickupDate, ReturnDateTime: dropoffDate },
    element('PickUpLocation', { LocationCode: pickupCode }) + element('ReturnLocation', { LocationCode: dropoffCode }),
  );
}

/**
 * VehReservation: identity, status, rental, chosen options and the total. Does not repeat the charges of the rate,
 * which the renter knew before booking: RateTotalAmount is the total without options.
 */
export function reservationElement(
  booking: SimulatedBooking,
  car: BookedCar,
  totalFrom: OtaSimulatorDialect['totalFrom'],
): string {
  const { currency, total, sippCode, rateCode, prepaid, brand } = booking;
  const { days, extras, coverages } = car;
  const equipment = extras
    .filter((extra) => chosenQuantity(extra, booking) > 0)
    .map((extra) => equipElement(extra, days, currency, chosenQuantity(extra, booking)));
  const covers = coverages
    .filter((coverage) => isChosen(coverage, booking))
    .map((coverage) => coverageElement(coverage, days, currency, true));
  const core =
    confIds(booking) +
    element('Vendor', { Code: brand }) +
    rentalCoreElement({ ...booking, ...codesOf(car) }) +
    element('Vehicle', { Code: sippCode, CodeContext: 'SIPP' }) +
    // RTC: 19 prepaid, 3 leisure.
    wrap('RentalRate', element('RateQualifier', { RateCategory: prepaid ? 19 : 3, RateQualifier: rateCode })) +
    wrap('PricedEquips', equipment.join('')) +
    element('TotalCharge', {
      RateTotalAmount: amount(total - chosenTotal(booking, extras, coverages, days), currency),
      EstimatedTotalAmount: totalFrom === 'rate_plus_fees' ? undefined : amount(total, currency),
      CurrencyCode: currency,
    });
  return element(
    'VehReservation',
    { ReservationStatus: statusWord(booking) },
    wrap('Customer', wrap('Primary', nameElement(booking))) +
      wrap('VehSegmentCore', core) +
      wrap('VehSegmentInfo', wrap('PricedCoverages', covers.join(''))),
  );
}

/** VehResSummary: identifies a reservation without its details. */
export function summaryElement(booking: SimulatedBooking, car: BookedCar): string {
  const { pickupDate, dropoffDate, sippCode, brand } = booking;
  const { pickupCode, dropoffCode } = codesOf(car);
  return element(
    'VehResSummary',
    { PickUpDateTime: pickupDate, ReturnDateTime: dropoffDate },
    confIds(booking) +
      element('PickUpLocation', { LocationCode: pickupCode }) +
      element('ReturnLocation', { LocationCode: dropoffCode }) +
      nameElement(booking) +
      element('Vehicle', { Code: sippCode, CodeContext: 'SIPP' }) +
      element('Vendor', { Code: brand }),
  );
}

function codesOf({ pickupCode, dropoffCode }: BookedCar): Pick<BookedCar, 'pickupCode' | 'dropoffCode'> {
  return { pickupCode, dropoffCode };
}

/** UIT: 14 is the confirmation number, 16 the reference of the booking request. */
function confIds({ confirmation, reference }: SimulatedBooking): string {
  const own = reference === '' ? '' : element('ConfID', { Type: 16, ID: reference });
  return element('ConfID', { Type: 14, ID: confirmation }) + own;
}

function nameElement({ firstName, lastName }: SimulatedBooking): string {
  return wrap('PersonName', wrap('GivenName', escapeXml(firstName)) + wrap('Surname', escapeXml(lastName)));
}
