import { MOST_CODE } from '../../model/limits.js';
import type { PlaceRef } from '../../model/locations.js';
import { isCurrency, type Money } from '../../model/money.js';
import type { SupplierOffer } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import { UNSEEN } from './unseen.js';

/** The most characters of a code, a word, a number or a time. */
export const CODE = MOST_CODE;
/** Bytes of all items of an answer as they are rendered, although offers share texts. */
const MOST_BYTES = 4_000_000;
/** Ten billion in the most common currencies. */
const MOST_MINOR = 1_000_000_000_000;
/** The highest number of days or seats, or age. */
export const MOST_COUNT = 10_000;
/** A supplierRef becomes part of an offer id, of which callers may send 6,000 characters. */
const MOST_REF_MEMBERS = 30;
const MOST_REF_CHARACTERS = 3_000;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Tab, line feed and carriage return, which terms have. */
const ALLOWED_BELOW_SPACE: readonly number[] = [0x09, 0x0a, 0x0d];
/** UTF-8 needs one byte for the characters before the first of these, two before the second, then three: a pair of surrogates has four. */
const FIRST_OF_TWO = 0x80;
const FIRST_OF_THREE = 0x800;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/**
 * Checks the values of one answer and adds up what they amount to. `undefined` passes every check. Each check throws
 * SupplierError `bad_payload` with the name of the value and the limit.
 */
export class Tally {
  #bytes = 0;
  /** Position of the item being checked; undefined if the answer isn't a list. */
  #item: number | undefined;
  #currency = '';
  readonly #times = new Set<string>();
  /** Bytes of objects that several items share. */
  readonly #shared = new Map<object, number>();
  readonly #distinct = new Set<string>();
  readonly #bytesOf = longTexts(bytesInJson);

  /** Counts different keys of all items. */
  distinct(key: string, most: number, name: string): void {
    if (this.#distinct.add(key).size > most) this.#refuse('answer', `has more than ${most} ${name}`);
  }

  /** Counts bytes of the rendered answer. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  text(value: string | undefined, most: number, name: string): void {
    if (value === undefined) return;
    // A code adapter may pass on what the supplier sent instead.
    if (typeof value !== 'string') this.#refuse(name, 'is not text');
    if (value.length > most) this.#refuse(name, `has ${value.length} characters; the limit is ${most}`);
    const bytes = this.#bytesOf(value);
    if (bytes === undefined) this.#refuse(name, 'has a control character or half a surrogate pair');
    this.#bytes += bytes;
  }

  /** The number of a booking or cancellation, which people read to each other and type. */
  readNumber(value: string | undefined, name: string): void {
    this.text(value, CODE, name);
    if (value !== undefined && UNSEEN.test(value)) this.#refuse(name, 'has a character that is not seen');
  }

  number(value: number | undefined, least: number, most: number, name: string): void {
    // False for NaN as well.
    if (value === undefined || (typeof value === 'number' && value >= least && value <= most)) return;
    this.#refuse(name, `is not a number from ${least} to ${most}`);
  }

  /** The coordinates of a place, whose names begin with `prefix`. */
  position(place: Pick<PlaceRef, 'latitude' | 'longitude'> | undefined, prefix: string): void {
    this.number(place?.latitude, -90, 90, `${prefix}latitude`);
    this.number(place?.longitude, -180, 180, `${prefix}longitude`);
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
    // Date.parse reads any number of characters in parentheses.
    this.text(value, CODE, name);
    if (value !== undefined && Number.isNaN(Date.parse(value))) this.#refuse(name, 'is not a time');
  }

  texts(values: readonly string[], most: number, mostCharacters: number, name: string): void {
    this.#bound(values, most, name);
    for (const value of values) this.text(value, mostCharacters, name);
  }

  list<T>(values: readonly T[], most: number, name: string, check: (value: T, tally: Tally) => void): void {
    this.#bound(values, most, name);
    for (const value of values) check(value, this);
  }

  /** The items of the answer, none of which may have more than `mostBytes` as it is rendered. */
  items<T>(
    values: readonly T[],
    most: number,
    check: (value: T, tally: Tally) => void,
    mostBytes: number = MOST_BYTES,
  ): void {
    this.#bound(values, most, 'answer');
    for (this.#item = 0; this.#item < values.length; this.#item += 1) {
      const before = this.#bytes;
      check(values[this.#item] as T, this);
      if (this.#bytes > MOST_BYTES) this.#refuse('answer', `has more than ${MOST_BYTES} bytes when rendered`);
      if (this.#bytes - before > mostBytes) this.#refuse('offer', `has more than ${mostBytes} bytes when rendered`);
    }
  }

  /** An object that items may share: checked once, counted every time. */
  shared<T extends object>(value: T, check: (value: T, tally: Tally) => void): void {
    const known = this.#shared.get(value);
    if (known !== undefined) {
      this.#bytes += known;
      return;
    }
    const before = this.#bytes;
    check(value, this);
    this.#shared.set(value, this.#bytes - before);
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
    this.#bytes += characters;
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

/**
 * Bytes of a text in JSON; undefined if it is unusable: PostgreSQL can't store NUL and half a surrogate pair in JSON that it has to read, and no
 * text needs the other control characters.
 */
export function bytesInJson(text: string): number | undefined {
  // Most texts are short: for them, a loop takes half the time that a regular expression does.
  let bytes = 0;
  let mayHaveSurrogate = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < SPACE && !ALLOWED_BELOW_SPACE.includes(unit)) return undefined;
    mayHaveSurrogate ||= unit >= FIRST_SURROGATE;
    bytes += unitBytes(unit);
  }
  return mayHaveSurrogate && !text.isWellFormed() ? undefined : bytes;
}

/** Characters of a text that is worth remembering. */
const LONG = 200;

/** What is made of a text, once for each long text: the offers of an answer share their terms, which the supplier may write only once. */
export function longTexts<T>(made: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length < LONG) return made(text);
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    const result = made(text);
    known.set(text, result);
    return result;
  };
}

/** Bytes of one UTF-16 unit of a text in JSON. */
export function unitBytes(unit: number): number {
  if (unit < FIRST_OF_TWO) return unit < SPACE || unit === QUOTE || unit === BACKSLASH ? 2 : 1;
  return unit < FIRST_OF_THREE || (unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE) ? 2 : 3;
}
