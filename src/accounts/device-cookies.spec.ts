import { createSecretKey } from 'node:crypto';
import type { Keys } from '../config/keys.js';
import { DeviceCookies } from './device-cookies.js';

const devicesWith = (byte: number) => new DeviceCookies(() => createSecretKey(Buffer.alloc(32, byte)));
const devices = devicesWith(1);
const headerOf = (setCookie: string): string => `a=b; ${setCookie.split(';', 1)[0]}; c=d`;

describe('DeviceCookies', () => {
  test('a browser is known for the address that it was used with, under an id of its own', () => {
    const [one, two] = [devices.issue('ada@example.com'), devices.issue('ada@example.com')];
    const ids = [one, two].map((cookie) => devices.idOf(headerOf(cookie), 'ada@example.com'));
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/)]);
    expect(ids[0]).not.toBe(ids[1]);
    expect(one).toMatch(
      /^__Host-forecourt-device=[^;]+; Path=\/; Max-Age=34560000; Secure; HttpOnly; SameSite=Strict$/,
    );
    expect(one).not.toContain('ada');
  });

  test('a browser keeps its id when it logs in again, also its limit, but not for another address', () => {
    const first = headerOf(devices.issue('ada@example.com'));
    const idAfter = (email: string) => devices.idOf(headerOf(devices.issue(email, first)), email);
    expect(idAfter('ada@example.com')).toBe(devices.idOf(first, 'ada@example.com'));
    expect(idAfter('eve@example.com')).not.toBe(devices.idOf(first, 'ada@example.com'));
  });

  test('a browser stays known after a change of the secret, as long as the previous one is accepted', () => {
    const keysOf =
      (byte: number): Keys =>
      () =>
        createSecretKey(Buffer.alloc(32, byte));
    const changed = new DeviceCookies(Object.assign(keysOf(2), { other: keysOf(1) }));
    const before = headerOf(devices.issue('ada@example.com'));
    const id = devices.idOf(before, 'ada@example.com');
    expect(changed.idOf(before, 'ada@example.com')).toBe(id);
    const after = headerOf(changed.issue('ada@example.com', before));
    expect(devicesWith(2).idOf(after, 'ada@example.com')).toBe(id);
  });

  const cookie = headerOf(devices.issue('ada@example.com'));
  test.each([
    ['another address', cookie, 'eve@example.com'],
    ['no cookie', undefined, 'ada@example.com'],
    ['an empty header', '', 'ada@example.com'],
    ['the cookie twice', `${cookie}; ${cookie}`, 'ada@example.com'],
    ['another id', cookie.replace(/(?<=device=)./, (first) => (first === 'A' ? 'B' : 'A')), 'ada@example.com'],
    ['a shorter signature', cookie.replace(/.(?=; c=d)/, ''), 'ada@example.com'],
    ['the cookie of another environment', headerOf(devicesWith(2).issue('ada@example.com')), 'ada@example.com'],
  ])('%s: unknown', (_what, header, email) => expect(devices.idOf(header, email)).toBeUndefined());
});
