import { isDeepStrictEqual } from 'node:util';
import type { ChangeKind, ChosenExtra } from '../model/bookings.js';
import type { PlaceRef } from '../model/locations.js';
import type { PricedKey } from '../offers/priced-key.js';
import { choicesBesides } from '../representations/choices-besides.js';
import { ApiError } from '../status/api-error.js';
import { addressOf, arrivalOf, laterWithoutArrival } from './normalize-booking.js';
import type { Personal, Reservation } from './reservation.js';
import type { PatchBody, PutBody } from './reservations.schema.js';

/** The requested new values of a reservation. */
export interface ChangeRequest {
  readonly personal: Personal;
  /** The driver's age at the booked pickup; a date of birth takes precedence. */
  readonly age: number;
  /** Undefined = as in the offer or quote of a PUT. */
  readonly extras: readonly ChosenExtra[] | undefined;
  readonly coverages: readonly string[] | undefined;
  readonly pickupLater: boolean;
}

/**
 * Applies a PATCH: absent fields stay, null removes. Throws ApiError 400 for an empty body and for pickup_later without
 * arrival.
 */
export function changeOfPatch(reservation: Reservation, body: PatchBody): ChangeRequest {
  const { accepted_total: _total, price_tolerance: _tolerance, ...wanted } = body;
  if (Object.values(wanted).every((value) => value === undefined)) {
    throw ApiError.of(
      'invalid_request',
      'The body contains no changes. Send at least one of driver, arrival, remark, extras, coverages and pickup_later.',
    );
  }
  const { rental } = reservation;
  const personal = personalOf(reservation);
  const { email, phone, address } = body.driver ?? {};
  const driver = {
    ...personal.driver,
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined || phone === null ? {} : { phone }),
    ...(address === undefined || address === null ? {} : { address: addressOf(address) }),
  };
  if (phone === null) delete driver.phone;
  if (address === null) delete driver.address;
  return changeRequest(
    {
      ...personal,
      driver,
      ...(body.arrival ? { arrival: arrivalOf(body.arrival) } : {}),
      ...(body.remark ? { remark: body.remark } : {}),
    },
    { arrival: body.arrival === null, remark: body.remark === null },
    rental.age,
    body.extras === undefined ? rental.extras : chosen(body.extras),
    body.coverages ?? rental.coverages,
    body.pickup_later ?? rental.pickupLater,
  );
}

/** Applies a PUT: replaces the rental and its choices; driver, arrival and remark stay unless given. */
export function changeOfPut(reservation: Reservation, body: PutBody): ChangeRequest {
  return changeRequest(
    {
      ...personalOf(reservation),
      ...(body.arrival ? { arrival: arrivalOf(body.arrival) } : {}),
      ...(body.remark === undefined ? {} : { remark: body.remark }),
    },
    { arrival: false, remark: false },
    reservation.rental.age,
    body.extras && chosen(body.extras),
    body.coverages,
    body.pickup_later ?? reservation.rental.pickupLater,
  );
}

/** The kinds of change between a reservation and a request, as adapters declare them. */
export function kindsOf({ rental, personal }: Reservation, request: ChangeRequest): ChangeKind[] {
  const requestedExtras = request.extras && sorted(request.extras.map(({ code, quantity }) => `${code} ${quantity}`));
  const differs: readonly (readonly [ChangeKind, unknown, unknown])[] = [
    ['contact', personal?.driver, request.personal.driver],
    ['arrival', [personal?.arrival, rental.pickupLater], [request.personal.arrival, request.pickupLater]],
    ['remark', personal?.remark, request.personal.remark],
    ['extras', sorted(rental.extras.map(({ code, quantity }) => `${code} ${quantity}`)), requestedExtras],
    ['coverages', sorted(rental.coverages), request.coverages && sorted(request.coverages)],
  ];
  return differs.filter(([, before, after]) => !isDeepStrictEqual(before, after)).map(([kind]) => kind);
}

/** Whether such changes need a new price. */
export function changesPrice(kinds: readonly ChangeKind[]): boolean {
  return kinds.includes('extras') || kinds.includes('coverages') || kinds.includes('rental');
}

/** Presents a reservation as an offer just found, to price it with other extras at its own locations. */
export function pricedAgain(reservation: Reservation): PricedKey {
  const { applicationId, supplier, rental, view } = reservation;
  const items = view.price.items.map(({ included_in_total: includedInTotal, ...item }) => ({
    ...item,
    includedInTotal,
  }));
  const chosen = [
    ...view.selected_extras.map(({ extra_id: code, name }) => ({ code, name })),
    ...view.selected_coverages,
  ];
  const { brand, ref, pickup, dropoff, pickupDate, dropoffDate, countryCode, age, total, extras, coverages } = rental;
  return {
    kind: 'offer',
    application: applicationId,
    supplier,
    brand,
    search: [codeOf(pickup), codeOf(dropoff), pickupDate, dropoffDate, countryCode, age],
    ref,
    total,
    expiresAt: Number.MAX_SAFE_INTEGER,
    extras,
    coverages,
    besides: choicesBesides(items, chosen),
    ...displayKept(reservation),
  };
}

/** The display price's currency and rate, which a reservation keeps through its changes. Empty without a display price. */
export function displayKept({ rental, view }: Pick<Reservation, 'rental' | 'view'>): Pick<PricedKey, 'display'> {
  const { display } = view.price;
  if (!display) return {};
  const { currency, rate, as_of: asOf, source, stale } = display;
  if (rate === undefined || asOf === undefined) return { display: { currency } };
  const locked = { from: rental.total.currency, to: currency, rate, asOf, source };
  return { display: { currency, locked: stale ? { ...locked, stale } : locked } };
}

/** The order of choices does not matter. */
function sorted(texts: readonly string[]): string[] {
  return [...texts].sort();
}

function codeOf({ iataCode, supplierCode }: PlaceRef): string {
  return iataCode ?? supplierCode ?? '';
}

function changeRequest(
  personal: Personal,
  gone: { readonly arrival: boolean; readonly remark: boolean },
  age: number,
  extras: readonly ChosenExtra[] | undefined,
  coverages: readonly string[] | undefined,
  pickupLater: boolean,
): ChangeRequest {
  const { arrival, remark, ...rest } = personal;
  const kept: Personal = {
    ...rest,
    ...(arrival === undefined || gone.arrival ? {} : { arrival }),
    ...(remark === undefined || gone.remark ? {} : { remark }),
  };
  if (pickupLater && !kept.arrival) throw new ApiError([laterWithoutArrival()]);
  return { personal: kept, age, extras, coverages, pickupLater };
}

function personalOf({ personal }: Reservation): Personal {
  if (personal) return personal;
  throw ApiError.of('invalid_request', 'The personal data of this reservation was erased, so it cannot be changed.', {
    cause: 'not_changeable',
  });
}

function chosen(extras: readonly { extra_id: string; quantity: number }[]): ChosenExtra[] {
  return extras.map(({ extra_id, quantity }) => ({ code: extra_id, quantity }));
}
