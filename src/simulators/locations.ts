import {
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import type { LocationSite } from './location-sites.js';
import { openingWeek } from './opening-hours.js';
import { localCurrency } from './price-level.js';
import { chanceOf, wholeOf } from './random.js';
import type { SimulatedLocation } from './world.js';

const ALL_DAY = [{ openMinute: 0, closeMinute: 1_440 }];
const UNASSIGNED = /^\(unassigned\)$|^U-A$/;

/** Generates the details of a location; `brand` and `seed` determine everything that is not geography. */
export function generateLocation(
  { code, kind, airport, name }: LocationSite,
  brand: string,
  seed: number,
): SimulatedLocation {
  const id = `${brand} ${code}`;
  const inTown = kind === 'downtown' || kind === 'rail';
  const magic = kind === 'magic';
  const shift = (axis: string) => (inTown ? (chanceOf(seed, `${axis} ${id}`) - 0.5) * 0.14 : 0);
  return {
    code,
    ...(kind === 'airport' ? { iataCode: airport.iataCode } : {}),
    atAirport: !inTown,
    name,
    city: airport.city,
    region: airport.region.replace(UNASSIGNED, ''),
    regionCode: airport.regionCode.replace(UNASSIGNED, ''),
    countryCode: airport.countryCode,
    postalCode: postalCode(airport.countryCode, `${seed} ${airport.city} ${code}`),
    street: magic ? 'Null Island Pier 1' : street(kind, airport.countryCode, seed, id),
    latitude: round(airport.latitude + shift('lat')),
    longitude: round(airport.longitude + shift('lon')),
    timeZone: airport.timeZone,
    phone: phone(airport.countryCode, seed, id),
    hours: magic
      ? Array.from({ length: 7 }, () => ALL_DAY)
      : openingWeek(seed, id, inTown ? 'town' : airport.large ? 'large_airport' : 'airport', airport.countryCode),
    afterHoursReturn: magic || chanceOf(seed, `after hours ${id}`) < (inTown ? 0.3 : 0.6),
    skipTheQueue: chanceOf(seed, `queue ${id}`) < 0.5,
    currency: localCurrency(airport.countryCode),
  };
}

function round(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}

/**
 * A phone number in the country's format, made from published example numbers: `(1) 617-555-0142`, `(44) 7400 123456`.
 */
function phone(country: string, seed: number, id: string): string {
  if (!isSupportedCountry(country)) return `(1) 202-555-01${wholeOf(seed, `phone ${id}`, 10, 99)}`;
  const callingCode = getCountryCallingCode(country);
  const example = String(getExampleNumber(country, examples)?.nationalNumber ?? '5550100');
  const north = callingCode === '1';
  const tail = north ? `55501${wholeOf(seed, `phone ${id}`, 10, 99)}` : String(wholeOf(seed, `phone ${id}`, 100, 999));
  const national = example.slice(0, -tail.length) + tail;
  const written =
    parsePhoneNumberFromString(`+${callingCode}${national}`)
      ?.formatInternational()
      .slice(callingCode.length + 2) ?? national;
  return `(${callingCode}) ${north ? written.replaceAll(' ', '-') : written}`;
}

const STREETS: readonly (readonly [countries: string, write: (number: number) => string])[] = [
  ['AT CH DE LI LU', (number) => `Bahnhofstraße ${number}`],
  ['BE FR MC GP MQ RE', (number) => `${number} Rue de la Gare`],
  ['IT', (number) => `Via Roma ${number}`],
  ['AR BO CL CO CR DO EC ES GT HN MX NI PA PE PR PY SV UY VE', (number) => `Avenida Libertad ${number}`],
  ['BR PT CV', (number) => `Avenida da Liberdade ${number}`],
  ['NL', (number) => `Stationsplein ${number}`],
  ['DK NO SE', (number) => `Storgata ${number}`],
];

function street(kind: LocationSite['kind'], country: string, seed: number, id: string): string {
  if (kind === 'airport') return `Terminal ${wholeOf(seed, `terminal ${id}`, 1, 3)}, Arrivals Level`;
  const number = wholeOf(seed, `street ${id}`, 1, 180);
  const write = STREETS.find(([countries]) => countries.split(' ').includes(country))?.[1];
  return write ? write(number) : `${number} Station Road`;
}

/**
 * Postal code formats: 9 stands for a digit, A for a letter. Unlisted countries have five digits; an empty format means
 * no postal codes.
 */
const POSTAL_FORMS: Readonly<Record<string, string>> = {
  AE: '',
  AR: 'A9999',
  AT: '9999',
  AU: '9999',
  BE: '9999',
  BG: '9999',
  BR: '99999-999',
  BS: '',
  CA: 'A9A 9A9',
  CH: '9999',
  CN: '999999',
  CZ: '999 99',
  DK: '9999',
  GB: 'AA9 9AA',
  GR: '999 99',
  HK: '',
  HU: '9999',
  IE: 'A99 AA99',
  IN: '999999',
  JP: '999-9999',
  KZ: '999999',
  LV: 'LV-9999',
  MT: 'AAA 9999',
  NL: '9999 AA',
  NO: '9999',
  NZ: '9999',
  PA: '9999',
  PL: '99-999',
  PT: '9999-999',
  QA: '',
  RO: '999999',
  RU: '999999',
  SE: '999 99',
  SG: '999999',
  SI: '9999',
  SK: '999 99',
  ZA: '9999',
  ZZ: '',
};

function postalCode(country: string, name: string): string {
  const form = POSTAL_FORMS[country] ?? '99999';
  let written = '';
  for (let index = 0; index < form.length; index += 1) {
    const sign = form.charAt(index);
    if (sign === '9') written += wholeOf(index, name, 1, 9);
    else written += sign === 'A' ? 'ABCDEGHJKLMNPRSTVWXY'.charAt(wholeOf(index, name, 0, 19)) : sign;
  }
  return written;
}
