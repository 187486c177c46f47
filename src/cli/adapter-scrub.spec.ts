import { describe, expect, it } from '@jest/globals';
import { type Known, leftIn, scrub } from './adapter-scrub.js';

const known: readonly Known[] = [
  { what: 'last name', text: 'Sampleton', sample: 'Sample' },
  { what: 'secret', text: 'key-4711', sample: 'secret-sample' },
];

describe('what a recorded answer is rid of', () => {
  it.each([
    ['a JSON field', '{"first_name":"Grace","age":35}', '{"first_name":"Ada","age":35}'],
    ['an attribute', '<Email Address="x"/><Customer GivenName="Grace"/>', '<Email Address="x"/><Customer GivenName="Ada"/>'],
    ['an element', '<ota:Surname xml:lang="en">Hopperton</ota:Surname>', '<ota:Surname xml:lang="en">Sample</ota:Surname>'],
    ['an e-mail anywhere', '"Write to grace@navy.test now"', '"Write to ada@example.com now"'],
    ['a card anywhere', '"note":"4012 8888 8888 1881"', '"note":"4111111111111111"'],
    ['a licence', '{"licenceNumber":"S98-765"}', '{"licenceNumber":"D0000000"}'],
    ['a membership', '<CustLoyalty MembershipID="77"/>', '<CustLoyalty MembershipID="M0000000"/>'],
    ['a token', '{"access_token":"abc"}', '{"access_token":"secret-sample"}'],
    ['a name that the request had, in any case', '<Text>for SAMPLETON, key-4711</Text>', '<Text>for Sample, secret-sample</Text>'],
    ['a phone of a booking', '{"telephone":"617 555 0143"}', '{"telephone":"+16175550100"}'],
  ])('%s', (_what, before, after) => {
    expect(scrub(before, known, true).text).toBe(after);
    expect(scrub(before, known, true).replaced.size).toBeGreaterThan(0);
  });

  it.each([
    ['the phone of a counter in a search', '{"telephone":"617 555 0143"}', false],
    ['a name inside a word', '<City>Sampletonville</City>', true],
    ['a long number that is no card', '{"quote":"4012888888881882"}', true],
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
  ])('finds what was %s', (_what, text, kinds) => {
    expect(leftIn(text, known)).toEqual(kinds);
  });

  it('finds nothing in what was scrubbed', () => {
    const dirty = '{"last_name":"Sampleton","email":"grace@navy.test","card":"4012888888881881","key":"key-4711"}';
    expect(leftIn(dirty, known).length).toBeGreaterThan(2);
    expect(leftIn(scrub(dirty, known, true).text, known)).toEqual([]);
  });
});
