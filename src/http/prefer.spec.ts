import { expect, it } from '@jest/globals';
import { parsePrefer } from './prefer.decorator.js';

it.each<[string | string[] | undefined, boolean, boolean]>([
  [undefined, false, false],
  ['partial=200', true, false],
  ['Return="Representation"', false, true],
  ['respond-async, partial = "200" , return=representation', true, true],
  [['wait=5', 'return=representation'], false, true],
  ['partial=206, return=minimal', false, false],
  ['xpartial=200, return=representations', false, false],
  ['', false, false],
])('Prefer: %j', (header, partialAs200, representation) => {
  expect(parsePrefer(header)).toEqual({ partialAs200, representation });
});
