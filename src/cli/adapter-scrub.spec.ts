import { describe, expect, it } from '@jest/globals';
import { type Known, leftIn, scrub } from './adapter-scrub.js';

const known: readonly Known[] = [
  { what: 'last name', text: 'Sampleton', sample: 'Sample' },
  { what: 'secret', text: 'key-4711', sample: 'secret-sample' },
  { what: 'phone', text: '+16175550143', sample: '+16175550100' },
  { what: 'phone', text: '+1 617 555-0100', sample: '+16175550100' },
  { what: 'birth date', text: '1985-03-04', sample: '1980-01-01' },
];

describe('what a recorded answer is rid of', () => {
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
    ['an e-mail anywhere', '"Write to grace@navy.test now"', '"Write to ada@example.com now"'],
    ['a card anywhere', '"note":"4012 8888 8888 1881"', '"note":"4111111111111111"'],
    ['a licence', '{"licenceNumber":"S98-765"}', '{"licenceNumber":"D0000000"}'],
    ['a membership', '<CustLoyalty MembershipID="77"/>', '<CustLoyalty MembershipID="M0000000"/>'],
    ['a token', '{"access_token":"abc"}', '{"access_token":"secret-sample"}'],
    [
      'a name that the request had, in any case',
      '<Text>for SAMPLETON, key-4711</Text>',
      '<Text>for Sample, secret-sample</Text>',
    ],
    ['a phone of a booking', '{"telephone":"617 555 0143"}', '{"telephone":"+16175550100"}'],
    ['the phone that was asked with, spelt anyhow', '"call (617) 555-0143"', '"call +16175550100"'],
    ['a birth date spelt as a number', '{"when":19850304}', '{"when":19800101}'],
    ['a number of a licence', '{"licence_number": 9876543,"total":1}', '{"licence_number": 0,"total":1}'],
    ['a text with an escaped quote', '{"first_name":"Gr\\"ace"}', '{"first_name":"Ada"}'],
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
    ['the phone of a counter in a search', '{"telephone":"617 555 0199"}', false],
    ['a name inside a word', '<City>Sampletonville</City>', true],
    ['a long number that is no card', '{"quote":"4012888888881882"}', true],
    ['a fee for the licence, a flag of a card', '{"licence":1500,"card":1}', true],
    ['a sample phone without its country', '"617 555 0100"', true],
    ['what is a sample already', '{"email":"ada@example.com","card_number":"4111111111111111"}', true],
  ])('but not of %s', (_what, text, booking) => {
    expect(scrub(text, known, booking)).toEqual({ text, replaced: new Map() });
  });
});

describe('the scan afterwards', () => {
  it.each([
    ['escaped as JSON', '{"n":"S\\u0061mpleton"}', ['last name']],
    ['escaped as XML', '<n>&#83;ampleton</n>', ['last name']],
    ['escaped as in a URL', '/view?mail=grace%40navy.test', ['e-mail']],
    ['a card in clear', '5105105105105100', ['card']],
    ['JSON within JSON', '{"raw":"{\\"first_name\\":\\"Grace\\"}"}', ['first name']],
    ['a section of XML', '<Surname><![CDATA[Hopperton]]></Surname>', ['last name']],
    ['escaped XML within XML', '<Raw>&lt;Surname&gt;Hopperton&lt;/Surname&gt;</Raw>', ['last name']],
    ['an echoed header', `"Basic ${btoa('ada:key-4711')}"`, ['secret']],
    ['a token that holds a mail', `"${btoa('{"m":"grace@navy.test"}')}"`, ['e-mail']],
  ])('finds what was %s', (_what, text, kinds) => {
    expect(leftIn(text, known, true)).toEqual(kinds);
  });

  it('ends soon, whatever the supplier sent', () => {
    const text = ['a', '9', ' ', '"', '<', '?a=', '@', '&#', '\\'].map((part) => part.repeat(300_000)).join('\n');
    const begun = performance.now();
    leftIn(text, known, true);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it('finds nothing in what was scrubbed', () => {
    const dirty = '{"last_name":"Sampleton","email":"grace@navy.test","card":"4012888888881881","key":"key-4711"}';
    expect(leftIn(dirty, known, true).length).toBeGreaterThan(2);
    expect(leftIn(scrub(dirty, known, true).text, known, true)).toEqual([]);
  });
});
