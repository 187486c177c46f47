import { createHash, createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Keys } from '../config/keys.js';
import { ClientSecrets } from './client-secrets.js';
import { secretHmac } from './credentials.js';

const keys: Keys = (purpose, scope = 'sandbox' as 'any') =>
  createSecretKey(createHash('sha256').update(`${scope} ${purpose}`).digest());
const environment = 'sandbox';
const ONE = Buffer.alloc(32, 1).toString('base64');
const TWO = Buffer.alloc(32, 2).toString('base64');
const holder = { applicationId: 'app_a', environment: 'sandbox' } as const;

describe('stored client secrets', () => {
  const secrets = new ClientSecrets({ environment }, keys);

  it('can be decrypted for their own application and environment only', () => {
    const { sealed, hmac } = secrets.keep('the-secret', holder);
    expect(sealed + hmac).not.toContain('the-secret');
    expect(secrets.open(sealed, holder)).toBe('the-secret');
    expect(() => secrets.open(sealed, { ...holder, applicationId: 'app_b' })).toThrow();
    expect(() => secrets.open(sealed, { ...holder, environment: 'production' })).toThrow();
  });

  it('are found at any position among several', () => {
    const stored = ['first', 'second', 'third'].map((text) => ({ id: text, hmac: secrets.keep(text, holder).hmac }));
    for (const { id } of stored) expect(secrets.find(id, stored)?.id).toBe(id);
    expect(secrets.find('fourth', stored)).toBeUndefined();
    expect(secrets.find('first', [])).toBeUndefined();
  });

  it('are found by their HMAC from before the environments had keys of their own', () => {
    const hmac = secretHmac(keys('client_secret', 'any'), 'old');
    expect(secrets.find('old', [{ id: 'sec_old', hmac }])?.id).toBe('sec_old');
  });

  it('can be rewrapped with a new key, after which the older key can be removed', () => {
    const before = new ClientSecrets({ environment, secretKeys: `1:${ONE}` }, keys).keep('the-secret', holder).sealed;
    const both = new ClientSecrets({ environment, secretKeys: `2:${TWO},1:${ONE}` }, keys);
    const after = both.rewrap(before, holder);
    expect([before, after].map((sealed) => sealed.split('.')[0])).toEqual(['1s', both.newestKey]);
    expect(new ClientSecrets({ environment, secretKeys: `2:${TWO}` }, keys).open(after, holder)).toBe('the-secret');
  });
});
