import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { mintToken } from '../../src/auth/credentials.js';
import { eventually } from '../support/booking.js';
import { freePort } from '../support/child.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { locationsPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { sharedGateway } from '../support/shared-gateway.js';

const TOKEN = '/oauth/token/v1';
const REVOKE = '/oauth/revoke/v1';
const INTROSPECT = '/oauth/introspect/v1';
const FORM = 'application/x-www-form-urlencoded';
const BASIC_CHALLENGE = 'Basic realm="cars", charset="UTF-8"';

type Params = Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[];

const formOf = (params: Params): string =>
  new URLSearchParams(Array.isArray(params) ? params : Object.entries(params)).toString();
const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const jsonOf = (answer: HttpAnswer): Record<string, unknown> => JSON.parse(answer.text) as Record<string, unknown>;

describe('OAuth 2.0 next to the token operation (ruling 12)', () => {
  const running = sharedGateway();
  const pair = (name: 'demo' | 'demo-unsubscribed' | 'demo-expired' = 'demo') => running().gateway.credentials(name);
  const search = async (token: string) => (await running().client.get(locationsPath('boston'), { token })).status;
  const post = (path: string, params: Params | string, headers: Record<string, string> = {}) =>
    running().client.call('POST', path, {
      token: null,
      headers: { 'content-type': FORM, ...headers },
      body: typeof params === 'string' ? params : formOf(params),
    });
  const demoBasic = () => ({ authorization: basic(pair().client_id, pair().client_secret) });
  const grant = { grant_type: 'client_credentials' };

  describe('stock clients, unmodified', () => {
    test.each([
      ['client_secret_basic', openid.ClientSecretBasic],
      ['client_secret_post', openid.ClientSecretPost],
    ])('openid-client discovers, requests, introspects and revokes by %s', async (_method, authentication) => {
      const { client_id, client_secret } = pair();
      const options: openid.DiscoveryRequestOptions = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] };
      const server = new URL(running().gateway.baseUrl);
      const config = await openid.discovery(server, client_id, undefined, authentication(client_secret), options);
      const { access_token, expires_in, token_type } = await openid.clientCredentialsGrant(config);
      expect([token_type, expires_in, await search(access_token)]).toEqual(['bearer', 7199, 200]);
      expect(await openid.tokenIntrospection(config, access_token)).toMatchObject({ active: true, client_id });
      await openid.tokenRevocation(config, access_token);
      expect(await openid.tokenIntrospection(config, access_token)).toEqual({ active: false });
      expect(await search(access_token)).toBe(401);
    });

    claim(
      ['API2', 'V10.4'],
      'A standard OAuth client discovers the endpoints, gets a token and revokes it.',
      async () => {
        const { client_id, client_secret } = pair();
        const insecure = { [oauth.allowInsecureRequests]: true };
        const issuer = new URL(running().gateway.baseUrl);
        const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' });
        const server = await oauth.processDiscoveryResponse(issuer, found);
        const client = { client_id };
        const authentication = oauth.ClientSecretBasic(client_secret);
        const answer = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure);
        const { access_token } = await oauth.processClientCredentialsResponse(server, client, answer);
        expect(await search(access_token)).toBe(200);
        await oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, authentication, access_token, insecure),
        );
        expect(await search(access_token)).toBe(401);
      },
    );

    test.each(['header', 'body'] as const)(
      'simple-oauth2 requests and revokes, with credentials in the %s',
      async (authorizationMethod) => {
        const { client_id, client_secret } = pair();
        const client = new ClientCredentials({
          client: { id: client_id, secret: client_secret },
          auth: { tokenHost: running().gateway.baseUrl, tokenPath: TOKEN, revokePath: REVOKE },
          options: { authorizationMethod },
        });
        const token = await client.getToken({});
        const text = String(token.token.access_token);
        expect([token.expired(), await search(text)]).toEqual([false, 200]);
        await token.revoke('access_token');
        expect(await search(text)).toBe(401);
      },
    );
  });

  describe('the token endpoint', () => {
    test('answers exactly the members of RFC 6749 §5.1, and no cache may store them', async () => {
      const answer = await post(TOKEN, grant, demoBasic());
      expect([answer.status, Object.keys(jsonOf(answer)).sort()]).toEqual([
        200,
        ['access_token', 'expires_in', 'token_type'],
      ]);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    });

    test('decodes id and secret of the Authorization header as form values', async () => {
      const encoded = (text: string) =>
        [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
      const { client_id, client_secret } = pair();
      const answer = await post(TOKEN, grant, { authorization: basic(encoded(client_id), encoded(client_secret)) });
      expect(answer.status).toBe(200);
    });

    test('accepts the client_id of the header again in the body, and treats a parameter without a value as absent', async () => {
      const answer = await post(
        TOKEN,
        { ...grant, client_id: pair().client_id, scope: '', unheard_of: 'x' },
        demoBasic(),
      );
      expect(answer.status).toBe(200);
    });

    claim.each<[string, Params | string, () => Record<string, string>, number, string]>([
      ['no grant type', {}, demoBasic, 400, 'invalid_request'],
      ['another grant type', { grant_type: 'password' }, demoBasic, 400, 'unsupported_grant_type'],
      ['a scope', { ...grant, scope: 'cars' }, demoBasic, 400, 'invalid_scope'],
      ['a repeated parameter', [...Object.entries(grant), ...Object.entries(grant)], demoBasic, 400, 'invalid_request'],
      ['both methods combined', { ...grant, client_secret: 'x' }, demoBasic, 400, 'invalid_request'],
      ['two client ids', { ...grant, client_id: 'another' }, demoBasic, 400, 'invalid_request'],
      ['no authentication', grant, () => ({}), 401, 'invalid_client'],
      ['a client id without a secret', { ...grant, client_id: 'demo-client' }, () => ({}), 401, 'invalid_client'],
      [
        'a wrong secret in the header',
        grant,
        () => ({ authorization: basic('demo-client', 'wrong') }),
        401,
        'invalid_client',
      ],
      [
        'a wrong secret in the body',
        { ...grant, client_id: 'demo-client', client_secret: 'wrong' },
        () => ({}),
        401,
        'invalid_client',
      ],
      ['an unknown client', grant, () => ({ authorization: basic('nobody', 'x') }), 401, 'invalid_client'],
      ['a NUL in the client id', grant, () => ({ authorization: basic('a%00b', 'x') }), 401, 'invalid_client'],
      [
        'expired credentials',
        grant,
        () => ({ authorization: basic(pair('demo-expired').client_id, pair('demo-expired').client_secret) }),
        401,
        'invalid_client',
      ],
      ['another scheme', grant, () => ({ authorization: 'Bearer abc' }), 401, 'invalid_client'],
      [
        'Basic without a colon',
        grant,
        () => ({ authorization: `Basic ${Buffer.from('abc').toString('base64')}` }),
        401,
        'invalid_client',
      ],
      [
        'a JSON body',
        JSON.stringify(grant),
        () => ({ ...demoBasic(), 'content-type': 'application/json' }),
        400,
        'invalid_request',
      ],
      ['broken JSON', '{', () => ({ ...demoBasic(), 'content-type': 'application/json' }), 400, 'invalid_request'],
      ['another type of body', 'x', () => ({ ...demoBasic(), 'content-type': 'text/plain' }), 400, 'invalid_request'],
      ['a body that is too large', `x=${'y'.repeat(70_000)}`, demoBasic, 400, 'invalid_request'],
    ])(
      ['API2', 'V10.4'],
      'Token requests with another grant, a scope, repeated parameters or missing, wrong or ambiguous authentication are rejected with the errors of RFC 6749.',
      '%s',
      async (_case, params, headers, status, error) => {
        const answer = await post(TOKEN, params, headers());
        expect([answer.status, jsonOf(answer).error]).toEqual([status, error]);
        expect(Object.keys(jsonOf(answer)).sort()).toEqual(['error', 'error_description']);
        expect(jsonOf(answer).error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
        expect(answer.headers['www-authenticate']).toBe(status === 401 ? BASIC_CHALLENGE : undefined);
        expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      },
    );

    test('rejects credentials in the URL, and their value is never logged', async () => {
      const answer = await post(`${TOKEN}?client_secret=query-secret-0815`, grant, demoBasic());
      expect([answer.status, jsonOf(answer).error]).toEqual([400, 'invalid_request']);
      expect(answer.text + running().gateway.child.output()).not.toContain('query-secret-0815');
    });

    test('rejects a JSON text that contains a form', async () => {
      const { client_id, client_secret } = running().gateway.credentials();
      const body = JSON.stringify(
        new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
      );
      const answer = await running().client.call('POST', TOKEN, {
        token: null,
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect([answer.status, jsonOf(answer).error]).toEqual([400, 'invalid_request']);
    });

    test('every other route rejects a form as its body', async () => {
      const { client } = running();
      const answer = await client.call('POST', '/cars/catalog/v1/vehicles', {
        headers: { 'content-type': FORM },
        body: 'a=b',
      });
      expect([answer.status, answer.reasons]).toEqual([400, ['invalid_format']]);
    });
  });

  describe('revocation (RFC 7009) and introspection (RFC 7662)', () => {
    claim(['API2', 'V10.4'], 'A revoked token no longer works.', async () => {
      const token = await running().client.freshToken();
      const answers = [await post(REVOKE, { token }, demoBasic()), await post(REVOKE, { token }, demoBasic())];
      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [200, ''],
        [200, ''],
      ]);
      expect(await search(token)).toBe(401);
    });

    test.each([['nonsense'], [mintToken({ accountId: 'acc_demo', applicationId: 'app_demo' }, 'sandbox')]])(
      'revoking an unknown token is not an error (%#)',
      async (token) => {
        expect((await post(REVOKE, { token, token_type_hint: 'refresh_token' }, demoBasic())).status).toBe(200);
        expect(jsonOf(await post(INTROSPECT, { token }, demoBasic()))).toEqual({ active: false });
      },
    );

    claim(
      ['API2', 'V10.4'],
      "An application can neither revoke nor introspect another application's token.",
      async () => {
        const token = await running().client.freshToken('demo-unsubscribed');
        const revoked = await post(REVOKE, { token }, demoBasic());
        expect([revoked.status, jsonOf(revoked).error]).toEqual([400, 'invalid_grant']);
        expect(jsonOf(await post(INTROSPECT, { token }, demoBasic()))).toEqual({ active: false });
        expect(await search(token)).toBe(403);
      },
    );

    test('introspection returns client and expiry, and counts against no limit', async () => {
      const token = await running().client.freshToken();
      const answer = jsonOf(await post(INTROSPECT, { token }, demoBasic()));
      expect(answer).toEqual({
        active: true,
        client_id: pair().client_id,
        token_type: 'Bearer',
        exp: expect.any(Number),
      });
      expect(Math.abs(Number(answer.exp) - Date.now() / 1000 - 7199)).toBeLessThan(10);
    });

    test.each([REVOKE, INTROSPECT])('%s requires authentication and a token', async (path) => {
      const token = await running().client.token();
      const [unknown, missing] = [await post(path, { token }), await post(path, {}, demoBasic())];
      expect([unknown.status, jsonOf(unknown).error]).toEqual([401, 'invalid_client']);
      expect([missing.status, jsonOf(missing).error]).toEqual([400, 'invalid_request']);
      expect(await search(token)).toBe(200);
    });
  });

  test('the log holds no secret or token of these calls', async () => {
    const token = String(jsonOf(await post(TOKEN, { ...grant, ...credentialsInBody() })).access_token);
    await post(REVOKE, { token }, demoBasic());
    const log = running()
      .gateway.child.output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n');
    expect(log).toContain('"route":"/oauth/revoke/v1"');
    for (const secret of [token, pair().client_secret, demoBasic().authorization.slice(6)])
      expect(log).not.toContain(secret);
  });

  function credentialsInBody(): Params {
    return { client_id: pair().client_id, client_secret: pair().client_secret };
  }

  claim('API2', 'A wrong secret and an unknown client id take the same time.', async () => {
    const timed = async (client_id: string): Promise<number> => {
      const startedAt = performance.now();
      await post(TOKEN, { ...grant, client_id, client_secret: 'wrong' });
      return performance.now() - startedAt;
    };
    const [known, unknown]: number[][] = [[], []];
    // In turn, so that a slow moment of the machine affects both; below the limits of an address.
    for (let round = 0; round < 100; round += 1) {
      known?.push(await timed('demo-client'));
      unknown?.push(await timed('nobody-client'));
    }
    const ratio = median(known ?? []) / median(unknown ?? []);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.67);
  });
});

