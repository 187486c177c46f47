import { setTimeout as wait } from 'node:timers/promises';
import { claim } from '../support/claim.js';
import type { Client } from '../support/client.js';
import { holdRequest } from '../support/held-request.js';
import { rawExchange } from '../support/raw-socket.js';
import { locationsPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import type { Gateway } from '../support/start-gateway.js';

const TOKEN = '/oauth/token/v1';
/** In this time the guards judge a request whose headers were sent; a test fails if they have not. */
const GUARDED_MS = 500;

describe('the token operation (spec §4.1, rulings 10 and 11)', () => {
  const running = sharedGateway();
  let gateway: Gateway;
  let client: Client;
  let id: string;
  let secret: string;

  beforeAll(() => {
    ({ gateway, client } = running());
    ({ client_id: id, client_secret: secret } = gateway.credentials());
  });

  const ask = (headers: Record<string, string> | [string, string][], path = TOKEN) =>
    client.get(path, { token: null, headers });

  claim(['API2'], 'A token that is revoked while the body of a request is withheld does nothing.', async () => {
    const { access_token: token } = (await ask({ client_id: id, client_secret: secret })).body as {
      access_token: string;
    };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const hold = () => holdRequest(gateway.baseUrl, '/cars/reservation/v1/', headers, '{}');
    const held = hold();
    // Without a revocation, the same request is read.
    expect((await hold().finish()).status).toBe(400);
    await wait(GUARDED_MS);
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const form = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' };
    const revoked = await fetch(`${gateway.baseUrl}/oauth/revoke/v1`, {
      method: 'POST',
      headers: form,
      body: `token=${token}`,
    });
    expect(revoked.status).toBe(200);
    // A guard refuses without the body, so the guard had admitted the held request.
    expect([(await hold().refused()).status, held.isAnswered()]).toEqual([401, false]);
    expect((await held.finish()).status).toBe(401);
  });

  claim(
    ['API2', 'V14.3.2'],
    'A token is valid for 7199 seconds, and the response that contains it must not be cached.',
    async () => {
      const answer = await ask({ client_id: id, client_secret: secret });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        token_type: 'Bearer',
        expires_in: 7199,
        access_token: expect.stringMatching(/^fc_s_demo_demo_[\w-]{43}_[0-9A-Za-z]{6}$/),
      });
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        pragma: 'no-cache',
        vary: 'client_id, client_secret',
      });
    },
  );

  test('issues a different token for each call', async () => {
    expect(await client.freshToken()).not.toBe(await client.freshToken());
  });

  test('also accepts the headers spelled with hyphens', async () => {
    expect((await ask({ 'client-id': id, 'client-secret': secret })).status).toBe(200);
  });

  claim.each([
    ['client_id is wrong', () => ({ client_id: 'nobody', client_secret: secret })],
    ['client_secret is wrong', () => ({ client_id: id, client_secret: 'wrong' })],
    [
      'the secret belongs to another application',
      () => ({ client_id: id, client_secret: gateway.credentials('demo-throttled').client_secret }),
    ],
  ])(
    'API2',
    'The token operation answers 400 for a wrong client id, a wrong secret and the secret of another application.',
    'when %s',
    async (_case, headers) => {
      const answer = await ask(headers());
      expect(answer.status).toBe(400);
      expect(answer.reasons).toEqual(['invalid_request']);
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );

  test.each([
    ['both headers are missing', () => ({}), 'client_id'],
    ['client_secret is missing', () => ({ client_id: id }), 'client_secret'],
    ['client_id is empty', () => ({ client_id: '', client_secret: secret }), 'client_id'],
    ['the credentials are expired', () => gatewayPair('demo-expired'), undefined],
  ])('answers 401 authentication_failure with a challenge when %s', async (_case, headers, field) => {
    const answer = await ask(headers());
    expect(answer.status).toBe(401);
    expect(answer.errors).toHaveLength(1);
    expect(answer.errors[0]).toMatchObject({ code: '401', reason: 'authentication_failure' });
    expect(answer.errors[0]?.field).toBe(field);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="cars"');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  function gatewayPair(name: 'demo-expired'): Record<string, string> {
    const { client_id, client_secret } = gateway.credentials(name);
    return { client_id, client_secret };
  }

  claim.each([
    [
      'a repeated header',
      (): [string, string][] => [
        ['client_id', id],
        ['client_id', id],
        ['client_secret', secret],
      ],
      'client_id',
    ],
    [
      'both client_id and client-id',
      (): [string, string][] => [
        ['client_id', id],
        ['client-id', id],
        ['client_secret', secret],
      ],
      'client_id',
    ],
    [
      'two secrets',
      (): [string, string][] => [
        ['client_id', id],
        ['client_secret', secret],
        ['client_secret', 'other'],
      ],
      'client_secret',
    ],
  ])(
    ['API3', 'V15.3.7'],
    'Repeated or conflicting credentials are rejected with 400.',
    '%s',
    async (_case, headers, field) => {
      const answer = await ask(headers());
      expect(answer.status).toBe(400);
      expect(answer.errors[0]).toMatchObject({ reason: 'invalid_request', field });
    },
  );

  claim(['API2', 'V14.2.1'], 'Credentials in the query are rejected with 400 and never logged.', async () => {
    const value = 'query-secret-4711';
    const answer = await ask({}, `${TOKEN}?client_id=${id}&client_secret=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.errors.map((entry) => entry.field)).toEqual(['client_id', 'client_secret']);
    expect(answer.text).not.toContain(value);
    expect(gateway.child.output()).not.toContain(value);
  });

  test('rejects credentials in the body of the GET with 400', async () => {
    const body = JSON.stringify({ client_id: id, client_secret: secret });
    const answer = await client.call('GET', TOKEN, { token: null, body });
    expect(answer.status).toBe(400);
    expect(answer.reasons).toEqual(['invalid_request']);
  });

  test('has no HEAD, which would issue a token without returning it', async () => {
    expect(
      (await client.call('HEAD', TOKEN, { token: null, headers: { client_id: id, client_secret: secret } })).status,
    ).toBe(404);
  });

  test('answers RateLimit headers of the token operation', async () => {
    const answer = await ask({ client_id: id, client_secret: secret });
    expect(answer.headers['ratelimit-policy']).toBe('"token";q=120;w=12');
    expect(answer.headers['x-ratelimit-limit']).toBe('120');
  });

  test('answers a raw HTTP/1.1 request without keep-alive in full', async () => {
    const text = await rawExchange(
      gateway.port,
      `GET ${TOKEN} HTTP/1.1\r\nHost: x\r\nclient_id: ${id}\r\nclient_secret: ${secret}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  });

  test('logs neither secret nor token', async () => {
    const token = await client.freshToken();
    await client.get(locationsPath('boston'), { token });
    const log = gateway.child.output();
    expect(log).toContain('"route":"/oauth/token/v1"');
    expect(
      log
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join('\n'),
    ).not.toContain(secret);
    expect(log).not.toContain(token);
  });
});
