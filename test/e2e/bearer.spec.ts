import { claim } from '../support/claim.js';
import { rawExchange } from '../support/raw-socket.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

const CHALLENGE = 'Bearer realm="cars"';

describe('the access token (rulings 9, 13, 14)', () => {
  const running = sharedGateway();
  const search = locationsPath('boston');

  test('no token: 401 authentication_failure with a challenge that doesn’t name an error', async () => {
    const answer = await running().client.get(search, { token: null });
    expect([answer.status, answer.reasons, answer.headers['www-authenticate']]).toEqual([
      401,
      ['authentication_failure'],
      CHALLENGE,
    ]);
  });

  claim.each([
    ['invented', 'fc_s_demo_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['malformed', 'eyJhbGciOiJub25lIn0.e30.'],
    ['of an application that does not exist', 'fc_s_nobody_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['of the production environment', 'fc_p_demo_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['very long', 'x'.repeat(4_000)],
  ])(
    'API2',
    'A token that is invented, malformed, very long, or of another environment or an unknown application is rejected with 401 invalid_token.',
    '%s',
    async (_case, token) => {
      const answer = await running().client.get(search, { token });
      expect([answer.status, answer.reasons, answer.headers['www-authenticate']]).toEqual([
        401,
        ['authentication_failure'],
        `${CHALLENGE}, error="invalid_token"`,
      ]);
    },
  );

  test.each(['Basic ZGVtbzpkZW1v', 'Digest username="demo"', 'Bearer', 'Bearer a b', 'Token abc', ''])(
    'Authorization "%s" is another scheme or unparsable: 401 required with a challenge',
    async (value) => {
      const answer = await running().client.get(search, { token: null, headers: { authorization: value } });
      expect([answer.status, answer.reasons]).toEqual([401, ['required']]);
      expect(answer.headers['www-authenticate']).toBe(CHALLENGE);
    },
  );

  test.each(['bearer ', 'BEARER ', 'Bearer  ', 'Bearer     '])('accepts "%s" before the token', async (scheme) => {
    const token = await running().client.token();
    const answer = await running().client.get(search, { token: null, headers: { authorization: `${scheme}${token}` } });
    expect(answer.status).toBe(200);
  });

  test('several spaces and no token, or a tab, are unparsable', async () => {
    const token = await running().client.token();
    for (const authorization of ['Bearer   ', `Bearer\t${token}`, `Bearer  ${token}  x`]) {
      const answer = await running().client.get(search, { token: null, headers: { authorization } });
      expect([authorization, answer.status, answer.reasons]).toEqual([authorization, 401, ['required']]);
    }
  });

  claim(['API2', 'V14.2.1'], 'A token in the query is rejected with 400 and never logged.', async () => {
    const { client, gateway } = running();
    const token = await client.freshToken();
    const answer = await client.get(`${search}&access_token=${token}`, { token: null });
    expect([answer.status, answer.reasons, answer.errors[0]?.field]).toEqual([
      400,
      ['invalid_request'],
      'access_token',
    ]);
    expect(answer.text + gateway.child.output()).not.toContain(token);
  });

  test('a token in the body counts for nothing: 401 alone, 400 invalid_request beside one in the header', async () => {
    const { client } = running();
    const token = await client.token();
    const post = (header: string | null) =>
      client.post('/cars/catalog/v1/vehicles', { access_token: token }, { token: header });
    const beside = await post(token);
    expect([beside.status, beside.reasons[0]]).toEqual([400, 'invalid_request']);
    expect(beside.errors.map(({ field }) => field)).toContain('access_token');
    expect([(await post(null)).status, (await post('x')).status]).toEqual([401, 401]);
  });

  claim('API2', "A client_id that does not match the token's application is rejected with 401.", async () => {
    const { client, gateway } = running();
    const wrong = await client.get(search, {
      headers: { client_id: gateway.credentials('demo-unsubscribed').client_id },
    });
    expect([wrong.status, wrong.reasons, wrong.errors[0]?.field]).toEqual([
      401,
      ['authentication_failure'],
      'client_id',
    ]);
    expect(wrong.headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`);
    const right = await client.get(search, { headers: { client_id: gateway.credentials().client_id } });
    expect(right.status).toBe(200);
  });

  test.each([
    [
      'client_id twice, the second one wrong',
      (id: string): [string, string][] => [
        ['client_id', id],
        ['client_id', 'other'],
      ],
    ],
    [
      'a right client_id and a wrong client-id',
      (id: string): [string, string][] => [
        ['client_id', id],
        ['client-id', 'other'],
      ],
    ],
  ])('rejects %s', async (_case, headers) => {
    const answer = await running().client.get(search, { headers: headers(running().gateway.credentials().client_id) });
    expect([400, 401]).toContain(answer.status);
  });

  claim('API2', 'A request with two Authorization headers is rejected.', async () => {
    const { client, gateway } = running();
    const token = await client.token();
    const text = await rawExchange(
      gateway.port,
      `GET ${search} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nonsense\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 40[01] /);
  });

  claim.each([
    ['locations', search],
    ['availability', vehiclesPath()],
  ])(
    ['API5', 'V8.2.1'],
    'An application without a subscription to a product gets 403 from its search operations.',
    '%s',
    async (_case, path) => {
      const { client } = running();
      const answer = await client.get(path, { token: await client.token('demo-unsubscribed') });
      expect([answer.status, answer.reasons]).toEqual([403, ['permissions_failure']]);
      expect(answer.body.status.request_errors).toBe(1);
    },
  );

  test('an invalid request without a token is a 401, without details about its parameters', async () => {
    const answer = await running().client.get('/cars/locations/v1/', { token: null });
    expect(answer.status).toBe(401);
  });
});
