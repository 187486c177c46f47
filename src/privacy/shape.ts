/** Keeps the shape of texts with data of persons, and of their values only what doesn't name a person. */

/** Names of values that are codes, flags or amounts, in lowercase without separators. */
const CODES =
  /^(?:http)?(?:status|state|code|errorcode|statuscode|reasoncode|type|errortype|success|currency|currencycode|version|amount|total|totalamount|price|rate|count|quantity|severity|retryable|unit|decimalplaces)$/;
/** Names of values that are sentences for people. */
const SENTENCES =
  /^(?:errors?|message|errormessage|detail|details|reason|title|shorttext|warnings?|fault|faultstring|text)$/;
const CODE = /^(?:[A-Za-z]+(?:[_.-][A-Za-z]+){0,5}|[A-Z]{0,6}[_-]?\d{1,6}|\d{1,9}[.,]\d{1,4})$/;
const LONGEST_CODE = 40;
const LONGEST_SENTENCE = 300;
const LONGEST_SHAPE = 120;

/** x for each letter, 0 for each digit, at most 120 characters. */
export function shapeOf(text: string): string {
  return text.slice(0, LONGEST_SHAPE).replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '0');
}

/**
 * The body of a message about a booking: JSON and XML with their names and structure, anything else as one shape. Codes
 * and amounts are kept. Sentences are kept without the words of `renter` if there are any; if nothing is known about the renter, only their
 * shape is kept, because they may contain a name.
 */
export function shapedBody(text: string, renter: readonly string[]): string {
  const person = personOf(renter);
  const value = (name: string, old: string): string => shapedValue(plain(name), old, person);
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(shapedJson(JSON.parse(text), '', value, (key) => isName(key) && !mentions(key, person)));
    } catch {
      return shapeOf(text);
    }
  }
  if (!/^\s*</.test(text) || /<html|<!doctype/i.test(text.slice(0, 500))) return shapeOf(text);
  return shapedXml(text, value);
}

/** A path with the values of its query and all segments but plain words as shapes. */
export function shapedPath(path: string): string {
  const [pathname = '', query] = path.split('?', 2);
  const segments = pathname
    .split('/')
    .map((segment) => (/^(?:[a-z_-]{1,24}|v\d{1,2})$/.test(segment) ? segment : shapeOf(segment)));
  const pairs = query?.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=');
    return rest.length === 0
      ? shapeOf(name)
      : `${/^[\w.-]{1,40}$/.test(name) ? name : shapeOf(name)}=${shapeOf(rest.join('='))}`;
  });
  return pairs === undefined ? segments.join('/') : `${segments.join('/')}?${pairs.join('&')}`;
}

type Shape = (name: string, old: string) => string;

function shapedJson(value: unknown, name: string, shape: Shape, isKept: (key: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => shapedJson(item, name, shape, isKept));
  if (typeof value === 'string') return shape(name, value);
  if (typeof value === 'number') return CODES.test(plain(name)) && Math.abs(value) < 1e9 ? value : 0;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      isKept(key) ? key : shapeOf(key),
      shapedJson(inner, key, shape, isKept),
    ]),
  );
}

/** Names of fields have no digits in a row and no spaces, unlike texts of persons that are used as keys. */
function isName(key: string): boolean {
  return /^[A-Za-z_@$][A-Za-z_]{0,39}\d{0,2}$/.test(key);
}

/** Comments, CDATA and instructions are left out. */
function shapedXml(text: string, shape: Shape): string {
  let element = '';
  return text
    .replace(/<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)/g, '')
    .replace(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, (_all, inner: string) => inner.replaceAll('<', ' '))
    .replace(/<([^<>]*)(?:>|$)|[^<]+/g, (all, tag: string | undefined) => {
      if (tag === undefined) return all.trim() === '' ? all : shape(element, all);
      const name = /^\/?(?:[\w.-]{1,40}:)?([\w.-]{1,60})/.exec(tag)?.[1] ?? '';
      element = tag.startsWith('/') ? '' : name;
      const attributes = [...tag.matchAll(/([\w.:-]{1,60})\s*=\s*("[^"]*"|'[^']*')/g)].map(
        ([, key = '', quoted = '']) =>
          key.startsWith('xmlns')
            ? ''
            : ` ${key}="${shape(key.replace(/^.*:/, ''), quoted.slice(1, -1)).replace(/["<>]/g, '')}"`,
      );
      return `<${tag.startsWith('/') ? '/' : ''}${name}${attributes.join('')}${tag.endsWith('/') ? '/' : ''}>`;
    });
}

/** The words of a renter, prepared once: a body has thousands of words, each of which is compared with all of them. */
interface Person {
  readonly isKnown: boolean;
  /** Their spellings. */
  readonly words: ReadonlySet<string>;
  /** Those of which other words may be made. */
  readonly parts: readonly string[];
  /** All of them, separated. */
  readonly all: string;
}

function personOf(renter: readonly string[]): Person {
  const texts = renter.flatMap((text) => text.split(/[\s,;@.-]+/)).filter((part) => part.length > 1);
  const words = new Set(texts.flatMap(spellings));
  const parts = [...words].filter((word) => word.length >= 3);
  return { isKnown: renter.length > 0, words, parts, all: [...words].join(' ') };
}

function shapedValue(name: string, old: string, person: Person): string {
  if (CODES.test(name) && old.length <= LONGEST_CODE && CODE.test(old) && !mentions(old, person)) return old;
  if (!SENTENCES.test(name) || !person.isKnown) return shapeOf(old);
  return old
    .slice(0, LONGEST_SENTENCE)
    .replace(/\S+/g, (word) => (/\p{N}/u.test(word) || mentions(word, person) ? shapeOf(word) : word));
}

/** Whether a word is one of a person, in whatever case, accents or transcription, or has it as a part, or is a part of it. */
function mentions(word: string, { words, parts, all }: Person): boolean {
  return spellings(word).some(
    (one) =>
      words.has(one) ||
      (one.length >= 4 && all.includes(one)) ||
      parts.some((part) => part.length < one.length && one.includes(part)),
  );
}

/** Lowercase letters without accents, and with umlauts as two letters. */
function spellings(text: string): readonly string[] {
  const lower = text.normalize('NFKC').toLowerCase();
  const bare = lower.normalize('NFKD').replace(/[^\p{L}]/gu, '');
  const german = lower
    .replace(UMLAUT, (letter) => TWO[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[^\p{L}]/gu, '');
  return [...new Set([bare, german])].filter((one) => one.length > 1);
}

const TWO: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ø: 'oe', æ: 'ae', å: 'aa' };
const UMLAUT = new RegExp(`[${Object.keys(TWO).join('')}]`, 'g');

function plain(name: string): string {
  return name.replace(/[^A-Za-z]/g, '').toLowerCase();
}
