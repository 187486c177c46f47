/** V8 copies a part of up to 12 characters; a longer one refers to the text that it is a part of and keeps it in memory. */
const LONGEST_COPIED = 12;

/** A text this short may be kept for the sake of a part of it: that takes less than copying the part of each offer. */
const LONGEST_KEPT = 160;

/**
 * The same text, which keeps no other one in memory: for parts of a large text, such as a document, that may be kept longer than
 * it. Takes less than a microsecond for texts of some hundred characters.
 */
export function ownCopy(text: string): string {
  if (text.length <= LONGEST_COPIED) return text;
  // UTF-8 can't say half a surrogate pair, for which the text may be refused later.
  return text.isWellFormed() ? Buffer.from(text).toString() : Buffer.from(text, 'utf16le').toString('utf16le');
}

/**
 * The value with copies of its texts, which keep no other ones in memory: for what is kept of an answer, whatever its texts were cut from.
 * Copies lists and objects that have texts, and what contains them; everything else, and instances of classes, stay the same object.
 */
export function withOwnTexts<T>(value: T): T {
  if (typeof value === 'string') return ownCopy(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  let copy: T | undefined;
  for (const name of Object.keys(value) as (keyof T)[]) {
    const member = value[name];
    const isText = typeof member === 'string';
    if (isText ? member.length <= LONGEST_COPIED : typeof member !== 'object') continue;
    const own = withOwnTexts(member);
    // A copy of a text equals it.
    if (own === member && !isText) continue;
    copy ??= shallowCopy(value);
    if (copy === value) return value;
    copy[name] = own;
  }
  return copy ?? value;
}

/** The instance itself of a class. */
function shallowCopy<T extends object>(value: T): T {
  if (Array.isArray(value)) return [...value] as unknown as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? { ...value } : value;
}

/** A part of `source` that keeps at most 160 characters of it in memory. `source` itself must keep no other text. */
export function ownPart(part: string, source: string): string {
  return source.length <= LONGEST_KEPT ? part : ownCopy(part);
}

/** The trimmed text, which keeps at most 160 characters of the original in memory. */
export function trimmedCopy(text: string): string {
  const trimmed = text.trim();
  return trimmed.length === text.length ? text : ownPart(trimmed, text);
}
