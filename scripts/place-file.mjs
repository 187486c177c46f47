// The writer of src/places/places.br for build-places.mjs; src/places/place-file.ts reads it.
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { foldName } from '../src/places/fold.ts';

/**
 * Writes the places in columns and prints how many they are. `airportPairs` has the indexes of a city and one of its airports; `postal` has rows
 * of code, city, region, latitude and longitude, in the order of their codes.
 */
export function writePlaceFile({ places, countries, airportPairs, postal }) {
  // Terms: each name, and each end of a name that begins with a later word.
  const terms = new Map();
  function term(text, index, flag) {
    const key = `${text}\n${index}`;
    terms.set(key, Math.min(terms.get(key) ?? 9, flag));
  }
  for (const place of places) {
    const primary = foldName(place.name);
    for (const text of new Set([primary, ...place.alternatives.map(foldName)])) {
      if (text.length < 2) continue;
      term(text, place.index, text === primary ? 0 : 1);
      if (place.kind === 0 && text !== primary) continue;
      const words = text.split(' ').slice(0, 6);
      for (let from = 1; from < words.length; from += 1)
        if ((words[from]?.length ?? 0) > 2) term(text.split(' ').slice(from).join(' '), place.index, 2);
    }
  }
  const sorted = [...terms].map(([key, flag]) => {
    const [text, index] = key.split('\n');
    return { bytes: Buffer.from(text), index: Number(index), flag };
  });
  sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.index - b.index);

  const regionList = [...new Set(places.map(({ region }) => region))].sort();
  const list = (of) => Buffer.from(of.join('\n'));
  const u8 = (of) => Buffer.from(Uint8Array.from(of).buffer);
  const u16 = (of) => Buffer.from(Uint16Array.from(of).buffer);
  const i32 = (of) => Buffer.from(Int32Array.from(of).buffer);
  const degrees = (value) => Math.round(value * 1e4);
  const postalCities = [...new Set(postal.map(([, city, region]) => `${city}\t${region}`))].sort();
  const postalCityIndex = new Map(postalCities.map((text, index) => [text, index]));
  const sections = [
    list(countries),
    list(regionList),
    list(places.map(({ name }) => name)),
    list(places.map(({ code }) => code)),
    u8(places.map(({ kind }) => kind)),
    u8(places.map(({ country }) => countries.indexOf(country))),
    u16(places.map(({ region }) => regionList.indexOf(region))),
    i32(places.map(({ id }) => id)),
    i32(places.map(({ latitude }) => degrees(latitude))),
    i32(places.map(({ longitude }) => degrees(longitude))),
    u8(places.map(({ importance }) => importance)),
    list(sorted.map(({ bytes }) => bytes.toString())),
    i32(sorted.map(({ index }) => index)),
    u8(sorted.map(({ flag }) => flag)),
    i32(airportPairs.flat()),
    list(postal.map(([zip]) => zip)),
    list(postalCities),
    u16(postal.map(([, city, region]) => postalCityIndex.get(`${city}\t${region}`))),
    i32(postal.map((row) => degrees(row[3]))),
    i32(postal.map((row) => degrees(row[4]))),
  ];
  // Each section is a length and its bytes, padded to four, so that typed arrays can be views of it.
  const raw = Buffer.concat(
    sections.flatMap((bytes) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)];
    }),
  );
  const packed = brotliCompressSync(raw, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    },
  });
  writeFileSync(new URL('../src/places/places.br', import.meta.url), packed);
  console.log(
    `${places.length} places, ${postal.length} postal codes, ${sorted.length} terms, ${postalCities.length} postal cities: ${raw.length} bytes, compressed ${packed.length}`,
  );
}
