import { expect, it } from '@jest/globals';
import { decoded } from './encoded-characters.js';

const read = (text: string): string => decoded(Buffer.from(text, 'latin1')).toString('latin1');

it.each([
  ['res\\u005fA\\u0041\\u00A0', 'res_AA\u00a0'],
  ['\\n\\r\\t-', '   -'],
  ['&#95;&#x5f;&#X5F;&#0095;&#x0000041;', '____A'],
  ['&#10;&#xA;&#9;', '\n\n\t'],
])('decodes %j', (text, expected) => {
  expect(read(text)).toBe(expected);
});

it.each([
  ...['\\u0022', '&#34;', '&#x22;', '&#0;', '\\u00e9x', '\\u0100', '\\u00', '\\u005', '\\u00g1', '\\', '\\\\', '\\b'],
  ...['&', '&#', '&#;', '&#x', '&#x;', '&#x5g;', '&#95', '&#4191;', '&#1000000000000000000095;', '&amp;', '& #95;'],
])('leaves %j as it is', (text) => {
  expect([read(text), read(`-${text}-`)]).toEqual([text, `-${text}-`]);
});
