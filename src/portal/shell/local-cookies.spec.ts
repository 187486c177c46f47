import type { FastifyRequest } from 'fastify';
import { Answer } from '../../http/answer.js';
import { acceptLocalCookies, withLocalCookies } from './local-cookies.js';

const SECURE = '__Host-forecourt=x.y; Path=/; Max-Age=1; Secure; HttpOnly; SameSite=Lax';
const PLAIN = 'forecourt=x.y; Path=/; Max-Age=1; HttpOnly; SameSite=Lax';

const request = (from: Partial<FastifyRequest>, cookie?: string): FastifyRequest =>
  ({ hostname: 'localhost', protocol: 'http', headers: { cookie }, ...from }) as FastifyRequest;
const set = (from: Partial<FastifyRequest>) =>
  (withLocalCookies(request(from), new Answer(303, '', { 'set-cookie': [SECURE] })) as Answer).headers['set-cookie'];
const accepted = (cookie: string, from: Partial<FastifyRequest> = {}) => {
  const one = request(from, cookie);
  acceptLocalCookies(one);
  return one.headers.cookie;
};

describe('cookies over http://localhost', () => {
  test.each(['localhost', '127.0.0.1', '[::1]'])('%s: without Secure and the prefix', (hostname) => {
    expect(set({ hostname })).toEqual([PLAIN]);
    expect(accepted('forecourt=x.y', { hostname })).toBe('__Host-forecourt=x.y');
  });

  test.each<[string, Partial<FastifyRequest>]>([
    ['another host', { hostname: 'api.example.com' }],
    ['https', { protocol: 'https' }],
    ['a proxy', { headers: { 'x-forwarded-for': '192.0.2.1' } }],
  ])('%s: only with Secure and the prefix', (_what, from) => {
    expect(set(from)).toEqual([SECURE]);
    const headers = { cookie: 'forecourt=x.y', ...from.headers };
    expect(accepted('forecourt=x.y', { ...from, headers })).toBe('forecourt=x.y');
  });

  test('a cookie without the prefix replaces the one with it; two of a name stay two; others stay', () => {
    expect(accepted('__Host-forecourt=old; a=b; forecourt=new')).toBe('a=b; __Host-forecourt=new');
    expect(accepted('__Host-forecourt=old; forecourt-device=d')).toBe(
      '__Host-forecourt=old; __Host-forecourt-device=d',
    );
    expect(accepted('forecourt=x; forecourt=x')).toBe('__Host-forecourt=x; __Host-forecourt=x');
    expect(accepted('__Host-forecourt=x; __Host-forecourt=x')).toBe('__Host-forecourt=x; __Host-forecourt=x');
  });
});
