import { editDistance } from '../http/nearest.js';
import { airports } from '../places/places.js';
import { fold } from './rank.js';

const cities = new Map<string, { readonly name: string; readonly large: boolean }>();
for (const airport of airports) {
  const folded = fold(airport.city);
  if (!cities.get(folded)?.large) cities.set(folded, { name: airport.city, large: airport.large });
}
const haystack = ` ${airports.map((airport) => fold(`${airport.iataCode} ${airport.name} ${airport.city} ${airport.region}`)).join(' ')}`;

/**
 * The city meant by a misspelled keyword ("bostn" → "Boston"), or undefined if the keyword is known, shorter than five
 * letters, or not close to any city. Suppliers search literally, so typos are corrected before they are called. Larger
 * airports win ties.
 */
export function correctKeyword(keyword: string): string | undefined {
  const wanted = fold(keyword);
  if (wanted.length < 5 || haystack.includes(` ${wanted}`)) return undefined;
  const allowed = wanted.length >= 8 ? 2 : 1;
  let best: { name: string; distance: number; large: boolean } | undefined;
  for (const [folded, city] of cities) {
    if (Math.abs(folded.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, folded);
    if (
      distance <= allowed &&
      (!best || distance < best.distance || (distance === best.distance && city.large && !best.large))
    ) {
      best = { name: city.name, distance, large: city.large };
    }
  }
  return best?.name;
}
