import { isSameCode } from '../model/bookings.js';
import { markName, markOf } from '../representations/supplier-mark.js';
import type { WireView } from '../representations/wire-view.js';
import { ApiError } from '../status/api-error.js';
import type { Supplier } from '../suppliers/registry.js';
import type { Reservation } from './reservation.js';
import { reservationView } from './reservation-view.js';
import type { State } from './states.js';
import type { voucherWire } from './voucher.wire.js';

/** A voucher on the wire. */
export type VoucherView = WireView<typeof voucherWire>;

/** What to do in the states that may still become `confirmed`. */
const LATER: readonly State[] = [
  'pending',
  'unknown',
  'manual_review',
  'on_request',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
];

/**
 * The voucher of a confirmed reservation. `supplier`: undefined if it isn't configured any more. Throws ApiError 404 in
 * every other state: a renter must not reach a counter with a voucher for a car that isn't booked.
 */
export function voucherView(reservation: Reservation, supplier: Supplier | undefined): VoucherView {
  if (reservation.state !== 'confirmed') throw noVoucher(reservation.state);
  const shown = reservationView(reservation);
  const drift = shown.price_drift?.actual;
  // What the rate asks for isn't what the renter pays.
  const isOpen = drift !== undefined || isForVoucher(shown);
  const name = supplier?.name ?? shown.brand;
  return {
    reservation_id: shown.reservation_id,
    client_reference: shown.client_reference,
    brand: shown.brand,
    vehicle: shown.vehicle,
    pickup: shown.pickup,
    dropoff: shown.dropoff,
    rental_days: shown.rental_days,
    fuel_policy: shown.fuel_policy,
    included_coverages: shown.included_coverages,
    selected_extras: shown.selected_extras,
    selected_coverages: shown.selected_coverages,
    booked_differently: shown.booked_differently,
    deposit: shown.deposit,
    requirements: shown.requirements,
    cancellation: shown.cancellation,
    terms: shown.terms,
    arrival: shown.arrival,
    payment: shown.payment,
    confirmation_number: shown.confirmation_number,
    supplier: {
      supplier: shown.supplier,
      name,
      support_phone: supplier?.config.content.supportPhone,
      logo_url: `/images/suppliers/${markName(markOf({ id: shown.supplier, name }))}.svg`,
    },
    driver: shown.driver && { first_name: shown.driver.first_name, last_name: shown.driver.last_name },
    additional_drivers: shown.additional_drivers,
    total: drift ?? shown.price.total,
    due_now: isOpen ? undefined : shown.price.due_now,
    due_at_counter: isOpen ? undefined : shown.price.due_at_counter,
    local_charges: localCharges(shown),
    version: shown.version,
  };
}

/**
 * Whether what the rate asks for at the counter is paid with the caller's voucher. How much of it, only the caller and the supplier
 * know: ABG gets a voucher for the complete total.
 */
function isForVoucher({ payment, price }: ReturnType<typeof reservationView>): boolean {
  return payment.type === 'voucher' && Number(price.due_at_counter.amount) > 0;
}

/** The charges besides the total that the renter can't avoid: mandatory ones, and those of what was chosen. Undefined if there are none. */
function localCharges(shown: ReturnType<typeof reservationView>): VoucherView['local_charges'] {
  const chosen = [
    ...shown.selected_extras.map(({ extra_id: id }) => id),
    ...shown.selected_coverages.map(({ code }) => code),
  ];
  const charges = shown.price.items.filter(
    ({ included_in_total: isIncluded, mandatory, code }) =>
      !isIncluded && (mandatory || chosen.some((one) => isSameCode(one, code))),
  );
  return charges.length === 0 ? undefined : charges;
}

function noVoucher(state: State): ApiError {
  const next = LATER.includes(state) ? 'Read the reservation until it is "confirmed".' : 'Create a new reservation.';
  return ApiError.of(
    'resource_failure',
    `The reservation is "${state}": only a confirmed one has a voucher.${state === 'completed' ? '' : ` ${next}`}`,
  );
}
