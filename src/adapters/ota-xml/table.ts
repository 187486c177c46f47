import { attribute, type XmlNode } from './wire.js';

/**
 * The table's entry for a supplier's code. Undefined for an absent or unlisted code, including names such as
 * `constructor` that every object has.
 */
export function rowOf<T>(table: Readonly<Record<string, T>>, code: string | undefined): T | undefined {
  return code !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
}

/** OpenTravel's code lists whose codes have a meaning here. */
export type CodeList =
  | 'EQP'
  | 'ERR'
  | 'EWT'
  | 'INF'
  | 'PMT'
  | 'RTC'
  | 'RUL'
  | 'SIZ'
  | 'UIT'
  | 'VCP'
  | 'VCT'
  | 'VEC'
  | 'VLI'
  | 'VWF';

const LISTED = /^0*(\d{1,3})(?:\.([A-Z]{3}))?$/;

/**
 * A code in the spelling of its list: OTA_CodeType also allows the name of the list, and suppliers write leading zeros (`022.VCP` is 22).
 * Anything else stays as it is: a code of another list, or of the supplier's own (`22.VCP.X`).
 */
export function listCode(list: CodeList, code: string | undefined): string | undefined {
  const [, digits, name = list] = LISTED.exec(code ?? '') ?? [];
  return digits !== undefined && name === list ? digits : code;
}

/** An attribute with a code, in the spelling of its list. */
export function codeAttribute(node: XmlNode | undefined, name: string, list: CodeList): string | undefined {
  return listCode(list, attribute(node, name));
}
