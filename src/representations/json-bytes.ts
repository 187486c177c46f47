/** JSON as UTF-8, such as a Buffer. */
export interface JsonBytes {
  /** Number of bytes. */
  readonly length: number;
  /** Writes all bytes to `target` from `at`. */
  copy(target: Buffer, at: number): unknown;
  /** The JSON as text. */
  toString(): string;
}

/**
 * One JSON object with the members of several, in order: two with text of their own, and one whose bytes other values share. Text
 * becomes bytes when the answer is written: bytes of its own would first be allocated and then copied into the answer, and V8
 * marks the complete heap each time that 64 MB of them were allocated.
 */
export class MergedObjects implements JsonBytes {
  readonly length: number;
  readonly #middleBytes: number;

  /** Each is the JSON of an object with at least one member; `first` is ASCII. */
  constructor(
    private readonly first: string,
    private readonly middle: string,
    private readonly last: Buffer,
  ) {
    this.#middleBytes = Buffer.byteLength(middle);
    this.length = first.length - 1 + this.#middleBytes - 1 + last.length;
  }

  copy(target: Buffer, at: number): void {
    target.write(this.first, at, 'latin1');
    // A comma replaces the brackets between two: cutting them off would copy the texts.
    const second = at + this.first.length - 1;
    // Characters of ASCII, and no others, are one byte each. Such text is copied instead of encoded.
    target.write(this.middle, second, this.#middleBytes === this.middle.length ? 'latin1' : 'utf8');
    target[second] = COMMA_BYTE;
    const third = second + this.#middleBytes - 1;
    this.last.copy(target, third);
    target[third] = COMMA_BYTE;
  }

  toString(): string {
    return `${this.first.slice(0, -1)},${this.middle.slice(1, -1)},${this.last.toString().slice(1)}`;
  }
}

const COMMA_BYTE = 0x2c;
const COMMA = Buffer.from(',');

/** All parts in order, without anything between them. */
export function concatenated(parts: readonly JsonBytes[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    part.copy(bytes, at);
    at += part.length;
  }
  return bytes;
}

/** The values with a comma between each two. */
export function commaSeparated(values: readonly JsonBytes[]): JsonBytes[] {
  const parts: JsonBytes[] = [];
  for (const value of values) {
    if (parts.length > 0) parts.push(COMMA);
    parts.push(value);
  }
  return parts;
}
