import { isSameCode, type SupplierBooking } from '../../model/bookings.js';
import { codeAttribute } from './table.js';
import { attribute, type XmlNode } from './wire.js';

/** UITs of the number by which a booking is called, the first of which counts. */
export const NUMBER_TYPES = ['14', '40', '8'] as const;
export const CANCELLATION_TYPE = '15';
export const REFERENCE_TYPE = '16';

/** The identifiers of a type (UIT list, with or without the name of the list, or the supplier's word). */
export function idsOfType(ids: readonly XmlNode[], type: string): readonly string[] {
  return ids.flatMap((id) => (isSameCode(codeAttribute(id, 'Type', 'UIT'), type) ? (attribute(id, 'ID') ?? []) : []));
}

/** The numbers of each type by which bookings are called, in the order in which the types count: `ownTypes` after OpenTravel's. */
export function numbersByType(
  ids: readonly XmlNode[],
  ownTypes: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  return new Map([...NUMBER_TYPES, ...ownTypes].map((type) => [type, idsOfType(ids, type)]));
}

/** The first type with a number. Of a type that isn't OpenTravel's, several numbers leave open which one it is. */
export function numberTypeOf(numbers: ReadonlyMap<string, readonly string[]>): string | undefined {
  for (const [type, [first, ...others]] of numbers)
    if (first !== undefined && (isListed(type) || others.every((one) => isSameCode(one, first)))) return type;
  return undefined;
}

/** The type with which a booking is called by its number: 14, unless the number has another type than OpenTravel's. */
export function typeToCall(numberType: SupplierBooking['ref'][string] | undefined): string {
  return typeof numberType !== 'string' || isListed(numberType) ? NUMBER_TYPES[0] : numberType;
}

/** Whether a type is one of OpenTravel's for the number of a booking. */
export function isListed(type: string): boolean {
  return NUMBER_TYPES.some((listed) => listed === type);
}
