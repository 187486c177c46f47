import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { heapOf } from '../../../test/support/heap.js';
import { Callers } from './callers.js';

function request(remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

describe('whom a request is from, before authentication', () => {
  it('is its network, until its token was accepted; then the account, from anywhere', () => {
    const callers = new Callers([]);
    const headers = { authorization: 'Bearer fc_s_one' };
    expect(callers.of(request('203.0.113.7', headers))).toEqual({ key: 'network 203.0.113.7', isKnown: false });
    callers.learn('fc_s_one', 'acc_1');
    expect(callers.of(request('198.51.100.1', headers))).toEqual({ key: 'account acc_1', isKnown: true });
    // The spelling of the scheme makes no other token.
    expect(callers.of(request('198.51.100.1', { authorization: 'bEARER fc_s_one' })).isKnown).toBe(true);
    expect(callers.of(request('198.51.100.1', { authorization: 'Bearer   fc_s_one' })).isKnown).toBe(true);
    expect(callers.of(request('203.0.113.7', { authorization: 'Bearer fc_s_two' })).isKnown).toBe(false);
  });

  it('is one network for all addresses of a /48', () => {
    const callers = new Callers([]);
    const keys = ['2001:db8:1:1::1', '2001:db8:1:2::9'].map((address) => callers.of(request(address)).key);
    expect(new Set(keys).size).toBe(1);
  });

  it.each([
    ['an address', ['10.0.0.9']],
    ['a range', ['10.0.0.0/8']],
    ['a name', ['uniquelocal']],
  ])(
    'is the last address of X-Forwarded-For behind a proxy trusted by %s, and ignores the header otherwise',
    (_, trusted) => {
      const callers = new Callers(trusted);
      const headers = { 'x-forwarded-for': '1.2.3.4, 203.0.113.7' };
      expect(callers.of(request('::ffff:10.0.0.9', headers)).key).toBe('network 203.0.113.7');
      expect(callers.of(request('192.0.2.1', headers)).key).toBe('network 192.0.2.1');
    },
  );

  it('keeps tokens, not the headers that they were sent in', () => {
    const callers = new Callers([]);
    let made = 0;
    const learn = (): void => {
      made += 1;
      const header = `Bearer${' '.repeat(16_000)}fc_s_an_access_token_${made}`;
      const token = /^Bearer +(\S+)$/.exec(header)?.[1] ?? '';
      callers.learn(token, 'acc_1');
      expect(callers.of(request('::1', { authorization: header })).isKnown).toBe(true);
    };
    // 500 headers have 8 MB.
    expect(heapOf(() => Array.from({ length: 500 }, learn))).toBeLessThan(2_000_000);
  });

  it('forgets the oldest of more than 10,000 tokens', () => {
    const callers = new Callers([]);
    for (let number = 0; number <= 10_000; number += 1) callers.learn(String(number), 'acc_1');
    const isKnown = (token: string) => callers.of(request('::1', { authorization: `Bearer ${token}` })).isKnown;
    expect(['0', '1', '10000'].map(isKnown)).toEqual([false, true, true]);
  });
});
