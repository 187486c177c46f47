import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { create, fresh, offerOf, on, RATES, reservationOf, SUPPLIERS, type SupplierId } from '../support/booking.js';
import type { HttpAnswer } from '../support/client.js';
import { recorded } from '../support/recorded.js';
import { sharedGateway } from '../support/shared-gateway.js';

const CARD = '5105105105105100';
const RENTER = {
  first_name: 'Philippinella',
  last_name: 'Quixotesample',
  email: 'philippinella.q@hidden.example.com',
  phone: '+49 171 5550 7788',
  date_of_birth: '1984-02-29',
};
const PAYMENT = {
  type: 'card',
  credit_card_number: CARD,
  card_expiry: '09/39',
  card_holder: 'Holderina Quixotesample',
};
/** X-Request-Ids, which the records keep. */
const own = fresh('records').toLowerCase();
const idOf = (supplier: SupplierId) => `${own}-book-${supplier}`;
const SOLD_OUT = `${own}-sold-out`;
const LAST = `${own}-last-one`;
const SECRETS =
  /philippinella|quixotesample|hidden|5550 ?7788|1984-02-29|510510|holderina|ring thrice|zq98765|fresh-key|off_|quo_|res_|\bBOS\b|Boston/i;

describeWith('initdb', 'redis-server')('records of bookings', () => {
  const running = sharedGateway();
  const client = () => running().client;
  const record = (requestId: string) => recorded(running().postgres, requestId);
  let begunAt: Date;
  const answers = new Map<string, HttpAnswer>();
  // Records are written every second, so everything that the tests look for is requested together.
  beforeAll(async () => {
    // In a second with more requests than are kept, such as the last one of another spec, those without errors are left out.
    await wait(1_100);
    begunAt = new Date();
    await Promise.all([
      ...SUPPLIERS.map(async (supplier) => answers.set(supplier, await book(supplier, idOf(supplier)))),
      book('alpine', SOLD_OUT, 'alpine=sold_out'),
    ]);
  });

  const book = async (supplier: SupplierId, requestId: string, scenario?: string) => {
    const { offer_id } = await offerOf(client(), supplier);
    const payment = supplier === 'dune' ? {} : { payment: PAYMENT };
    const body = { offer_id, price_tolerance: '900', driver: RENTER, remark: 'ring thrice', ...payment };
    const headers = { 'x-request-id': requestId };
    return create(client(), body, {
      key: fresh('fresh-key'),
      headers,
      ...(scenario === undefined ? {} : { scenario }),
    });
  };

  test.each(SUPPLIERS)(
    '%s: records the price check and then the booking call, with their instants',
    async (supplier) => {
      expect(answers.get(supplier)?.status).toBe(201);
      const { operation, status, trace } = await record(idOf(supplier));
      expect([operation, status]).toEqual(['createReservation', 201]);
      expect(trace.calls.map((call) => [call.supplier, call.operation, call.outcome])).toEqual([
        [supplier, 'priceCheck', 'answered'],
        [supplier, 'book', 'answered'],
      ]);
      const [check, booking] = trace.calls;
      expect(Number(booking?.startMs)).toBeGreaterThanOrEqual(Number(check?.endMs));
      for (const { exchanges } of trace.calls)
        expect(exchanges.flat().every((instant) => typeof instant === 'number')).toBe(true);
      // A supplier that holds first is called twice.
      expect(booking?.exchanges).toHaveLength(supplier === 'dune' ? 2 : 1);
    },
  );

  test('a car that is sold out: the booking call fails with that cause, and the entry says so', async () => {
    const { trace } = await record(SOLD_OUT);
    expect(trace.calls.map(({ operation, cause }) => [operation, cause])).toEqual([
      ['priceCheck', undefined],
      ['book', 'sold_out'],
    ]);
    expect(trace.entries).toEqual([{ reason: 'no_results', supplier: 'alpine', cause: 'sold_out' }]);
  });

  test('no row contains personal data, card data, an id or a place, whatever was sent and whatever the outcome', async () => {
    const live = async (supplier: SupplierId) => {
      for (const verb of ['garbage', 'html', 'error(500)', 'auth', 'lost_then_found'])
        await book(supplier, `${own}-${verb}`.replace(/\W/g, '-'), `${supplier}=${verb}`);
      const { offer_id } = await offerOf(client(), supplier);
      const wrong = { ...RENTER, email: 'Quixotesample at hidden', Philippinella: 'x' };
      await create(client(), { offer_id, driver: wrong, Quixotesample: RENTER.email });
      await client().post(RATES, { offer_id, date_of_birth: RENTER.date_of_birth, [RENTER.last_name]: 1 });
      await on(client(), 'GET', `?last_name=${RENTER.last_name}&${RENTER.first_name}=1`);
      const made = reservationOf(await book(supplier, `${own}-change-${supplier}`));
      await on(client(), 'PATCH', made.reservation_id, { driver: { email: 'changed@hidden.example.com' } });
      await on(client(), 'DELETE', made.reservation_id);
    };
    await Promise.all(SUPPLIERS.map(live));
    // In a second with more requests than are kept, those without errors are left out.
    await wait(1_100);
    const last = await client().get('/cars/locations/v1/?keyword=Boston', { headers: { 'x-request-id': LAST } });
    expect([last.status, last.headers['x-request-id']]).toEqual([200, LAST]);
    await record(LAST);
    const rows = await running().postgres.query(
      'select row_to_json(r)::text as line from request_log r where at >= $1',
      [begunAt],
    );
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.flatMap(({ line }) => SECRETS.exec(String(line)) ?? [])).toEqual([]);
  });
});
