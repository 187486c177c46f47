import { describe, expect, it } from '@jest/globals';
import { threadMs } from '../../test/support/thread-time.js';
import { type Known, leftIn, scrub, secretsIn } from './scrub.js';

const known: readonly Known[] = [
  { what: 'last name', text: 'Sampleton', sample: 'Sample' },
  { what: 'secret', text: 'key-4711', sample: 'secret-sample' },
  { what: 'secret', text: 'key-4711-and-more', sample: 'secret-sample' },
  { what: 'secret', text: '47711031', sample: 'secret-sample' },
  { what: 'secret', text: 'acme', sample: 'secret-sample' },
  { what: 'secret', text: 'travel', sample: 'secret-sample', mayBeWord: true },
  { what: 'secret', text: 'hunterabcd', sample: 'secret-sample' },
  { what: 'phone', text: '+16175550143', sample: '+16175550100' },
  { what: 'phone', text: '+1 617 555-0100', sample: '+16175550100' },
  { what: 'birth date', text: '1985-03-04', sample: '1980-01-01' },
];

describe('scrubbing a recorded answer replaces', () => {
  it.each([
    ['a JSON field', '{"first_name":"Grace","age":35}', '{"first_name":"Ada","age":35}'],
    [
      'an attribute',
      '<Email Address="x"/><Customer GivenName="Grace"/>',
      '<Email Address="x"/><Customer GivenName="Ada"/>',
    ],
    [
      'an element',
      '<ota:Surname xml:lang="en">Hopperton</ota:Surname>',
      '<ota:Surname xml:lang="en">Sample</ota:Surname>',
    ],
    ['an email address anywhere', '"Write to grace@navy.test now"', '"Write to ada@example.com now"'],
    ['a card number anywhere', '"note":"4012 8888 8888 1881"', '"note":"4111111111111111"'],
    ['a licence', '{"licenceNumber":"S98-765"}', '{"licenceNumber":"D0000000"}'],
    ['a membership', '<CustLoyalty MembershipID="77"/>', '<CustLoyalty MembershipID="M0000000"/>'],
    ['a token', '{"access_token":"abc"}', '{"access_token":"secret-sample"}'],
    [
      'a name from the request, ignoring case',
      '<Text>for SAMPLETON, key-4711</Text>',
      '<Text>for Sample, secret-sample</Text>',
    ],
    ['a secret beside other characters', '<Debug session="v1Key-4711B"/>', '<Debug session="v1secret-sampleB"/>'],
    ['a secret of digits beside others', '"ref":"9477 1103 1X"', '"ref":"9secret-sampleX"'],
    ['a secret of letters beside others', '"v1_HunterABCDx"', '"v1_secret-samplex"'],
    ['one that may be a word, as a word', '"user travel, TRAVEL:2"', '"user secret-sample, secret-sample:2"'],
    ['a secret that begins with another one', '"key-4711-and-more2"', '"secret-sample2"'],
    ['a phone number in a booking', '{"telephone":"617 555 0143"}', '{"telephone":"+16175550100"}'],
    ['the phone number of the request in any format', '"call (617) 555-0143"', '"call +16175550100"'],
    ['a birth date written as a number', '{"when":19850304}', '{"when":19800101}'],
    ['a numeric licence number', '{"licence_number": 9876543,"total":1}', '{"licence_number": 0,"total":1}'],
    ['a string with an escaped quote', '{"first_name":"Gr\\"ace"}', '{"first_name":"Ada"}'],
    ['an attribute in single quotes', `<Customer GivenName='O"Hara'/>`, `<Customer GivenName='Ada'/>`],
    [
      'the query of a link',
      '"/view?mail=grace%40navy.test&surname=Hopper"',
      '"/view?mail=ada%40example.com&surname=Sample"',
    ],
    ['a card at the end of a sentence', '"paid with 4012888888881881."', '"paid with 4111111111111111."'],
    ['a bank account', '{"iban":"GB82WEST12345698765432"}', '{"iban":"DE75512108001245126199"}'],
    ['a cookie', '{"set-cookie":"sid=1"}', '{"set-cookie":"secret-sample"}'],
  ])('%s', (_what, before, after) => {
    expect(scrub(before, known, true).text).toBe(after);
    expect(scrub(before, known, true).replaced.size).toBeGreaterThan(0);
  });

  it.each([
    ['the phone number of a location in a search', '{"telephone":"617 555 0199"}', false],
    ['a name inside a word', '<City>Sampletonville</City>', true],
    ['a short secret inside a word', '<Text>acmeists</Text>', true],
    ['one that may be a word, inside a word', '{"travelClass":"x","travel_class":"Travelodge","t":"in-travel"}', true],
    ['a long number that is not a card number', '{"quote":"4012888888881882"}', true],
    ['a licence fee or a card flag', '{"licence":1500,"card":1}', true],
    ['a sample phone number without its country code', '"617 555 0100"', true],
    ['an existing sample value', '{"email":"ada@example.com","card_number":"4111111111111111"}', true],
  ])('but not %s', (_what, text, booking) => {
    expect(scrub(text, known, booking)).toEqual({ text, replaced: new Map() });
  });
});

