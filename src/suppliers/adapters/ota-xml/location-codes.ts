import type { CodeContext, PlaceRef } from '../../models.js';
import type { OtaOptions } from './options.js';

type LocationCodeOptions = OtaOptions['locationCode'];

/** Attributes of PickUpLocation, ReturnLocation and CodeRef, in OTA's names. */
export type LocationAttributes = Readonly<Record<string, string | undefined>>;

/** How this supplier is asked for an airport: plain, by template as LocationCode, or with the template as extended code. */
export function airportAttributes(iataCode: string, codes: LocationCodeOptions): LocationAttributes {
  const spelled = codes.template.replace('{iata}', iataCode);
  if (codes.extended) return { LocationCode: iataCode, CodeContext: codes.context, ExtendedLocationCode: spelled };
  return { LocationCode: spelled, CodeContext: codes.context };
}

/** How this supplier is asked for a place: by its own code first, else by the airport; undefined when the place has neither. */
export function placeAttributes(place: PlaceRef, codes: LocationCodeOptions): LocationAttributes | undefined {
  const own = place.supplierCode;
  if (own !== undefined && own !== place.iataCode) {
    const airport = airportOf(own, codes);
    return airport === undefined ? { LocationCode: own, CodeContext: codes.supplierContext } : airportAttributes(airport, codes);
  }
  return place.iataCode === undefined ? undefined : airportAttributes(place.iataCode, codes);
}

/**
 * The airport inside a code spelled by a real template (BOST01 by `{iata}T01` → BOS). Undefined for other codes, and always for the
 * plain template, where any three letters would look like an airport.
 */
export function airportOf(code: string, codes: LocationCodeOptions): string | undefined {
  const [before = '', after = ''] = codes.template.split('{iata}');
  if (before === '' && after === '') return undefined;
  if (code.length !== before.length + 3 + after.length || !code.startsWith(before) || !code.endsWith(after)) return undefined;
  const iata = code.slice(before.length, before.length + 3);
  return /^[A-Z]{3}$/.test(iata) ? iata : undefined;
}

/** A supplier's @CodeContext in our words; unknown or absent is `supplier`. An OAG code is an airport's with a counter's number. */
export function codeContextOf(context: string | undefined): CodeContext {
  if (context === undefined) return 'supplier';
  const text = context.toUpperCase();
  if (text.startsWith('IATA')) return 'iata';
  return text.startsWith('OAG') || text === 'ACRISS' ? 'oag' : 'supplier';
}
