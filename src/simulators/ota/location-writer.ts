import type { Inventory, SimulatedCounter } from '../world.js';
import { attribute, type XmlNode } from './wire.js';
import { element, escapeXml, wrap } from './wire-writer.js';

/** A counter's code as this dialect spells it: the template for a counter that is named by its airport, its own code otherwise. */
export function spelledCode(counter: SimulatedCounter, template: string): string {
  return counter.iataCode !== undefined && counter.code === counter.iataCode
    ? template.replace('{iata}', counter.iataCode)
    : counter.code;
}

/** The counter behind a spelled code, a counter's own code or an airport's; undefined when this supplier has none. */
export function counterBySpelling(code: string, inventory: Inventory, template: string): SimulatedCounter | undefined {
  const plain = airportIn(code, template) ?? code;
  const counter = inventory.counterByCode(plain) ?? inventory.counterByCode(code);
  if (counter || !/^[A-Z]{3}$/.test(plain)) return counter;
  return inventory
    .findCounters(plain, undefined, 5)
    .find((candidate) => candidate.atAirport && candidate.iataCode === plain);
}

/** The airport in a code spelled by a template with text around it: BOS in BOST01 by `{iata}T01`. */
function airportIn(code: string, template: string): string | undefined {
  const [before = '', after = ''] = template.split('{iata}');
  const airport = code.slice(before.length, code.length - after.length);
  const isSpelled = template !== '{iata}' && code === before + airport + after;
  return isSpelled && /^[A-Z]{3}$/.test(airport) ? airport : undefined;
}

/** The code of a PickUpLocation, ReturnLocation or CodeRef element; the extended one first. */
export function codeOfElement(node: XmlNode | undefined): string | undefined {
  return attribute(node, 'ExtendedLocationCode') ?? attribute(node, 'LocationCode');
}

/** A LocationDetail or LocationDetails element with address, phone, position, kind of counter and weekly hours. */
export function locationElement(
  name: 'LocationDetail' | 'LocationDetails',
  counter: SimulatedCounter,
  template: string,
): string {
  const code = spelledCode(counter, template);
  const byAirport = counter.code === counter.iataCode;
  const context = byAirport ? (template === '{iata}' ? 'IATA' : 'OAG') : 'Internal';
  return element(
    name,
    {
      AtAirport: counter.atAirport,
      Code: code,
      CodeContext: context,
      Name: counter.name,
      AssocAirportLocList: counter.iataCode,
    },
    addressElement(counter) +
      element('Telephone', { PhoneNumber: counter.phone, FormattedInd: true }) +
      element('Position', { Latitude: counter.latitude, Longitude: counter.longitude }) +
      wrap(
        'AdditionalInfo',
        // VWF: 1 in the terminal, 7 city centre.
        element('CounterLocation', { Location: counter.atAirport ? 1 : 7 }) + schedulesElement(counter),
      ),
  );
}

function addressElement(counter: SimulatedCounter): string {
  return wrap(
    'Address',
    wrap('StreetNmbr', escapeXml(counter.street)) +
      wrap('CityName', escapeXml(counter.city)) +
      wrap('PostalCode', escapeXml(counter.postalCode)) +
      (counter.region === ''
        ? ''
        : element('StateProv', { StateCode: counter.regionCode }, escapeXml(counter.region))) +
      element('CountryName', { Code: counter.countryCode }),
  );
}

const DAY_ATTRIBUTES = ['Sun', 'Mon', 'Tue', 'Weds', 'Thur', 'Fri', 'Sat'] as const;

/** One OperationTime for each distinct slot, with the days that have it; '' for a counter that never opens. */
function schedulesElement(counter: SimulatedCounter): string {
  const daysBySlot = new Map<string, Record<string, string | boolean>>();
  for (const [day, slots] of counter.hours.entries()) {
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
  // OPR 3: after hours returns.
  const info = counter.afterHoursReturn ? { AdditionalOperationInfoCode: '3' } : {};
  const times = [...daysBySlot.values()].map((values) => element('OperationTime', { ...values, ...info }));
  return wrap('OperationSchedules', wrap('OperationSchedule', wrap('OperationTimes', times.join(''))));
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`;
}
