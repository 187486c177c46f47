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

  it('are looked up by their HMAC, with the current key or the one that both environments had earlier', () => {
    const { hmac } = secrets.keep('the-secret', holder);
    const older = secretHmac(keys('client_secret', 'any'), 'the-secret');
    expect(secrets.hmacsOf('the-secret')).toEqual([hmac, older]);
    expect(secrets.hmacsOf('the-secret ')).not.toContain(hmac);
  });

  it('are accepted, and made with the new FORECOURT_SECRET, while the previous one is the other', () => {
    const nextKeys: Keys = (purpose, scope) => keys(purpose, `next ${scope ?? ''}` as 'any');
    const settings = { environment, secretKeys: `1:${ONE}` } as const;
    const before = new ClientSecrets(settings, keys).keep('the-secret', holder);
    const [changed, removed] = [Object.assign(nextKeys.bind(undefined), { other: keys }), nextKeys].map(
      (own) => new ClientSecrets(settings, own),
    );
    expect([changed?.isOwn(before, holder), removed?.isOwn(before, holder)]).toEqual([true, false]);
    expect(changed?.hmacsOf('the-secret')).toContain(before.hmac);
    const hmac = changed?.hmacOf(before.sealed, holder) ?? '';
    expect(removed?.isOwn({ ...before, hmac }, holder)).toBe(true);
    expect(changed?.keep('the-secret', holder).hmac).toBe(hmac);
  });

  it('can be rewrapped with a new key, after which the older key can be removed', () => {
    const before = new ClientSecrets({ environment, secretKeys: `1:${ONE}` }, keys).keep('the-secret', holder).sealed;
    const both = new ClientSecrets({ environment, secretKeys: `2:${TWO},1:${ONE}` }, keys);
    const after = both.rewrap(before, holder);
    expect([before, after].map((sealed) => sealed.split('.')[0])).toEqual(['1s', both.newestKey]);
    expect(new ClientSecrets({ environment, secretKeys: `2:${TWO}` }, keys).open(after, holder)).toBe('the-secret');
  });
});
