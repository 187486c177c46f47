/** How well a range of a header fits something that is offered: more is more specific, undefined is not at all. */
type Fit<T> = (range: string, offered: T) => number | undefined;

interface Preference {
  readonly quality: number;
  readonly position: number;
}

/** More ranges than this say nothing about preferences. */
const MOST_RANGES = 50;

/**
 * What a header with quality values (RFC 9110 §12.5) prefers: each offered value has the quality of the most specific
 * range that fits it. If two are equal, the one that the header names first, then the one that is offered first.
 * Undefined if the header accepts none of them; without a header, the first is returned.
 */
export function preferred<T>(header: string | undefined, offered: readonly [T, ...T[]], fitOf: Fit<T>): T | undefined {
  const ranges = rangesOf(header ?? '');
  if (ranges.length === 0) return offered[0];
  const preferenceOf = (value: T): Preference => {
    let [best, preference] = [-1, { quality: 0, position: 0 }];
    for (const [position, { range, quality }] of ranges.entries()) {
      const specificity = fitOf(range, value) ?? -1;
      if (specificity > best) [best, preference] = [specificity, { quality, position }];
    }
    return preference;
  };
  const preferences = offered.map((value) => ({ value, ...preferenceOf(value) })).filter(({ quality }) => quality > 0);
  return preferences.sort((one, other) => other.quality - one.quality || one.position - other.position)[0]?.value;
}

/** A range of Accept fits a media type: itself, its group, or any. */
export const fitsType: Fit<string> = (range, type) => {
  if (range === type) return 2;
  if (range === `${type.split('/', 1)[0]}/*`) return 1;
  return range === '*/*' ? 0 : undefined;
};

/** A range of Accept-Language fits a language with or without its region: `de` and `de-AT` both mean `de`. */
export const fitsLanguage: Fit<string> = (range, language) => {
  if (range === language) return 2;
  if (range.startsWith(`${language}-`)) return 1;
  return range === '*' ? 0 : undefined;
};

/** The ranges with their quality, in order. A quality that isn't a number from 0 to 1 leaves its range out. */
function rangesOf(header: string): { readonly range: string; readonly quality: number }[] {
  return header
    .toLowerCase()
    .split(',', MOST_RANGES)
    .flatMap((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
      return range === '' || !/^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? [] : [{ range, quality: Number(weight) }];
    });
}
