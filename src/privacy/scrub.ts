/** Removes secrets and personal data from a recorded answer and checks that none remain. */

/** From this length, a secret isn't a part of other words, so it is replaced inside them as well. */
const LONG_SECRET = 6;
/** Keys of credentials that are names, such as that of a user. */
const NAME_KEY = /(?:(?:user|login|agency|account)(?:code)?|name|id)$/i;

/** A text to remove and its replacement. `what` names its kind in messages; `secret` is matched more strictly. */
export interface Known {
  readonly what: string;
  readonly text: string;
  readonly sample: string;
  /** A secret that may also be a word of the supplier, or begin one: only separate words are replaced, which `_` and `-` don't separate. */
  readonly mayBeWord?: boolean;
}

export interface Scrubbed {
  readonly text: string;
  /** Number of replacements per kind. */
  readonly replaced: ReadonlyMap<string, number>;
}

/**
 * Field names (matching `lastName`, `last_name` and `LastName`) with personal or secret values, and their samples. The
 * first match wins.
 */
const FIELDS: readonly (readonly [what: string, name: RegExp, sample: string])[] = [
  [
    'secret',
    /^(access|refresh|id|session|auth|bearer|card)?token$|secret|passw(or)?d|apikey|authorization$|cookie|^sessionid$/,
    'secret-sample',
  ],
  ['email', /e?mail(address)?$/, 'ada@example.com'],
  ['first name', /^(first|given|fore|middle)names?$/, 'Ada'],
  ['last name', /^(last|sur|family)name$/, 'Sample'],
  [
    'name',
    /^(full|holder|cardholder|customer|renter|driver|traveler|traveller|passenger)name$|^cardholder$/,
    'Ada Sample',
  ],
  ['birth date', /birth|^dob$/, '1980-01-01'],
  ['licence', /licen[cs]e(number|no|id)?$|^passport|^docid$/, 'D0000000'],
  ['card', /^(card|credit|pan)(card)?(number|no)?$|^cvv$|^cvc$|^seriescode$/, '4111111111111111'],
  ['bank account', /iban$|^(bank)?account(number|no)$/, 'DE75512108001245126199'],
  ['membership', /^(membership|loyalty|frequentflyer)(id|number|no|code)?$/, 'M0000000'],
];
const BOOKING_FIELDS: typeof FIELDS = [
  ['phone', /phone(number)?$|^(tele|mobile|tel)(no|number)?$/, '+16175550100'],
  ...FIELDS,
];

