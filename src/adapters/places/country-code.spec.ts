import { expect, it } from '@jest/globals';
import { countryCodeOf } from './country-code.js';

it.each([
  ['GB', 'GB'],
  [' gb ', 'GB'],
  ['UK', 'GB'],
  ['uk', 'GB'],
  ['EL', 'GR'],
  ['na', 'NA'],
])('%j is %s', (text, code) => {
  expect(countryCodeOf(text)).toBe(code);
});

it.each(['', 'G', 'GBR', 'G1', 'United Kingdom'])('%j is not a code of two letters', (text) => {
  expect(countryCodeOf(text)).toBeUndefined();
});
