import { describe, expect, it } from '@jest/globals';
import { holds } from './expression.js';
import { exampleOf, pathOf, withValues } from './inverse.js';

describe('exampleOf', () => {
  it.each([
    ['err == `2001`', { err: 2001 }],
    ["`2001` == err || err == 'x'", { err: 2001 }],
    ["error.code == 'GONE' && error.retry == `false`", { error: { code: 'GONE', retry: false } }],
    ["contains(message, 'sold out')", { message: 'sold out' }],
    ["errors[0].code == 'E1'", { errors: [{ code: 'E1' }] }],
    ["other > `0` || error.code == 'E2'", { error: { code: 'E2' } }],
    ['failed', { failed: true }],
    ['ok != `1`', {}],
  ])('returns an example for which %s holds', (text, body) => {
    const example = exampleOf(text);
    expect(withValues({}, example ?? [])).toEqual(body);
    expect(holds(text, withValues({}, example ?? []))).toBe(true);
  });

  it.each(['length(errors) > `0`', 'err >= `2000`', 'err != `null`', 'errors[?code == `1`]', 'err == other'])(
    'returns no example for %s',
    (text) => {
      expect(exampleOf(text)).toBeUndefined();
    },
  );
});

describe('the path of an expression', () => {
  it.each([
    ['a', ['a']],
    ['a.b[0].c', ['a', 'b', 0, 'c']],
    ['$answer.a.b', ['a', 'b']],
  ])('%s', (text, path) => {
    expect(pathOf(text)).toEqual(path);
  });

  it.each(['a[-1]', 'a[].b', 'a || b', 'lower(a)', '$request.a', 'a[?b]'])('does not exist for %s', (text) => {
    expect(pathOf(text)).toBeUndefined();
  });

  it('is written in a copy, with missing members created', () => {
    const root = { a: { b: 1, c: [1, 2] }, d: 4 };
    expect(
      withValues(root, [
        [['a', 'c', 1], 7],
        [['e', 'f'], 8],
      ]),
    ).toEqual({ a: { b: 1, c: [1, 7] }, d: 4, e: { f: 8 } });
    expect(root).toEqual({ a: { b: 1, c: [1, 2] }, d: 4 });
  });
});
