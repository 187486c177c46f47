import { readFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { threadMs } from '../../test/support/thread-time.js';
import type { Operation } from '../model/supplier.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';
import { maskExchange } from './mask-exchange.js';

const { card_numbers: cardNumbers } = JSON.parse(
  readFileSync(new URL('../privacy/fixtures/card-spellings.json', import.meta.url), 'utf8'),
) as { card_numbers: readonly { readonly name: string; readonly text: string }[] };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** So many different words that begin with a text. */
const wordsFrom = (first: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) => first + String(at).replace(/\d/g, (digit) => LETTERS.charAt(Number(digit))),
  ).join(' ');
const RENTER = ['Jürgen', 'Müller-Lüdenscheidt', 'jm@example.org', '+49 30 1234567'];
const CREDENTIALS = { username: 'travel', password: 's3cr3t-value', pin: 'hunterabcd' };

function textsOf(body: string, operation: Operation, renter = RENTER, path = '/v1/bookings'): string {
  const masked = maskExchange(
    {
      call: { method: 'POST', path, body, headers: { authorization: 'Bearer abc' } } as never,
      answer: {
        status: 500,
        headers: { 'content-type': 'application/json; charset=utf-8', 'set-cookie': 'a=b' },
        body: Buffer.from(body),
      },
    },
    operation,
    { credentials: CREDENTIALS, renter },
  );
  return JSON.stringify(masked);
}
const escaped = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const entities = (text: string) => [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join('');

/** Where a text may be in a body. */
const BODIES: readonly (readonly [string, (text: string) => string])[] = [
  ['a JSON value', (text) => JSON.stringify({ booking: { anything: text } })],
  ['a JSON message', (text) => JSON.stringify({ error: { message: `not for ${text} today`, code: 'E1' } })],
  ['a JSON list', (text) => JSON.stringify({ passengers: [[text], { a: { b: text } }] })],
  ['a JSON key', (text) => JSON.stringify({ [text]: true })],
  ['a JSON code', (text) => JSON.stringify({ code: text, status: text, type: text })],
  ['an escaped JSON value', (text) => `{"x":"${escaped(text)}"}`],
  ['an XML element', (text) => `<a><Surname>${text}</Surname><Odd>${text}</Odd></a>`],
  ['an XML attribute', (text) => `<a><Customer Name="${text}" Odd='${text}'/></a>`],
  ['XML entities', (text) => `<a><Odd>${entities(text)}</Odd></a>`],
  ['CDATA', (text) => `<a><Odd><![CDATA[${text}]]></Odd></a>`],
  ['a comment', (text) => `<a><!-- ${text} --><b/></a>`],
  ['an XML error', (text) => `<a><Error ShortText="Driver ${text} too young">Driver ${text}</Error></a>`],
  ['a form', (text) => `name=${encodeURIComponent(text)}&x=${text}`],
  ['HTML', (text) => `<!doctype html><p>Sorry ${text}</p>`],
  ['plain text', (text) => `Sorry, ${text} failed`],
  ['JSON that was cut', (text) => `{"x":"${text}","y":`],
];

const NAMES = [
  'Müller',
  'MÜLLER',
  'mueller',
  'MUELLER',
  'Muller',
  'Lüdenscheidt',
  'Luedenscheidt',
  'Jürgen',
  'JUERGEN',
  'Mu\u0308ller',
  'Müller-Lüdenscheidt',
  'MuellerLuedenscheidt',
];

describe.each(['book', 'retrieve', 'modify', 'cancel'] as const)('a failed %s keeps', (operation) => {
  it.each(BODIES)('no name in %s, however it is spelled, and none of a renter who is not known', (_where, bodyOf) => {
    for (const name of NAMES) {
      const kept = textsOf(bodyOf(name), operation).toLowerCase();
      for (const spelling of NAMES) expect(kept).not.toContain(spelling.toLowerCase());
    }
    expect(textsOf(bodyOf('Ada Samplington'), operation, [])).not.toMatch(/Samplington/i);
  });

  it('no phone number, birth date, license or address', () => {
    const body = JSON.stringify({
      driver: { tel: '+49 30 1234567', born: '1985-03-04', lic: 'B072RRE2I55', lines: ['Am Weg 7'] },
    });
    expect(textsOf(body, operation, [])).not.toMatch(/1234567|1985|B072|Weg/);
  });

  it('the structure, codes, amounts, and messages without names', () => {
    const body =
      '{"status":"DECLINED","error":{"code":"E1207","message":"Driver Müller is too young for this car"},"total":{"amount":199.5,"currency":"EUR"}}';
    const { received, path, status, contentType } = JSON.parse(
      textsOf(body, operation, RENTER, '/v1/bookings/ABC123?lastName=Mueller&x=1'),
    );
    expect(JSON.parse(received)).toEqual({
      status: 'DECLINED',
      error: { code: 'E1207', message: 'Driver xxxxxx is too young for this car' },
      total: { amount: 199.5, currency: 'EUR' },
    });
    expect([path, status, contentType]).toEqual(['/v1/bookings/xxx000?lastName=Sample&x=0', 500, 'application/json']);
  });
});

describe.each(['searchVehicles', 'book', 'retrieve'] as const)('a failed %s keeps no card number', (operation) => {
  it.each(cardNumbers)('$name', ({ text }) => {
    for (const [, bodyOf] of BODIES) {
      const kept = JSON.parse(textsOf(bodyOf(text), operation, [])) as { sent: string; received: string };
      expect(holdsCardNumber(kept.sent.replaceAll('4111111111111111', ''))).toBe(false);
      expect(kept.received).toBe(kept.sent);
    }
  });
});

describe('a failed search keeps', () => {
  it('no secret, wherever it is, and no header', () => {
    for (const [, bodyOf] of BODIES)
      for (const text of ['s3cr3t-value', 'v1s3cr3t-value9'])
        expect(textsOf(bodyOf(text), 'searchVehicles', [])).not.toContain('s3cr3t-value');
    const body = '{"password":"hunter2secret","access_token":"eyJhbGciOi.x.y","email":"eve@corp.invalid"}';
    expect(textsOf(body, 'searchVehicles', [], '/s?api_key=s3cr3t-value')).not.toMatch(
      /hunter2|eyJ|corp\.invalid|s3cr3t|Bearer|a=b/,
    );
  });

  it('no password of letters inside words, but words that begin with the name of the user', () => {
    const body = '{"sid":"v1_hunterabcd42","user":"travel","travel_class":"x","travelClass":"y","t":"no-travel"}';
    const { received } = JSON.parse(textsOf(body, 'searchVehicles', [])) as { received: string };
    expect(received).toBe(body.replace('hunterabcd', 'secret-sample').replace('"travel"', '"secret-sample"'));
  });

  it('the answer as it was, so that it can be replayed', () => {
    const answer = '{"vehicles":[{"code":"ECAR","total":"129.00"}],"broken":[1,2';
    expect(textsOf(answer, 'searchVehicles', [])).toContain(JSON.stringify(answer).slice(1, -1));
  });

  it('16 KiB at most, and no part of a card number at the end', () => {
    const long = `${'x '.repeat(8_183)} 4111 1111 1111 1111`;
    const { sent } = JSON.parse(textsOf(long, 'searchVehicles', [])) as { sent: string };
    expect(sent.length).toBeLessThanOrEqual(16_384);
    expect(sent).not.toMatch(/\d{4}/);
  });
});

it('each string of an answer is read twice if nothing in it is replaced or escaped', () => {
  const body = JSON.stringify(Array.from({ length: 2_000 }, () => 'ab'));
  const parse = jest.spyOn(JSON, 'parse');
  textsOf(body, 'searchVehicles');
  const reads = parse.mock.calls.filter(([text]) => text === '"ab"').length;
  parse.mockRestore();
  // To see what is in any of them, and then each; what was sent and what was received.
  expect(reads).toBe(2 * 2 * 2_000);
});

describe('masking takes a time in proportion to the length of a text', () => {
  const HOSTILE = [
    '<',
    'a',
    'a=',
    'a-',
    '"a":"',
    '<a ',
    '<a>',
    ' ',
    '\t ',
    'a@',
    'a.a@a.',
    '&a',
    'ab+/',
    '&#x',
    '"',
    'a:',
    '<a:',
    '4111 ',
    '1 ',
  ].concat([
    '<![CDATA[',
    '<!--',
    '<?',
    '\n',
    'a =',
    'a="',
    '%41',
    '"aaaaaa"',
    "' b='",
    ';a=b',
    '="',
    '\ufeff ',
    'é ',
    '\\u0041',
  ]);

  it.each(HOSTILE.map((part, number) => [JSON.stringify(part), part, number] as const))('%s', (_name, part, number) => {
    const texts = ['', 'a', '<', '<a ', '&lt;', '"a":', "<a b='", '{"a":"']
      .map((start) => (start + part.repeat(16_384)).slice(0, 16_384))
      .concat(`<${'a'.repeat(8_000)}>${part.repeat(8_300)}`.slice(0, 16_384));
    for (const [at, text] of texts.entries()) {
      const startedAt = threadMs();
      // Each start and each part with both operations, but not each pair of them.
      textsOf(text, (number + at) % 2 === 0 ? 'book' : 'searchVehicles');
      // Two texts of 16 KiB take 20 ms at most. In a quadratic time, they would take 150 ms and more.
      expect(threadMs() - startedAt).toBeLessThan(100);
    }
  });
});

claim(
  'API10',
  'What a supplier answered to a failed booking is masked for operators in less than 100 ms of processor time, whatever its words and those of the renter are.',
  () => {
    const renter = Array.from({ length: 40 }, (_, at) => wordsFrom(`x${LETTERS.charAt(at % 26)}`, 10));
    const sentences = Array.from({ length: 50 }, () => wordsFrom('q', 70));
    const names = wordsFrom('k', 1_800).split(' ');
    const answers = [
      JSON.stringify(sentences.map((message) => ({ message }))),
      `<a>${sentences.map((text) => `<message>${text}</message>`).join('')}</a>`,
      JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
    ];
    for (const answer of answers) {
      const times = Array.from({ length: 3 }, () => {
        const startedAt = threadMs();
        textsOf(answer, 'book', renter);
        return threadMs() - startedAt;
      });
      expect(Math.min(...times)).toBeLessThan(100);
    }
  },
);
