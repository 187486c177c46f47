import { describe, expect, it } from '@jest/globals';
import { MergedObjects } from './json-bytes.js';

describe('the members of several objects', () => {
  const shared = Buffer.from('{"place":"Łódź"}');

  it.each([
    ['ASCII', 'Logan'],
    ['a control character', '\u0001'],
    ['Latin-1', 'Zürich \x7f\x80\xff'],
    ['other characters', 'Škoda 東京'],
    ['surrogate pairs', '🚗'],
    ['half a surrogate pair', '\ud83d'],
    ['braces', '{"}'],
  ])('are written as the UTF-8 of one object, with %s', (_which, name) => {
    const bytes = new MergedObjects('{"id":"off_1"}', JSON.stringify({ name }), shared);
    const target = Buffer.alloc(bytes.length + 2, '#');
    bytes.copy(target, 1);
    expect(target.toString()).toBe(`#${bytes.toString()}#`);
    expect(JSON.parse(bytes.toString())).toEqual({ id: 'off_1', name, place: 'Łódź' });
  });
});
