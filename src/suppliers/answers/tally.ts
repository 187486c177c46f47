import { isCurrency, type Money } from '../../model/money.js';
import type { SupplierOffer } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';

/** Characters of all items of an answer as they are rendered, although offers share texts. */
const MOST_CHARACTERS = 4_000_000;
/** Ten billion in the most common currencies. */
const MOST_MINOR = 1_000_000_000_000;
const MOST_COUNT = 10_000;
/** A supplierRef becomes part of an offer id, of which callers may send 6,000 characters. */
const MOST_REF_MEMBERS = 30;
const MOST_REF_CHARACTERS = 3_000;

const SPACE = 0x20;
/** Tab, line feed and carriage return, which terms have. */
const ALLOWED_BELOW_SPACE: readonly number[] = [0x09, 0x0a, 0x0d];
const FIRST_SURROGATE = 0xd800;

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/**
 * Checks the values of one answer and adds up what they amount to. `undefined` passes every check. Each check throws
 * SupplierError `bad_payload` with the name of the value and the limit.
 */
export class Tally {
  #characters = 0;
  /** Position of the item being checked; undefined if the answer isn't a list. */
  #item: number | undefined;
  #currency = '';
  readonly #times = new Set<string>();
  /** Characters of objects that several items share. */
  readonly #shared = new Map<object, number>();
  readonly #distinct = new Set<string>();

  /** Counts different keys of all items. */
  distinct(key: string, most: number, name: string): void {
    if (this.#distinct.add(key).size > most) this.#refuse('answer', `has more than ${most} ${name}`);
  }

  /** Counts characters of the rendered answer. */
  add(characters: number): void {
    this.#characters += characters;
  }

  text(value: string | undefined, most: number, name: string): void {
    if (value === undefined) return;
    // A code adapter may pass on what the supplier sent instead.
    if (typeof value !== 'string') this.#refuse(name, 'is not text');
    if (value.length > most) this.#refuse(name, `has ${value.length} characters; the limit is ${most}`);
    if (isUnusable(value)) this.#refuse(name, 'has a control character or half a surrogate pair');
    this.#characters += value.length;
  }

  number(value: number | undefined, least: number, most: number, name: string): void {
    // False for NaN as well.
    if (value === undefined || (typeof value === 'number' && value >= least && value <= most)) return;
    this.#refuse(name, `is not a number from ${least} to ${most}`);
  }

  /** A whole number. */
  count(value: number | undefined, name: string): void {
    if (value === undefined || (Number.isInteger(value) && value >= 0 && value <= MOST_COUNT)) return;
    this.#refuse(name, `is not a whole number from 0 to ${MOST_COUNT}`);
  }

  money(value: Money | undefined, name: string): void {
    if (value === undefined) return;
    const { amountMinor, currency } = value;
    if (!Number.isInteger(amountMinor) || Math.abs(amountMinor) > MOST_MINOR)
      this.#refuse(name, `is not a whole number of minor units up to ${MOST_MINOR}`);
    if (currency === this.#currency) return;
    if (!isCurrency(currency)) this.#refuse(name, 'has no ISO 4217 currency');
    this.#currency = currency;
  }

  localTime(value: string | undefined, name: string): void {
    if (value === undefined || this.#times.has(value)) return;
    if (typeof value !== 'string' || !LOCAL_TIME.test(value) || Number.isNaN(Date.parse(`${value}Z`)))
      this.#refuse(name, 'is not a local date and time');
    this.#times.add(value);
  }

  instant(value: string | undefined, name: string): void {
    if (value !== undefined && (isUnusable(value) || Number.isNaN(Date.parse(value))))
      this.#refuse(name, 'is not a time');
  }

  texts(values: readonly string[], most: number, mostCharacters: number, name: string): void {
    this.#bound(values, most, name);
    for (const value of values) this.text(value, mostCharacters, name);
  }

  list<T>(values: readonly T[], most: number, name: string, check: (value: T, tally: Tally) => void): void {
    this.#bound(values, most, name);
    for (const value of values) check(value, this);
  }

  /** The items of the answer. */
  items<T>(values: readonly T[], most: number, check: (value: T, tally: Tally) => void): void {
    this.#bound(values, most, 'answer');
    for (this.#item = 0; this.#item < values.length; this.#item += 1) {
      check(values[this.#item] as T, this);
      if (this.#characters > MOST_CHARACTERS)
        this.#refuse('answer', `has more than ${MOST_CHARACTERS} characters when rendered`);
    }
  }

  /** An object that items may share: checked once, counted every time. */
  shared<T extends object>(value: T, check: (value: T, tally: Tally) => void): void {
    const known = this.#shared.get(value);
    if (known !== undefined) {
      this.#characters += known;
      return;
    }
    const before = this.#characters;
    check(value, this);
    this.#shared.set(value, this.#characters - before);
  }

  ref(ref: SupplierOffer['supplierRef']): void {
    let members = 0;
    let characters = 0;
    for (const name in ref) {
      const value = ref[name];
      members += 1;
      characters += name.length + (typeof value === 'string' ? value.length : 1);
      // PostgreSQL can't store them in JSON that it has to read.
      if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
        this.#refuse('supplierRef', 'has a NUL or half a surrogate pair');
      if (typeof value === 'number' && !Number.isFinite(value)) this.#refuse('supplierRef', 'has an infinite number');
    }
    if (members > MOST_REF_MEMBERS || characters > MOST_REF_CHARACTERS)
      this.#refuse('supplierRef', `has more than ${MOST_REF_MEMBERS} members or ${MOST_REF_CHARACTERS} characters`);
    this.#characters += characters;
  }

  #bound(values: readonly unknown[], most: number, name: string): void {
    if (!Array.isArray(values)) this.#refuse(name, 'is not a list');
    if (values.length > most) this.#refuse(name, `has ${values.length} items; the limit is ${most}`);
  }

  #refuse(name: string, problem: string): never {
    throw new SupplierError(
      'bad_payload',
      `${this.#item === undefined ? '' : `item ${this.#item}: `}${name} ${problem}`,
    );
  }
}

/** PostgreSQL can't store NUL and half a surrogate pair in JSON that it has to read; no text needs the other control characters. */
function isUnusable(text: string): boolean {
  // Most texts are short: for them, a loop takes half the time that a regular expression does.
  let mayHaveSurrogate = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < SPACE && !ALLOWED_BELOW_SPACE.includes(unit)) return true;
    mayHaveSurrogate ||= unit >= FIRST_SURROGATE;
  }
  return mayHaveSurrogate && !text.isWellFormed();
}
