import type { Coverage } from './offers.js';

/** The types of the included coverages, as text that is the same for the same types; undefined if the supplier lists no coverages. */
export function inclusionsOf(coverages: readonly Pick<Coverage, 'type' | 'included'>[]): string | undefined {
  if (coverages.length === 0) return undefined;
  const types = coverages.filter(({ included }) => included).map(({ type }) => type);
  return [...new Set(types)].sort().join('+');
}
