import { describe, expect, it } from '@jest/globals';
import { withList } from './partial-answer.js';

describe('a list of bytes in an answer', () => {
  it.each([
    [[], '{"found":0,"vehicles":[]}'],
    [['{"name":"Škoda"}'], '{"found":0,"vehicles":[{"name":"Škoda"}]}'],
    [['{"name":"Łódź 東京"}', '{"name":"Fiat"}'], '{"found":0,"vehicles":[{"name":"Łódź 東京"},{"name":"Fiat"}]}'],
  ])('is its last member: %j', (items, expected) => {
    const written = withList('{"found":0}', { name: 'vehicles', items: items.map((item) => Buffer.from(item)) });
    expect(written.toString()).toBe(expected);
    expect(JSON.parse(written.toString())).toMatchObject({ found: 0 });
  });
});
