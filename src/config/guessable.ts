import { createHash } from 'node:crypto';

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

/** Texts that anyone can look up and that the estimate doesn't catch, in lower case; of a key, at least half of it is enough to recognize it. */
const PUBLISHED = [
  'the quick brown fox jumps over the lazy dog',
  // Values that earlier versions of this repository contained.
  'development-only-do-not-use-anywhere-else',
  'p9x2mwq7kc4vtz8rbl1nyd6hgj3sfu5eao0iqpxw-vk',
  'b7qe9zkx2mt5vrw8lp3ny6ha1jc4uf0dgsxvokqytmz',
  'smau8z3mpbiazseiuz7c0kttbajrxi5yuq1utzofikk',
  'zk3vq1mx8pl5tr9wb2nh7cj4sd6gf0ya',
  // The secret key of examples for AWS.
  'wjalrxutnfemi/k7mdeng/bpxrficyexamplekey',
  // AES of FIPS 197 and NIST SP 800-38A, ChaCha20 of RFC 8439.
  '000102030405060708090a0b0c0d0e0f',
  '2b7e151628aed2a6abf7158809cf4f3c',
  '603deb1015ca71be2b73aef0857d7781',
  '808182838485868788898a8b8c8d8e8f',
  // HMAC of RFC 7515, X25519 of RFC 7748, Ed25519 of RFC 8032.
  'aym1sysppbydfgzld3umj1qzkobwvmkoqq-estjqlr',
  '77076d0a7318a57d3c16c17251b26645',
  '9d61b19deffd5a60ba844af492ec2cc4',
  // Examples of RFC 4122 and of W3C Trace Context.
  'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  '4bf92f3577b34da6a3ce929d0e0e4736',
  // Digits of pi and e.
  '141592653589793238462643383279',
  '718281828459045235360287471352',
];

/** What people hash to get something that looks generated: the empty text, common passwords, and what a secret is for. */
const HASHED_WORDS = (
  'password password1 password123 passw0rd p@ssw0rd 123456 12345678 123456789 1234567890 12345 1234 0 1 qwerty qwerty123 abc123 letmein welcome ' +
  'admin administrator root user test testing demo example hello world helloworld foo bar foobar secret mysecret supersecret topsecret key ' +
  'secretkey master default changeme change-me forecourt gateway car cars rental sandbox production prod staging development dev local localhost ' +
  'token api apikey app application client iloveyou monkey dragon football baseball sunshine princess trustno1 master123 admin123 test123 secret123'
).split(' ');
const HASHES = ['md5', 'sha1', 'sha256', 'sha512'] as const;

/**
 * Whether a secret doesn't look generated (it consists of words, repetitions, sequences or keyboard rows), is in this repository, or is a
 * well-known example. That includes such a text encoded as hexadecimal or base64, and the hash of a common word. An estimate for
 * secrets of 32 characters or more: other published texts that look generated aren't recognized.
 */
export function isGuessable(secret: string): boolean {
  if (isHashOfWord(secret)) return true;
  const decoded = (['hex', 'base64'] as const).map((encoding) => Buffer.from(secret, encoding));
  const texts = [
    secret,
    ...decoded.map((bytes) => bytes.toString('latin1')).filter((text) => /^[ -~]{12,}$/.test(text)),
  ];
  const spellings = [...texts.map((text) => text.toLowerCase()), ...decoded.map((bytes) => bytes.toString('hex'))];
  return (
    texts.some((text) => surprises(text) < FEWEST_SURPRISES) ||
    spellings.some((text) => PUBLISHED.some((known) => text.includes(known)))
  );
}

/** In hexadecimal or base64, possibly cut to 32 characters or more: the first ones are enough to recognize it. */
function isHashOfWord(secret: string): boolean {
  const start = secret.slice(0, HASH_START);
  hashes ??= new Set(hashStarts());
  return hashes.has(start) || hashes.has(start.toLowerCase());
}

const HASH_START = 32;
let hashes: Set<string> | undefined;

function* hashStarts(): Generator<string> {
  const cased = HASHED_WORDS.flatMap((word) => [
    word,
    word.toUpperCase(),
    word.charAt(0).toUpperCase() + word.slice(1),
  ]);
  for (const word of ['', ...new Set(cased)])
    for (const text of [word, `${word}\n`])
      for (const name of HASHES) {
        const digest = createHash(name).update(text).digest();
        for (const encoding of ['hex', 'base64', 'base64url'] as const)
          yield digest.toString(encoding).slice(0, HASH_START);
      }
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
