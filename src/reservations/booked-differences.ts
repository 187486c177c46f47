import {
  type BookedExtra,
  type ChangeKind,
  type ChosenExtra,
  isSameCode,
  quantityBooked,
  type SupplierBooking,
} from '../model/bookings.js';
import type { LocalDateTime, PlaceRef } from '../model/locations.js';
import { isOtherDate, isRequested } from '../suppliers/answers/requested.js';
import type { BookedDifferences, BookedView, OtherExtra, Rental, Reservation } from './reservation.js';

/** The supplier's code of a place may be any text. */
const MOST_CODE = 12;
/** A place that a supplier describes by its position only. */
const UNNAMED = 'unknown';
/** What is known of a chosen extra; undefined = it is booked, as far as is known. */
type ExtraState = 'missing' | 'unconfirmed' | undefined;

type Name = keyof BookedDifferences;
/** null = as accepted, undefined = that isn't known. */
type Stated = { readonly [name in Name]?: BookedDifferences[name] | null };
type Booked = Omit<SupplierBooking, 'status' | 'ref'>;
/** `chosenBefore`: what was chosen before a change of which this is the answer. */
type Known = Pick<Reservation, 'rental' | 'view'> & { readonly chosenBefore?: readonly ChosenExtra[] | undefined };

/**
 * What a supplier's booking has otherwise than the caller accepted (docs/decisions/0097): another SIPP code, clearly
 * another place or time, or extras that it lacks, doesn't confirm, or has otherwise than chosen. What the supplier doesn't state clearly stays as it was. Undefined = no difference is known.
 */
export function bookedDifferences(
  { rental, view, chosenBefore }: Known,
  booking: Booked,
): BookedDifferences | undefined {
  const known: Stated = { ...view.booked_differently, ...ofExtras(rental, (code) => knownOf(view, code)) };
  const stated = comparedWith({ rental, view, chosenBefore }, booking);
  const differences: BookedDifferences = Object.fromEntries(
    NAMES.map((name) => [name, stated[name] === undefined ? known[name] : stated[name]] as const).filter(
      ([, value]) => value != null,
    ),
  );
  return Object.keys(differences).length === 0 ? undefined : differences;
}

/** What the supplier's answers have stated clearly about a reservation, with this one. */
export function statedBy({ rental, view }: Known, booking: Booked): readonly Name[] {
  // Advice about an extra isn't a list of what is booked.
  const { extraNotices: _advice, ...clear } = booking;
  const stated = comparedWith({ rental, view }, clear);
  return NAMES.filter(
    (name) => !OF_A_LIST.includes(name) && (stated[name] !== undefined || rental.stated?.includes(name)),
  );
}

/** What an answer states clearly. */
function comparedWith(
  { rental, view, chosenBefore }: Known,
  { sippCode, pickup, dropoff, pickupDate, dropoffDate, extras, extraNotices }: Booked,
): Stated {
  const places = { pickup: placeOf(rental.pickup, view.pickup), dropoff: placeOf(rental.dropoff, view.dropoff) };
  const isReturn =
    isSameCode(dropoff?.code, places.pickup.supplierCode) && !isSameCode(dropoff?.code, places.dropoff.supplierCode);
  const isOtherDropoff = isReturn && !isSameCode(places.dropoff.iataCode, places.pickup.iataCode);
  const noticed = noticedExtras(rental, extraNotices, extras);
  const listed = (code: string): ExtraState =>
    extras?.some((booked) => isSameCode(booked.code, code)) ? undefined : 'missing';
  const stateOf = (code: string): ExtraState => noticed.get(code) ?? (extras ? listed(code) : knownOf(view, code));
  return {
    sipp_code: sippCode === undefined ? undefined : differing(sippCode, view.vehicle.sipp_code ?? sippCode),
    pickup_code: otherPlace(pickup && isRequested(places.pickup, pickup), pickup),
    dropoff_code: otherPlace(isOtherDropoff ? false : dropoff && isRequested(places.dropoff, dropoff), dropoff),
    pickup_date: otherDate(rental.pickupDate, pickupDate),
    dropoff_date: otherDate(rental.dropoffDate, dropoffDate),
    ...(extras || noticed.size > 0 ? ofExtras(rental, stateOf) : {}),
    ...(extras && { other_extras: otherExtras({ rental, view, chosenBefore }, extras, stateOf) }),
  };
}

/**
 * Listed extras in another number than chosen, or that weren't chosen; null = none. What the offer requires or doesn't list may come with
 * the car, unless it was chosen before.
 */
