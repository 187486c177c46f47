import type { CodeContext, PlaceRef } from '../../model/locations.js';
import type { OtaOptions } from './options.js';
import { attribute, type XmlNode } from './wire.js';

type LocationCodeOptions = OtaOptions['locationCode'];

/** Attributes of PickUpLocation, ReturnLocation and CodeRef, in OTA's names. */
export type LocationAttributes = Readonly<Record<string, string | undefined>>;

/**
 * How this supplier identifies an airport: plain, as LocationCode from the template, or with the template as extended
 * code.
 */
export function airportAttributes(iataCode: string, codes: LocationCodeOptions): LocationAttributes {
  // The sandbox's magic places are used like airports but are not: every supplier has its own code for them.
  const spelled = /^[A-Z]{3}$/.test(iataCode) ? codes.template.replace('{iata}', iataCode) : iataCode;
  if (codes.extended) return { LocationCode: iataCode, CodeContext: codes.context, ExtendedLocationCode: spelled };
  return { LocationCode: spelled, CodeContext: codes.context };
}

/**
 * How this supplier identifies a place: by its own code if known, otherwise by the airport; undefined if the place has
 * neither.
 */
export function placeAttributes(place: PlaceRef, codes: LocationCodeOptions): LocationAttributes | undefined {
  const own = place.supplierCode;
  if (own !== undefined && own !== place.iataCode) {
    const airport = airportOf(own, codes);
    return airport === undefined
      ? { LocationCode: own, CodeContext: codes.supplierContext }
      : airportAttributes(airport, codes);
  }
  return place.iataCode === undefined ? undefined : airportAttributes(place.iataCode, codes);
}

/**
 * The airport inside a code built from a nontrivial template (BOST01 by `{iata}T01` → BOS). Undefined for other codes,
 * and always for the plain template, where any three letters would look like an airport.
 */
export function airportOf(code: string, codes: LocationCodeOptions): string | undefined {
  const [before = '', after = ''] = codes.template.split('{iata}');
  if (before === '' && after === '') return undefined;
  if (code.length !== before.length + 3 + after.length || !code.startsWith(before) || !code.endsWith(after))
    return undefined;
  const iata = code.slice(before.length, before.length + 3);
  return /^[A-Z]{3}$/.test(iata) ? iata : undefined;
}

/**
 * A supplier's @CodeContext in our words; an unknown one is `supplier`. If it is absent, or describes the use of the
 * place instead ("Pickup Location"), a code in OAG's format (BOST01) counts as OAG.
 */
export function codeContextOf(context: string | undefined, code: string): CodeContext {
  const text = context?.toUpperCase() ?? '';
  if (text.startsWith('IATA')) return 'iata';
  if (text.startsWith('OAG')) return 'oag';
  return (text === '' || text.endsWith('LOCATION')) && OAG_CODE.test(code) ? 'oag' : 'supplier';
}

/** An airport, a letter for the position (T in the terminal, O off it), and a location number: BOST01, MIAO02. */
const OAG_CODE = /^[A-Z]{3}[A-Z]\d{2}$/;

/** The airport of a code in OAG's format: BOST01 → BOS. Undefined for codes of another context. */
export function oagAirportOf(code: string, context: CodeContext): string | undefined {
  return context === 'oag' && OAG_CODE.test(code) ? code.slice(0, 3) : undefined;
}

/** A place as a supplier writes it. */
export interface StatedPlace {
  /** The extended code if there is one. */
  readonly code: string;
  /** The code beside an extended one. */
  readonly plainCode?: string;
  readonly context?: string;
}

/**
 * Reads PickUpLocation or ReturnLocation (`LocationCode`), or LocationDetails (`Code`); undefined without a code. A
 * context that describes the use of the place instead ("Pickup Location") is left out.
 */
export function statedPlace(node: XmlNode | undefined, codeName: 'LocationCode' | 'Code'): StatedPlace | undefined {
  const plain = attribute(node, codeName);
  const extended = attribute(node, 'ExtendedLocationCode');
  const code = extended ?? plain;
  const context = attribute(node, 'CodeContext');
  if (code === undefined) return undefined;
  return {
    code,
    plainCode: extended === undefined ? undefined : plain,
    context: context?.toUpperCase().endsWith('LOCATION') ? undefined : context,
  };
}

/** Whether a supplier stated whose codes it uses. */
export function hasContext(...spellings: readonly (StatedPlace | undefined)[]): boolean {
  return spellings.some((stated) => stated?.context !== undefined);
}

/** Whether the supplier answered an airport with three other letters and no context that aren't an airport: its own code. */
export function isForeignCode({ iataCode, supplierCode }: PlaceRef, stated: StatedPlace | undefined): boolean {
  if (iataCode === undefined || stated === undefined || hasContext(stated)) return false;
  return (
    /^[A-Z]{3}$/.test(stated.code) &&
    stated.code !== iataCode &&
    stated.code !== supplierCode &&
    stated.plainCode !== iataCode
  );
}

/** The two ends of a rental, as the members of a ref name them. */
export type PlaceRole = 'pickup' | 'dropoff';

/**
 * The members of a ref that keep the supplier's spelling of a place. Empty if the gateway would write it that way
 * anyway, or if the options define how to write extended codes.
 */
export function spelledPlace(
  role: PlaceRole,
  place: PlaceRef,
  stated: StatedPlace | undefined,
  codes: LocationCodeOptions,
): Readonly<Record<string, string>> {
  if (!stated) return {};
  const usual = placeAttributes({ ...place, supplierCode: stated.code }, codes);
  if (usual?.ExtendedLocationCode !== undefined) return {};
  return {
    ...(stated.plainCode !== undefined && { [`${role}Plain`]: stated.plainCode }),
    ...(stated.context !== undefined &&
      stated.context !== usual?.CodeContext && { [`${role}Context`]: stated.context }),
  };
}
