import { type ChangeKind, isSameCode, type SupplierBooking } from '../model/bookings.js';
import type { LocalDateTime, PlaceRef } from '../model/locations.js';
import { isOtherDate, isRequested } from '../suppliers/answers/requested.js';
import type { BookedDifferences, BookedView, Rental, Reservation } from './reservation.js';

/** The supplier's code of a place may be any text. */
const MOST_CODE = 12;
/** A place that a supplier describes by its position only. */
const UNNAMED = 'unknown';

type Name = keyof BookedDifferences;
type Booked = Omit<SupplierBooking, 'status' | 'ref'>;
type Known = Pick<Reservation, 'rental' | 'view'>;

/**
 * What a supplier's booking has otherwise than the caller accepted (docs/decisions/0097): another SIPP code, clearly
 * another place or time, or fewer extras. What the supplier doesn't state clearly stays as it was. Undefined = no difference is known.
 */
export function bookedDifferences({ rental, view }: Known, booking: Booked): BookedDifferences | undefined {
  const { missing_extras: missing, ...before } = view.booked_differently ?? {};
  const left = missing?.filter((code) => rental.extras.some((chosen) => chosen.code === code));
  const known: BookedDifferences = { ...before, ...(left?.length ? { missing_extras: left } : {}) };
  const stated = comparedWith({ rental, view }, booking);
  const differences: BookedDifferences = Object.fromEntries(
    NAMES.map((name) => [name, stated[name] === undefined ? known[name] : stated[name]] as const).filter(
      ([, value]) => value != null,
    ),
  );
  return Object.keys(differences).length === 0 ? undefined : differences;
}

/** What the supplier's answers have stated clearly about a reservation, with this one. */
export function statedBy({ rental, view }: Known, booking: Booked): readonly Name[] {
  const stated = comparedWith({ rental, view }, booking);
  return NAMES.filter((name) => stated[name] !== undefined || rental.stated?.includes(name));
}

/** What an answer states: null = as accepted, undefined = it doesn't say, or not clearly. */
function comparedWith(
  { rental, view }: Known,
  { sippCode, pickup, dropoff, pickupDate, dropoffDate, extras }: Booked,
): { readonly [name in Name]: BookedDifferences[name] | null } {
  const places = { pickup: placeOf(rental.pickup, view.pickup), dropoff: placeOf(rental.dropoff, view.dropoff) };
  const isReturn =
    isSameCode(dropoff?.code, places.pickup.supplierCode) && !isSameCode(dropoff?.code, places.dropoff.supplierCode);
  const isOtherDropoff = isReturn && !isSameCode(places.dropoff.iataCode, places.pickup.iataCode);
  const missing = rental.extras
    .filter(({ code }) => !extras?.some((booked) => isSameCode(booked.code, code)))
    .map(({ code }) => code);
  return {
    sipp_code: sippCode === undefined ? undefined : differing(sippCode, view.vehicle.sipp_code ?? sippCode),
    pickup_code: otherPlace(pickup && isRequested(places.pickup, pickup), pickup),
    dropoff_code: otherPlace(isOtherDropoff ? false : dropoff && isRequested(places.dropoff, dropoff), dropoff),
    pickup_date: otherDate(rental.pickupDate, pickupDate),
    dropoff_date: otherDate(rental.dropoffDate, dropoffDate),
    missing_extras: extras && (missing.length > 0 ? missing : null),
  };
}

/** The dates of a booking as they are known: the supplier's staff may have changed them since it was confirmed. */
export function knownDates({ rental, view }: Known): Pick<Rental, 'pickupDate' | 'dropoffDate'> {
  const { pickup_date: pickupDate, dropoff_date: dropoffDate } = view.booked_differently ?? {};
  return { pickupDate: pickupDate ?? rental.pickupDate, dropoffDate: dropoffDate ?? rental.dropoffDate };
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
 * The view of a reservation with what a look-up shows: `changed_later` has what an earlier answer stated as accepted, and all other
 * times. What is stated for the first time, or was otherwise before, may be the supplier's way to write it.
 */
export function laterView({ rental, view }: Known, booking: SupplierBooking): BookedView {
  const differences = bookedDifferences({ rental, view }, booking);
  const { booked_differently: before = {}, changed_later: known = [] } = view;
  const isNew = (name: Name): boolean =>
    name === 'missing_extras'
      ? differences?.missing_extras?.some((code) => !before.missing_extras?.includes(code)) === true
      : before[name] === undefined;
  const later = namesOf(differences).filter(
    (name) => TIMES.includes(name) || known.includes(name) || (rental.stated?.includes(name) && isNew(name)),
  );
  return differingView(view, differences, later);
}

/** What a change of these kinds would undo of what was changed at the supplier. A change of extras states them itself. */
export function undoneBy(kinds: readonly ChangeKind[], { changed_later: later = [] }: BookedView): readonly Name[] {
  return kinds.includes('extras') ? later.filter((name) => name !== 'missing_extras') : later;
}

/** A booking for other times is never confirmed (ruling 30), so they were changed later. */
const TIMES: readonly Name[] = ['pickup_date', 'dropoff_date'];

const WORDS: Readonly<Record<Name, string>> = {
  sipp_code: 'another vehicle class',
  pickup_code: 'another pickup location',
  dropoff_code: 'another dropoff location',
  pickup_date: 'another pickup time',
  dropoff_date: 'another dropoff time',
  missing_extras: 'fewer extras',
};

const NAMES = Object.keys(WORDS) as Name[];

/** The reason of a move to a booking, with what it has otherwise than accepted. */
export function reasonBooked(reason: string, view: BookedView | undefined): string {
  const names = namesOf(view?.booked_differently);
  return names.length === 0 ? reason : `${reason}, but with ${names.map((name) => WORDS[name]).join(', ')}`;
}

function namesOf(differences: BookedDifferences | undefined): Name[] {
  return Object.keys(differences ?? {}) as Name[];
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

function differing(booked: string, accepted: string): string | null {
  return isSameCode(booked, accepted) ? null : booked.toUpperCase();
}

function otherDate(accepted: LocalDateTime, stated: LocalDateTime | undefined): string | null | undefined {
  if (stated === undefined) return undefined;
  return isOtherDate(accepted, stated) ? stated : null;
}

/** The code of a place that isn't as accepted; undefined if that isn't clear. */
function otherPlace(isAccepted: boolean | undefined, stated: SupplierBooking['pickup']): string | null | undefined {
  if (isAccepted === undefined) return undefined;
  return isAccepted ? null : (stated?.iataCode || stated?.code || UNNAMED).slice(0, MOST_CODE);
}