it.each([
  ['username', 'travel', true],
  ['agencyCode', 'travel', true],
  ['requestorId', 'Travel', true],
  ['requestorId', 'travel-1', false],
  ['password', 'travel', false],
  ['userPassword', 'travel', false],
  ['apiKey', 'travel', false],
])('of credentials, only names of letters alone may also be words: %s %s', (key, text, mayBeWord) => {
  expect(secretsIn({ [key]: text, empty: '' })).toEqual([{ what: 'secret', text, sample: 'secret-sample', mayBeWord }]);
});

describe('a JSON number with a secret stays a number', () => {
  it.each([
    ['123456', '{"id":1234567}', '{"id":9999997}'],
    ['123456', '{"total":1234567.00,"b":-12345.6,"c":0.123456}', '{"total":9999997.00,"b":-12345.6,"c":0.999999}'],
    ['4711031', '{"price":94711.0311}', '{"price":99999.9991}'],
    ['4711031', '{"ref":47110311,"lat":4.711031,"x":-47110.31e5}', '{"ref":99999991,"lat":9.999999,"x":-99999.99e5}'],
    ['999999', '{"id":9999991}', '{"id":8888881}'],
    ['12e345', '{"x":512e3456}', '{"x":599e9996}'],
  ])('%s in %s', (text, before, after) => {
    const secret = [{ what: 'secret', text, sample: 'secret-sample' }];
    expect(scrub(before, secret, false).text).toBe(after);
    expect(() => JSON.parse(after)).not.toThrow();
    expect(leftIn(after, secret, false)).toEqual([]);
  });

  it('also with a phone number or a birth date', () => {
    const { text } = scrub('{"lat":6.175550143,"x":1985.0304}', known, true);
    expect(JSON.parse(text)).toEqual({ lat: 16175550100, x: 19800101 });
  });
});

