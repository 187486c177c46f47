import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { seal, unseal } from './sealed-id.js';

const key = createSecretKey(Buffer.alloc(32, 1));

describe('sealed ids', () => {
  it('preserve any text', () => {
    for (const text of ['', 'x', '["a",1,null]', 'Zürich – 東京', 'y'.repeat(2_000)])
      expect(unseal('off_', seal('off_', text, key), key)).toBe(text);
  });

  it('are read with each of several keys, and with no other one', () => {
    const keys = [1, 2, 3].map((byte) => createSecretKey(Buffer.alloc(32, byte)));
    for (const sealing of keys) {
      const id = seal('off_', 'x', sealing);
      expect(unseal('off_', id, keys)).toBe('x');
      expect(
        unseal(
          'off_',
          id,
          keys.filter((one) => one !== sealing),
        ),
      ).toBeUndefined();
    }
  });

  it('need no escaping in URLs', () => {
    expect(seal('loc_', 'Zürich?&/+ ', key)).toMatch(/^loc_[\w-]+$/);
  });

  claim(
    'API1',
    'Ids of offers, quotes and locations cannot be altered, truncated, created with another key or used with another prefix.',
    () => {
      const id = seal('off_', '["app_a","x"]', key);
      for (let i = 4; i < id.length; i += 1) {
        const altered = `${id.slice(0, i)}${id[i] === 'A' ? 'B' : 'A'}${id.slice(i + 1)}`;
        expect(unseal('off_', altered, key)).toBeUndefined();
      }
      // Neither bits that decoding ignores nor more characters are another spelling of an id.
      for (const text of ['a', 'ab', 'abc']) {
        const [sealed, at] = [seal('off_', text, key), -22];
        for (const more of ['A', '-', '='])
          expect(unseal('off_', sealed.slice(0, at) + more + sealed.slice(at), key)).toBeUndefined();
        for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
          const other = sealed.slice(0, at - 1) + last + sealed.slice(at);
          if (other !== sealed) expect(unseal('off_', other, key)).toBeUndefined();
        }
      }
      expect(unseal('off_', id.slice(0, -1), key)).toBeUndefined();
      expect(unseal('off_', id, createSecretKey(Buffer.alloc(32, 2)))).toBeUndefined();
      expect(unseal('off_', id.replace('off_', 'loc_'), key)).toBeUndefined();
      expect(unseal('loc_', id.replace('off_', 'loc_'), key)).toBeUndefined();
      expect(unseal('off_', 'off_', key)).toBeUndefined();
    },
  );
});