// Matches only from the start of a word; otherwise, a long word without @ would be retried at each character.
const EMAIL = /(?<![a-z0-9._%+-])[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi;
const DIGITS = /(?<!\w|\d[.-])\d(?:[ -]?\d){12,18}(?!\w|[.-]\d)/g;
const TEST_CARDS: ReadonlySet<string> = new Set([
  '4111111111111111',
  '4000000000000002',
  '4242424242424242',
  '5555555555554444',
]);

/** The credentials of a supplier by key, as texts to remove. Names of letters alone, such as the user "travel", may also be words. */
export function secretsIn(credentials: Readonly<Record<string, string>>): readonly Known[] {
  return Object.entries(credentials)
    .filter(([, text]) => text !== '')
    .map(([key, text]) => ({
      ...{ what: 'secret', text, sample: 'secret-sample' },
      mayBeWord: NAME_KEY.test(key) && /^\p{L}+$/u.test(text),
    }));
}

/**
 * Replaces the known texts, the values of fields with personal data, email addresses and card numbers. Phone numbers
 * are replaced only if `booking` is true; in a search they belong to locations. JSON is read, and remains JSON: its strings are searched without
 * their escapes.
 */
export function scrub(text: string, known: readonly Known[], booking: boolean): Scrubbed {
  const replaced = new Map<string, number>();
  const count = (what: string, sample: string): string => {
    replaced.set(what, (replaced.get(what) ?? 0) + 1);
    return sample;
  };
  const forms = secretsFirst(known)
    .map((one) => ({ ...one, form: formOf(one) }))
    .filter(({ form, sample }) => sample.search(form) < 0);
  const value = (name: string, old: string, write = (sample: string): string => sample): string => {
    const field = fieldOf(name, booking);
    if (!field || old.trim() === '') return old;
    const sample = write(field.sample);
    return [sample, field.sample].some((one) => one.toLowerCase() === old.toLowerCase())
      ? old
      : count(field.what, sample);
  };
  // Each of these starts at a character that the rest of its match can't repeat: a lookbehind of any length, or two repetitions of the
  // same characters, would make the time quadratic in an answer of a supplier. Numbers of less than six digits are flags, counts or amounts.
  const inText = (dirty: string, itsForms = forms): string => {
    let clean = dirty;
    for (const { what, form, sample } of itsForms)
      clean = clean.replace(form, (old) =>
        count(what, !isPartOfNumber(old) ? sample : what === 'secret' ? otherDigits(old) : asNumber(sample)),
      );
    if (!MARKS.test(clean)) return clean;
    return clean
      .replace(/("([\w-]+)"\s*:\s*")((?:[^"\\]|\\.)+)(?=")/g, (_all, before: string, name: string, old: string) => {
        return `${before}${value(name, old)}`;
      })
      .replace(/("([\w-]+)"\s*:\s*)(\d{6,})(?![\d.])/g, (_all, before: string, name: string, old: string) => {
        return `${before}${value(name, old, asNumber)}`;
      })
      .replace(/(?<![\w-])([\w-]+)=("[^"<]*"|'[^'<]*')/g, (_all, name: string, quoted: string) => {
        const quote = quoted.charAt(0);
        return `${name}=${quote}${value(name, quoted.slice(1, -1))}${quote}`;
      })
      .replace(/([?&;])([\w-]+)=([^&;"'<>\s]+)/g, (_all, before: string, name: string, old: string) => {
        return `${before}${name}=${value(name, old, asQuery)}`;
      })
      .replace(
        /<([\w-]+:)?([\w-]+)(?![\w-])([^<>]*)>([^<>]+)<\//g,
        (_all, prefix: string | undefined, name: string, attributes: string, old: string) => {
          return `<${prefix ?? ''}${name}${attributes}>${value(name, old)}</`;
        },
      )
      .replace(EMAIL, (old) => (isExample(old) ? old : count('email', 'ada@example.com')))
      .replace(DIGITS, (old) => (isCard(old) ? count('card', '4111111111111111') : old));
  };
  const cleaned = (dirty: string, itsForms = forms): string => {
    if (!isJson(dirty)) return inText(dirty, itsForms);
    // There may be thousands of strings: each is searched only for what is in one of them.
    const contents = (dirty.match(LITERAL) ?? []).map(contentOf).join('\n');
    const found = forms.filter(({ form }) => contents.search(form) >= 0);
    return inJson(dirty, (literal, name) => {
      const content = contentOf(literal);
      const clean = cleaned(content, found);
      if (!literal.startsWith('"')) return /^\d{6,}$/.test(clean) ? value(name, clean, asNumber) : clean;
      const text = value(name, clean);
      return text === content ? literal : JSON.stringify(text);
    });
  };
  return { text: cleaned(text), replaced };
}

