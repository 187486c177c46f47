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
 * JSON that begins with text of its own and ends with bytes that other values share. The text becomes bytes when the answer is
 * written: bytes of its own would first be allocated and then copied into the answer, and V8 marks the complete heap each time
 * that 64 MB of them were allocated.
 */
export class TextAndBytes implements JsonBytes {
  readonly length: number;

  constructor(
    private readonly text: string,
    private readonly rest: Buffer,
  ) {
    this.length = Buffer.byteLength(text) + rest.length;
  }

  copy(target: Buffer, at: number): void {
    const written = target.write(this.text, at);
    this.rest.copy(target, at + written);
  }

  toString(): string {
    return this.text + this.rest.toString();
  }
}

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
  return values.flatMap((value, index) => (index === 0 ? [value] : [COMMA, value]));
}
