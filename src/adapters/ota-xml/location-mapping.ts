import { MOST_ITEMS, refuseMoreThan } from '../../model/limits.js';
import type { Address, PlaceRef, SupplierLocation } from '../../model/locations.js';
import { SupplierError } from '../../model/supplier.js';
import type { Warnings } from '../../model/warnings.js';
import { countryCodeOf } from '../places/country-code.js';
import { airportOf, codeContextOf, oagAirportOf, type StatedPlace, statedPlace } from './location-codes.js';
import { schedulesIn, specialHoursOf, timesIn, weeklyHoursOf } from './opening-hours.js';
import type { OtaOptions } from './options.js';
import { codeAttribute, rowOf } from './table.js';
import { COUNTER_PLACES } from './vehicle-codes.js';
import type { Vendors } from './vendors.js';
import { attribute, child, childrenNamed, flag, items, textOf, type XmlNode } from './wire.js';

/** What mapping one LocationDetail needs besides the element. */
export interface LocationContext {
  readonly brand: string;
  /** Used if the address has no country, which OTA allows; if undefined, such a location is left out. */
  readonly countryCode: string | undefined;
  readonly options: OtaOptions;
  /** The place that the element describes, if it has no code of its own, as in an offer. */
  readonly place?: StatedPlace;
}

/** The VehMatchedLoc elements of an OTA_VehLocSearchRS. */
export function matchedLocations(root: XmlNode): readonly XmlNode[] {
  return items(root, 'VehMatchedLocs', 'VehMatchedLoc', MOST_ITEMS);
}

/**
 * OTA_VehLocSearchRS → our locations, in the supplier's order. A location without code, name or known country is left
 * out with a warning. Throws SupplierError bad_payload if none is left.
 */
export function mapLocations(
  root: XmlNode,
  requested: { readonly brands: readonly string[]; readonly countryCode: string | undefined },
  vendors: Vendors,
  options: OtaOptions,
  warnings: Warnings,
): SupplierLocation[] {
  const found: SupplierLocation[] = [];
  let isUnreadable = false;
  const commonBrand = vendors.brandOf(child(root, 'Vendor'), requested.brands, warnings);
  const all = matchedLocations(root).map((matched) => ({
    matched,
    details: childrenNamed(matched, 'LocationDetail', MOST_ITEMS),
  }));
  const count = all.reduce((sum, { details }) => sum + Math.max(1, details.length), 0);
  refuseMoreThan(MOST_ITEMS, count, 'locations');
  for (const { matched, details } of all) {
    const vendor = child(matched, 'Vendor');
    const brand = vendor ? vendors.brandOf(vendor, requested.brands, warnings) : commonBrand;
    for (const detail of details) {
      const location = mapLocation(detail, { brand, countryCode: requested.countryCode, options }, warnings);
      const distance = distanceOf(child(matched, 'RelativePosition') ?? child(detail, 'RelativePosition'), options);
      if (location) found.push(distance ? { ...location, distance } : location);
      else isUnreadable = true;
    }
  }
  // "Nothing found" would be wrong.
  if (found.length === 0 && isUnreadable)
    throw new SupplierError('bad_payload', 'no location could be read: none has code and country');
  return found;
}

/** One LocationDetail or LocationDetails element; undefined, with a warning, if it isn't usable. */
export function mapLocation(
  detail: XmlNode,
  context: LocationContext,
  warnings: Warnings,
): SupplierLocation | undefined {
  const stated = statedPlace(detail, 'Code') ?? context.place;
  if (!stated) {
    warnings.add('row_dropped', 'location without code left out');
    return undefined;
  }
  const { code } = stated;
  const name = attribute(detail, 'Name') ?? code;
  const address = addressOf(child(detail, 'Address'), context.countryCode);
  if (!address) {
    warnings.add('row_dropped', `location ${code} without country left out`);
    return undefined;
  }
  const more = child(detail, 'AdditionalInfo');
  const place = rowOf(
    COUNTER_PLACES,
    codeAttribute(child(more, 'CounterLocation') ?? child(detail, 'CounterLocation'), 'Location', 'VWF'),
  );
  const atAirport = flag(detail, 'AtAirport');
  const codeContext = stated.plainCode === undefined ? codeContextOf(stated.context, code) : 'oag';
  const schedules = child(more, 'OperationSchedules') ?? child(detail, 'OperationSchedules');
  const position = positionOf(child(detail, 'Position') ?? child(more, 'Position'));
  return {
    brand: context.brand,
    code,
    codeContext,
    iataCode: iataCodeOf(detail, stated.plainCode ?? code, code, codeContext, atAirport, context.options),
    name,
    type: atAirport === true ? 'airport' : (place?.type ?? 'other'),
    counter: place?.counter,
    address,
    latitude: position?.latitude,
    longitude: position?.longitude,
    phone: phoneOf(child(detail, 'Telephone')),
    openingHours: weeklyHoursOf(schedules),
    specialHours: specialHoursOf(schedules),
    afterHoursReturn: afterHoursReturnOf(schedules),
    services: servicesOf(more),
    public: !/closed to (the )?public/i.test(name),
  };
}

/**
 * A location of which only the code is known, for answers without LocationDetails: the code that the supplier stated,
 * otherwise the requested one.
 */
