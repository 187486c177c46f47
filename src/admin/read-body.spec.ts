import { expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { jsonIn } from './read-body.js';

it.each([
  '{"text":"We look into it \\ud83d"}',
  '{"words":["incident","open","--text=\\ude97\\ud83d"]}',
  '{"\\ud83d":1}',
])('a body with half a character is refused: %s', (text) => {
  expect(() => jsonIn(Buffer.from(text))).toThrow(ApiError);
  expect(() => jsonIn(Buffer.from(text))).toThrow('half a character');
});

it('a body with complete characters, also escaped ones, is read', () => {
  expect(jsonIn(Buffer.from(String.raw`{"a":"🚗","b":["\ud83d\ude97","\\ud83d"]}`))).toEqual({
    a: '🚗',
    b: ['🚗', String.raw`\ud83d`],
  });
});
