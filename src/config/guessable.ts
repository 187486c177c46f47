/**
 * Pairs of letters that English spelling uses most, as `<first>:<seconds>`: nine of ten pairs in the words of docs/. In
 * random letters, two of ten pairs are among them.
 */
const SPELLING =
  'a:bcdgilmnprstuy b:elo c:aehklort d:aeios e:acdeflmnpqrstvwx f:aeio g:ae h:aeio i:cdeflmnorst k:ei l:adeilosy m:aeiop ' +
  'n:acdegost o:dfklmnoprstuw p:aeloprt q:u r:adeiosty s:aehiopstu t:aehiors u:elnprst v:ae w:aehino';
/** Neighbors on keyboards, in the alphabet and in counting, in both directions. */
const ROWS = 'qwertyuiop asdfghjkl zxcvbnm qaz wsx edc rfv tgb yhn ujm abcdefghijklmnopqrstuvwxyz 01234567890'.split(
  ' ',
);

const expected = new Set([
  ...SPELLING.split(' ').flatMap((group) => [...group.slice(2)].map((second) => group.charAt(0) + second)),
  ...ROWS.flatMap((row) => [...row].slice(1).flatMap((key, index) => [row[index] + key, key + row[index]])),
]);

/** Digits and signs that people write for letters. */
const LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/**
 * Sentences and names of 30 to 50 characters have up to 14, 16 random bytes in hexadecimal fewer than 15 once in 30,000
 * times, and 32 random bytes never in practice.
 */
const FEWEST_SURPRISES = 15;

/** Texts that anyone can look up and that the estimate doesn't catch. */
const PUBLISHED = new Set(['development-only-do-not-use-anywhere-else', 'the quick brown fox jumps over the lazy dog']);

/**
 * Whether a secret is published or doesn't look generated: it consists of words, repetitions, sequences or keyboard rows.
 * That includes such a text encoded as hexadecimal or base64. An estimate for secrets of 32 characters or more.
 */
export function isGuessable(secret: string): boolean {
  const decoded = (['hex', 'base64'] as const).map((encoding) => Buffer.from(secret, encoding).toString('latin1'));
  return [secret, ...decoded.filter((text) => /^[ -~]{12,}$/.test(text))].some(
    (text) => PUBLISHED.has(text.toLowerCase()) || surprises(text) < FEWEST_SURPRISES,
  );
}

/** The number of characters that the ones before them don't explain. Each is worth about four bits. */
function surprises(secret: string): number {
  const text = plain(secret.toLowerCase());
  const seen = new Set<string>();
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const pair = text.slice(Math.max(0, at - 1), at + 1);
    const triple = text.slice(Math.max(0, at - 2), at + 1);
    const isExplained =
      /[^a-z0-9+/]/.test(character) || character === text[at - 1] || expected.has(pair) || seen.has(triple);
    if (!isExplained) count += 1;
    if (at >= 2) seen.add(triple);
  }
  return count;
}

/** With letters in place of the digits and signs written for them. Hexadecimal text has real digits. */
function plain(text: string): string {
  if (/^[\da-f-]+$/.test(text)) return text;
  return text.replace(/(?<=[a-z])[013457@$!]|[013457@$!](?=[a-z])/g, (sign) => LETTERS[sign] ?? sign);
}
