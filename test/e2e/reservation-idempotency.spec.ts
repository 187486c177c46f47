import { once } from 'node:events';
import {
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  RESERVATIONS,
  read,
  reservationOf,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer, Offer } from '../support/client.js';
import { rawConnect } from '../support/raw-socket.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const simulators = () => running().simulators;
const client = () => running().client;

let offer: Offer;
beforeAll(async () => {
  offer = await offerOf(client(), 'alpine');
});

/** A create body with a unique renter. */
const bodyFor = (lastName: string, more: object = {}) => ({
  offer_id: offer.offer_id,
  driver: driver(lastName),
  ...more,
});
const bookings = (lastName: string) => simulators().bookings('alpine', lastName);
const replayed = (answer: HttpAnswer) => answer.headers['idempotent-replayed'];

describe('the same Idempotency-Key', () => {
  test('returns the same answer byte for byte for the same body, marked as replayed, and books once', async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    const first = await create(client(), bodyFor(lastName), { key });
    const again = await create(client(), bodyFor(lastName), { key });
    expect([first.status, replayed(first), replayed(again)]).toEqual([201, undefined, 'true']);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    for (const name of ['location', 'etag', 'content-type', 'cache-control'])
      expect([name, again.headers[name]]).toEqual([name, first.headers[name]]);
    expect(await bookings(lastName)).toHaveLength(1);
  });

  test('ignores member order and whitespace of the JSON, including on the path without version', async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    const { first_name, ...person } = driver(lastName);
    const first = await create(client(), bodyFor(lastName), { key });
    const turned = JSON.stringify({ driver: { ...person, first_name }, offer_id: offer.offer_id }, null, 3);
    const again = await client().post('/cars/reservation', turned, { headers: { 'idempotency-key': key } });
    expect([first.status, again.status, replayed(again), again.text]).toEqual([201, 201, 'true', first.text]);
    expect(await bookings(lastName)).toHaveLength(1);
  });

  test.each<[string, (lastName: string) => object]>([
    ['another renter', () => bodyFor(fresh())],
    ['an additional field', (lastName) => bodyFor(lastName, { remark: 'Two cases' })],
    ['another payment method', (lastName) => bodyFor(lastName, { payment: { type: 'voucher', voucher: '1234567' } })],
  ])('with %s: 400 idempotency_mismatch, no further booking, and the first answer stays', async (_case, other) => {
    const [lastName, key] = [fresh(), fresh('key')];
    const first = await create(client(), bodyFor(lastName), { key });
    const calls = await simulators().calls();
    const answer = await create(client(), other(lastName), { key });
    const [entry] = answer.errors;
    expect([answer.status, entry?.reason, entry?.cause, entry?.field]).toEqual([
      400,
      'invalid_request',
      'idempotency_mismatch',
      'Idempotency-Key',
    ]);
    const { reservation_id } = reservationOf(first);
    expect([answer.headers.location, entry?.details]).toEqual([
      `/cars/reservation/v1/${reservation_id}`,
      expect.stringContaining(`the reservation ${reservation_id}.`),
    ]);
    expect(await simulators().calls()).toBe(calls);
    expect((await create(client(), bodyFor(lastName), { key })).text).toBe(first.text);
  });

  claim(
    ['API1', 'V8.4.1'],
    "The same Idempotency-Key of two applications makes two bookings, and neither sees the other's response.",
    async () => {
      const [lastName, key] = [fresh(), fresh('key')];
      const first = await create(client(), bodyFor(lastName), { key });
      const token = await client().token('demo-throttled');
      const search = await client().get(
        `/cars/catalog/v1/vehicles?pickup_location=BOS&brand=Alpine&pickup_date=${offer.pickup.date}&dropoff_date=${offer.dropoff.date}`,
        { token },
      );
      const theirs = search.body.vehicles.find(({ status }) => status === 'available');
      const body = { offer_id: theirs?.offer_id, driver: driver(lastName) };
      const other = await create(client(), body, { key, application: 'demo-throttled' });
      expect([other.status, replayed(other)]).toEqual([201, undefined]);
      expect(reservationOf(other).reservation_id).not.toBe(reservationOf(first).reservation_id);
      expect(await bookings(lastName)).toHaveLength(2);
    },
  );

  claim(
    ['API6', 'V2.3.4'],
    'Twenty concurrent requests with one Idempotency-Key make one booking and get identical responses, of which all but one are marked as replayed.',
    async () => {
      const [lastName, key] = [fresh(), fresh('key')];
      const answers = await Promise.all(Array.from({ length: 20 }, () => create(client(), bodyFor(lastName), { key })));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers.map(replayed).filter((mark) => mark === undefined)).toHaveLength(1);
      expect(await bookings(lastName)).toHaveLength(1);
    },
  );

  test('with different bodies concurrently: one is booked, the others get a mismatch', async () => {
    const key = fresh('key');
    const lastNames = Array.from({ length: 5 }, () => fresh());
    const answers = await Promise.all(lastNames.map((lastName) => create(client(), bodyFor(lastName), { key })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
    expect((await Promise.all(lastNames.map(bookings))).flat()).toHaveLength(1);
  });

  test('while the first request is in flight, the second waits for it and gets its answer', async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    const options = { key, scenario: 'alpine=slow(700)' };
    const first = create(client(), bodyFor(lastName), options);
    await eventually(
      () => simulators().stats('alpine'),
      ({ open }) => open === 1,
    );
    const second = await create(client(), bodyFor(lastName), options);
    expect([replayed(second), second.text]).toEqual(['true', (await first).text]);
    expect(await bookings(lastName)).toHaveLength(1);
  });

  test('if the caller disconnects, the booking is completed and a repetition returns it', async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    const body = JSON.stringify(bodyFor(lastName));
    const socket = await rawConnect(running().gateway.port);
    const head = [
      `POST ${RESERVATIONS} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${await client().token()}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Idempotency-Key: ${key}`,
      'X-Sandbox-Scenario: alpine=slow(700)',
    ];
    const before = (await simulators().stats('alpine')).requests;
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    // The second request: during the first, the price check, the booking could still be canceled.
    await eventually(
      () => simulators().stats('alpine'),
      ({ open, requests }) => open === 1 && requests - before === 2,
    );
    socket.destroy();
    await once(socket, 'close');
    const again = await create(client(), bodyFor(lastName), { key });
    expect([again.status, replayed(again), reservationOf(again).state]).toEqual([201, 'true', 'confirmed']);
    expect(await bookings(lastName)).toMatchObject([{ reference: reservationOf(again).reservation_id }]);
  });

  test("after a 202: replays the first answer, whatever the reservation's state is now", async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    const options = { key, scenario: 'alpine=lost_then_found' };
    const first = await create(client(), bodyFor(lastName), options);
    const { reservation_id: id } = reservationOf(first);
    await settled(client(), id, ['confirmed']);
    // The header is not part of the body: without it, it is still the same request.
    const again = await create(client(), bodyFor(lastName), { key });
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect([(await bookings(lastName)).length, (await read(client(), id)).state]).toEqual([1, 'confirmed']);
  });

  test('after a refusal by the supplier: replays the refusal without calling the supplier', async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    const first = await create(client(), bodyFor(lastName), { key, scenario: 'alpine=sold_out' });
    const calls = await simulators().calls();
    const again = await create(client(), bodyFor(lastName), { key });
    expect([first.status, first.errors[0]?.cause, replayed(again)]).toEqual([404, 'sold_out', 'true']);
    expect([first, again].map(({ headers }) => headers['idempotent-retry'])).toEqual(['new-key', 'new-key']);
    expect([again.status, again.text, await simulators().calls(), (await bookings(lastName)).length]).toEqual([
      404,
      first.text,
      calls,
      0,
    ]);
  });
});

