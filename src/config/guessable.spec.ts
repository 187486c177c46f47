import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isGuessable } from './guessable.js';

describe('a guessable secret', () => {
  it.each([
    'development-only-do-not-use-anywhere-else',
    'DEVELOPMENT-ONLY-DO-NOT-USE-ANYWHERE-ELSE',
    'a-secret-of-the-end-to-end-tests-0123456789',
    'x'.repeat(40),
    `${'a'.repeat(31)}b`,
    'changeme-changeme-changeme-changeme',
    'abcabcabcabcabcabcabcabcabcabcabc',
    '0123456789abcdef0123456789abcdef',
    'abcdefghijklmnopqrstuvwxyz0123456789',
    '98765432109876543210987654321098',
    'qwertyuiopasdfghjklzxcvbnm123456',
    '1qaz2wsx3edc4rfv5tgb6yhn7ujm1qaz',
    'deadbeefdeadbeefdeadbeefdeadbeef',
    '00000000-0000-0000-0000-000000000000',
    'correct horse battery staple correct',
    'Forecourt-Production-Secret-2026!',
    'ThisIsAVeryLongSecretThatIsHard2Guess',
    'Sup3rS3cr3tK3yF0rPr0duct10n!2024',
    'p4ssw0rd-p4ssw0rd-p4ssw0rd-p4ssw0rd',
    'this passphrase is only known to our team',
    'geheimes-passwort-fuer-die-produktion',
    'una-clave-secreta-muy-larga-para-produccion',
    'motdepasse-tres-secret-pour-la-production',
    '2026-11-22 2026-11-23 2026-11-24 2026-11',
    'the quick brown fox jumps over the lazy dog',
    Buffer.from('development-only-do-not-use-anywhere-else').toString('base64'),
    Buffer.from('our gateway secret').toString('hex'),
    Buffer.alloc(32, 7).toString('base64'),
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4',
    Buffer.from('603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4', 'hex').toString('base64'),
    Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64'),
    'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    '3.14159265358979323846264338327950288',
    // What this repository had in earlier versions, with which a gateway may have been started.
    'P9x2mWq7Kc4vTz8RbL1nYd6HgJ3sFu5eAo0iQpXw-Vk',
    'b7Qe9ZkX2mT5vRw8Lp3Ny6Ha1Jc4Uf0DgSxVoKqYtMz',
    'SMau8Z3MPBiAzsEiuz7C0kttBAjRxi5YuQ1utzOFIKk',
    'Zk3vQ1mX8pL5tR9wB2nH7cJ4sD6gF0yA',
    createHash('md5').update('password').digest('hex'),
    createHash('sha256').digest('hex'),
    createHash('sha256').update('Forecourt').digest('hex').toUpperCase(),
    createHash('sha256').update('changeme\n').digest('hex').slice(0, 40),
    createHash('sha1').update('admin').digest('hex'),
    createHash('sha512').update('secret').digest('base64'),
    createHash('sha256').update('123456').digest('base64url'),
  ])('is %j', (secret) => {
    expect(isGuessable(secret)).toBe(true);
  });

  const GENERATED = {
    'openssl rand -hex 32': () => randomBytes(32).toString('hex'),
    'openssl rand -base64 32': () => randomBytes(32).toString('base64'),
    'openssl rand -base64 48': () => randomBytes(48).toString('base64'),
    base64url: () => randomBytes(32).toString('base64url'),
    'openssl rand -hex 16': () => randomBytes(16).toString('hex'),
    'a UUID': () => randomUUID(),
  };

  it.each(Object.entries(GENERATED))('is not the output of %s', (_name, generate) => {
    // By chance, random text may look like words: hexadecimal text of 16 bytes once in 30,000 times.
    const guessable = Array.from({ length: 1_000 }, generate).filter(isGuessable);
    expect(guessable.length).toBeLessThan(5);
  });
});
