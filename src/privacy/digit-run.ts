import { cardLengths, SHORTEST_CARD } from './card-schemes.js';
import { BLANK, INVISIBLE, kindOf, LETTER, PLUS } from './character-kinds.js';

/** Where a card number is in a text, as for String.slice. */
export interface CardPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Digits of a text with only separators in between, before, and after; a letter may precede and follow. A group is a part
 * without separators. All arrays have one entry per digit.
 */
interface DigitRun {
  readonly values: Uint8Array;
  /** Place in the text. */
  readonly places: Int32Array;
  /** Separators since the digit before, of which several blanks in a row count as one. */
  readonly gaps: Int32Array;
  /** Index of the last digit of the digit's group. */
  readonly groupEnds: Int32Array;
  /** Sums of the check-digit formula (luhnSums). */
  readonly sums: Uint8Array;
  /** Indexes of digits that directly follow a plus sign. */
  readonly afterPlus: ReadonlySet<number>;
  readonly isAfterLetter: boolean;
  readonly isBeforeLetter: boolean;
}

/** From this length on, a number isn't a telephone number: those have at most 15 digits, and none begins like a card. */
const FULL_LENGTH = 15;
/** The same after a plus sign: telephone numbers of 14 digits don't begin like a card, some of 12 and 13 do. */
const NO_TELEPHONE = 14;
/** How many digits may follow a card number directly: a security code, an expiry date, or both. */
const APPENDED = [3, 4, 7, 8];
const MOST_PADDING = 20;

/** The card numbers in a part of a text that has `count` digits and no letter but perhaps its first character. */
export function cardsInRun(text: string, from: number, to: number, count: number): readonly CardPlace[] {
  const run = readRun(text, from, to, count);
  const found: CardPlace[] = [];
  let isPadding = false;
  for (let first = 0; first + SHORTEST_CARD <= count; first += 1) {
    const isGroupStart = first === 0 || run.gaps[first] !== 0;
    // Zeros may pad a number to a fixed length.
    isPadding = isGroupStart || (isPadding && run.values[first - 1] === 0);
    if (!isPadding) continue;
    const length = cardLengths(prefixAt(run, first)).find((long) => isCard(run, first, long, isGroupStart));
    if (length === undefined) continue;
    const last = run.places[first + length - 1] ?? 0;
    found.push({ start: run.places[first] ?? 0, end: last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1) });
    first += length - 1;
    isPadding = false;
  }
  return found;
}

function readRun(text: string, from: number, to: number, count: number): DigitRun {
  const [values, places, gaps] = [new Uint8Array(count), new Int32Array(count), new Int32Array(count)];
  const afterPlus = new Set<number>();
  let index = 0;
  let gap = 0;
  let before = BLANK;
  let isAfterLetter = false;
  for (let at = from; at < to; at += 1) {
    const codePoint = text.codePointAt(at) ?? 0;
    const kind = kindOf(codePoint);
    if (kind < INVISIBLE) {
      values[index] = kind;
      places[index] = at;
      gaps[index] = gap;
      if (before === PLUS) afterPlus.add(index);
      if (index === 0) isAfterLetter = before === LETTER;
      index += 1;
      gap = 0;
    } else if (kind !== INVISIBLE && kind !== LETTER && !(kind === BLANK && before === BLANK)) gap += 1;
    if (kind !== INVISIBLE) before = kind;
    if (codePoint > 0xffff) at += 1;
  }
  const isBeforeLetter = to < text.length && gap === 0;
  const sums = luhnSums(values);
  return { values, places, gaps, groupEnds: groupEnds(gaps), sums, afterPlus, isAfterLetter, isBeforeLetter };
}

/**
 * Sums of all digits before each, modulo 10, two entries per digit: every second one is doubled as the check-digit formula does, in the
 * first sum those with an odd index, in the second the others. So numbers of all lengths that begin at a digit cost two entries each.
 */
function luhnSums(values: Uint8Array): Uint8Array {
  const sums = new Uint8Array(2 * values.length + 2);
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    const doubled = value > 4 ? value * 2 - 9 : value * 2;
    const at = 2 * i + 2;
    sums[at] = ((sums[at - 2] ?? 0) + (i % 2 === 0 ? value : doubled)) % 10;
    sums[at + 1] = ((sums[at - 1] ?? 0) + (i % 2 === 0 ? doubled : value)) % 10;
  }
  return sums;
}

/** The same as luhn of these digits: the last one isn't doubled. */
function passesCheck({ sums }: DigitRun, first: number, last: number): boolean {
  const parity = last % 2;
  return sums[2 * first + parity] === sums[2 * last + 2 + parity];
}

function groupEnds(gaps: Int32Array): Int32Array {
  const ends = new Int32Array(gaps.length);
  let end = gaps.length - 1;
  for (let i = end; i >= 0; i -= 1) {
    ends[i] = end;
    if (gaps[i] !== 0) end = i - 1;
  }
  return ends;
}

/** The first four digits of a number, as a number. */
function prefixAt({ values }: DigitRun, first: number): number {
  const at = (offset: number): number => values[first + offset] ?? 0;
  return at(0) * 1_000 + at(1) * 100 + at(2) * 10 + at(3);
}

/** Whether `length` digits from `first` on are a card number, set apart from others as one is. */
function isCard(run: DigitRun, first: number, length: number, isGroupStart: boolean): boolean {
  const last = first + length - 1;
  if (last >= run.values.length || !passesCheck(run, first, last)) return false;
  const rest = (run.groupEnds[last] ?? last) - last;
  if (length < FULL_LENGTH) {
    const isAttached = (first === 0 && run.isAfterLetter) || (last === run.values.length - 1 && run.isBeforeLetter);
    if (!isGroupStart || rest > 0 || isAttached) return false;
    if (length < NO_TELEPHONE && run.afterPlus.has(first)) return false;
  }
  const isOneGroup = (run.groupEnds[first] ?? 0) >= last;
  if (rest === 0) return isOneGroup || areGrouped(run, first, last);
  return isOneGroup && (APPENDED.includes(rest) || areZeros(run, last + 1, rest));
}

function areZeros({ values }: DigitRun, from: number, length: number): boolean {
  return length <= MOST_PADDING && values.subarray(from, from + length).every((value) => value === 0);
}

/**
 * Whether groups belong together: all but the last have four digits, or all are separated by one character, or all by
 * more. Dates and telephone numbers side by side are separated differently within and between them.
 */
function areGrouped({ gaps }: DigitRun, first: number, last: number): boolean {
  let isNarrow = false;
  let isWide = false;
  let areFours = true;
  let groupStart = first;
  for (let i = first + 1; i <= last; i += 1) {
    const gap = gaps[i] ?? 0;
    if (gap === 0) continue;
    if (gap === 1) isNarrow = true;
    else isWide = true;
    areFours &&= i - groupStart === 4;
    if (isNarrow && isWide && !areFours) return false;
    groupStart = i;
  }
  return true;
}
