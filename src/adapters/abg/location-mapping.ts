import type { Address, LocationType, SupplierLocation } from '../../model/locations.js';
import { mapOpeningHours, mapSpecialHours } from './opening-hours.js';
import { country, flag, group, numeric, text, type Wire, word } from './wire.js';

/** What the search provides: the brand in our spelling, and fallbacks for values missing from a row. */
export interface LocationKnown {
  readonly brand: string;
  readonly countryCode?: string | undefined;
}

/** What a vehicle search knows of a place: the request's values. */
export interface PlaceKnown {
  readonly brand: string;
  readonly code: string;
  readonly name?: string;
  readonly countryCode: string;
}

/**
 * One row of the keyword search. Undefined for a row without code or country, which can't be booked. Leaves out the
 * numeric `distance` of a proximity search because ABG gives no unit.
 */
export function mapLocation(row: unknown, known: LocationKnown): SupplierLocation | undefined {
  const wire = group(row);
  const address = group(wire.address);
  const code = text(wire.code) ?? text(wire.location_code);
  const countryCode = country(address.country_code) ?? known.countryCode;
  return code === undefined || countryCode === undefined ? undefined : build(wire, address, known, code, countryCode);
}

/**
 * Pickup or dropoff of an availability answer: {location: {code, name, …}, address}. Code and country default to the
 * requested ones.
 */
export function mapRentalPlace(place: unknown, known: PlaceKnown): SupplierLocation {
  const wire = group(place);
  const location = group(wire.location);
  const address = group(wire.address);
  return build(
    location,
    address,
    known,
    text(location.code) ?? known.code,
    country(address.country_code) ?? known.countryCode,
  );
}

function build(
  wire: Wire,
  address: Wire,
  known: { readonly brand: string; readonly name?: string },
  code: string,
  countryCode: string,
): SupplierLocation {
  const name = text(wire.name) ?? text(wire.location_name) ?? known.name ?? code;
  const lowerName = name.toLowerCase();
  const type = locationType(lowerName, flag(wire.airport_location) === true);
  const phone = text(wire.telephone);
  const afterHoursReturn = flag(wire.afterhours_return);
  const skipsQueue = flag(wire.skip_the_queue) ?? flag(address.skip_the_queue);
  return {
    brand: known.brand,
    code,
    codeContext: 'supplier',
    ...(type === 'airport' && /^[A-Z]{3}$/.test(code) && { iataCode: code }),
    name,
    type,
    address: mapAddress(address, countryCode),
    ...coordinates(address),
    ...(phone !== undefined && { phone }),
    openingHours: mapOpeningHours(wire.hours_of_operation, wire.hours),
    specialHours: mapSpecialHours(wire.holiday_hours),
    ...(afterHoursReturn !== undefined && { afterHoursReturn }),
    services: skipsQueue === true ? ['skip_the_queue'] : [],
    public: !CLOSED_NAMES.some((words) => lowerName.includes(words)),
  };
}

/** Names of locations that serve one company or its staff; nothing else in the answer marks them. */
const CLOSED_NAMES = [
  'closed to public',
  'closed to the public',
  'not open to public',
  'not open to the public',
  'employees only',
];

/**
 * Except for `airport_location`, the answer doesn't state the type of a location; these words in a name identify it.
 */
const TYPES_BY_WORD: readonly (readonly [words: string, type: LocationType])[] = [
  ['downtown', 'downtown'],
  ['city centre', 'downtown'],
  ['city center', 'downtown'],
  ['rail station', 'rail'],
  ['railway', 'rail'],
  ['central station', 'rail'],
  ['train station', 'rail'],
  ['amtrak', 'rail'],
  ['cruise', 'port'],
  ['ferry', 'port'],
  ['hotel', 'hotel'],
];

function locationType(lowerName: string, atAirport: boolean): LocationType {
  if (atAirport) return 'airport';
  for (const [words, type] of TYPES_BY_WORD) if (lowerName.includes(words)) return type;
  return 'other';
}

function mapAddress(address: Wire, countryCode: string): Address {
  const lines: string[] = [];
  for (const line of [address.address_line_1, address.address_line_2, address.address_line_3]) {
    const read = word(line);
    if (read !== undefined) lines.push(read);
  }
  const city = word(address.city);
  const state = word(address.state_name);
  const postalCode = word(address.postal_code);
  return {
    lines,
    ...(city !== undefined && { city }),
    // XX is ABG's state for "outside the United States".
    ...(state !== undefined && state !== 'XX' && { region: state }),
    ...(postalCode !== undefined && { postalCode }),
    countryCode,
  };
}

/** Both or neither, in range, and not the 0,0 of unset coordinates. */
function coordinates(address: Wire): { readonly latitude: number; readonly longitude: number } | undefined {
  const latitude = numeric(address.lat);
  const longitude = numeric(address.long);
  if (latitude === undefined || longitude === undefined) return undefined;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180 || (latitude === 0 && longitude === 0)) return undefined;
  return { latitude, longitude };
}
