/** Letters that Unicode doesn't decompose, as travelers type them without their accents. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
};

const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** Characters of a text that are read. Some become up to 18 when they are decomposed. */
const MOST = 160;

/**
 * Folds a name for comparison: lower case, without accents (NFKD) and apostrophes, other punctuation as one blank: "Łódź" → "lodz",
 * "O’Hare" → "ohare", "Frankfurt (Main)" → "frankfurt main". Reads only the first 160 characters. Keeps letters of every script.
 */
export function foldName(text: string): string {
  return text
    .slice(0, MOST)
    .normalize('NFKD')
    .slice(0, MOST)
    .replace(/[\p{M}'\u2019\u02bc\u02bb\u2018`]/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
