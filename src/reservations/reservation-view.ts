import type { Driver } from '../model/bookings.js';
import { moneyView } from '../representations/money-view.js';
import type { WireView } from '../representations/wire-view.js';
import { paidOtherwise } from './paid-before.js';
import type { Personal, Reservation } from './reservation.js';
import type { reservationWire } from './reservation.wire.js';

/** A reservation on the wire. */
type ReservationView = WireView<typeof reservationWire>;

/** Maps a reservation to the wire (docs/model.md#reservation). Card data is not stored, so it cannot be shown. */
export function reservationView(reservation: Reservation): ReservationView {
  const { rental, personal, payment, priceDrift, cancellation, history } = reservation;
  // These members describe the offer or the booking, not the rental.
  const {
    status,
    extras,
    coverages,
    dedupe_group,
    supplier,
    brand,
    booked_differently: differences,
    changed_later: _later,
    lists_local: _local,
    ...described
  } = reservation.view;
  return {
    reservation_id: reservation.id,
    confirmation_number: reservation.confirmationNumber,
    client_reference: reservation.clientReference,
    state: reservation.state,
    state_reason: stateReason(history),
    supplier: reservation.supplier,
    brand: rental.brand,
    ...described,
    included_coverages: coverages.filter(({ included }) => included).map(({ code, name }) => ({ code, name })),
    ...personalView(personal),
    driver_age: rental.age,
    pickup_later: rental.pickupLater,
    payment: { type: payment.type, last_four: payment.lastFour, paid: moneyView(paidOtherwise(reservation)) },
    price_drift: priceDrift && {
      accepted: moneyView(priceDrift.accepted),
      actual: moneyView(priceDrift.actual),
    },
    booked_differently: differences && {
      sipp_code: differences.sipp_code,
      pickup_code: differences.pickup_code,
      dropoff_code: differences.dropoff_code,
      pickup_date: differences.pickup_date,
      dropoff_date: differences.dropoff_date,
      missing_extras: differences.missing_extras,
      unconfirmed_extras: differences.unconfirmed_extras,
      other_extras: differences.other_extras?.map(({ extra_id, name, quantity }) => ({ extra_id, name, quantity })),
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

/** Why the reservation is in its state: the reason of the last row that changed it. */
function stateReason(history: Reservation['history']): string {
  const entered = history.findLast((row) => row.from !== row.to) ?? history[0];
  if (!entered) throw new Error('a reservation must have a history');
  return entered.reason;
}

type PersonalView = Pick<ReservationView, 'driver' | 'additional_drivers' | 'arrival' | 'remark'>;

function personalView(personal: Personal | undefined): PersonalView {
  if (!personal) return { driver: null, additional_drivers: undefined, arrival: undefined, remark: undefined };
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
}: Driver): PersonalView['driver'] {
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
    loyalty: loyalty.map(({ program, number }) => ({ program, number })),
  };
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
