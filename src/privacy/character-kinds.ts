/** What a character means when a card number is read. Digits are 0 to 9. */
export const INVISIBLE = 10;
export const BLANK = 11;
export const SEPARATOR = 12;
export const PLUS = 13;
export const LETTER = 14;

/** The kinds found so far, plus 1; 0 = not determined yet. */
const known = new Uint8Array(0x110000);

/**
 * The kind of a character, given as a code point: a digit of any script, in any form that Unicode equates with one (as in
 * ① or ⁴); invisible (zero-width, formatting and control characters, combining marks); a blank; a plus sign; a letter,
 * across which no number continues; or any other separator.
 */
export function kindOf(codePoint: number): number {
  const kind = known[codePoint] ?? 0;
  return kind === 0 ? determined(codePoint) : kind - 1;
}

function determined(codePoint: number): number {
  const kind = determine(codePoint, String.fromCodePoint(codePoint));
  known[codePoint] = kind + 1;
  return kind;
}

function determine(codePoint: number, character: string): number {
  if (/\p{Nd}/u.test(character)) return decimalValue(codePoint);
  if (/[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/u.test(character)) return INVISIBLE;
  if (/\s/u.test(character)) return BLANK;
  if (/\p{N}/u.test(character)) {
    const [digit, ...rest] = character.normalize('NFKC').replace(/\D/g, '');
    return digit !== undefined && rest.length === 0 ? Number(digit) : LETTER;
  }
  if (/\p{L}/u.test(character)) return LETTER;
  return character.normalize('NFKC') === '+' ? PLUS : SEPARATOR;
}

/** Unicode lists the decimal digits of a script in order, beginning with zero. */
function decimalValue(codePoint: number): number {
  let zero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (codePoint - zero) % 10;
}
