import type { Place } from './place.js';
import type { Lines, PostalTable } from './place-file.js';

/**
 * The place of a postal code of the United States (five digits, or nine with a hyphen) or Canada (its first three characters count);
 * undefined if there is none, or if `countryCode` is another country.
 */
export function postalPlaceOf(table: PostalTable, text: string, countryCode?: string): Place | undefined {
  const code = codeIn(text.trim().toUpperCase());
  const index = code === undefined ? -1 : indexOf(table.codes, code);
  if (code === undefined || index === -1) return undefined;
  const country = /^\d/.test(code) ? 'US' : 'CA';
  if (countryCode !== undefined && countryCode !== country) return undefined;
  const [city = '', regionCode = ''] = table.cities.text(table.cityOf[index] ?? 0).split('\t');
  return {
    id: `plc_postal_${country.toLowerCase()}_${code.toLowerCase()}`,
    kind: 'postal_code',
    name: `${code} ${city}`,
    code,
    regionCode,
    countryCode: country,
    latitude: (table.latitudes[index] ?? 0) / 10_000,
    longitude: (table.longitudes[index] ?? 0) / 10_000,
    importance: 0,
  };
}

function codeIn(text: string): string | undefined {
  return /^(\d{5})(?:-\d{4})?$/.exec(text)?.[1] ?? /^([A-Z]\d[A-Z])(?:[ -]?\d[A-Z]\d)?$/.exec(text)?.[1];
}

function indexOf(codes: Lines, code: string): number {
  let low = 0;
  let high = codes.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (codes.text(middle) < code) low = middle + 1;
    else high = middle;
  }
  return low < codes.count && codes.text(low) === code ? low : -1;
}
