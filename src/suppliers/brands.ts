import { ApiError } from '../status/api-error.js';

/**
 * The brands a caller wants, in the spelling of the configuration; undefined = all. Case does not matter. Throws 400 invalid_range naming the
 * valid ones for a brand that no supplier has (ruling 27). `known` are the brands as shown to callers.
 */
export function wantedBrands(
  asked: readonly string[] | undefined,
  known: readonly string[],
): readonly string[] | undefined {
  if (asked === undefined) return undefined;
  const wanted = asked.map((brand) => {
    const found = known.find((name) => name.toLowerCase() === brand.toLowerCase());
    if (found !== undefined) return found;
    throw ApiError.of(
      'invalid_range',
      `"${brand.slice(0, 40)}" is not a brand here; the brands are ${known.join(', ')}.`,
      {
        field: 'brand',
      },
    );
  });
  return [...new Set(wanted)];
}
