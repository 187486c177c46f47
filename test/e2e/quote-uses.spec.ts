import { describeWith } from '../support/binaries.js';
import { create, driver, fresh, offerOf, quoteOf, RESERVATIONS, reservationOf } from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer, Offer } from '../support/client.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const client = () => running().client;
const bookings = (lastName: string) => running().simulators.bookings('alpine', lastName);

let offer: Offer;
beforeAll(async () => {
  offer = await offerOf(client(), 'alpine');
});

/** A body that books a new quote. */
async function quoted(lastName: string) {
  const { quote_id } = await quoteOf(client(), { offer_id: offer.offer_id });
  return { quote_id, driver: driver(lastName) };
}

const told = ({ status, errors: [entry] }: HttpAnswer) => [status, entry?.reason, entry?.cause, entry?.field];
const USED = [400, 'invalid_request', 'quote_used', 'quote_id'];

claim(
  ['API6', 'V2.3.4'],
  'A quote books once: another booking of it is refused with any Idempotency-Key or none, and names the reservation.',
  async () => {
    const lastName = fresh();
    const body = await quoted(lastName);
    const first = await create(client(), body);
    const { reservation_id: id } = reservationOf(first);
    for (const again of [await create(client(), body), await create(client(), body, { key: fresh('key') })]) {
      expect(told(again)).toEqual(USED);
      expect(again.errors[0]?.details).toContain(id);
      expect(again.headers.location).toBe(`${RESERVATIONS}${id}`);
    }
    expect([first.status, (await bookings(lastName)).length]).toEqual([201, 1]);
  },
);

test('of ten concurrent bookings of a quote with different keys, one is made', async () => {
  const lastName = fresh();
  const body = await quoted(lastName);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => create(client(), body, index % 2 ? { key: fresh('key') } : {})),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status !== 201).map(told)).toEqual(Array.from({ length: 9 }, () => USED));
  expect(await bookings(lastName)).toHaveLength(1);
});

test('a repetition with the same key is replayed, even while the first request runs', async () => {
  const [lastName, key] = [fresh(), fresh('key')];
  const body = await quoted(lastName);
  const answers = await Promise.all([1, 2, 3].map(() => create(client(), body, { key })));
  const again = await create(client(), body, { key });
  expect(new Set([...answers, again].map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(await bookings(lastName)).toHaveLength(1);
});

test.each([
  ['a price that rose', 'alpine=price(+10%)', {}],
  ['an invalid body', undefined, { remark: 7 }],
])(
  'a quote whose booking was refused before the supplier was asked, for %s, still books',
  async (_why, scenario, more) => {
    const lastName = fresh();
    const body = await quoted(lastName);
    const refused = await create(client(), { ...body, ...more }, scenario === undefined ? {} : { scenario });
    expect([refused.status, (await create(client(), body)).status]).toEqual([400, 201]);
  },
);

test('a quote that the supplier refused to book is used: the next attempt needs a new one', async () => {
  const lastName = fresh();
  const body = await quoted(lastName);
  const refused = await create(client(), body, { scenario: 'alpine=sold_out' });
  expect([refused.status, told(await create(client(), body))]).toEqual([404, USED]);
  expect((await create(client(), await quoted(lastName))).status).toBe(201);
});

test('two quotes of one offer in the same second, and the offer itself, each book', async () => {
  const lastName = fresh();
  const bodies = await Promise.all([quoted(lastName), quoted(lastName)]);
  const again = { offer_id: offer.offer_id, driver: driver(lastName) };
  const answers = await Promise.all([...bodies, again, again].map((body) => create(client(), body)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await bookings(lastName)).toHaveLength(4);
});

test("another application's used quote is unknown, as one that was never made", async () => {
  const body = await quoted(fresh());
  await create(client(), body);
  const other = { application: 'demo-throttled' as const };
  expect(told(await create(client(), body, other))).toEqual([404, 'resource_failure', undefined, 'quote_id']);
});

describeWith('initdb')(
  'a database that loses a booking while the gateway runs, as at the failover to a late replica',
  () => {
    test.each([undefined, fresh('key')])(
      'refuses its quote without a key and with any other (first key: %s)',
      async (key) => {
        const lastName = fresh();
        const body = await quoted(lastName);
        const { reservation_id: id } = reservationOf(await create(client(), body, key === undefined ? {} : { key }));
        for (const [table, column] of [
          ['idempotency_keys', 'reservation_id'],
          ['reservation_events', 'reservation_id'],
          ['reservations', 'id'],
        ])
          await running().postgres.query(`delete from ${table} where ${column} = $1`, [id]);
        for (const options of [{}, { key: fresh('key') }, key === undefined ? {} : { key }]) {
          const answer = await create(client(), body, options);
          expect(told(answer)).toEqual([500, 'supplier_failure', 'outcome_unknown', undefined]);
          expect([answer.headers.location, answer.headers['idempotent-retry']]).toEqual([
            `${RESERVATIONS}${id}`,
            undefined,
          ]);
        }
        expect(await bookings(lastName)).toHaveLength(1);
      },
    );
  },
);
