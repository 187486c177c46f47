import { Client as Mcp } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { driver, eventually, fresh, SECRET } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { gwInThread } from '../support/gw.js';
import { dayAhead } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import type { DemoCredentials } from '../support/start-gateway.js';

/** Tries of one booking; the recorded run of docs/agents.md has 1,000. */
const TRIES = Number(process.env.MCP_TRIES ?? 60);

const running = sharedGateway();
const address = () => new URL('/mcp', running().gateway.baseUrl);
const bearer = async (headers: Record<string, string> = {}, token?: string) => ({
  authorization: `Bearer ${token ?? (await running().client.token())}`,
  ...headers,
});

/** A stock client, connected. */
async function connected(headers: Record<string, string> = {}, token?: string): Promise<Mcp> {
  const mcp = new Mcp({ name: 'spec', version: '1.0.0' });
  const requestInit = { headers: await bearer(headers, token) };
  await mcp.connect(new StreamableHTTPClientTransport(address(), { requestInit }));
  return mcp;
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: what tools return is checked by what the tests expect of it.
  readonly structuredContent: any;
}

const call = async (mcp: Mcp, name: string, args: object) =>
  (await mcp.callTool({ name, arguments: { ...args } })) as unknown as Result;

/** A request without the stock client. */
const post = async (body: unknown, headers: Record<string, string>, method = 'POST') =>
  fetch(address(), {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  });

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('the transport', () => {
  claim(
    'API4',
    'A message to /mcp without an active token is answered 401 and names the metadata of RFC 9728.',
    async () => {
      const none = await post(PING, {});
      const wrong = await post(PING, { authorization: 'Bearer invented' });
      expect([none.status, wrong.status]).toEqual([401, 401]);
      const metadata = /resource_metadata="([^"]+)"/.exec(none.headers.get('www-authenticate') ?? '')?.[1] ?? '';
      const described = (await (await fetch(metadata)).json()) as Record<string, unknown>;
      expect(described).toMatchObject({ resource: address().href, authorization_servers: [address().origin] });
      expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
    },
  );

  test('GET and DELETE are 405, a batch is 400, a foreign origin 403, and a large body 400', async () => {
    const headers = await bearer();
    const statuses = [
      (await post(undefined, headers, 'GET')).status,
      (await post(undefined, headers, 'DELETE')).status,
      (await post([PING, PING], headers)).status,
      (await post(PING, { ...headers, origin: 'https://evil.example' })).status,
      (await post({ ...PING, params: { pad: 'x'.repeat(70_000) } }, headers)).status,
      (await post(PING, { ...headers, accept: 'text/plain' })).status,
      (await post(PING, headers)).status,
    ];
    expect(statuses).toEqual([405, 405, 400, 403, 400, 406, 200]);
  });
});

test('a stock client lists eight tools, finds a place, searches in pages, prices, books, reads, and cancels', async () => {
  const mcp = await connected();
  const { tools } = await mcp.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...['find_place', 'search', 'price', 'book', 'read_reservation'],
    ...['change_reservation', 'cancel_reservation', 'why_missing'],
  ]);
  const places = await call(mcp, 'find_place', { keyword: 'Boston' });
  expect(places.content[0]?.text).toContain('Places.');
  expect(places.structuredContent.places[0].place_id).toMatch(/^plc_/);
  const first = await call(mcp, 'search', SEARCH);
  expect(first.structuredContent.incomplete).toBe(false);
  const second = await call(mcp, 'search', { more: first.structuredContent.more });
  const ids = [first, second].flatMap(({ structuredContent: { offers } }) =>
    offers.map(({ offer_id }: { offer_id: string }) => offer_id),
  );
  expect([ids.length > 20, new Set(ids).size]).toEqual([true, ids.length]);
  for (const { structuredContent } of [first, second])
    expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(32_768);
  const { quote, total } = await quoted(mcp);
  const booked = await call(mcp, 'book', { ...total, quote_id: quote, driver: driver(fresh()) });
  expect(booked.content[0]?.text).toContain('The reservation is confirmed.');
  const { reservation_id, state } = booked.structuredContent.reservation;
  expect(state).toBe('confirmed');
  const read = await call(mcp, 'read_reservation', { reservation_id });
  const { etag } = read.structuredContent;
  const changed = await call(mcp, 'change_reservation', { reservation_id, etag, driver: { email: 'new@example.com' } });
  expect([changed.isError, changed.content[0]?.text]).toEqual([undefined, expect.stringContaining('confirmed')]);
  const stale = await call(mcp, 'cancel_reservation', { reservation_id, etag });
  expect([stale.isError, stale.structuredContent.errors[0]]).toEqual([
    true,
    expect.objectContaining({ field: 'If-Match' }),
  ]);
  const gone = await call(mcp, 'cancel_reservation', { reservation_id });
  expect(gone.structuredContent.reservation.state).toBe('cancelled');
  await mcp.close();
});

