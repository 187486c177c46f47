import type { PlaceTable } from './place-file.js';

/** The range of terms that begin with `prefix`: from the first to before the last. */
export function termsWith({ terms }: PlaceTable, prefix: Buffer): readonly [from: number, to: number] {
  const compare = (line: number): number => {
    const start = terms.start(line);
    const end = Math.min(terms.end(line), start + prefix.length);
    return terms.bytes.compare(prefix, 0, prefix.length, start, end);
  };
  const bound = (isBefore: (order: number) => boolean): number => {
    let low = 0;
    let high = terms.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(compare(middle))) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [bound((order) => order < 0), bound((order) => order <= 0)];
}

/** Terms of places below this importance are not searched for typos. */
const LEAST_IMPORTANCE = 78;
const SHORTEST = 4;
const LONGEST = 40;

/** The terms in which typos are looked for: those of the more important places, in Latin letters. */
export class TypoTerms {
  /** In ascending order of length. */
  readonly #lines: Uint32Array;
  /** Which letters a term has, one bit each: terms that differ in more than two for each edit need no comparison. */
  readonly #letters: Uint32Array;
  /** By length, where its terms begin. */
  readonly #begins = new Uint32Array(LONGEST + 2);
  readonly #row = new Uint8Array((LONGEST + 1) * (LONGEST + 1));

  constructor(private readonly table: PlaceTable) {
    const { terms, placeOf, importances, kinds, flagOf } = table;
    const byLength: number[][] = Array.from({ length: LONGEST + 1 }, () => []);
    for (let line = 0; line < terms.count; line += 1) {
      const start = terms.start(line);
      const length = terms.end(line) - start;
      const place = placeOf[line] ?? 0;
      if (length < SHORTEST || length > LONGEST || (importances[place] ?? 0) < LEAST_IMPORTANCE) continue;
      if (flagOf[line] === 2 && kinds[place] !== 1) continue;
      if ((terms.bytes[start] ?? 128) < 128) byLength[length]?.push(line);
    }
    this.#lines = Uint32Array.from(byLength.flat());
    this.#letters = this.#lines.map((line) => lettersOf(terms.bytes, terms.start(line), terms.end(line)));
    let begin = 0;
    for (const [length, lines] of byLength.entries()) {
      this.#begins[length] = begin;
      begin += lines.length;
    }
    this.#begins[LONGEST + 1] = begin;
  }

  /** Calls `found` with each term within the edits that the length of `typed` allows: one, two from eight letters. */
  search(typed: Buffer, found: (line: number, edits: number) => void): void {
    if (typed.length < SHORTEST || typed.length > LONGEST) return;
    const most = typed.length >= 8 ? 2 : 1;
    const letters = lettersOf(typed, 0, typed.length);
    const { terms } = this.table;
    const lines = this.#lines;
    const allLetters = this.#letters;
    const to = this.#begins[Math.min(LONGEST, typed.length + most) + 1] ?? 0;
    for (let index = this.#begins[typed.length - most] ?? 0; index < to; index += 1) {
      if (bitsIn((allLetters[index] ?? 0) ^ letters) > 2 * most) continue;
      const line = lines[index] ?? 0;
      const start = terms.start(line);
      const edits = this.#edits(typed, terms.bytes, start, terms.end(line) - start, most);
      if (edits <= most) found(line, edits);
    }
  }

  /** Optimal string alignment: a replaced, missing or extra letter, or two swapped ones. More than `most` = not equal. */
  #edits(typed: Buffer, bytes: Buffer, start: number, length: number, most: number): number {
    const width = LONGEST + 1;
    const rows = this.#row;
    for (let column = 0; column <= length; column += 1) rows[column] = column;
    for (let line = 1; line <= typed.length; line += 1) {
      rows[line * width] = line;
      let best = line;
      for (let column = 1; column <= length; column += 1) {
        const same = typed[line - 1] === bytes[start + column - 1];
        const at = line * width + column;
        let cost = (rows[at - width - 1] ?? 0) + (same ? 0 : 1);
        const missing = (rows[at - width] ?? 0) + 1;
        const extra = (rows[at - 1] ?? 0) + 1;
        if (missing < cost) cost = missing;
        if (extra < cost) cost = extra;
        const isSwapped =
          line > 1 &&
          column > 1 &&
          typed[line - 1] === bytes[start + column - 2] &&
          typed[line - 2] === bytes[start + column - 1];
        const swapped = (rows[at - 2 * width - 2] ?? 0) + 1;
        if (isSwapped && swapped < cost) cost = swapped;
        rows[at] = cost;
        if (cost < best) best = cost;
      }
      if (best > most) return best;
    }
    return rows[typed.length * width + length] ?? most + 1;
  }
}

function lettersOf(bytes: Buffer, from: number, to: number): number {
  let letters = 0;
  for (let at = from; at < to; at += 1) letters |= 1 << ((bytes[at] ?? 0) % 31);
  return letters;
}

function bitsIn(value: number): number {
  let left = value - ((value >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return (((left + (left >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
