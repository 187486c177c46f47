import { describe, expect, it } from '@jest/globals';
import { configSchema } from './config.schema.js';
import { hasAllOfIpv4, plainRange } from './proxy-range.js';

describe('plainRange', () => {
  it.each([
    ['::ffff:0.0.0.0/97', '0.0.0.0/1'],
    ['::FFFF:0:0/96', '0.0.0.0/0'],
    ['0:0:0:0:0:ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:7f00:1', '127.0.0.1'],
    ['::ffff:192.168.1.7/128', '192.168.1.7/32'],
  ])('reads %s as %s', (range, expected) => {
    expect(plainRange(range)).toBe(expected);
    expect(configSchema.parse({ http: { trustedProxies: [range] } }).http.trustedProxies).toEqual([expected]);
  });

  it.each([
    '10.0.0.0/8',
    '127.0.0.1',
    'loopback',
    'fc00::/7',
    '2001:db8::ffff:0:0/97',
    '::ffff:0:0/90',
    '::1',
    '::/x',
    'fe80::1%a',
  ])('leaves %s', (range) => {
    expect(plainRange(range)).toBe(range);
  });
});

describe('hasAllOfIpv4', () => {
  it.each([
    ['::/0', true],
    ['::/80', true],
    ['::1/80', true],
    ['::ffff:0:0/96', true],
    ['::ffff:1.2.3.4/95', true],
    ['::ffff:0:0/97', false],
    ['::/81', false],
    ['::', false],
    ['fc00::/7', false],
    ['0.0.0.0/0', false],
    ['loopback', false],
  ])('%s: %s', (range, expected) => {
    expect(hasAllOfIpv4(range)).toBe(expected);
  });
});
