import { expect, it } from '@jest/globals';
import { configSchema } from '../config/config.schema.js';
import { checkTrust } from './doctor-checks.js';

const isFine = (range: string): boolean | undefined =>
  checkTrust(configSchema.parse({ http: { trustedProxies: [range] } }))[0]?.ok;

it.each([
  ...['10.0.0.9', '10.0.0.0/8', '192.168.0.0/16', 'loopback', 'uniquelocal'],
  ...['::1', 'fc00::/7', 'fd00::/8', 'FD12:3456::/32', 'fe80::/10', '2001:db8::/32', '2001:d00::/24'],
])('a proxy may be one of %s', (range) => {
  expect(isFine(range)).toBe(true);
});

// fd::, without zeros after it, is 00fd::.
it.each([
  ...['0.0.0.0/0', '0.0.0.0/1', '10.0.0.0/7', '0.0.0.0/0.0.0.0', '10.0.0.0/'],
  ...['::/0', '2000::/3', 'fc00::/6', 'fc00::/1', 'fd00::/0', 'fe80::/9', 'fec0::/3', 'fd::/2', 'fd::/8', 'fc00::/ff'],
])('a proxy may not be one of %s', (range) => {
  expect(isFine(range)).toBe(false);
});
