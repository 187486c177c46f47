import { createHash, createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import type { Keys } from './keys.js';
import { encrypt, MissingKeyError, missingKeyOf, SealedTexts } from './sealed-text.js';

const keys: Keys = (purpose, scope = 'sandbox' as 'any') =>
  createSecretKey(createHash('sha256').update(`${scope} ${purpose}`).digest());
const productionKeys: Keys = (purpose, scope) => keys(purpose, scope ?? ('production' as 'any'));
const ONE = Buffer.alloc(32, 1).toString('base64');
const TWO = Buffer.alloc(32, 2).toString('base64');

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function textsOf(personalDataKeys?: string): SealedTexts {
  return new SealedTexts({ environment: 'sandbox', personalDataKeys }, keys, 'PERSONAL_DATA_KEYS');
}

describe('sealed texts', () => {
  const texts = textsOf(`2:${TWO}, 1:${ONE}`);

  it.each(['', 'x', 'naïve \ud83d\ude97 \u0000', 'long '.repeat(10_000)])('open to what was sealed (%#)', (text) => {
    expect(texts.open(texts.seal(text, 'personal:a'), 'personal:a')).toBe(text);
  });

  it('name their key and never repeat', () => {
    const sealed = [texts.seal('same', 'p'), texts.seal('same', 'p')];
    expect(sealed[0]).toMatch(/^2s\.[\w-]+$/);
    expect(sealed[0]).not.toBe(sealed[1]);
  });

  it('open only at their own place', () => {
    const sealed = texts.seal('secret', 'personal:a');
    for (const place of ['personal:b', 'change:a', '']) expect(() => texts.open(sealed, place)).toThrow();
  });

  claim(['personal-data', 'V14.2.4'], 'Encrypted text in which any byte was altered cannot be decrypted.', () => {
    const [version = '', body = ''] = texts.seal('secret', 'p').split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (const index of bytes.keys()) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
      expect(() => texts.open(`${version}.${altered.toString('base64url')}`, 'p')).toThrow();
    }
  });

  it.each(['', 'plain text', '2.', '2.AAAA', '.AAAA', '2'])('%j is not a sealed text', (text) => {
    expect(() => texts.open(text, 'p')).toThrow();
  });

  it('does not quote an unsealed text in the error', () => {
    expect(() => texts.open('{"name":"Ada Sample"}', 'p')).toThrow(/^(?!.*Sample)/);
  });

  it('don’t open with the version of another key', () => {
    expect(() => texts.open(texts.seal('secret', 'p').replace('2s.', '1s.'), 'p')).toThrow();
  });
});

describe('the keys', () => {
  it('the first one seals and all of them open; without any, the derived key does both', () => {
    const [byOne, byBoth, byDerived] = [textsOf(`1:${ONE}`), textsOf(`2:${TWO},1:${ONE}`), textsOf()];
    expect([byOne.newest, byBoth.newest, byDerived.newest]).toEqual(['1s', '2s', '0s']);
    expect(byBoth.open(byOne.seal('x', 'p'), 'p')).toBe('x');
    expect(byBoth.open(byDerived.seal('y', 'p'), 'p')).toBe('y');
    expect(() => byOne.open(byBoth.seal('x', 'p'), 'p')).toThrow('key version 2s, which is not configured');
  });

  it('the derived key can be named, so that it seals while a new key is already known', () => {
    const [before, first, second] = [textsOf(), textsOf(`0,2:${TWO}`), textsOf(`2:${TWO}, 0`)];
    expect([before, first, second].map(({ summary }) => summary)).toEqual([
      'encrypts with 0s',
      'encrypts with 0s, also decrypts 2s',
      'encrypts with 2s, also decrypts 0s',
    ]);
    // Gateways one step apart open what the other one seals.
    expect(before.open(first.seal('x', 'p'), 'p')).toBe('x');
    expect(first.open(second.seal('x', 'p'), 'p')).toBe('x');
    expect(second.open(before.seal('x', 'p'), 'p')).toBe('x');
  });

  it('a text whose key is missing here differs from one that was altered', () => {
    const error = errorOf(() => textsOf().open(textsOf(`2:${TWO}`).seal('x', 'p'), 'p'));
    expect(missingKeyOf(new Error('wrapped', { cause: error }))).toBe(error);
    expect(error).toMatchObject({ variable: 'PERSONAL_DATA_KEYS', keyVersion: '2s' });
    expect(error).toBeInstanceOf(MissingKeyError);
    expect(missingKeyOf(errorOf(() => textsOf().open('0s.AAAA', 'p')))).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['no version', ONE],
    ['version 0 with a key', `0:${ONE}`],
    ['version 0 twice', `0,1:${ONE},0`],
    ['a leading zero', `01:${ONE}`],
    ['a word for a version', `new:${ONE}`],
    ['a version of seven digits', `1000000:${ONE}`],
    ['a short key', `1:${Buffer.alloc(31).toString('base64')}`],
    ['a long key', `1:${Buffer.alloc(33).toString('base64')}`],
    ['no key', '1:'],
    ['a version twice', `1:${ONE},1:${TWO}`],
    ['an empty entry', `1:${ONE},`],
    ['a second key behind a colon', `1:${ONE}:${TWO}`],
    ['characters that are no base64', `1:!${ONE.slice(0, 20)}?${ONE.slice(20)}`],
  ])('are rejected: %s', (_case, configured) => {
    expect(() => textsOf(configured)).toThrow(/^PERSONAL_DATA_KEYS: (?!.*AQEB)/);
  });
});

describe('two environments with the same keys and master secret', () => {
  const production = new SealedTexts(
    { environment: 'production', personalDataKeys: `1:${ONE}` },
    productionKeys,
    'PERSONAL_DATA_KEYS',
  );

  it.each([
    ['configured', textsOf(`1:${ONE}`)],
    ['derived', textsOf()],
  ])('a text of one cannot be opened by the other, whatever version it names: %s keys', (_case, sandbox) => {
    const sealed = sandbox.seal('secret', 'p');
    expect(() => production.open(sealed, 'p')).toThrow('of the other environment');
    for (const version of ['0', '0p', '1', '1p'])
      expect(() => production.open(sealed.replace(/^\w+/, version), 'p')).toThrow();
  });

  it('both open what was sealed before they had keys of their own, and reseal it with their own', () => {
    const before = `1.${encrypt(createSecretKey(Buffer.from(ONE, 'base64')), Buffer.from('old'), 'p').toString('base64url')}`;
    for (const texts of [textsOf(`1:${ONE}`), production]) {
      expect(texts.open(before, 'p')).toBe('old');
      expect(before.split('.')[0]).not.toBe(texts.newest);
    }
  });
});
