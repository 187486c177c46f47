/** Takes secrets and personal data out of a recorded answer, and looks whether any are left. */

/** A text that must not stay, and what stands in its place. `what` names its kind for people. */
export interface Known {
  readonly what: string;
  readonly text: string;
  readonly sample: string;
}

export interface Scrubbed {
  readonly text: string;
  /** Kinds of what was replaced, with how often. */
  readonly replaced: ReadonlyMap<string, number>;
}

/** Field names (in any spelling: `lastName`, `last_name`, `LastName`) whose values are personal or secret, and their samples. The first that fits counts. */
const FIELDS: readonly (readonly [what: string, name: RegExp, sample: string])[] = [
  ['secret', /^(access|refresh|id)?token$|secret|password|apikey|authorization$/, 'secret-sample'],
  ['e-mail', /e?mail(address)?$/, 'ada@example.com'],
  ['first name', /^(first|given|fore|middle)names?$/, 'Ada'],
  ['last name', /^(last|sur|family)name$/, 'Sample'],
  ['name', /^(full|holder|cardholder|customer|renter|driver|traveler|traveller|passenger)name$|^cardholder$/, 'Ada Sample'],
  ['birth date', /birth|^dob$/, '1980-01-01'],
  ['licence', /licen[cs]e(number|no|id)?$|^passport|^docid$/, 'D0000000'],
  ['card', /^(card|credit|pan)(card)?(number|no)?$|^cvv$|^cvc$|^seriescode$/, '4111111111111111'],
  ['membership', /^(membership|loyalty|frequentflyer)(id|number|no|code)?$/, 'M0000000'],
];
const BOOKING_FIELDS: typeof FIELDS = [['phone', /phone(number)?$|^(tele|mobile|tel)(no|number)?$/, '+16175550100'], ...FIELDS];

const EMAIL = /[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi;
const DIGITS = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w.-])/g;
const TEST_CARDS: ReadonlySet<string> = new Set(['4111111111111111', '4000000000000002', '4242424242424242', '5555555555554444']);

/**
 * Replaces the known texts, the values of fields with a personal name, e-mail addresses and card numbers. `booking`: of an answer about a booking
 * phone numbers, too; in a search they are the counters'.
 */
export function scrub(text: string, known: readonly Known[], booking: boolean): Scrubbed {
  const replaced = new Map<string, number>();
  const count = (what: string, sample: string): string => {
    replaced.set(what, (replaced.get(what) ?? 0) + 1);
    return sample;
  };
  let clean = text;
  for (const { what, text: secret, sample } of known) {
    if (secret !== sample) clean = clean.replace(wholly(secret), () => count(what, sample));
  }
  const value = (name: string, old: string): string => {
    const field = fieldOf(name, booking);
    return field && old !== field.sample && old.trim() !== '' ? count(field.what, field.sample) : old;
  };
  clean = clean
    .replace(
      /"([\w-]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)"/g,
      (_all, name: string, colon: string, old: string) => `"${name}"${colon}"${value(name, old)}"`,
    )
    .replace(/([\w-]+)="([^"<]*)"/g, (_all, name: string, old: string) => `${name}="${value(name, old)}"`)
    .replace(
      /<([\w-]+:)?([\w-]+)([^<>]*)>([^<>]+)<\//g,
      (_all, prefix: string | undefined, name: string, attributes: string, old: string) => {
        return `<${prefix ?? ''}${name}${attributes}>${value(name, old)}</`;
      },
    )
    .replace(EMAIL, (old) => (isExample(old) ? old : count('e-mail', 'ada@example.com')))
    .replace(DIGITS, (old) => (isCard(old) ? count('card', '4111111111111111') : old));
  return { text: clean, replaced };
}

/** Kinds of personal data or secrets that a text still holds, also where it spells them with escapes; empty = none was found. */
export function leftIn(text: string, known: readonly Known[]): readonly string[] {
  const found = new Set<string>();
  for (const spelling of [text, unescaped(text)]) {
    for (const { what, text: secret, sample } of known) if (secret !== sample && wholly(secret).test(spelling)) found.add(what);
    for (const [old] of spelling.matchAll(EMAIL)) if (!isExample(old)) found.add('e-mail');
    for (const [old] of spelling.matchAll(DIGITS)) if (isCard(old)) found.add('card');
  }
  return [...found];
}

function fieldOf(name: string, booking: boolean): { readonly what: string; readonly sample: string } | undefined {
  const plain = name.replace(/[_-]/g, '').toLowerCase();
  const [what, , sample] = (booking ? BOOKING_FIELDS : FIELDS).find(([, form]) => form.test(plain)) ?? [];
  return what === undefined || sample === undefined ? undefined : { what, sample };
}

/** The text as a word of its own, in any case: "Ada" is not in "Canada". */
function wholly(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu');
}

function isExample(address: string): boolean {
  return /@(?:[\w-]+\.)*example(?:\.\w+)?$/i.test(address);
}

/** A card number by its length and check digit that is none of the published test numbers. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && /[1-9]/.test(digits) && !TEST_CARDS.has(digits);
}

/** The text with escapes of JSON, XML and URLs read. */
function unescaped(text: string): string {
  return text
    .replace(/\\u([\da-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&#(?:x([\da-f]{1,5})|(\d{1,6}));/gi, (_all, hex?: string, decimal?: string) =>
      String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/%([2-7][\da-f])/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