test('an error says whether to try again with the same key or with a new one', async () => {
  const retryAfter = async (scenario: string) => {
    const answer = await create(client(), bodyFor(fresh()), { key: fresh('key'), scenario });
    return [answer.status, answer.errors[0]?.reason, answer.headers['idempotent-retry']];
  };
  expect(await retryAfter('alpine=price(+10%)')).toEqual([400, 'invalid_range', 'same-key']);
  expect(await retryAfter('alpine=auth')).toEqual([500, 'supplier_failure', 'new-key']);
});

test('errors of a request that was not executed say to use the same key, except those of the key', async () => {
  const retryAfter = async (key: string | undefined, body: string, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
    const answer = await client().call('POST', RESERVATIONS, { headers, body, ...(token !== undefined && { token }) });
    return [answer.status, answer.headers['idempotent-retry']];
  };
  const key = fresh('key');
  const unknown = JSON.stringify(bodyFor(fresh())).replace('off_', 'offer_');
  const bodies = ['{', '{}', '{"remark":7}', unknown];
  expect(await Promise.all(bodies.map((body) => retryAfter(key, body)))).toEqual([
    [400, 'same-key'],
    [400, 'same-key'],
    [400, 'same-key'],
    [404, 'same-key'],
  ]);
  expect(await retryAfter(key, '{}', 'unknown')).toEqual([401, 'same-key']);
  expect(await retryAfter(undefined, '{}')).toEqual([400, undefined]);
  expect(await retryAfter('two words', JSON.stringify(bodyFor(fresh())))).toEqual([400, undefined]);
});

