import type { Driver } from '../model/bookings.js';
import { moneyView } from '../representations/money-view.js';
import type { Personal, Reservation } from './reservation.js';

/** Members of the stored view that describe the offer's sale, not the reservation. */
const NOT_SHOWN = ['status', 'extras', 'coverages', 'dedupe_group', 'supplier', 'brand'];

interface Listed {
  readonly code: string;
  readonly name: string;
  readonly included?: boolean;
}

/** A reservation on the wire (docs/model.md#reservation): what was booked, what became of it, whose it is. Card data are not there to be shown. */
export function reservationView(reservation: Reservation): Record<string, unknown> {
  const { rental, view, personal, payment, priceDrift, cancellation, history } = reservation;
  const described = Object.fromEntries(Object.entries(view).filter(([name]) => !NOT_SHOWN.includes(name)));
  return {
    reservation_id: reservation.id,
    confirmation_number: reservation.confirmationNumber,
    client_reference: reservation.clientReference,
    state: reservation.state,
    state_reason: history.findLast((row) => row.from !== row.to)?.reason,
    supplier: reservation.supplier,
    brand: rental.brand,
    ...described,
    included_coverages: rows(view.coverages)
      .filter((coverage) => coverage.included)
      .map(({ code, name }) => ({ code, name })),
    ...personalView(personal),
    driver_age: rental.age,
    pickup_later: rental.pickupLater,
    payment: { type: payment.type, last_four: payment.lastFour },
    price_drift: priceDrift && {
      accepted: moneyView(priceDrift.accepted),
      actual: moneyView(priceDrift.actual),
    },
    cancellation_result: cancellation && {
      fee: moneyView(cancellation.fee),
      refund: moneyView(cancellation.refund),
      cancellation_number: cancellation.cancellationNumber,
      at: instant(cancellation.at),
    },
    history: history.map(({ from, to, at, actor, reason }) => ({
      from: from ?? null,
      to,
      at: instant(at),
      actor,
      reason,
    })),
    created_at: instant(reservation.createdAt),
    updated_at: instant(reservation.updatedAt),
    version: reservation.version,
  };
}

function personalView(personal: Personal | undefined): Record<string, unknown> {
  if (!personal) return { driver: null };
  const { driver, additionalDrivers, arrival, remark } = personal;
  return {
    driver: driverView(driver),
    additional_drivers: additionalDrivers.map(({ firstName, lastName }) => ({
      first_name: firstName,
      last_name: lastName,
    })),
    arrival: arrival && {
      carrier_code: arrival.carrierCode,
      flight_number: arrival.flightNumber,
      arrives_at: arrival.arrivesAt,
    },
    remark,
  };
}

function driverView({
  firstName,
  lastName,
  email,
  phone,
  dateOfBirth,
  licence,
  address,
  loyalty,
}: Driver): Record<string, unknown> {
  return {
    first_name: firstName,
    last_name: lastName,
    email,
    phone,
    date_of_birth: dateOfBirth,
    licence: licence && { number: licence.number, country_code: licence.countryCode, region: licence.region },
    address: address && {
      lines: address.lines,
      city: address.city,
      region: address.region,
      postal_code: address.postalCode,
      country_code: address.countryCode,
    },
    loyalty,
  };
}

function rows(list: unknown): readonly Listed[] {
  return Array.isArray(list) ? (list as Listed[]) : [];
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
