import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { mintToken, newClientSecret, parseToken, secretHmac, tokenDigest } from './credentials.js';

const owner = { accountId: 'acc_demo', applicationId: 'app_demo2' };

describe('access tokens', () => {
  it.each(['sandbox', 'production'] as const)(
    'of %s contain their owner and environment and are identified by their digest',
    (environment) => {
      const token = mintToken(owner, environment);
      expect(token).toMatch(environment === 'sandbox' ? /^fc_s_demo_demo2_/ : /^fc_p_demo_demo2_/);
      expect(parseToken(token)).toEqual({ ...owner, environment, digest: tokenDigest(token) });
    },
  );

  it('never repeat', () => {
    expect(new Set(Array.from({ length: 100 }, () => mintToken(owner, 'sandbox'))).size).toBe(100);
  });

  it('are invalid if any single character is changed', () => {
    const token = mintToken(owner, 'sandbox');
    for (let index = 0; index < token.length; index += 1) {
      const altered = token.slice(0, index) + (token[index] === 'p' ? 's' : 'p') + token.slice(index + 1);
      expect(parseToken(altered)).toBeUndefined();
    }
  });

  it('have a fixed format, so that tokens issued earlier stay valid', () => {
    expect(parseToken('fc_s_demo_demo_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_000000')).toBeUndefined();
    expect(parseToken('fc_s_demo_demo_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_2cwSSt')).toMatchObject({
      accountId: 'acc_demo',
    });
  });
});

describe('client secrets', () => {
  const key = createSecretKey(Buffer.alloc(32, 7));

  it('hold 256 random bits', () => {
    expect(newClientSecret()).toMatch(/^fcs_[\w-]{43}$/);
    expect(newClientSecret()).not.toBe(newClientSecret());
  });

  it('have an HMAC that depends on each character and on the key', () => {
    const digest = secretHmac(key, 'secret');
    expect(secretHmac(key, 'secret')).toBe(digest);
    expect(secretHmac(key, 'secret ')).not.toBe(digest);
    expect(secretHmac(createSecretKey(Buffer.alloc(32, 8)), 'secret')).not.toBe(digest);
  });
});
