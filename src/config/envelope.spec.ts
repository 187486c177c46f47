import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Envelopes } from './envelope.js';
import { SealedTexts } from './sealed-text.js';

const keys = () => createSecretKey(Buffer.alloc(32, 5));
const ONE = Buffer.alloc(32, 1).toString('base64');
const TWO = Buffer.alloc(32, 2).toString('base64');
const under = (secretKeys?: string) =>
  new Envelopes(new SealedTexts({ environment: 'sandbox', secretKeys }, keys, 'CLIENT_SECRET_KEYS'));

describe('envelopes', () => {
  const old = under(`1:${ONE}`);
  const both = under(`2:${TWO},1:${ONE}`);
  const renewed = under(`2:${TWO}`);

  it('open to what was sealed, and no two are equal', () => {
    const envelopes = [old.seal('naïve \ud83d\ude97', 'p'), old.seal('naïve \ud83d\ude97', 'p')];
    expect(envelopes.map((envelope) => old.open(envelope, 'p'))).toEqual(['naïve \ud83d\ude97', 'naïve \ud83d\ude97']);
    expect(envelopes[0]).not.toBe(envelopes[1]);
    expect(envelopes[0]).toMatch(/^1s\.[\w-]+\.[\w-]+$/);
  });

  it('open only at their own place, and key and text can’t be combined with those of another', () => {
    const [a, b] = [old.seal('a', 'p'), old.seal('b', 'q')];
    expect(() => old.open(a, 'q')).toThrow();
    const [version, wrapped] = a.split('.');
    expect(() => old.open(`${version}.${wrapped}.${b.split('.')[2]}`, 'p')).toThrow();
  });

  it('do not open when any character was altered', () => {
    const envelope = old.seal('secret', 'p');
    for (let index = 0; index < envelope.length - 1; index += 1) {
      if (envelope[index] === '.') continue;
      const altered = envelope.slice(0, index) + (envelope[index] === 'A' ? 'Q' : 'A') + envelope.slice(index + 1);
      expect(() => old.open(altered, 'p')).toThrow();
    }
  });

  it('open without the older key after rewrapping, which leaves the sealed text unchanged', () => {
    const before = old.seal('secret', 'p');
    const after = both.rewrap(before, 'p');
    expect(renewed.open(after, 'p')).toBe('secret');
    expect(() => renewed.open(before, 'p')).toThrow('key version 1s, which is not configured (CLIENT_SECRET_KEYS)');
    expect(after.split('.')[2]).toBe(before.split('.')[2]);
    expect(() => both.rewrap(before, 'q')).toThrow();
  });

  it.each(['', 'secret', '1.AAAA', '1.AAAA.', '.AAAA.AAAA'])('rejects %j without quoting it in the error', (text) => {
    expect(() => old.open(text, 'p')).toThrow('not an envelope');
  });
});