export function minimalLocation(
  place: PlaceRef,
  brand: string,
  options: OtaOptions,
  stated?: StatedPlace,
): SupplierLocation {
  const code = stated?.code ?? place.supplierCode ?? place.iataCode ?? '';
  const spelled = stated?.plainCode ?? airportOf(code, options.locationCode) ?? oagAirportOf(code, 'oag');
  const plain = spelled ?? code;
  const isRequested = stated === undefined || code === place.supplierCode || plain === place.iataCode;
  const other: Partial<PlaceRef> = { iataCode: stated?.context?.toUpperCase().startsWith('IATA') ? code : spelled };
  const { iataCode, name, latitude, longitude } = isRequested ? place : other;
  return {
    brand,
    code,
    codeContext: stated?.plainCode !== undefined ? 'oag' : code === iataCode ? 'iata' : codeContextFor(code, options),
    iataCode,
    name: name ?? code,
    type: iataCode !== undefined && plain === iataCode ? 'airport' : 'other',
    address: { lines: [], countryCode: place.countryCode },
    latitude,
    longitude,
    openingHours: [],
    specialHours: [],
    services: [],
    public: true,
  };
}

function codeContextFor(code: string, options: OtaOptions): SupplierLocation['codeContext'] {
  return airportOf(code, options.locationCode) === undefined ? 'supplier' : 'oag';
}

function iataCodeOf(
  detail: XmlNode,
  plainCode: string,
  code: string,
  context: SupplierLocation['codeContext'],
  atAirport: boolean | undefined,
  options: OtaOptions,
): string | undefined {
  const associated = attribute(detail, 'AssocAirportLocList')?.split(/[\s,]+/)[0];
  if (associated !== undefined && /^[A-Z]{3}$/.test(associated)) return associated;
  if (atAirport === false) return undefined;
  const templated = airportOf(code, options.locationCode) ?? oagAirportOf(code, context);
  if (templated !== undefined) return templated;
  const looksLikeAirport = /^[A-Z]{3}$/.test(plainCode);
  return looksLikeAirport && (context !== 'supplier' || atAirport === true) ? plainCode : undefined;
}

/** An address; undefined only if neither it nor the request has a country. */
function addressOf(address: XmlNode | undefined, fallbackCountry: string | undefined): Address | undefined {
  const country = child(address, 'CountryName');
  const stated = attribute(country, 'Code') ?? textOf(country);
  const countryCode = (stated === undefined ? undefined : countryCodeOf(stated)) ?? fallbackCountry;
  if (countryCode === undefined) return undefined;
  const lines = [...childrenNamed(address, 'StreetNmbr'), ...childrenNamed(address, 'AddressLine')].flatMap(
    (line) => meaningful(textOf(line)) ?? [],
  );
  const state = child(address, 'StateProv');
  return {
    lines,
    city: meaningful(textOf(child(address, 'CityName'))),
    region: meaningful(attribute(state, 'StateCode') ?? textOf(state)),
    postalCode: meaningful(textOf(child(address, 'PostalCode'))),
    countryCode,
  };
}

/** Meaningful text: "NA", "N/A" and "XX" become undefined. */
function meaningful(text: string | undefined): string | undefined {
  return text === undefined || /^(n\/?a|xx|-+)$/i.test(text) ? undefined : text;
}

function phoneOf(telephone: XmlNode | undefined): string | undefined {
  const number = attribute(telephone, 'PhoneNumber');
  if (number === undefined) return undefined;
  const country = attribute(telephone, 'CountryAccessCode')?.replace(/^\+/, '');
  const parts = [country === undefined ? undefined : `+${country}`, attribute(telephone, 'AreaCityCode'), number];
  return parts.filter((part) => part !== undefined).join(' ');
}

function positionOf(position: XmlNode | undefined): { latitude: number; longitude: number } | undefined {
  const latitude = Number(attribute(position, 'Latitude') ?? Number.NaN);
  const longitude = Number(attribute(position, 'Longitude') ?? Number.NaN);
  const valid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && !(latitude === 0 && longitude === 0);
  return valid ? { latitude, longitude } : undefined;
}

function distanceOf(position: XmlNode | undefined, options: OtaOptions): SupplierLocation['distance'] {
  const value = Number(attribute(position, 'Distance') ?? Number.NaN);
  if (!(value >= 0)) return undefined;
  const measure = attribute(position, 'DistanceMeasure') ?? attribute(position, 'UnitOfMeasure');
  const unit = measure === undefined ? options.distanceUnit : /^mi/i.test(measure) ? 'mi' : 'km';
  return { value, unit };
}

/** OPR list: 1 available, 3 returns → yes; other codes say nothing about returns in general. */
function afterHoursReturnOf(schedules: XmlNode | undefined): boolean | undefined {
  for (const schedule of schedulesIn(schedules)) {
    for (const time of timesIn(schedule)) {
      const info = attribute(time, 'AdditionalOperationInfoCode');
      if (info === '1' || info === '3') return true;
    }
  }
  return undefined;
}

const SERVICES: Readonly<Record<string, string>> = {
  CustPickUp: 'customer_pickup',
  CustDropOff: 'customer_dropoff',
  VehDelivery: 'delivery',
  VehCollection: 'collection',
  Express: 'express',
};

function servicesOf(more: XmlNode | undefined): string[] {
  const types = items(more, 'OffLocServices', 'OffLocService').map((service) => attribute(service, 'Type'));
  return [...new Set(types.flatMap((type) => rowOf(SERVICES, type) ?? []))];
}
