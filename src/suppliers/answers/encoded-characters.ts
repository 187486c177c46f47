const [BACKSLASH, AMPERSAND, HASH, SEMICOLON, ZERO] = ['\\', '&', '#', ';', '0'].map((one) => one.charCodeAt(0));

/** By byte: whether it is a letter, a digit, `_` or a space. */
const READABLE = Array.from({ length: 256 }, (_, code) => /[\w\s]/.test(String.fromCharCode(code)));
/** By byte: its value as a hexadecimal digit; NaN if it isn't one. */
const DIGITS = Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[\da-f]/i.test(character) ? Number.parseInt(character, 16) : Number.NaN;
});

/** An encoded character. */
interface Encoded {
  code: number;
  /** Where it ends. */
  end: number;
}

/**
 * Decodes those letters, digits, `_` and spaces that are written as in JSON or XML: `\u005f`, `\n`, `&#95;`, `&#x5F;`. Changes
 * `bytes` and returns a part of them. A loop, because replacing takes a microsecond for each of a million such characters.
 */
export function decoded(bytes: Buffer): Buffer {
  const found: Encoded = { code: 0, end: 0 };
  let length = 0;
  for (let at = 0; at < bytes.length; length += 1) {
    const byte = bytes[at] ?? 0;
    const isEncoded =
      (byte === BACKSLASH && findEscape(bytes, at + 1, found)) ||
      (byte === AMPERSAND && findReference(bytes, at + 1, found));
    bytes[length] = isEncoded && READABLE[found.code] ? found.code : byte;
    at = isEncoded && READABLE[found.code] ? found.end : at + 1;
  }
  return bytes.subarray(0, length);
}

/** Whether there is an escape of JSON after the backslash. */
function findEscape(bytes: Buffer, at: number, found: Encoded): boolean {
  switch (String.fromCharCode(bytes[at] ?? 0)) {
    case 'n':
    case 'r':
    case 't':
      [found.code, found.end] = [0x20, at + 1];
      return true;
    case 'u':
      if (bytes[at + 1] !== ZERO || bytes[at + 2] !== ZERO) return false;
      [found.code, found.end] = [16 * digit(bytes, at + 3) + digit(bytes, at + 4), at + 5];
      return found.code >= 0;
    default:
      return false;
  }
}

/** Whether there is a reference of XML after the ampersand. */
function findReference(bytes: Buffer, at: number, found: Encoded): boolean {
  if (bytes[at] !== HASH) return false;
  const isHex = bytes[at + 1] === 0x78 || bytes[at + 1] === 0x58;
  const base = isHex ? 16 : 10;
  const first = at + (isHex ? 2 : 1);
  let end = first;
  let code = 0;
  for (; code < 256 && digit(bytes, end) < base; end += 1) code = base * code + digit(bytes, end);
  [found.code, found.end] = [code, end + 1];
  return end > first && code < 256 && bytes[end] === SEMICOLON;
}

function digit(bytes: Buffer, at: number): number {
  return DIGITS[bytes[at] ?? 0] ?? Number.NaN;
}