describe('a request rejected before execution is not remembered: the same key books afterwards', () => {
  test.each<[string, (key: string, lastName: string) => Promise<HttpAnswer>, number]>([
    ['an invalid body', (key, lastName) => create(client(), { ...bodyFor(lastName), remark: 7 }, { key }), 400],
    [
      'an unknown offer',
      (key, lastName) => create(client(), { ...bodyFor(lastName), offer_id: 'off_x' }, { key }),
      404,
    ],
    [
      'a changed price',
      (key, lastName) => create(client(), bodyFor(lastName), { key, scenario: 'alpine=price(+10%)' }),
      400,
    ],
    [
      'no token',
      (key, lastName) =>
        client().post(RESERVATIONS, bodyFor(lastName), { token: null, headers: { 'idempotency-key': key } }),
      401,
    ],
    ['no subscription', (key, lastName) => create(client(), bodyFor(lastName), { key, scenario: 'fault=403' }), 403],
    ['an exceeded limit', (key, lastName) => create(client(), bodyFor(lastName), { key, scenario: 'fault=429' }), 429],
    [
      'an exhausted time budget',
      (key, lastName) => create(client(), bodyFor(lastName), { key, scenario: 'fault=408' }),
      408,
    ],
    ['maintenance', (key, lastName) => create(client(), bodyFor(lastName), { key, scenario: 'fault=503' }), 503],
  ])('%s', async (_case, refuse, status) => {
    const [lastName, key] = [fresh(), fresh('key')];
    const refused = await refuse(key, lastName);
    const answer = await create(client(), bodyFor(lastName), { key });
    expect([refused.status, answer.status, replayed(answer)]).toEqual([status, 201, undefined]);
    expect(await bookings(lastName)).toHaveLength(1);
  });
});

describe('the key itself', () => {
  test.each<[string, string[]]>([
    ['empty', ['']],
    ['256 characters', ['k'.repeat(256)]],
    ['a space inside', ['my key']],
    ['a tab inside', ['my\tkey']],
    ['beyond ASCII', ['clé']],
    ['twice', ['one', 'two']],
    ['the same one twice', ['one', 'one']],
  ])('%s: 400 naming it, no supplier is called', async (_case, keys) => {
    const calls = await simulators().calls();
    const headers = keys.map((key) => ['Idempotency-Key', Buffer.from(key, 'utf8').toString('latin1')] as const);
    const answer = await client().post(RESERVATIONS, bodyFor(fresh()), { headers });
    expect([answer.status, answer.errors.map(({ reason, field }) => [reason, field])]).toEqual([
      400,
      [['invalid_request', 'Idempotency-Key']],
    ]);
    expect(await simulators().calls()).toBe(calls);
  });

  test.each(['k', `${'k'.repeat(254)}!`, '~!"#$%&()*+,-./:;<=>?@[]^_`{|}'])('%s is a valid key', async (key) => {
    const lastName = fresh();
    const body = bodyFor(lastName);
    const answers = [await create(client(), body, { key }), await create(client(), body, { key })];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(await bookings(lastName)).toHaveLength(1);
  });

  test('without a key, each request is a separate booking', async () => {
    const lastName = fresh();
    const answers = [await create(client(), bodyFor(lastName)), await create(client(), bodyFor(lastName))];
    expect(new Set(answers.map((answer) => reservationOf(answer).reservation_id)).size).toBe(2);
    expect(await bookings(lastName)).toHaveLength(2);
  });
});
