import { isSameCode, type SupplierBooking, sameCodeAsIn } from '../../model/bookings.js';
import { codeAttribute } from './table.js';
import { attribute, type XmlNode } from './wire.js';

/** UITs of the number by which a booking is called, the first of which counts. */
export const NUMBER_TYPES = ['14', '40', '8'] as const;
export const CANCELLATION_TYPE = '15';
export const REFERENCE_TYPE = '16';
const COMPANY_TYPE = '4';

/** The identifiers of a type (UIT list, with or without the name of the list, or the supplier's word). */
export function idsOfType(ids: readonly XmlNode[], type: string): readonly string[] {
  return ids.flatMap((id) => (isOfType(id, type) ? (attribute(id, 'ID') ?? []) : []));
}

function isOfType(id: XmlNode, type: string): boolean {
  return isSameCode(codeAttribute(id, 'Type', 'UIT'), type);
}

/** Without the identifiers of type 4 that are one of these codes and names of companies, and so no numbers. */
export function withoutCompanies(
  ids: readonly XmlNode[],
  companies: readonly (string | undefined)[],
): readonly XmlNode[] {
  const isCompany = sameCodeAsIn(companies);
  return ids.filter((id) => !isOfType(id, COMPANY_TYPE) || !isCompany(attribute(id, 'ID') ?? ''));
}

/** The identifiers of any type besides those for references and cancellations, which may repeat the number of a booking; not our reference. */
export function namedOf(ids: readonly XmlNode[], reference?: string): readonly string[] {
  return textsOf(ids.filter((id) => !isRepetition(id))).filter((one) => !isSameCode(one, reference));
}

/** Those that may be the number of a booking: one of `numberTypes`, or of another type and not a reference or cancellation as well. */
export function candidatesOf(
  ids: readonly XmlNode[],
  numberTypes: readonly string[],
  reference?: string,
): readonly string[] {
  const isRepeated = sameCodeAsIn(textsOf(ids.filter(isRepetition)));
  const mayBe = (id: XmlNode) =>
    numberTypes.some((type) => isOfType(id, type)) || !isRepeated(attribute(id, 'ID') ?? '');
  return namedOf(ids.filter(mayBe), reference);
}

function isRepetition(id: XmlNode): boolean {
  return isOfType(id, CANCELLATION_TYPE) || isOfType(id, REFERENCE_TYPE);
}

function textsOf(ids: readonly XmlNode[]): readonly string[] {
  return ids.flatMap((id) => attribute(id, 'ID') ?? []);
}

/** Whether a supplier's reference has the form of a gateway's reservation, which is then another one if it isn't the requested one. */
export function isReservationId(reference: string): boolean {
  return /^res_\w{20}$/i.test(reference);
}

/**
 * The numbers of each type by which bookings are called, in the order in which the types count: `ownTypes` after OpenTravel's. What isn't a type of
 * OpenTravel's for numbers may be that of our reference, which isn't a number of the supplier.
 */
export function numbersByType(
  ids: readonly XmlNode[],
  ownTypes: readonly string[],
  reference?: string,
): ReadonlyMap<string, readonly string[]> {
  const own = (type: string) => idsOfType(ids, type).filter((one) => !isSameCode(one, reference));
  return new Map(
    [...NUMBER_TYPES, ...ownTypes].map((type) => [type, isListed(type) ? idsOfType(ids, type) : own(type)]),
  );
}

/**
 * The number of a type. Of a type that isn't OpenTravel's, several numbers leave open which one it is. A company's (type 4) may be its code,
 * so, unless it is the first such type, its number must be the only one of the `candidates`.
 */
export function numberOfType(
  type: string,
  numbers: ReadonlyMap<string, readonly string[]>,
  candidates: readonly string[],
): string | undefined {
  const ofType = numbers.get(type) ?? [];
  if (isListed(type)) return ofType[0];
  const [firstOwn] = [...numbers.keys()].filter((one) => !isListed(one));
  const mayBeCode = type === COMPANY_TYPE && type !== firstOwn;
  return mayBeCode && onlyOf(candidates) === undefined ? undefined : onlyOf(ofType);
}

/** The only number, which may be repeated. */
function onlyOf([first, ...others]: readonly string[]): string | undefined {
  return others.every((one) => isSameCode(one, first)) ? first : undefined;
}

/** The type with which a booking is called by its number: 14, unless the number has another type than OpenTravel's. */
export function typeToCall(numberType: SupplierBooking['ref'][string] | undefined): string {
  return typeof numberType !== 'string' || isListed(numberType) ? NUMBER_TYPES[0] : numberType;
}

/** Whether a type is one of OpenTravel's for the number of a booking. */
export function isListed(type: string): boolean {
  return NUMBER_TYPES.some((listed) => listed === type);
}