const SEARCH = {
  pickup_location: 'BOS',
  pickup_date: dayAhead(30),
  dropoff_date: dayAhead(33),
};

/** The id and total of a quote of an offer. */
async function priced(mcp: Mcp, offer_id: string) {
  const { structuredContent } = await call(mcp, 'price', { offer_id });
  const { quote } = structuredContent;
  const { amount, currency } = quote.offer.price.total;
  return { quote: quote.quote_id as string, total: { total: amount as string, currency: currency as string } };
}

/** A quote of a car of Alpine that is booked immediately and paid at the counter. */
async function quoted(mcp: Mcp) {
  let { structuredContent: found } = await call(mcp, 'search', SEARCH);
  for (;;) {
    const offer = found.offers.find(
      ({ supplier, status, payment }: Record<string, string>) =>
        supplier === 'alpine' && status === 'available' && payment === 'pay_later',
    );
    if (offer) return priced(mcp, offer.offer_id);
    found = (await call(mcp, 'search', { more: found.more })).structuredContent;
  }
}

claim('API6', 'However often a tool call books a quote for a driver, one booking is made.', async () => {
  const mcp = await connected();
  const { quote, total } = await quoted(mcp);
  const lastName = fresh();
  const body = { ...total, quote_id: quote, driver: driver(lastName) };
  const ids = new Set<string>();
  for (let done = 0; done < TRIES; done += 20) {
    const results = await Promise.all(Array.from({ length: 20 }, () => call(mcp, 'book', body)));
    for (const { structuredContent } of results) ids.add(structuredContent.reservation?.reservation_id);
  }
  expect(ids).not.toContain(undefined);
  expect([ids.size, (await running().simulators.bookings('alpine', lastName)).length]).toEqual([1, 1]);
  const other = await call(mcp, 'book', { ...body, driver: driver(fresh()) });
  expect([other.isError, other.structuredContent.errors[0].cause]).toEqual([true, 'quote_used']);
  await mcp.close();
});

test.each<[string, string, (lastName: string) => object]>([
  ['a phone number', 'idempotency_mismatch', (name) => ({ driver: { ...driver(name), phone: '+15551234567' } })],
  ['a reference', 'idempotency_mismatch', () => ({ client_reference: 'trip-7' })],
  ['upper case', 'idempotency_mismatch', (name) => ({ driver: { ...driver(name), first_name: 'ADA' } })],
  ['another driver', 'quote_used', () => ({ driver: driver(fresh()) })],
])('a booking that is repeated with %s names the reservation that it made', async (_case, cause, more) => {
  const mcp = await connected();
  const { quote, total } = await quoted(mcp);
  const lastName = fresh();
  const body = { ...total, quote_id: quote, driver: driver(lastName) };
  const { reservation_id } = (await call(mcp, 'book', body)).structuredContent.reservation;
  const again = await call(mcp, 'book', { ...body, ...more(lastName) });
  expect([again.isError, again.structuredContent.errors[0].cause, again.structuredContent.reservation_id]).toEqual([
    true,
    cause,
    reservation_id,
  ]);
  expect(again.content[0]?.text).toContain(`The reservation is ${reservation_id}: call read_reservation.`);
  await mcp.close();
});