describe('a JSON answer stays one', () => {
  it.each([
    ['an email address after an escape', '{"t":"mail:\\nada@navy.test"}', '{"t":"mail:\\nada@example.com"}'],
    ['an email address between escapes', '{"t":"\\u003cgrace@navy.test\\u003e"}', '{"t":"<ada@example.com>"}'],
    ['an email address with an escape', '{"t":"grace\\u002bcars@navy.test"}', '{"t":"ada@example.com"}'],
    ['a name after an escape', '{"t":"Dear\\nSampleton\\t"}', '{"t":"Dear\\nSample\\t"}'],
    ['a name with an escape', '{"S\\u0061mpleton":[1]}', '{"Sample":[1]}'],
    ['a phone number after an escape', '{"t":"call\\n617 555 0143"}', '{"t":"call\\n+16175550100"}'],
    ['a birth date after an escape', '["born\\t1985-03-04"]', '["born\\t1980-01-01"]'],
    ['a secret of letters after an escape', '{"t":"user:\\ntravel"}', '{"t":"user:\\nsecret-sample"}'],
    ['a secret after a backslash', '{"t":"CORP\\\\travel"}', '{"t":"CORP\\\\secret-sample"}'],
    ['a link in quotes', '{"t":"<a href=\\"/v?surname=Hopper\\">"}', '{"t":"<a href=\\"/v?surname=Sample\\">"}'],
    ['JSON within JSON', '{"raw":"{\\"first_name\\":\\"Gr\\\\nace\\"}"}', '{"raw":"{\\"first_name\\":\\"Ada\\"}"}'],
    ['a word that only an escape begins', '{"t":"\\travel"}', '{"t":"\\travel"}'],
    ['a link that ends without a value', '{"t":"/v?email=","u":"\\u003c"}', '{"t":"/v?email=","u":"\\u003c"}'],
  ])('%s', (_what, before, after) => {
    expect(scrub(before, known, true).text).toBe(after);
    expect(() => JSON.parse(after)).not.toThrow();
    expect(leftIn(after, known, true)).toEqual([]);
  });
});

describe('the scan after scrubbing', () => {
  it.each([
    ['escaped as JSON', '{"n":"S\\u0061mpleton"}', ['last name']],
    ['after an escape in JSON that was cut', '{"t":"Dear\\nSampleton', ['last name']],
    ['escaped as XML', '<n>&#83;ampleton</n>', ['last name']],
    ['escaped as in a URL', '/view?mail=grace%40navy.test', ['email']],
    ['a plain card number', '5105105105105100', ['card']],
    ['JSON within JSON', '{"raw":"{\\"first_name\\":\\"Grace\\"}"}', ['first name']],
    ['an XML CDATA section', '<Surname><![CDATA[Hopperton]]></Surname>', ['last name']],
    ['escaped XML within XML', '<Raw>&lt;Surname&gt;Hopperton&lt;/Surname&gt;</Raw>', ['last name']],
    ['a secret beside escaped characters', '"xk\\u0065y-4711x"', ['secret']],
    ['an echoed header', `"Basic ${btoa('ada:key-4711')}"`, ['secret']],
    ['a token that holds an email address', `"${btoa('{"m":"grace@navy.test"}')}"`, ['email']],
  ])('finds personal data: %s', (_what, text, kinds) => {
    expect(leftIn(text, known, true)).toEqual(kinds);
  });

  it.each([
    ["Wq7'R4tLp9", '<r pin="Wq7&apos;R4tLp9"/>'],
    ['Wq7&R4tLp9', '<r pin="Wq7&amp;R4tLp9"/>'],
    ['Wq7\u00e4R4tLp9', 'pin=Wq7%C3%A4R4tLp9&x=1'],
    ['Wq7 /+R4tLp9', 'pin=Wq7%20%2F%2BR4tLp9&x=1'],
    ['Wq7\u20acR4tLp9', '/v1/Wq7%e2%82%acR4tLp9'],
  ])('finds the secret %s as adapters write it', (text, written) => {
    expect(leftIn(written, [{ what: 'secret', text, sample: 'secret-sample' }], false)).toEqual(['secret']);
  });

  it('finishes within 3 seconds on pathological input', () => {
    const text = ['a', '9', ' ', '"', '<', '?a=', '@', '&#', '\\'].map((part) => part.repeat(300_000)).join('\n');
    const begun = threadMs();
    leftIn(text, known, true);
    expect(threadMs() - begun).toBeLessThan(3_000);
  });

  it('finds nothing in a scrubbed text', () => {
    const dirty = '{"last_name":"Sampleton","email":"grace@navy.test","card":"4012888888881881","key":"key-4711"}';
    expect(leftIn(dirty, known, true).length).toBeGreaterThan(2);
    expect(leftIn(scrub(dirty, known, true).text, known, true)).toEqual([]);
  });
});
