import { requestText, target } from '../../src/sandbox/trigger-text.js';
import { REQUEST_TRIGGERS } from '../../src/sandbox/triggers.js';
import { ERROR_ROWS } from '../../src/status/error-rows.js';
import { reasons, successes } from '../../src/status/reasons.js';
import { claim } from '../support/claim.js';
import { dayAhead, locationsPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

/** With the settings of `config/`. The order of tests is that of the limits that they use up. */
const running = runGateway();

describe('rate limits (spec §8, ruling 17)', () => {
  const search = locationsPath('boston');

  claim(['API4', 'V2.4.1'], 'A call beyond the limit gets 429 with Retry-After and limit headers.', async () => {
    const { client } = running();
    const token = await client.token('demo-throttled');
    const first = await client.get(search, { token });
    const second = await client.get(search, { token });
    // On a busy machine, a supplier may be late: 206. The call is admitted and counted all the same.
    expect([200, 206]).toContain(first.status);
    expect(second.status).toBe(429);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"application";q=1;w=60, "application-concurrent";q=5;qu="concurrent-requests"',
      ratelimit: '"application";r=0;t=60',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
    });
    expect(second.errors).toEqual([
      expect.objectContaining({ code: '429', message: 'Not Found', reason: 'throttled' }),
    ]);
    const elapsed = (first.ms + second.ms) / 1_000;
    expect(Math.abs(Number(second.headers['retry-after']) - 60)).toBeLessThanOrEqual(1 + elapsed);
    expect(second.headers['x-ratelimit-remaining']).toBe('0');
    expect(second.headers['cache-control']).toBe('no-store');
    // No body is read for it.
    expect((await client.post('/cars/catalog/v1/vehicles', '{"broken', { token })).status).toBe(429);
  });

  test('the limit applies to the application, not to the address or token: another application can still call', async () => {
    const { client } = running();
    const throttled = await client.get(search, { token: await client.freshToken('demo-throttled') });
    expect(throttled.status).toBe(429);
    expect((await client.get(search)).status).toBe(200);
  });

  claim(
    ['API8', 'V4.1.3'],
    "X-Forwarded-For from an address that is not a trusted proxy doesn't avoid a limit.",
    async () => {
      const { client } = running();
      const answer = await client.get(search, {
        token: await client.token('demo-throttled'),
        headers: { 'x-forwarded-for': '203.0.113.9' },
      });
      expect(answer.status).toBe(429);
    },
  );
});

describe('the requests of docs/sandbox.md', () => {
  it('produce every reason of spec §7.3, and docs/errors.md explains each', () => {
    const every = Object.keys(reasons).sort();
    expect([...new Set(REQUEST_TRIGGERS.flatMap(({ reason }) => reason ?? []))].sort()).toEqual(every);
    expect([...new Set(ERROR_ROWS.map(({ reason }) => reason))].sort()).toEqual(every);
  });

  it('have the code of their reason, or that of a partial result', () => {
    const wrong = REQUEST_TRIGGERS.filter(({ code, reason }) =>
      reason === undefined ? !(code in successes) : code !== 206 && code !== reasons[reason].code,
    );
    expect(wrong).toEqual([]);
  });

  it.each(
    REQUEST_TRIGGERS.map(
      (trigger) => [trigger.code, trigger.reason ?? 'success', requestText(trigger), trigger] as const,
    ),
  )(
    '%i %s: %s',
    async (code, _reason, _text, trigger) => {
      const { client } = running();
      const { reason, cause, scenario, authorization, application = 'demo', times = 1 } = trigger;
      const path = target(trigger, `pickup_date=${dayAhead(30)}&dropoff_date=${dayAhead(33)}`);
      const headers = {
        ...(scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }),
        ...(authorization === undefined ? {} : { authorization }),
      };
      const token = authorization === undefined ? await client.token(application) : null;
      let answer = await client.get(path, { token, headers });
      for (let time = 1; time < times; time += 1) answer = await client.get(path, { token, headers });
      expect(answer.status).toBe(code);
      if (reason === undefined) expect(answer.reasons).toEqual([]);
      else expect(answer.reasons).toContain(reason);
      const causes = new Set(answer.errors.flatMap((entry) => entry.cause ?? []));
      if (reason === 'supplier_failure') expect([...causes]).toEqual([cause]);
    },
    20_000,
  );
});

describe('bursts', () => {
  claim('API4', "A burst of calls beyond the application's limit is rejected with 429.", async () => {
    const { client } = running();
    // No other test uses up its limit.
    const token = await client.token('demo-unsubscribed');
    const answers = await Promise.all(Array.from({ length: 400 }, () => client.get('/cars/locations/v1/', { token })));
    const statuses = answers.map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual([403, 429]);
    expect(statuses.filter((status) => status === 403).length).toBeGreaterThanOrEqual(190);
  });

  claim(
    'API2',
    'The token operation has its own limit per client_id, so that one client cannot lock out another.',
    async () => {
      const { client, gateway } = running();
      const guess = () =>
        client.get('/oauth/token/v1', { token: null, headers: { client_id: 'guessed', client_secret: 'x' } });
      const answers = await Promise.all(Array.from({ length: 160 }, guess));
      expect(answers.filter((answer) => answer.status === 429).length).toBeGreaterThan(0);
      expect(answers.find((answer) => answer.status === 429)?.headers['retry-after']).toMatch(/^\d+$/);
      const { client_id, client_secret } = gateway.credentials();
      expect((await client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } })).status).toBe(
        200,
      );
    },
  );
});