function otherExtras(
  { rental, view, chosenBefore = [] }: Known,
  listed: readonly BookedExtra[],
  stateOf: (code: string) => ExtraState,
): OtherExtra[] | null {
  const known = view.booked_differently?.other_extras ?? [];
  const isOptional = (code: string): boolean =>
    view.extras.some(({ extra_id: id, mandatory }) => !mandatory && isSameCode(id, code)) ||
    known.some(({ extra_id: id }) => isSameCode(id, code)) ||
    chosenBefore.some((extra) => isSameCode(extra.code, code));
  // In an order of its own: a supplier's may be another one in each answer.
  const codes = new Set(listed.map(({ code }) => code.toUpperCase()).sort());
  const others = [...codes].flatMap((code): readonly OtherExtra[] => {
    const rows = listed.filter((extra) => isSameCode(extra.code, code));
    const quantity = quantityBooked(rows);
    const chosen = rental.extras.find((extra) => isSameCode(extra.code, code));
    const offered = view.extras.find(({ extra_id: id }) => isSameCode(id, code));
    if (chosen && quantity === undefined) return known.filter(({ extra_id: id }) => isSameCode(id, code));
    if (chosen && (quantity === chosen.quantity || stateOf(chosen.code) !== undefined)) return [];
    const isFewer = chosen !== undefined && quantity !== undefined && quantity < chosen.quantity;
    if (!isFewer && !isOptional(code)) return [];
    return [
      {
        extra_id: chosen?.code ?? offered?.extra_id ?? rows[0]?.code ?? code,
        ...(offered && { name: offered.name }),
        ...(quantity !== undefined && { quantity }),
      },
    ];
  });
  return others.length > 0 ? others : null;
}

/**
 * What the supplier's notices say of the chosen extras. One that names none of them may be about each, unless it
 * names another one that is listed. That an extra isn't available doesn't
 * say which, if it may be about several.
 */
function noticedExtras(
  { extras }: Known['rental'],
  notices: Booked['extraNotices'] = [],
  listed: readonly BookedExtra[] = [],
): ReadonlyMap<string, NonNullable<ExtraState>> {
  const states = new Map<string, NonNullable<ExtraState>>();
  for (const { status, codes = [] } of notices) {
    const named = extras.filter(({ code }) => codes.some((one) => isSameCode(one, code)));
    const isOfListed = codes.some((one) => listed.some(({ code }) => isSameCode(one, code)));
    const meant = named.length > 0 || isOfListed ? named : extras;
    const state = status === 'not_booked' && meant.length === 1 ? 'missing' : 'unconfirmed';
    for (const { code } of meant) if (states.get(code) !== 'missing') states.set(code, state);
  }
  return states;
}

/** The differences of the chosen extras in these states; null = none. */
function ofExtras(
  { extras }: Known['rental'],
  stateOf: (code: string) => ExtraState,
): { readonly [name in 'missing_extras' | 'unconfirmed_extras']: string[] | null } {
  const inState = (state: ExtraState): string[] | null => {
    const codes = extras.map(({ code }) => code).filter((code) => stateOf(code) === state);
    return codes.length > 0 ? codes : null;
  };
  return { missing_extras: inState('missing'), unconfirmed_extras: inState('unconfirmed') };
}

function knownOf({ booked_differently: known = {} }: Known['view'], code: string): ExtraState {
  if (known.missing_extras?.includes(code)) return 'missing';
  return known.unconfirmed_extras?.includes(code) ? 'unconfirmed' : undefined;
}

/** Whether the supplier hasn't yet confirmed or refused an extra of a booking that it has confirmed. */
export function awaitsExtras({ state, view }: Pick<Reservation, 'state' | 'view'>): boolean {
  return state === 'confirmed' && view.booked_differently?.unconfirmed_extras !== undefined;
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
export function laterView({ rental, view }: Known, booking: Booked): BookedView {
  const differences = bookedDifferences({ rental, view }, booking);
  const { booked_differently: before = {}, changed_later: known = [] } = view;
  // A request for an extra that the supplier refuses isn't a change by its staff.
  const isNew = (name: Name): boolean =>
    name === 'missing_extras'
      ? differences?.missing_extras?.some((code) => knownOf(view, code) === undefined) === true
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
  unconfirmed_extras: 'extras that are not confirmed',
  other_extras: 'other extras than chosen',
};

/** Stated with the list of extras, as `missing_extras` is. */
const OF_A_LIST: readonly Name[] = ['unconfirmed_extras', 'other_extras'];

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
