import type { Arrival, Driver, Payment } from '../model/bookings.js';
import { ApiError, type Problem } from '../status/api-error.js';
import type { Personal, StoredPayment } from './reservation.js';
import type { CreateBody, PutBody } from './reservations.schema.js';

/** A create body in terms of the model. Only `payment` contains the card. */
export interface NormalizedBooking {
  readonly personal: Personal;
  readonly payment: Payment;
  readonly storedPayment: StoredPayment;
  readonly pickupLater: boolean;
  readonly notifyCustomer: boolean;
  readonly clientReference: string | undefined;
}

/**
 * Maps a create body to the model after the checks that a schema cannot express. `now` is in epoch milliseconds. Throws
 * ApiError 400 with one problem per invalid field.
 */
export function normalizeBooking(body: CreateBody, now: number): NormalizedBooking {
  const problems: Problem[] = [];
  const payment = paymentOf(body.payment, now, problems);
  if (body.pickup_later && !body.arrival) problems.push(laterWithoutArrival());
  const [first, ...rest] = problems;
  if (first) throw new ApiError([first, ...rest]);
  return {
    personal: {
      driver: driverOf(body.driver),
      additionalDrivers: (body.additional_drivers ?? []).map(({ first_name, last_name }) => ({
        firstName: first_name,
        lastName: last_name,
      })),
      ...(body.arrival ? { arrival: arrivalOf(body.arrival) } : {}),
      ...(body.remark === undefined ? {} : { remark: body.remark }),
      ...(payment.type === 'voucher' ? { voucher: payment.voucher } : {}),
    },
    payment,
    storedPayment:
      payment.type === 'card' ? { type: 'card', lastFour: payment.card.number.slice(-4) } : { type: payment.type },
    pickupLater: body.pickup_later ?? false,
    notifyCustomer: body.notify_customer ?? false,
    clientReference: body.client_reference,
  };
}

/** The problem of `pickup_later` without arrival (ruling 25). */
export function laterWithoutArrival(): Problem {
  return {
    reason: 'invalid_request',
    field: 'arrival',
    details: '"arrival" is required with "pickup_later": the supplier needs the arrival time.',
  };
}

/** Maps the arrival of a body to the model. */
export function arrivalOf({ carrier_code, flight_number, arrives_at }: NonNullable<PutBody['arrival']>): Arrival {
  return {
    carrierCode: carrier_code,
    flightNumber: flight_number,
    ...(arrives_at === undefined ? {} : { arrivesAt: arrives_at }),
  };
}

type AddressBody = NonNullable<CreateBody['driver']['address']>;

/** Maps the address of a body to the model. */
export function addressOf({
  lines,
  city,
  region,
  postal_code,
  country_code,
}: AddressBody): NonNullable<Driver['address']> {
  return {
    lines,
    city,
    countryCode: country_code,
    ...(region === undefined ? {} : { region }),
    ...(postal_code === undefined ? {} : { postalCode: postal_code }),
  };
}

function driverOf({
  first_name,
  last_name,
  email,
  phone,
  date_of_birth,
  licence,
  address,
  loyalty,
}: CreateBody['driver']): Driver {
  return {
    firstName: first_name,
    lastName: last_name,
    email,
    ...(phone === undefined ? {} : { phone }),
    ...(date_of_birth === undefined ? {} : { dateOfBirth: date_of_birth }),
    ...(licence
      ? {
          licence: {
            number: licence.number,
            ...(licence.country_code === undefined ? {} : { countryCode: licence.country_code }),
            ...(licence.region === undefined ? {} : { region: licence.region }),
          },
        }
      : {}),
    ...(address ? { address: addressOf(address) } : {}),
    loyalty: (loyalty ?? []).map(({ program, number }) => (program === undefined ? { number } : { program, number })),
  };
}

function paymentOf(payment: CreateBody['payment'], now: number, problems: Problem[]): Payment {
  if (payment?.type === 'voucher') return { type: 'voucher', voucher: payment.voucher ?? '' };
  if (payment?.type !== 'card') return { type: 'counter' };
  const [month = '', year = ''] = (payment.card_expiry ?? '').split('/');
  const expiryMonth = Number(month);
  const expiryYear = Number(year) < 100 ? 2_000 + Number(year) : Number(year);
  // A card is valid until the end of its month in every time zone.
  if (Date.UTC(expiryYear, expiryMonth, 1, 12) <= now) {
    problems.push({
      reason: 'invalid_range',
      field: 'payment.card_expiry',
      details: '"payment.card_expiry" is in the past. Use another card.',
    });
  }
  const card = { number: payment.credit_card_number ?? '', expiryMonth, expiryYear, holder: payment.card_holder ?? '' };
  return { type: 'card', card };
}
