import { type MoneyForm, parseQuantity } from '../../model/money.js';
import { ownCopy, trimmedCopy } from '../../model/own-copy.js';

/** The number of a text, in the notation of the amounts; long numbers only without separators. */
export function quantityOf(text: string, form: MoneyForm | undefined): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : parseQuantity(text, form);
}

/** Whether a value of an answer is stated, readable or not. Blank text isn't, nor is an empty list: a filter that finds nothing. */
export function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && value !== undefined && (typeof value !== 'string' || value.trim() !== '');
}

/** A value for a warning. Lists and objects aren't written: they may be large. */
export function quoted(value: unknown): string {
  if (typeof value === 'object') return 'a list or object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
}

/** What can be sent back as it was: text of up to 500 characters, true, false, or a number that JSON represents exactly. */
export function isReturnable(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return value.length > 0 && value.length <= 500;
  return typeof value === 'boolean' || Number.isSafeInteger(value);
}

/** A finite number, or its plain decimal text. */
export function numberOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^[+-]?\d{1,15}(\.\d{1,12})?$/.test(value.trim());
  const number = isText ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Trimmed text of at most `most` characters, or an exact whole number as written; never empty. */
export function textOf(value: unknown, most: number): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== 'string' || value.length > most) return undefined;
  return trimmedCopy(value) || undefined;
}

/** The first hundred texts of a list, trimmed, without those over `most` characters. */
export function textsOf(value: unknown, most: number): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 100).flatMap((member) => {
    const text = typeof member === 'string' && member.length <= most ? trimmedCopy(member) : '';
    return text === '' ? [] : [text];
  });
}

/** Text of at most `most` characters, no emoji in two; the rest isn't kept in memory. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : ownCopy(`${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`);
}
