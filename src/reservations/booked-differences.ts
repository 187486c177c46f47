import { isDeepStrictEqual } from 'node:util';
import { type ChangeKind, isSameCode, type SupplierBooking } from '../model/bookings.js';
import type { LocalDateTime, PlaceRef } from '../model/locations.js';
import { isOtherDate, isRequested } from '../suppliers/answers/requested.js';
import type { BookedDifferences, BookedView, Reservation } from './reservation.js';

/** The supplier's code of a place may be any text. */
const MOST_CODE = 12;
/** A place that a supplier describes by its position only. */
const UNNAMED = 'unknown';

/**
 * What a supplier's booking has otherwise than the caller accepted (docs/decisions/0097): another SIPP code, clearly
 * another place or time, or fewer extras. What the supplier doesn't state clearly stays as it was. Undefined = no difference is known.
 */
export function bookedDifferences(
  { rental, view }: Pick<Reservation, 'rental' | 'view'>,
  { sippCode, pickup, dropoff, pickupDate, dropoffDate, extras }: Omit<SupplierBooking, 'status' | 'ref'>,
): BookedDifferences | undefined {
  const { booked_differently: before, vehicle } = view;
  const places = { pickup: placeOf(rental.pickup, view.pickup), dropoff: placeOf(rental.dropoff, view.dropoff) };
  const isReturn =
    isSameCode(dropoff?.code, places.pickup.supplierCode) && !isSameCode(dropoff?.code, places.dropoff.supplierCode);
  const isOtherDropoff = isReturn && !isSameCode(places.dropoff.iataCode, places.pickup.iataCode);
  const missing = extras
    ? rental.extras
        .filter(({ code }) => !extras.some((booked) => isSameCode(booked.code, code)))
        .map(({ code }) => code)
    : before?.missing_extras?.filter((code) => rental.extras.some((chosen) => chosen.code === code));
  const found = {
    sipp_code: sippCode === undefined ? before?.sipp_code : differing(sippCode, vehicle.sipp_code ?? sippCode),
    pickup_code: otherPlace(pickup && isRequested(places.pickup, pickup), pickup, before?.pickup_code),
    dropoff_code: otherPlace(
      isOtherDropoff ? false : dropoff && isRequested(places.dropoff, dropoff),
      dropoff,
      before?.dropoff_code,
    ),
    pickup_date: otherDate(rental.pickupDate, pickupDate, before?.pickup_date),
    dropoff_date: otherDate(rental.dropoffDate, dropoffDate, before?.dropoff_date),
    missing_extras: missing?.length ? missing : undefined,
  };
  const differences: BookedDifferences = Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  );
  return Object.keys(differences).length === 0 ? undefined : differences;
}

/** A view with these differences instead of those known before. */
export function differingView(
  { booked_differently: _before, changed_later: later = [], ...shown }: BookedView,
  differences: BookedDifferences | undefined,
  laterNow: BookedView['changed_later'] = later,
): BookedView {
  if (!differences) return shown;
  const left = laterNow.filter((name) => differences[name] !== undefined);
  return { ...shown, booked_differently: differences, ...(left.length > 0 ? { changed_later: left } : {}) };
}

/**
 * The view of a reservation with what a look-up shows: `changed_later` has what differs from the supplier's earlier answers, and all
 * other times. A change of extras (`kinds`) sets them itself, so they aren't among it.
 */
export function laterView(
  { rental, view }: Pick<Reservation, 'rental' | 'view'>,
  booking: SupplierBooking,
  kinds: readonly ChangeKind[],
): BookedView {
  const differences = bookedDifferences({ rental, view }, booking);
  const { booked_differently: before = {}, changed_later: known = [] } = view;
  const later = namesOf(differences).filter(
    (name) =>
      !(name === 'missing_extras' && kinds.includes('extras')) &&
      (TIMES.includes(name) || known.includes(name) || !isDeepStrictEqual(differences?.[name], before[name])),
  );
  return differingView(view, differences, later);
}

/** A booking for other times is never confirmed (ruling 30), so they were changed later. */
const TIMES: readonly (keyof BookedDifferences)[] = ['pickup_date', 'dropoff_date'];

const WORDS: Readonly<Record<keyof BookedDifferences, string>> = {
  sipp_code: 'another vehicle class',
  pickup_code: 'another pickup location',
  dropoff_code: 'another dropoff location',
  pickup_date: 'another pickup time',
  dropoff_date: 'another dropoff time',
  missing_extras: 'fewer extras',
};

/** The reason of a move to a booking, with what it has otherwise than accepted. */
export function reasonBooked(reason: string, view: BookedView | undefined): string {
  const names = namesOf(view?.booked_differently);
  return names.length === 0 ? reason : `${reason}, but with ${names.map((name) => WORDS[name]).join(', ')}`;
}

function namesOf(differences: BookedDifferences | undefined): (keyof BookedDifferences)[] {
  return Object.keys(differences ?? {}) as (keyof BookedDifferences)[];
}

/** Everything known about the place that was accepted: as requested, and as the offer described it. */
function placeOf(requested: PlaceRef, { location }: BookedView['pickup']): PlaceRef {
  const iataCode = requested.iataCode ?? location.iata_code;
  const latitude = requested.latitude ?? location.latitude;
  const longitude = requested.longitude ?? location.longitude;
  return {
    supplierCode: location.code,
    countryCode: requested.countryCode,
    ...(iataCode === undefined ? {} : { iataCode }),
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
  };
}

function differing(booked: string, accepted: string): string | undefined {
  return isSameCode(booked, accepted) ? undefined : booked.toUpperCase();
}

function otherDate(
  accepted: LocalDateTime,
  stated: LocalDateTime | undefined,
  before: string | undefined,
): string | undefined {
  if (stated === undefined) return before;
  return isOtherDate(accepted, stated) ? stated : undefined;
}

/** The code of a place that isn't as accepted. What isn't clear leaves what was known before. */
function otherPlace(
  isAccepted: boolean | undefined,
  stated: SupplierBooking['pickup'],
  before: string | undefined,
): string | undefined {
  if (isAccepted === undefined) return before;
  return isAccepted ? undefined : (stated?.iataCode || stated?.code || UNNAMED).slice(0, MOST_CODE);
}
