import { ApiError } from '../status/api-error.js';

/**
 * Resolves the brands of a request, ignoring case, to the spelling of the configuration; undefined means all. Throws
 * 400 invalid_range with the list of valid brands if a brand is unknown (ruling 27). `known` holds the brands that
 * callers may use.
 */
export function wantedBrands(
  requested: readonly string[] | undefined,
  known: readonly string[],
): readonly string[] | undefined {
  if (requested === undefined) return undefined;
  const wanted = requested.map((brand) => {
    const found = known.find((name) => name.toLowerCase() === brand.toLowerCase());
    if (found !== undefined) return found;
    throw ApiError.of(
      'invalid_range',
      `"${brand.slice(0, 40)}" is not a known brand. Use one of ${known.join(', ')}.`,
      {
        field: 'brand',
      },
    );
  });
  return [...new Set(wanted)];
}
