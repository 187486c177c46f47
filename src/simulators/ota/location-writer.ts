import type { Inventory, SimulatedLocation } from '../world.js';
import { attribute, type XmlNode } from './wire.js';
import { element, escapeXml, wrap } from './wire-writer.js';

/** A location's code in this dialect: from the template for a location with an airport code, else its own code. */
export function spelledCode(location: SimulatedLocation, template: string): string {
  return location.iataCode !== undefined && location.code === location.iataCode
    ? template.replace('{iata}', location.iataCode)
    : location.code;
}

/**
 * The location for a code in the supplier's spelling, a location's own code or an IATA code; undefined if the supplier
 * has none.
 */
export function locationBySpelling(
  code: string,
  inventory: Inventory,
  template: string,
): SimulatedLocation | undefined {
  const plain = airportIn(code, template) ?? code;
  const location = inventory.locationByCode(plain) ?? inventory.locationByCode(code);
  if (location || !/^[A-Z]{3}$/.test(plain)) return location;
  return inventory
    .findLocations(plain, undefined, 5)
    .find((candidate) => candidate.atAirport && candidate.iataCode === plain);
}

/** The IATA code in a code that was made from a template: BOS in BOST01 for `{iata}T01`. */
function airportIn(code: string, template: string): string | undefined {
  const [before = '', after = ''] = template.split('{iata}');
  const airport = code.slice(before.length, code.length - after.length);
  const isSpelled = template !== '{iata}' && code === before + airport + after;
  return isSpelled && /^[A-Z]{3}$/.test(airport) ? airport : undefined;
}

/** The code of a PickUpLocation, ReturnLocation or CodeRef element; prefers the extended one. */
export function codeOfElement(node: XmlNode | undefined): string | undefined {
  return attribute(node, 'ExtendedLocationCode') ?? attribute(node, 'LocationCode');
}

/**
 * A LocationDetail or LocationDetails element with address, phone, position, type of counter and weekly hours. `infos`:
 * VehRentLocInfos to add.
 */
export function locationElement(
  name: 'LocationDetail' | 'LocationDetails',
  location: SimulatedLocation,
  template: string,
  infos = '',
): string {
  const code = spelledCode(location, template);
  const byAirport = location.code === location.iataCode;
  const context = byAirport ? (template === '{iata}' ? 'IATA' : 'OAG') : 'Internal';
  return element(
    name,
    {
      AtAirport: location.atAirport,
      Code: code,
      CodeContext: context,
      Name: location.name,
      AssocAirportLocList: location.iataCode,
    },
    addressElement(location) +
      element('Telephone', { PhoneNumber: location.phone, FormattedInd: true }) +
      element('Position', { Latitude: location.latitude, Longitude: location.longitude }) +
      wrap(
        'AdditionalInfo',
        // VWF: 1 in the terminal, 7 city center.
        infos + element('CounterLocation', { Location: location.atAirport ? 1 : 7 }) + schedulesElement(location),
      ),
  );
}

function addressElement(location: SimulatedLocation): string {
  return wrap(
    'Address',
    wrap('StreetNmbr', escapeXml(location.street)) +
      wrap('CityName', escapeXml(location.city)) +
      wrap('PostalCode', escapeXml(location.postalCode)) +
      (location.region === ''
        ? ''
        : element('StateProv', { StateCode: location.regionCode }, escapeXml(location.region))) +
      element('CountryName', { Code: location.countryCode }),
  );
}

const DAY_ATTRIBUTES = ['Sun', 'Mon', 'Tue', 'Weds', 'Thur', 'Fri', 'Sat'] as const;

/** One OperationTime for each distinct slot, with its days; '' for a location that never opens. */
function schedulesElement(location: SimulatedLocation): string {
  const daysBySlot = new Map<string, Record<string, string | boolean>>();
  for (const [day, slots] of location.hours.entries()) {
    const name = DAY_ATTRIBUTES[day];
    if (name === undefined) continue;
    for (const slot of slots) {
      const start = clock(slot.openMinute);
      const end = clock(slot.closeMinute);
      const values = daysBySlot.get(start + end) ?? { Start: start, End: end };
      values[name] = true;
      daysBySlot.set(start + end, values);
    }
  }
  // OPR 3: after-hours returns.
  const info = location.afterHoursReturn ? { AdditionalOperationInfoCode: '3' } : {};
  const times = [...daysBySlot.values()].map((values) => element('OperationTime', { ...values, ...info }));
  return wrap('OperationSchedules', wrap('OperationSchedule', wrap('OperationTimes', times.join(''))));
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`;
}
