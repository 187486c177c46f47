import { isSameCode, type SupplierBooking } from '../model/bookings.js';
import type { PlaceRef } from '../model/locations.js';
import { isRequested } from '../suppliers/answers/requested.js';
import type { BookedDifferences, BookedView, Reservation } from './reservation.js';

/** The supplier's code of a place may be any text. */
const MOST_CODE = 12;
/** A place that a supplier describes by its position only. */
const UNNAMED = 'unknown';

/**
 * What a supplier's booking has otherwise than the caller accepted (docs/decisions/0097): another SIPP code, clearly
 * another place, or fewer extras. What the supplier doesn't state clearly stays as it was. Undefined = no difference is known.
 */
export function bookedDifferences(
  { rental, view }: Pick<Reservation, 'rental' | 'view'>,
  { sippCode, pickup, dropoff, extras }: Pick<SupplierBooking, 'sippCode' | 'pickup' | 'dropoff' | 'extras'>,
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
    missing_extras: missing?.length ? missing : undefined,
  };
  const differences: BookedDifferences = Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  );
  return Object.keys(differences).length === 0 ? undefined : differences;
}

const WORDS: Readonly<Record<keyof BookedDifferences, string>> = {
  sipp_code: 'another vehicle class',
  pickup_code: 'another pickup location',
  dropoff_code: 'another dropoff location',
  missing_extras: 'fewer extras',
};

/** The reason of a move to a booking, with what it has otherwise than accepted. */
export function reasonBooked(reason: string, view: BookedView | undefined): string {
  const names = Object.keys(view?.booked_differently ?? {}) as (keyof BookedDifferences)[];
  return names.length === 0 ? reason : `${reason}, but with ${names.map((name) => WORDS[name]).join(', ')}`;
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

/** The code of a place that isn't as accepted. What isn't clear leaves what was known before. */
function otherPlace(
  isAccepted: boolean | undefined,
  stated: SupplierBooking['pickup'],
  before: string | undefined,
): string | undefined {
  if (isAccepted === undefined) return before;
  return isAccepted ? undefined : (stated?.iataCode || stated?.code || UNNAMED).slice(0, MOST_CODE);
}
