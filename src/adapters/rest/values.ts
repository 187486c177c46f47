import { type MoneyForm, parseQuantity } from '../../model/money.js';

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

/** true, false, or a number that JSON represents exactly. */
export function isExactScalar(value: unknown): boolean {
  return typeof value === 'boolean' || Number.isSafeInteger(value);
}
