import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { claim } from '../support/claim.js';
import { rawConnect, rawExchange } from '../support/raw-socket.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { SUPPLIERS } from '../support/suppliers.js';

const VEHICLES = '/cars/catalog/v1/vehicles';
const rental = { pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33) };
const CARD = '4111111111111111';

const running = sharedGateway();
const field = (path: string) => running().client.get(path);

describe('form and size of requests (ruling 18)', () => {
  test('a URL of 5,000 characters: 400 invalid_request', async () => {
    const answer = await field(locationsPath('x'.repeat(5_000)));
    expect([answer.status, answer.reasons]).toEqual([400, ['invalid_request']]);
    expect(answer.errors[0]?.details).toContain('2000');
  });

  claim('API4', 'An over-long header gets 400 and closes the connection.', async () => {
    const text = await rawExchange(
      running().gateway.port,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text).toContain('"reason":"invalid_request"');
    expect(text.toLowerCase()).toContain('connection: close');
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    [
      'both Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('%s: 400 invalid_format in the container, connection closed', async (_case, bytes) => {
    const text = await rawExchange(running().gateway.port, bytes);
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      status: { request_errors: 1, errors: [{ code: '400', reason: 'invalid_format' }] },
    });
  });

  test.each([
    ['malformed JSON', '{"pickup_location": ', 'application/json', 'invalid_format'],
    ['an unknown content type', 'a=b', 'application/x-www-form-urlencoded', 'invalid_format'],
    ['plain text', '{}', 'text/plain', 'invalid_format'],
    ['a list instead of an object', '[]', 'application/json', 'invalid_format'],
    ['an empty body', '', 'application/json', 'invalid_request'],
    [
      'a body over the limit',
      JSON.stringify({ ...rental, x: 'y'.repeat(70_000) }),
      'application/json',
      'invalid_request',
    ],
    ['a disguised prototype', '{"__proto__": {"x": 1}}', 'application/json', 'invalid_format'],
  ])('%s: 400', async (_case, body, type, reason) => {
    const answer = await running().client.post(VEHICLES, body, { headers: { 'content-type': type } });
    expect([answer.status, answer.reasons[0]]).toEqual([400, reason]);
  });

  claim.each([
    ['malformed JSON', '{"pickup_location": ', 'application/json'],
    ['an empty body', '', 'application/json'],
    ['a disguised prototype', '{"__proto__": {"x": 1}}', 'application/json'],
    ['a body over the limit', `{"x":"${'y'.repeat(70_000)}"}`, 'application/json'],
    ['a form', 'a=b', 'application/x-www-form-urlencoded'],
    ['plain text', 'hello', 'text/plain'],
    ['a content type that is none', '{}', 'json; ;=;'],
    ['an empty content type', '{}', ''],
  ])(
    'API2',
    'Authentication comes before a body is read: without a valid token, any body gets 401.',
    '%s',
    async (_case, body, type) => {
      const { client } = running();
      const headers = { 'content-type': type };
      for (const token of [null, 'fc_s_unknown']) {
        const answer = await client.post(VEHICLES, body, { headers, token });
        expect([answer.status, answer.reasons]).toEqual([401, ['authentication_failure']]);
      }
      expect((await client.post(VEHICLES, body, { headers })).status).toBe(400);
    },
  );

  test('a body that is announced and never sent is not waited for without a token', async () => {
    const socket = await rawConnect(running().gateway.port);
    const startedAt = performance.now();
    socket.write(
      `POST ${VEHICLES} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
    );
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 401 /);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    socket.destroy();
  });

  claim(
    ['API3', 'V15.3.3'],
    'An unknown field of a body is rejected with 400, naming the field that was probably meant.',
    async () => {
      const answer = await running().client.post(VEHICLES, { ...rental, pickup_locaton: 'BOS' });
      expect([answer.status, answer.errors]).toEqual([
        400,
        [
          expect.objectContaining({
            reason: 'invalid_request',
            field: 'pickup_locaton',
            details: expect.stringContaining('Did you mean "pickup_location"?'),
          }),
        ],
      ]);
    },
  );

  claim('API3', 'An unknown query parameter is rejected, naming the one that was probably meant.', async () => {
    const answer = await field('/cars/locations/v1/?keyword=boston&contry_code=US');
    expect(answer.errors).toEqual([
      expect.objectContaining({
        reason: 'invalid_request',
        field: 'contry_code',
        details: expect.stringContaining('country_code'),
      }),
    ]);
  });

  claim(['API3', 'V15.3.7'], 'A query parameter given twice is rejected with 400.', async () => {
    const answer = await field('/cars/locations/v1/?keyword=boston&keyword=paris');
    expect(answer.errors).toEqual([expect.objectContaining({ reason: 'invalid_request', field: 'keyword' })]);
  });

  claim(['API3', 'V2.2.1'], 'Each invalid field of a request has its own error entry.', async () => {
    const answer = await field(
      vehiclesPath({ pickup_location: undefined, age: 'old', fuel: 'wood', dropoff_date: 'soon', colour: 'red' }),
    );
    const entries = answer.errors.map((entry) => `${entry.field} ${entry.reason}`).sort();
    expect(entries).toEqual([
      'age invalid_format',
      'colour invalid_request',
      'dropoff_date invalid_format',
      'fuel invalid_range',
      'pickup_location invalid_request',
    ]);
    expect(answer.body.status.request_errors).toBe(5);
  });

  test('missing required values: one invalid_request each', async () => {
    const answer = await field(VEHICLES);
    expect(answer.errors.map((entry) => [entry.field, entry.reason])).toEqual([
      ['pickup_location', 'invalid_request'],
      ['pickup_date', 'invalid_request'],
      ['dropoff_date', 'invalid_request'],
    ]);
    const locations = await field('/cars/locations/v1/');
    expect(locations.errors).toEqual([expect.objectContaining({ reason: 'invalid_request', field: 'keyword' })]);
  });
});

describe('ranges and unknown values (ruling 27)', () => {
  claim.each([
    ['a pickup in the past', { pickup_date: dayAhead(-2) }, 'pickup_date', 'invalid_range', 'in the past'],
    ['a dropoff before the pickup', { dropoff_date: dayAhead(29) }, 'dropoff_date', 'invalid_range', 'after'],
    ['a rental of half an hour', { dropoff_date: dayAhead(30, '10:30:00') }, 'dropoff_date', 'invalid_range', '1 hour'],
    ['a rental of 331 days', { dropoff_date: dayAhead(361) }, 'dropoff_date', 'invalid_range', '330 days'],
    [
      'a pickup in 541 days',
      { pickup_date: dayAhead(542), dropoff_date: dayAhead(544) },
      'pickup_date',
      'invalid_range',
      '540 days',
    ],
    ['the 30th of February', { pickup_date: '2028-02-30T10:00:00' }, 'pickup_date', 'invalid_format', 'existing date'],
    ['hour 25', { pickup_date: '2028-02-20T25:00:00' }, 'pickup_date', 'invalid_format', 'existing date'],
    ['a date with a zone', { pickup_date: `${dayAhead(30)}Z` }, 'pickup_date', 'invalid_format', 'without a time zone'],
    ['an unknown location', { pickup_location: 'BOSS' }, 'pickup_location', 'invalid_range', 'BOS'],
    [
      'a forged location_id',
      { pickup_location: 'loc_AAAABBBBCCCCDDDD' },
      'pickup_location',
      'invalid_range',
      'location_id',
    ],
    ['an unknown dropoff', { dropoff_location: 'QQQ9' }, 'dropoff_location', 'invalid_range', 'location'],
    [
      'an unknown brand',
      { brand: 'Zonk' },
      'brand',
      'invalid_range',
      SUPPLIERS.flatMap(({ brands }) => brands).join(', '),
    ],
    ['an unknown currency', { currency: 'ZZX' }, 'currency', 'invalid_range', 'ISO 4217'],
    ['a currency with four letters', { currency: 'EURO' }, 'currency', 'invalid_format', 'ISO 4217'],
    ['an unknown country', { country_code: 'XQ' }, 'country_code', 'invalid_range', 'ISO 3166'],
    ['a country by name', { country_code: 'France' }, 'country_code', 'invalid_format', 'two-letter'],
    ['an unknown transmission', { transmission: 'cvt' }, 'transmission', 'invalid_range', 'manual'],
    ['an unknown sort', { sort_by: 'colour' }, 'sort_by', 'invalid_range', 'price_total'],
    ['a driver of 15', { age: '15' }, 'age', 'invalid_range', '16'],
    ['a bad SIPP code', { vehicle_sipp_codes: 'EC' }, 'vehicle_sipp_codes', 'invalid_format', 'SIPP'],
    ['timeout_ms below the bound', { timeout_ms: '60' }, 'timeout_ms', 'invalid_range', '200'],
    ['timeout_ms above the bound', { timeout_ms: '20000' }, 'timeout_ms', 'invalid_range', '6000'],
    ['max_results 0', { max_results: '0' }, 'max_results', 'invalid_range', '1'],
    ['a price that is not a number', { price_max: 'cheap' }, 'price_max', 'invalid_format', 'decimal'],
    ['an invalid boolean', { unlimited_distance: 'yes' }, 'unlimited_distance', 'invalid_range', 'true or false'],
  ])(
    ['API3', 'V2.2.1'],
    'A value outside its format, range or list is rejected with 400 at its field.',
    '%s',
    async (_case, changes, name, reason, words) => {
      const answer = await field(vehiclesPath(changes));
      expect([answer.status, answer.errors]).toEqual([
        400,
        [expect.objectContaining({ field: name, reason, details: expect.stringContaining(words) })],
      ]);
    },
  );

  test.each([
    ['latitude without longitude', 'latitude=42', 'longitude', 'invalid_request'],
    ['a latitude beyond the pole', 'latitude=91&longitude=0', 'latitude', 'invalid_range'],
    ['a radius without a point', 'keyword=boston&radius_km=10', 'radius_km', 'invalid_request'],
    ['an empty keyword', 'keyword=', 'keyword', 'invalid_range'],
  ])('locations, %s: 400 at its field', async (_case, query, name, reason) => {
    const answer = await field(`/cars/locations/v1/?${query}`);
    expect([answer.status, answer.errors]).toEqual([400, [expect.objectContaining({ field: name, reason })]]);
  });

  test('echoes defaults in request', async () => {
    const answer = await field(vehiclesPath({ max_results: undefined }));
    expect(answer.body.request).toMatchObject({
      pickup_location: 'BOS',
      dropoff_location: 'BOS',
      country_code: 'US',
      age: 35,
      sort_by: 'price_total',
      max_results: 200,
    });
  });
});

describe('data that must not appear in a URL (spec §2.4, ruling 19)', () => {
  // Unknown parameters are rejected as well, with other details, so each name is here.
  claim.each([
    ...['access_token', 'token', 'client_id', 'client_secret', 'api_key', 'password', 'secret', 'authorization'],
    ...['credential', 'credentials', 'first_name', 'last_name', 'Last-Name', 'surname', 'date_of_birth', 'birth_date'],
    ...['dob', 'email', 'email_address', 'phone', 'licence', 'license', 'licence_number', 'license_number', 'passport'],
    ...['passport_number', 'government_id', 'ssn', 'membership', 'membership_number', 'membership_code'],
    ...['membership_id', 'loyalty', 'loyalty_number', 'loyalty_code', 'credit_card_number', 'card_number'],
    ...['credit_card', 'card', 'cvv', 'cvc', 'pan'],
  ])(
    ['personal-data', 'V14.2.1'],
    'Query parameters for personal data, card numbers or secrets are rejected with 400, and their values are neither returned nor logged.',
    '%s',
    async (name) => {
      const answer = await field(`${locationsPath('boston')}&${name}=sensitive-value-123`);
      expect(answer.status).toBe(400);
      const details = `"${name}" must not be sent in a URL.`;
      expect(answer.errors).toEqual([expect.objectContaining({ reason: 'invalid_request', field: name, details })]);
      expect(answer.text + running().gateway.child.output()).not.toContain('sensitive-value-123');
    },
  );

  test.each([CARD, '4111 1111 1111 1111', '4111-1111-1111-1111', `card ${CARD} please`])(
    'a card number as %s: 400, and it appears in no answer or log',
    async (value) => {
      const answer = await field(locationsPath(value));
      expect([answer.status, answer.reasons]).toEqual([400, ['invalid_request']]);
      expect(answer.text).not.toContain('4111');
      expect(running().gateway.child.output()).not.toMatch(/4111.?1111/);
    },
  );

  test('sixteen digits that fail the Luhn check are a normal keyword', async () => {
    expect((await field(locationsPath('4111111111111112'))).status).not.toBe(400);
  });

  test('does not echo a card number in the path', async () => {
    const answer = await field(`/cars/${CARD}`);
    expect(answer.status).toBe(404);
    expect(running().gateway.child.output()).not.toContain(CARD);
  });
});

describe('paths and methods (rulings 14 and 20)', () => {
  claim.each([
    ['GET', '/cars/boats/v1'],
    ['GET', '/robots'],
    ['POST', '/'],
    ['GET', '/cars/locations/v9/?keyword=boston'],
    ['POST', '/cars/locations/v1'],
    ['PUT', VEHICLES],
    ['DELETE', '/oauth/token/v1'],
    ['PATCH', '/cars/locations'],
    ['OPTIONS', '/cars/boats/v1'],
    ['OPTIONS', '/oauth/token/v1'],
  ])(['API5', 'V4.1.4'], 'Unknown paths, versions and methods get 404.', '%s %s', async (method, path) => {
    const answer = await running().client.call(method, path);
    expect([answer.status, answer.reasons]).toEqual([404, ['resource_failure']]);
  });

  test('a URL that cannot be decoded: 400 invalid_format in the container', async () => {
    const answer = await field('/cars/locations/%zz');
    expect([answer.status, answer.reasons]).toEqual([400, ['invalid_format']]);
  });

  test.each([
    locationsPath('boston'),
    vehiclesPath(),
    '/cars/locations/?keyword=boston',
    '/health/live',
    '/openapi.json',
  ])('HEAD %s has the status and headers of GET, and no body', async (path) => {
    const { client } = running();
    const [get, head] = [await client.get(path), await client.call('HEAD', path)];
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      get.status,
      '',
      get.headers['content-type'],
    ]);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  });

  test.each(['/cars/catalog/v1/vehicles/rates', '/oauth/token/v1', '/cars/boats/v1'])(
    'HEAD %s is unknown, as the path has no GET that only reads: 404',
    async (path) => {
      expect((await running().client.call('HEAD', path)).status).toBe(404);
    },
  );

  test('HEAD is checked as GET is, and ends a stream without its lines', async () => {
    const { client } = running();
    expect((await client.call('HEAD', locationsPath('boston'), { token: null })).status).toBe(401);
    expect((await client.call('HEAD', '/cars/locations/v1?keyword=')).status).toBe(400);
    const lines = await client.call('HEAD', vehiclesPath(), { headers: { accept: 'application/x-ndjson' } });
    expect([lines.status, lines.text]).toEqual([200, '']);
  });

  test.each([
    ['/cars/locations/v1/', 'GET, HEAD, OPTIONS'],
    ['/cars/locations?keyword=boston', 'GET, HEAD, OPTIONS'],
    [VEHICLES, 'GET, HEAD, POST, OPTIONS'],
    ['/cars/catalog/v1/vehicles/rates/', 'POST, OPTIONS'],
    ['/cars/reservation/v1/res_x', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ])('OPTIONS %s allows %s, without a token and a body', async (path, allowed) => {
    const answer = await running().client.call('OPTIONS', path, { token: null });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(String(answer.headers.allow).split(', ').sort()).toEqual(allowed.split(', ').sort());
  });

  test.each(['/cars/locations/v1/', '/cars/locations/v1', '/cars/locations/', '/cars/locations'])(
    '%s serves locations',
    async (path) => {
      expect((await field(`${path}?keyword=boston`)).status).toBe(200);
    },
  );

  test.each([VEHICLES, `${VEHICLES}/`, '/cars/catalog/vehicles', '/cars/catalog/vehicles/'])(
    '%s serves availability by GET and POST',
    async (path) => {
      expect((await field(vehiclesPath({}, path))).status).toBe(200);
      expect((await running().client.post(path, rental)).status).toBe(200);
    },
  );

  test('paths are case-sensitive', async () => {
    expect((await field('/Cars/Locations/v1?keyword=boston')).status).toBe(404);
  });
});

describe('X-Request-Id', () => {
  test('echoes a well-formed one, replaces an invalid one, and creates a missing one', async () => {
    const { client } = running();
    const ask = async (id: string | undefined) =>
      (await client.get(locationsPath('boston'), { headers: id === undefined ? {} : { 'x-request-id': id } })).headers[
        'x-request-id'
      ];
    expect(await ask('my-request:2026.1')).toBe('my-request:2026.1');
    expect(await ask('short')).toMatch(/^req_[\w-]{16}$/);
    expect(await ask('with blanks and "quotes"')).toMatch(/^req_/);
    expect(await ask('call-4111:1111:1111:1111')).toMatch(/^req_/);
    expect(await ask(undefined)).toMatch(/^req_/);
  });

  test('errors also carry it', async () => {
    const answer = await running().client.get('/nowhere', {
      token: null,
      headers: { 'x-request-id': 'req-of-caller' },
    });
    expect(answer.headers['x-request-id']).toBe('req-of-caller');
  });

  test('without a collector, answers have no trace id', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const answer = await running().client.get(locationsPath('boston'), { headers: { traceparent } });
    expect([answer.status, answer.headers['x-trace-id']]).toEqual([200, undefined]);
  });
});

describe('hostile clients', () => {
  const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  const search = JSON.stringify({
    pickup_location: 'BOS',
    pickup_date: `${day(30)}T10:00`,
    dropoff_date: `${day(32)}T10:00`,
    max_results: 1,
  });

  test.each([
    [
      'a fragment in the request line',
      'GET /cars/locations/v1/#keyword=4111111111111111 HTTP/1.1\r\nHost: x\r\n\r\n',
      'invalid_format',
    ],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n', 'invalid_request'],
    ['two Hosts', 'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 'invalid_request'],
    ['an unknown expectation', 'GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\n', 'invalid_request'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'resource_failure'],
  ])('%s is answered in the status container', async (_title, text, reason) => {
    const socket = connect(running().gateway.port, '127.0.0.1');
    socket.write(text);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(chunk.toString()).toContain(`"reason":"${reason}"`);
    expect(chunk.toString()).not.toContain('4111');
  });

  test('an invalid character in a body is the caller’s fault, not a supplier’s', async () => {
    const answer = await running().client.post(
      '/cars/catalog/v1/vehicles',
      `${search.slice(0, -1)},"loyalty":[{"number":"\\ud800"}]}`,
    );
    expect([answer.status, answer.reasons, answer.errors[0]?.field]).toEqual([
      400,
      ['invalid_format'],
      'loyalty.0.number',
    ]);
  });

  claim('API4', 'A body of 30,000 levels is rejected with 400, and the gateway goes on.', async () => {
    const { client } = running();
    const nested = `{"driver":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    for (const path of ['/cars/reservation/v1/', VEHICLES]) {
      const answer = await client.post(path, nested);
      expect([answer.status, answer.errors[0]?.details]).toEqual([400, expect.stringContaining('64 levels')]);
    }
    // Requests are recorded within a second after their response.
    for (let waits = 0; waits < 25; waits += 1) {
      expect((await client.get('/health/live')).status).toBe(200);
      await wait(100);
    }
  });

  claim('API4', 'A request with 1,500 invalid fields gets at most twenty error entries.', async () => {
    const body = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`qq${index}`, 1]));
    const answer = await running().client.post('/cars/catalog/v1/vehicles', body);
    expect([answer.status, answer.errors.length]).toEqual([400, 20]);
  });
});
