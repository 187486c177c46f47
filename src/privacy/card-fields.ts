import { holdsCardNumber } from './card-numbers.js';

/** The most characters searched in one request; valid ones have far fewer. */
export const MOST_SEARCHED = 131_072;
/** The most members of objects and items of arrays in one request, of all levels; valid ones have fewer than 300. */
export const MOST_MEMBERS = 2_000;
const MOST_FIELDS = 20;

/** Where card numbers are in a request. */
export interface CardFields {
  /**
   * Fields whose name or value contains a card number, such as `driver.address.lines.1`, in their order, at most 20. For
   * a name, the field that has it; empty text = the request itself.
   */
  readonly fields: readonly string[];
  /** Whether there was more text than is searched. */
  readonly isTooLong: boolean;
  /** The field whose members and items exceed MOST_MEMBERS, with those before it; empty text = the request itself. */
  readonly crowded: string | undefined;
}

/**
 * Finds card numbers in a JSON value of any depth. `allowed` is the field in which a card number belongs. A value named
 * `phone` counts as a telephone number, with or without a plus sign.
 */
export function findCardFields(value: unknown, allowed?: string): CardFields {
  const fields: string[] = [];
  const open: { readonly field: string; readonly value: unknown; readonly prefix: string }[] = [];
  let searched = 0;
  let counted = 0;
  const holds = (text: string): boolean => {
    searched += text.length + 1;
    return searched <= MOST_SEARCHED && holdsCardNumber(text);
  };
  open.push({ field: '', value, prefix: '' });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { field, value: inner, prefix } = next;
    let isFound = false;
    if (typeof inner === 'object' && inner !== null) {
      counted += countOf(inner);
      if (counted > MOST_MEMBERS) return { fields, isTooLong: false, crowded: field };
      const members = Object.entries(inner).reverse();
      isFound = members.some(([name]) => holds(name));
      // Fields below such a name would be reported with it.
      for (const [name, member] of isFound ? [] : members) {
        const path = field === '' ? name : `${field}.${name}`;
        open.push({ field: path, value: member, prefix: name === 'phone' ? '+' : '' });
      }
    } else if (field !== allowed) isFound = holds(`${prefix}${String(inner)}`);
    if (isFound) fields.push(field);
    if (searched > MOST_SEARCHED || fields.length === MOST_FIELDS) break;
  }
  return { fields, isTooLong: searched > MOST_SEARCHED, crowded: undefined };
}

function countOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
