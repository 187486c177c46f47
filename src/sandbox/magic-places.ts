/**
 * The magic places of the sandbox, in the order of docs/sandbox.md: locations in country `ZZ` that every simulated
 * supplier has. Each triggers one specific response, whether used as a keyword, as a location code or through an offer
 * from there.
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

/** The country of the magic places. It is user-assigned in ISO 3166-1, so no real supplier or driver has it. */
export const MAGIC_COUNTRY = 'ZZ';

/** Whether `code` is a magic place. `code` must be in capitals. */
export function isMagicPlace(code: string): code is MagicPlace {
  return (MAGIC_PLACES as readonly string[]).includes(code);
}

/**
 * The magic place that a code names, in any case; undefined for any other code. In production a magic place is `unknown`:
 * it isn't a location for any operation, and its code is never sent to a supplier, whose own code it could be (decision
 * 0023).
 */
export function magicPlace(code: string, environment: 'sandbox' | 'production'): MagicPlace | 'unknown' | undefined {
  const name = code.toUpperCase();
  if (!isMagicPlace(name)) return undefined;
  return environment === 'sandbox' ? name : 'unknown';
}