/** Long enough for the calls of a test. */
const LIFETIME_SECONDS = 3;
/** How many calls of the token operation a client may make in one burst. */
const CALLS_OF_A_CLIENT = 20;

describe('limits of tokens and wrong credentials', () => {
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
  });
  const running = runGateway(() => ({
    env: { TRUSTED_PROXIES: '127.0.0.1', PORT: String(port), PUBLIC_URL: `https://cars.example.com:${port}/` },
    config: {
      tiers: ROOMY,
      settings: {
        tokens: { failures: { perMinute: 1, burst: 4 }, lifetimeSeconds: LIFETIME_SECONDS, maxLivePerApplication: 3 },
        throttling: { tokenOperation: { perMinute: 1, burst: CALLS_OF_A_CLIENT } },
      },
    },
  }));
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const get = (address: string, client_id: string, client_secret: string) =>
    running().client.get(TOKEN, { token: null, headers: { client_id, client_secret, ...from(address) } });
  const post = (address: string, client_id: string, client_secret: string) =>
    running().client.call('POST', TOKEN, {
      token: null,
      headers: { 'content-type': FORM, authorization: basic(client_id, client_secret), ...from(address) },
      body: 'grant_type=client_credentials',
    });

  const tokenFrom = async (address: string): Promise<string> => {
    const { client_id, client_secret } = running().gateway.credentials();
    return (await get(address, client_id, client_secret)).body.access_token;
  };
  const search = (token: string) => running().client.get(locationsPath('boston'), { token });

  claim('API2', 'A token expires after its lifetime.', async () => {
    const token = await tokenFrom('203.0.113.7');
    const before = await search(token);
    const after = await eventually(
      () => search(token),
      ({ status }) => status !== 200,
      1_000 * LIFETIME_SECONDS + 2_000,
    );
    expect([before.status, after.status]).toEqual([200, 401]);
    expect(after.reasons).toEqual(['authentication_failure']);
  });

  claim(
    'API2',
    'An application has at most the configured number of active tokens; the oldest is revoked.',
    async () => {
      const tokens: string[] = [];
      for (let count = 0; count < 4; count += 1) tokens.push(await tokenFrom('203.0.113.8'));
      const answers = await Promise.all(tokens.map(search));
      expect(answers.map((answer) => answer.status)).toEqual([401, 200, 200, 200]);
      expect(answers[0]?.reasons).toEqual(['authentication_failure']);
      expect(answers[0]?.headers['www-authenticate']).toBe('Bearer realm="cars", error="invalid_token"');
    },
  );

  claim('API2', 'Guesses for a client id from one address never block its owner at another address.', async () => {
    const { client_id, client_secret } = running().gateway.credentials();
    const guesses = [];
    for (let guess = 0; guess < 8; guess += 1)
      guesses.push((await get('203.0.113.1', client_id, `guess ${guess}`)).status);
    expect(guesses).toEqual([400, 400, 400, 400, 429, 429, 429, 429]);
    expect((await get('203.0.113.2', client_id, client_secret)).status).toBe(200);
    expect((await post('203.0.113.2', client_id, client_secret)).status).toBe(200);
  });

  claim(
    'API2',
    'Wrong credentials from one address are limited over all client ids and both token operations.',
    async () => {
      const statuses = [];
      for (let guess = 0; guess < 4; guess += 1)
        statuses.push((await post('203.0.113.3', `client${guess}`, 'x')).status);
      expect(statuses).toEqual([401, 401, 401, 401]);
      const [refused, refusedGet] = [
        await post('203.0.113.3', 'client9', 'x'),
        await get('203.0.113.3', 'client9', 'x'),
      ];
      expect([refused.status, jsonOf(refused).error, refused.headers['retry-after']]).toEqual([
        429,
        'temporarily_unavailable',
        '60',
      ]);
      expect([refusedGet.status, refusedGet.reasons, refusedGet.headers['retry-after']]).toEqual([
        429,
        ['throttled'],
        '60',
      ]);
    },
  );

  test('of concurrent guesses, no more than the limit learn that they were wrong', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, guess) => post('203.0.113.4', `client${guess}`, 'x')),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(36);
  });

  test('addresses of one IPv6 network count as one', async () => {
    const statuses = [];
    for (let host = 1; host <= 5; host += 1) statuses.push((await get(`2001:db8::${host}`, 'nobody', 'x')).status);
    expect(statuses).toEqual([400, 400, 400, 400, 429]);
    expect((await get('2001:db8:1::1', 'nobody', 'x')).status).toBe(400);
  });

  test('right credentials use up no attempts', async () => {
    const { client_id, client_secret } = running().gateway.credentials();
    for (let call = 0; call < 8; call += 1)
      expect((await get('203.0.113.5', client_id, client_secret)).status).toBe(200);
  });

  test('the metadata name the public URL as issuer', async () => {
    const answer = await running().client.get('/.well-known/oauth-authorization-server', { token: null });
    expect(jsonOf(answer)).toMatchObject({
      issuer: `https://cars.example.com:${port}`,
      token_endpoint: `https://cars.example.com:${port}/oauth/token/v1`,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    });
  });

  test('GET and POST count together against the configured limit of a client', async () => {
    const { client_id, client_secret } = running().gateway.credentials('demo-unsubscribed');
    const statuses = [];
    for (let call = 0; call < CALLS_OF_A_CLIENT + 2; call += 1)
      statuses.push((await (call % 2 === 0 ? get : post)('203.0.113.6', client_id, client_secret)).status);
    expect(statuses).toEqual([...Array.from({ length: CALLS_OF_A_CLIENT }, () => 200), 429, 429]);
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
