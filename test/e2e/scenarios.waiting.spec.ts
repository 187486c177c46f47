import { DIRECTIVES } from '../../src/sandbox/directive.js';
import { MAGIC_PLACES, type MagicPlace } from '../../src/sandbox/magic-places.js';
import { BOOKING_TRIGGERS } from '../../src/sandbox/triggers.js';
import { rawConnect, untilClosed } from '../support/raw-socket.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { SUPPLIER_IDS, SUPPLIERS } from '../support/suppliers.js';

const running = sharedGateway();
const scenario = (text: string) => ({ headers: { 'x-sandbox-scenario': text } });
/** An entry for each supplier, in order. */
const everySupplier = (cause: string): string[] => SUPPLIER_IDS.map((id) => `500 ${id} ${cause}`);
const PATHS: [string, string][] = [
  ['locations', locationsPath('BOS')],
  ['availability', vehiclesPath()],
];

/** The effect of each verb on a search in which alpine is one of several suppliers: status and missing entries. */
const VERBS: [string, number, string[]][] = [
  ['ok', 200, []],
  ['empty', 206, ['404 alpine']],
  ['slow(100)', 200, []],
  ['slow(5000)', 206, ['500 alpine timeout']],
  ['timeout', 206, ['500 alpine timeout']],
  ['reset', 206, ['500 alpine unavailable']],
  ['garbage', 206, ['500 alpine bad_payload']],
  ['html', 206, ['500 alpine bad_payload']],
  ['truncated', 206, ['500 alpine unavailable']],
  ['error(500)', 206, ['500 alpine unavailable']],
  ['error(503)', 206, ['500 alpine unavailable']],
  ['auth', 206, ['500 alpine rejected']],
  ['throttled', 206, ['500 alpine throttled']],
  ['price(+10%)', 200, []],
];

/** Those that wait for a timeout run while others do. */
const waits = ([verb]: (typeof VERBS)[number]) => verb === 'timeout' || verb === 'slow(5000)';

