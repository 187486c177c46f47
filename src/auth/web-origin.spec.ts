import { describe, expect, it } from '@jest/globals';
import { checkOrigins, MAX_ORIGINS } from './web-origin.js';

describe('checkOrigins', () => {
  it.each([
    'https://shop.example.com',
    'https://shop.example.com:8443',
    'https://xn--mller-kva.example',
    'https://203.0.113.7',
    'https://[2001:db8::1]',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://localhost:3000',
  ])('accepts %s', (origin) => {
    expect(checkOrigins([origin])).toEqual({ ok: true, origins: [origin] });
  });

  it('keeps the order, and each origin once', () => {
    expect(checkOrigins(['https://b.example', 'https://a.example', 'https://b.example'])).toEqual({
      ok: true,
      origins: ['https://b.example', 'https://a.example'],
    });
    expect(checkOrigins([])).toEqual({ ok: true, origins: [] });
  });

  it.each([
    ['', /must begin with https/],
    ['*', /wildcard/],
    ['https://*.example.com', /wildcard/],
    ['null', /sandboxed page/],
    ['file://', /must begin with https/],
    ['shop.example.com', /must begin with https/],
    ['http://shop.example.com', /only for a local machine/],
    ['http://0.0.0.0:3000', /only for a local machine/],
    ['https://shop.example.com/', /no path: write https:\/\/shop\.example\.com instead/],
    ['https://shop.example.com/app', /no path: write https:\/\/shop\.example\.com instead/],
    ['https://shop.example.com?x=1', /no path/],
    ['https://shop.example.com#x', /no path/],
    ['https://shop.example.com:443', /as browsers do: shop\.example\.com/],
    ['https://Shop.example.com', /as browsers do/],
    ['http://127.1:3000', /as browsers do: 127\.0\.0\.1:3000/],
    ['https://user@shop.example.com', /user name or password/],
    ['https://shop.example.com.', /ends with a dot/],
    ['https://intranet', /no domain/],
    ['https://müller.example', /spaces or non-ASCII/],
    ['https://shop.example.com\u0000', /spaces or non-ASCII|not an origin/],
    ['https://shop.example.com:99999', /is not an origin/],
    [`https://${'a'.repeat(300)}.example`, /longer than 270/],
  ])('rejects %j with a reason', (text, why) => {
    expect(checkOrigins(['https://first.example', text])).toEqual({ ok: false, why: expect.stringMatching(why) });
  });

  it('accepts up to the most origins', () => {
    const many = Array.from({ length: MAX_ORIGINS + 1 }, (_, index) => `https://shop-${index}.example`);
    expect(checkOrigins(many.slice(1)).ok).toBe(true);
    expect(checkOrigins(many)).toEqual({ ok: false, why: expect.stringMatching(/at most 10/) });
  });
});
