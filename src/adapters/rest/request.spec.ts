import { describe, expect, it } from '@jest/globals';
import { SupplierError, type SupplierHttpCall } from '../../model/supplier.js';
import { requestSchema } from './request.schema.js';
import { buildCall } from './rest-api.js';

const NAMES = { open: ['a', 'b', 'list', 'deep'], secret: ['key'], personal: ['driver'] };
const OPEN = { a: 'x y/z', b: 7, list: ['p', 'q&r'], deep: { one: 1, none: null, rows: [{ v: undefined, w: 2 }] } };

function built(request: object, open: object = OPEN): SupplierHttpCall {
  const spec = requestSchema(NAMES).parse({ method: 'POST', path: '/p', ...request });
  return buildCall(
    spec,
    { open, secret: { key: 's3' }, personal: { driver: { name: 'Ada "Sample"' } } },
    { shared: {} },
  );
}

function refused(request: object, open: object): SupplierError {
  try {
    built(request, open);
  } catch (error) {
    if (error instanceof SupplierError) return error;
    throw error;
  }
  throw new Error('it was sent');
}

describe('a path', () => {
  it.each([
    ['x y/z', '/p/x%20y%2Fz/b'],
    ['?a=b#c', '/p/%3Fa%3Db%23c/b'],
    ['ü', '/p/%C3%BC/b'],
    ['\r\nHost: evil', '/p/%0D%0AHost%3A%20evil/b'],
    ['%2e%2e', '/p/%252e%252e/b'],
    ['\ud800', '/p/%EF%BF%BD/b'],
    [7, '/p/7/b'],
  ])('takes %j as one segment', (a, path) => {
    expect(built({ path: '/p/{a}/b' }, { a }).path).toBe(path);
  });

  it.each([undefined, null, '', '.', '..', {}, ['x']])('is not sent for %j', (a) => {
    expect(refused({ path: '/p/{a}/b' }, { a })).toMatchObject({ fault: 'rejected', sent: false });
  });
});

describe('a query and a form', () => {
  it('are encoded; a list becomes one pair per member, and absent values are left out', () => {
    const pairs = { q: 'a', n: 'b', 'l[]': 'list', none: 'deep.none', missing: 'deep.nothing', object: 'deep' };
    expect(built({ query: pairs }).path).toBe('/p?q=x%20y%2Fz&n=7&l%5B%5D=p&l%5B%5D=q%26r');
    const form = built({ form: { ...pairs, who: 'driver.name' } });
    expect(form.body).toBe('q=x%20y%2Fz&n=7&l%5B%5D=p&l%5B%5D=q%26r&who=Ada%20%22Sample%22');
    expect(form.headers).toEqual({ 'content-type': 'application/x-www-form-urlencoded' });
    expect(built({ query: { q: 'deep.none' } }).path).toBe('/p');
  });
});

describe('a header', () => {
  it('has text and values and a lowercase name, and is left out if its value is absent', () => {
    const headers = { 'X-Both': 'v{b}-{a}', 'x-none': 'v{deep.none}', authorization: 'Key {key}' };
    expect(built({ headers }).headers).toEqual({ 'x-both': 'v7-x y/z', authorization: 'Key s3' });
  });

  it.each(['a\r\nx-evil: 1', 'a\nb', 'tab\t', 'ü', '\0'])('is never sent with %j in it', (a) => {
    const error = refused({ headers: { 'x-a': '{a}' } }, { a });
    expect(error).toMatchObject({ fault: 'rejected', sent: false });
    expect(error.message).toBe('a value cannot be sent in the header x-a');
  });
});

describe('a JSON body', () => {
  it('keeps types and constants, and leaves out absent values at any depth', () => {
    const json = {
      a: 'a',
      n: 'b',
      list: 'list',
      deep: 'deep',
      own: { five: 5, yes: true, text: "'EUR'", none: 'deep.none', both: ['b', 'a'] },
    };
    expect(JSON.parse(built({ json }).body ?? '')).toEqual({
      a: 'x y/z',
      n: 7,
      list: ['p', 'q&r'],
      deep: { one: 1, rows: [{ w: 2 }] },
      own: { five: 5, yes: true, text: 'EUR', both: [7, 'x y/z'] },
    });
  });

  it('cannot be broken out of by its values', () => {
    expect(JSON.parse(built({ json: { who: 'driver.name' } }).body ?? '')).toEqual({ who: 'Ada "Sample"' });
  });
});