describe.each(PATHS)('%s: the effect of each verb on one of several suppliers (rulings 1, 2)', (_product, path) => {
  const shows = async (verb: string, status: number, missing: string[]) => {
    const answer = await running().client.get(path, scenario(`alpine=${verb}`));
    expect([answer.status, answer.missing]).toEqual([status, missing]);
    expect(answer.body.status.success?.[0]?.code).toBe(String(status));
    expect(answer.body.status.request_errors).toBe(missing.length === 0 ? undefined : missing.length);
    expect(answer.headers['x-sandbox-applied']).toBe(`header: alpine=${verb}`);
    expect(answer.headers['retry-after']).toBeUndefined();
    if (status === 206) {
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers).not.toHaveProperty('content-range');
      expect(answer.headers).not.toHaveProperty('accept-ranges');
      expect(answer.headers).not.toHaveProperty('etag');
      expect(answer.errors[0]?.details).toContain('Alpine Rent');
    }
  };
  test.concurrent.each(VERBS.filter(waits))('alpine=%s → %i', shows);
  test.each(VERBS.filter((row) => !waits(row)))('alpine=%s → %i', shows);

  const hasOneEntry = async (supplier: string, verb: string, cause: string) => {
    const answer = await running().client.get(path, scenario(`${supplier}=${verb}`));
    expect([answer.status, answer.missing]).toEqual([206, [`500 ${supplier} ${cause}`]]);
  };
  test.concurrent.each([
    ['abg', 'timeout', 'timeout'],
    ['dune', 'timeout', 'timeout'],
  ])('%s=%s → 206 with one entry, cause %s', hasOneEntry);

  test.each([
    ['abg', 'html', 'bad_payload'],
    ['abg', 'garbage', 'bad_payload'],
    ['abg', 'auth', 'rejected'],
    ['abg', 'throttled', 'throttled'],
    ['dune', 'html', 'bad_payload'],
    ['dune', 'garbage', 'bad_payload'],
    ['dune', 'truncated', 'unavailable'],
    ['dune', 'auth', 'rejected'],
    ['dune', 'throttled', 'throttled'],
    ['bravo', 'html', 'bad_payload'],
    ['bravo', 'truncated', 'unavailable'],
  ])('%s=%s → 206 with one entry, cause %s', hasOneEntry);

  test('one failed and one empty → 206 with both entries in supplier order', async () => {
    const answer = await running().client.get(path, scenario('bravo=empty; abg=reset'));
    expect([answer.status, answer.missing, answer.reasons]).toEqual([
      206,
      ['500 abg unavailable', '404 bravo'],
      ['supplier_failure', 'no_supplier_results'],
    ]);
  });

  test('all failed → 500 with one supplier_failure each, naming the supplier', async () => {
    const answer = await running().client.get(path, scenario('*=error(500)'));
    expect([answer.status, answer.missing]).toEqual([500, everySupplier('unavailable')]);
    expect(answer.errors.map((entry) => entry.details.split(' failed ')[0])).toEqual(SUPPLIERS.map(({ name }) => name));
    expect(answer.body.status).not.toHaveProperty('success');
  });

  test('all empty → 404 no_results, one entry', async () => {
    const answer = await running().client.get(path, scenario('*=empty'));
    expect([answer.status, answer.reasons]).toEqual([404, ['no_results']]);
  });

  test.concurrent('some failed and the rest empty → 206 with an empty list and every entry', async () => {
    const answer = await running().client.get(path, scenario('*=empty; bravo=timeout'));
    expect([answer.status, answer.missing]).toEqual([
      206,
      SUPPLIER_IDS.map((id) => (id === 'bravo' ? '500 bravo timeout' : `404 ${id}`)),
    ]);
    expect(answer.body.locations ?? answer.body.vehicles).toEqual([]);
  });

  test('Prefer: partial=200 → 200 with the same body except for the time, Preference-Applied', async () => {
    const partial = await running().client.get(path, scenario('bravo=empty'));
    const preferred = await running().client.get(path, {
      headers: { ...scenario('bravo=empty').headers, prefer: 'partial=200' },
    });
    expect([partial.status, preferred.status, preferred.headers['preference-applied']]).toEqual([
      206,
      200,
      'partial=200',
    ]);
    expect(preferred.body.status.success?.[0]?.code).toBe('206');
    expect(preferred.errors).toEqual(partial.errors);
  });

  test.concurrent('a brand of a single supplier narrows the search to it: 200, 404 or 500, never 206 (ruling 5)', async () => {
    const ask = (text: string) => running().client.get(`${path}&brand=ALPINE`, scenario(text));
    const [answered, empty, failed] = [
      await ask('alpine=ok; bravo=reset'),
      await ask('alpine=empty'),
      await ask('alpine=timeout'),
    ];
    expect([answered.status, empty.status, failed.status]).toEqual([200, 404, 500]);
    expect([empty.reasons, failed.missing]).toEqual([['no_results'], ['500 alpine timeout']]);
  });

  test.each([
    ['an unknown supplier', 'zonk=ok', `${SUPPLIER_IDS.join(', ')}, *`],
    ['an unknown verb', 'alpine=dance', 'timeout, reset, garbage'],
    ['an unknown fault', 'fault=418', '401, 403, 408, 429, 500, 503'],
    ['an empty scenario', ' ', 'alpine'],
    ['slow without a number', 'alpine=slow(abc)', 'slow(ms)'],
  ])('%s → 400 that lists the valid ones', async (_case, text, words) => {
    const answer = await running().client.get(path, scenario(text));
    expect([answer.status, answer.reasons, answer.errors[0]?.field]).toEqual([
      400,
      ['invalid_request'],
      'X-Sandbox-Scenario',
    ]);
    if (words !== 'alpine') expect(answer.errors[0]?.details).toContain(words);
  });

  test.each([
    [401, 'authentication_failure', { 'www-authenticate': 'Bearer realm="cars", error="invalid_token"' }],
    [403, 'permissions_failure', {}],
    [429, 'throttled', { 'retry-after': '30' }],
    [500, 'unexpected_condition', {}],
    [503, 'maintenance', { 'retry-after': '30' }],
  ])('fault=%i → that row', async (status, reason, headers) => {
    const answer = await running().client.get(path, scenario(`fault=${status}`));
    expect([answer.status, answer.reasons]).toEqual([status, [reason]]);
    expect(answer.headers).toMatchObject({
      ...headers,
      'x-sandbox-applied': `header: fault=${status}`,
      'cache-control': 'no-store',
    });
  });

  test('fault=503(7) says Retry-After: 7', async () => {
    expect((await running().client.get(path, scenario('fault=503(7)'))).headers['retry-after']).toBe('7');
  });

  test('fault=408 → 408 timeout, Connection: close, and the socket really closes (ruling 7)', async () => {
    const { client, gateway } = running();
    const socket = await rawConnect(gateway.port);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await client.token()}\r\nX-Sandbox-Scenario: fault=408\r\n\r\n`,
    );
    const text = await untilClosed(socket, 3_000);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      status: { errors: [{ code: '408', reason: 'timeout' }] },
    });
  });
});

test('every verb of the header is covered by a search here or a booking of docs/sandbox.md', () => {
  const verbOf = (directive: string) => directive.replace(/\(.*/, '');
  const inBookings = BOOKING_TRIGGERS.flatMap(({ scenario: text }) => text?.split('=')[1] ?? []);
  const run = new Set([...VERBS.map(([verb]) => verb), ...inBookings].map(verbOf));
  expect(DIRECTIVES.map(({ form }) => form).filter((form) => !run.has(verbOf(form)))).toEqual([]);
});

describe('magic places (docs/sandbox.md)', () => {
  const OUTCOMES: Readonly<Record<MagicPlace, [status: number, missing: string[]]>> = {
    ZZT206F: [206, ['500 bravo unavailable']],
    ZZT206E: [206, ['404 bravo']],
    ZZT206B: [206, ['404 alpine', '500 bravo unavailable']],
    ZZT404: [404, ['404']],
    ZZT500S: [500, everySupplier('unavailable')],
    ZZT408: [408, ['408']],
    ZZT503: [503, ['503']],
    ZZT202: [200, []],
    ZZTPRC: [200, []],
    ZZTSLD: [200, []],
  };
  const rows = MAGIC_PLACES.map((place) => [place, ...OUTCOMES[place]] as const);

  test.each(rows)('keyword %s → %i', async (place, status, missing) => {
    const answer = await running().client.get(locationsPath(place));
    expect([answer.status, answer.missing]).toEqual([status, missing]);
    expect(answer.headers['x-sandbox-applied']).toBe(`place: ${place}`);
    if (status < 300)
      for (const location of answer.body.locations)
        expect([location.code.includes(place), location.address.country_code]).toEqual([true, 'ZZ']);
  });

  test.each(rows.filter(([, status]) => status !== 200).slice(0, 2))(
    'keyword %s with country ZZ in lower case → %i',
    async (place, status) => {
      expect((await running().client.get(locationsPath(place.toLowerCase(), { country_code: 'zz' }))).status).toBe(
        status,
      );
    },
  );

  test.each(rows)('pickup_location %s → %i', async (place, status, missing) => {
    const answer = await running().client.get(vehiclesPath({ pickup_location: place }));
    expect([answer.status, answer.missing]).toEqual([status, missing]);
  });

  test.each(rows)('POST with pickup_location %s: no 206 (ruling 4)', async (place, status, missing) => {
    const body = { pickup_location: place, pickup_date: dayAhead(30), dropoff_date: dayAhead(33) };
    const answer = await running().client.post('/cars/catalog/v1/vehicles', body);
    expect([answer.status, answer.missing]).toEqual([status === 206 ? 200 : status, missing]);
    if (status === 206) expect(answer.body.status.success?.[0]?.code).toBe('200');
  });

  test('the header takes precedence over the place', async () => {
    const answer = await running().client.get(locationsPath('ZZT404'), scenario('alpine=empty'));
    expect([answer.status, answer.missing]).toEqual([206, ['404 alpine']]);
  });

  test('the location_id of a magic place keeps its effect', async () => {
    const { client } = running();
    const found = await client.get(locationsPath('ZZT206E'));
    const id = found.body.locations[0]?.location_id;
    const answer = await client.get(vehiclesPath({ pickup_location: id }));
    expect([answer.status, answer.missing]).toEqual([206, ['404 bravo']]);
  });
});

test.concurrent('POST: a partial result is a 200 with the same entries as the 206 of GET (ruling 4)', async () => {
  const { client } = running();
  const get = await client.get(vehiclesPath(), scenario('alpine=timeout; bravo=empty'));
  const body = { pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33), max_results: 20 };
  const post = await client.post('/cars/catalog/v1/vehicles', body, scenario('alpine=timeout; bravo=empty'));
  expect([get.status, post.status]).toEqual([206, 200]);
  expect(post.errors).toEqual(get.errors);
  const outcomes: Record<string, string> = { alpine: 'failed', bravo: 'empty' };
  expect(post.body.suppliers.map(({ supplier, outcome }) => [supplier, outcome])).toEqual(
    SUPPLIER_IDS.map((id) => [id, outcomes[id] ?? 'answered']),
  );
});

test('a supplier’s own limit is never passed on as 429, not even when all suppliers limit (ruling 17)', async () => {
  const answer = await running().client.get(vehiclesPath(), scenario('*=throttled'));
  expect([answer.status, answer.missing]).toEqual([500, everySupplier('throttled')]);
  expect(answer.headers).not.toHaveProperty('retry-after');
});

test('price(+50%) raises every price of that supplier by half', async () => {
  const { client } = running();
  const total = async (text: string) => {
    const answer = await client.get(vehiclesPath({ brand: 'Alpine', max_results: '1' }), scenario(text));
    return Number(answer.body.vehicles[0]?.price.total.amount);
  };
  const [usual, raised] = [await total('alpine=ok'), await total('alpine=price(+50%)')];
  expect(raised / usual).toBeGreaterThan(1.4);
  expect(raised / usual).toBeLessThan(1.6);
});

test('a seed makes latency and faults repeatable and is echoed', async () => {
  const answer = await running().client.get(locationsPath('BOS'), scenario('seed=7'));
  expect([answer.status, answer.headers['x-sandbox-applied']]).toEqual([200, 'header: seed=7']);
});
