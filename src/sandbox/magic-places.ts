/**
 * The sandbox's magic places (docs/sandbox.md): counters of country `ZZ` that every simulated supplier has and whose code provokes
 * one row of the answer tables. They work as keyword, as location code and through the offer they yield. In the order of the docs page.
 */
export const MAGIC_PLACES = [
  'ZZT206F',
  'ZZT206E',
  'ZZT206B',
  'ZZT404',
  'ZZT500S',
  'ZZT408',
  'ZZT503',
  'ZZT202',
  'ZZTPRC',
  'ZZTSLD',
] as const;

export type MagicPlace = (typeof MAGIC_PLACES)[number];

/** The country of the magic places: user-assigned in ISO 3166-1, so that no real supplier and no real driver has it. */
export const MAGIC_COUNTRY = 'ZZ';

/** Whether `code` is a magic place, in capitals. */
export function isMagicPlace(code: string): code is MagicPlace {
  return (MAGIC_PLACES as readonly string[]).includes(code);
}