/** What fields, addresses and card numbers in a text have; without it, as in most strings of JSON, none is searched for. */
const MARKS = /["=<@]|\d[\d -]{12}/;

/** Whether a text is a JSON object or array. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
/** A string or number of JSON. */
const LITERAL = new RegExp(`${STRING}|-?\\d[\\d.eE+-]*`, 'g');
/** The same, with its key if it has one. */
const KEYED = new RegExp(`(?:(${STRING})(\\s*:\\s*))?(${LITERAL.source})`, 'g');

/** JSON with other strings, keys and numbers. `other` gets the key of a value, otherwise ''. */
function inJson(json: string, other: (literal: string, name: string) => string): string {
  return json.replace(KEYED, (_all, key: string | undefined, colon: string | undefined, literal: string) =>
    key === undefined ? other(literal, '') : `${other(key, '')}${colon}${other(literal, contentOf(key))}`,
  );
}

/** What a string says; a number as it is written. */
function contentOf(literal: string): string {
  return literal.startsWith('"') ? (JSON.parse(literal) as string) : literal;
}

/**
 * Kinds of data that `scrub` would still replace in a text, including escaped text, JSON within JSON and base64. `isClean`: it is known that
 * nothing would be replaced in the text itself, only its other spellings are searched. Most texts have none, and each takes as long as the text.
 */
export function leftIn(text: string, known: readonly Known[], booking: boolean, isClean = false): readonly string[] {
  const spellings = new Set([text, unescaped(text), decoded(text)]);
  spellings.delete('');
  if (isClean) spellings.delete(text);
  return [...new Set([...spellings].flatMap((spelling) => [...scrub(spelling, known, booking).replaced.keys()]))];
}

function fieldOf(name: string, booking: boolean): { readonly what: string; readonly sample: string } | undefined {
  const plain = name.replace(/[_-]/g, '').toLowerCase();
  const [what, , sample] = (booking ? BOOKING_FIELDS : FIELDS).find(([, form]) => form.test(plain)) ?? [];
  return what === undefined || sample === undefined ? undefined : { what, sample };
}

/** The longest first: a secret may begin with another one, such as the name of its user. */
function secretsFirst(known: readonly Known[]): readonly Known[] {
  const secrets = known.filter(({ what }) => what === 'secret').sort((a, b) => b.text.length - a.text.length);
  return [...secrets, ...known.filter(({ what }) => what !== 'secret')];
}

/**
 * Matches the text as a separate word, ignoring case: "Ada" doesn't match in "Canada"; a secret of six and more
 * characters matches anywhere, because a supplier may put it beside other characters. Numbers match with other
 * separators, and phone numbers also without their country code: +16175550143 matches "call (617) 555-0143".
 */
function formOf({ text, what, mayBeWord }: Known): RegExp {
  const isNumber = /^[+(]?\d[\d ()./-]{6,}$/.test(text);
  const form = isNumber
    ? numberForm(text.replace(/\D/g, ''), what === 'phone')
    : text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  if (what === 'secret' && !mayBeWord && text.length >= LONG_SECRET) return new RegExp(form, 'giu');
  const inWord = mayBeWord ? '[\\p{L}\\p{N}_-]' : '[\\p{L}\\p{N}]';
  return new RegExp(`(?<!${inWord})${form}(?!${inWord})`, 'giu');
}

function numberForm(digits: string, isPhone: boolean): string {
  const spaced = (text: string): string => [...text].join('[ ()./-]{0,2}');
  return isPhone ? `(?:[+(\\d][\\d ()./-]{0,8}?)?${spaced(digits.slice(-8))}` : spaced(digits);
}

/** Whether a text may be a JSON number, or a part of one. */
function isPartOfNumber(text: string): boolean {
  return /\d/.test(text) && /^-?\d*\.?\d*(?:e[+-]?\d*)?$/i.test(text);
}

/** With other digits, so that a number of which the text is a part remains a valid one. */
function otherDigits(text: string): string {
  return text.replace(/\d/g, /[0-8]/.test(text) ? '9' : '8');
}

/** A sample as a JSON number; 0 if it has no digits. */
function asNumber(sample: string): string {
  return String(BigInt(sample.replace(/\D/g, '')));
}

/** A sample, encoded for the query of a URL. */
function asQuery(sample: string): string {
  return encodeURIComponent(sample).replaceAll('%20', '+');
}

function isExample(address: string): boolean {
  return /@(?:[\w-]+\.)*example(?:\.\w+)?$/i.test(address);
}

/** Whether a text has a valid check digit and is not a published test card number. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && /[1-9]/.test(digits) && !TEST_CARDS.has(digits);
}

/** The text with its JSON, XML and URL escapes decoded. */
function unescaped(text: string): string {
  return text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/\\(["/])/g, '$1')
    .replace(/\\[bfnrt]/g, ' ')
    .replace(/&(quot|apos|lt|gt|amp);/g, (_all, name: string) => ENTITIES[name] ?? '')
    .replace(/\\u([\da-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&#(?:x([\da-f]{1,5})|(\d{1,6}));/gi, (_all, hex?: string, decimal?: string) =>
      String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString());
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' };

/** The decoded base64 words of a text, such as an echoed header or a token, one per line. Binary data is skipped. */
function decoded(text: string): string {
  const words = text.match(/(?<![\w+/-])[\w+/-]{12,}={0,2}/g) ?? [];
  return words
    .map((word) => Buffer.from(word, 'base64').toString('latin1'))
    .filter((word) => /^[\x20-\x7e\s]+$/.test(word))
    .join('\n');
}
