import { describe, expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { charge, type PolicyLimits, unused } from '../store/limits.js';
import { limitExceeded, writeLimitHeaders, writeRateHeaders } from './limit-headers.js';

const NOON_US = 20_000 * 86_400_000_000 + 43_200_000_000;

/** The headers of the last of `calls` concurrent calls. */
async function headersAfter(calls: number, limits: PolicyLimits): Promise<Record<string, unknown>> {
  const usages = { account: unused(), application: unused(), token: unused() };
  const decisions = Array.from({ length: calls }, (_, index) =>
    charge(limits, usages, { nowUs: NOON_US, cost: 1, callId: `call-${index}`, leaseMs: 60_000 }),
  );
  const server = fastify();
  server.get('/', (_request, reply) => {
    for (const decision of decisions.slice(-1)) writeLimitHeaders(reply, limits, decision);
    return reply.send('');
  });
  const { headers } = await server.inject('/');
  return headers;
}

describe('writeLimitHeaders', () => {
  const application = { perMinute: 60, burst: 10 };

  test('writes the limit, remaining calls and seconds until reset, in both forms', async () => {
    expect(await headersAfter(3, { application })).toMatchObject({
      'ratelimit-policy': '"application";q=10;w=10',
      ratelimit: '"application";r=7;t=3',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': '3',
    });
  });

  test('lists every limit and reports the one with the smallest remaining share', async () => {
    const limits = {
      application: { ...application, perDay: 1_000, concurrent: 5 },
      account: { perMinute: 120, burst: 4 },
    };
    expect(await headersAfter(2, limits)).toMatchObject({
      'ratelimit-policy': [
        '"account";q=4;w=2',
        '"application";q=10;w=10',
        '"application-day";q=1000;w=86400',
        '"application-concurrent";q=5;qu="concurrent-requests"',
      ].join(', '),
      ratelimit: '"account";r=2;t=1',
    });
  });

  test('reports the daily quota with the seconds until midnight if it is the tightest', async () => {
    expect(await headersAfter(2, { application: { perMinute: 6_000, burst: 100, perDay: 2 } })).toMatchObject({
      ratelimit: '"application-day";r=0;t=43200',
      'x-ratelimit-limit': '2',
    });
  });

  test('reports the concurrency limit only when it is reached', async () => {
    const limits = { application: { ...application, concurrent: 2 } };
    expect(await headersAfter(2, limits)).toMatchObject({ ratelimit: '"application";r=8;t=2' });
    expect(await headersAfter(3, limits)).toMatchObject({ ratelimit: '"application-concurrent";r=0;t=1' });
  });
});

test('writeRateHeaders writes a single rate under the given name', async () => {
  const server = fastify();
  const decision = { allowed: true, limit: 120, remaining: 119, resetSeconds: 1, retryAfterSeconds: 0 };
  server.get('/', (_request, reply) => {
    writeRateHeaders(reply, 'token', { perMinute: 600, burst: 120 }, decision);
    return reply.send('');
  });
  expect((await server.inject('/')).headers).toMatchObject({
    'ratelimit-policy': '"token";q=120;w=12',
    ratelimit: '"token";r=119;t=1',
  });
});

describe('limitExceeded', () => {
  const refused = { allowed: false, limit: 1, remaining: 0, resetSeconds: 90, retryAfterSeconds: 30 };

  test.each([
    ['rate', 'The rate limit is exceeded.'],
    ['day', 'The daily quota is used up. It resets at midnight UTC.'],
    ['concurrent', 'Too many concurrent calls.'],
  ] as const)('%s: a 429 with the wait in text and Retry-After', (kind, why) => {
    const error = limitExceeded(refused, kind);
    expect([error.status, error.headers]).toEqual([429, { 'retry-after': '30' }]);
    expect(error.problems).toEqual([{ reason: 'throttled', details: `${why} Try again in 30 s.` }]);
  });
});