claim(
  'API6',
  'A tool books only a quote, at exactly the price of its price check; otherwise it names that price.',
  async () => {
    const mcp = await connected();
    const { quote, total } = await quoted(mcp);
    const lastName = fresh();
    const body = { ...total, quote_id: quote, driver: driver(lastName) };
    const right = { amount: total.total, currency: total.currency };
    for (const wrong of [{ total: '1.00' }, { total: '99999.00' }, { currency: 'EUR' }]) {
      const refused = await call(mcp, 'book', { ...body, ...wrong });
      expect([refused.isError, refused.structuredContent.total]).toEqual([true, right]);
    }
    const found = await call(mcp, 'search', SEARCH);
    const offer = await call(mcp, 'book', { ...body, quote_id: found.structuredContent.offers[0].offer_id });
    expect([offer.isError, offer.content[0]?.text]).toEqual([true, expect.stringContaining('not a quote_id')]);
    expect(await running().simulators.bookings('alpine', lastName)).toEqual([]);
    await mcp.close();
  },
);

test('an incomplete search says so in text and data, and why_missing says it again without a supplier call', async () => {
  const mcp = await connected({ 'x-sandbox-scenario': 'bravo=error(503)' });
  const found = await call(mcp, 'search', SEARCH);
  expect(found.structuredContent).toMatchObject({ incomplete: true, missing_suppliers: [{ supplier: 'bravo' }] });
  expect(found.content[0]?.text).toContain('INCOMPLETE: no result from bravo');
  const { search_id } = found.structuredContent;
  const why = await call(mcp, 'why_missing', { search_id, supplier: 'bravo' });
  expect(why.structuredContent.suppliers).toEqual([expect.objectContaining({ supplier: 'bravo', outcome: 'failed' })]);
  await mcp.close();
});

/** A new application, and the calls of the operation of find_place in its usage. */
function newApplication() {
  const env = { DATABASE_URL: running().postgres.url, FORECOURT_SECRET: SECRET };
  const { stdout, stderr } = gwInThread(['apps', 'create', 'Usage', '--tier', 'demo'], env);
  if (stdout === '') throw new Error(stderr);
  const { client_id, client_secret } = JSON.parse(stdout) as DemoCredentials;
  const counted = async (): Promise<number> => {
    const [row] = await running().postgres.query(
      `select coalesce(sum(calls), 0)::int as calls from usage_counters join applications on id = application_id
        where client_id = $1 and operation = 'searchPlaces' and minute > 'epoch'`,
      [client_id],
    );
    return Number((row as { calls: number }).calls);
  };
  return { headers: { client_id, client_secret }, counted };
}

claim(
  'API4',
  'A tool call is one call of its operation in the usage of its application; other messages are not counted.',
  async () => {
    const { headers, counted } = newApplication();
    const minted = await running().client.get('/oauth/token/v1', { token: null, headers });
    const mcp = await connected({}, minted.body.access_token);
    await mcp.listTools();
    await call(mcp, 'find_place', { word: 'Boston' });
    for (let index = 0; index < 5; index += 1) await call(mcp, 'find_place', { keyword: 'Boston' });
    expect(await eventually(counted, (calls) => calls >= 5)).toBe(5);
    await mcp.close();
  },
);

claim('API4', "Messages that don't call an operation are free, and limited for each application.", async () => {
  const headers = { authorization: `Bearer ${await running().client.token('demo-throttled')}` };
  const answers = await Promise.all(Array.from({ length: 80 }, () => post(PING, headers)));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
});

const CALL = { ...PING, method: 'tools/call' };
test.each([
  ['a notification', { ...CALL, id: undefined, params: { name: 'search', arguments: {} } }, {}],
  ['a call without a tool', { ...CALL, params: {} }, {}],
  ['an unknown tool', { ...CALL, params: { name: 'pay' } }, {}],
  ['a task', { ...CALL, params: { name: 'find_place', arguments: { keyword: 'Paris' }, task: { ttl: 1 } } }, {}],
  ['no JSON-RPC', { method: 'tools/call' }, {}],
  ['a type that is not answered', { ...CALL, params: { name: 'find_place' } }, { accept: 'text/plain' }],
  ['a batch', [CALL], {}],
])('a message that only looks like a tool call is limited as well: %s', async (_what, body, more) => {
  const headers = { authorization: `Bearer ${await running().client.token('demo-throttled')}`, ...more };
  const answers = await Promise.all(Array.from({ length: 80 }, () => post(body, headers)));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
});
