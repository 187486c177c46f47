import { describeWith } from '../support/binaries.js';
import {
  create,
  fresh,
  offerOf,
  on,
  QUICK,
  RATES,
  reservationOf,
  SECRET,
  SUPPLIERS,
  type SupplierId,
} from '../support/booking.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { recorded } from '../support/recorded.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

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
const SECRETS =
  /philippinella|quixotesample|hidden|5550 ?7788|1984-02-29|510510|holderina|ring thrice|zq98765|fresh-key|off_|quo_|res_|\bBOS\b|Boston/i;

describeWith('initdb')('records of bookings', () => {
  let postgres: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  beforeAll(async () => {
    postgres = await freshDatabase();
    gateway = await startGateway({ env: { DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET }, config: QUICK });
    client = await Client.of(gateway);
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await postgres.dispose();
  });

  const book = async (supplier: SupplierId, requestId: string, scenario?: string) => {
    const { offer_id } = await offerOf(client, supplier);
    const payment = supplier === 'dune' ? {} : { payment: PAYMENT };
    const body = { offer_id, price_tolerance: '900', driver: RENTER, remark: 'ring thrice', ...payment };
    const headers = { 'x-request-id': requestId };
    return create(client, body, { key: fresh('fresh-key'), headers, ...(scenario === undefined ? {} : { scenario }) });
  };

  test.each(SUPPLIERS)(
    '%s: records the price check and then the booking call, with their instants',
    async (supplier) => {
      expect((await book(supplier, `records-book-${supplier}`)).status).toBe(201);
      const { operation, status, trace } = await recorded(postgres, `records-book-${supplier}`);
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
    await book('alpine', 'records-sold-out', 'alpine=sold_out');
    const { trace } = await recorded(postgres, 'records-sold-out');
    expect(trace.calls.map(({ operation, cause }) => [operation, cause])).toEqual([
      ['priceCheck', undefined],
      ['book', 'sold_out'],
    ]);
    expect(trace.entries).toEqual([{ reason: 'no_results', supplier: 'alpine', cause: 'sold_out' }]);
  });

  test('no row contains personal data, card data, an id or a place, whatever was sent and whatever the outcome', async () => {
    for (const supplier of SUPPLIERS) {
      for (const verb of ['garbage', 'html', 'error(500)', 'auth', 'lost_then_found'])
        await book(supplier, `verb-${verb}`.replace(/\W/g, '-'), `${supplier}=${verb}`);
      const { offer_id } = await offerOf(client, supplier);
      const wrong = { ...RENTER, email: 'Quixotesample at hidden', Philippinella: 'x' };
      await create(client, { offer_id, driver: wrong, Quixotesample: RENTER.email });
      await client.post(RATES, { offer_id, date_of_birth: RENTER.date_of_birth, [RENTER.last_name]: 1 });
      await on(client, 'GET', `?last_name=${RENTER.last_name}&${RENTER.first_name}=1`);
      const made = reservationOf(await book(supplier, `records-change-${supplier}`));
      await on(client, 'PATCH', made.reservation_id, { driver: { email: 'changed@hidden.example.com' } });
      await on(client, 'DELETE', made.reservation_id);
    }
    await client.get('/cars/locations/v1/?keyword=Boston', { headers: { 'x-request-id': 'records-last-one' } });
    await recorded(postgres, 'records-last-one');
    const rows = await postgres.query('select row_to_json(r)::text as line from request_log r');
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.flatMap(({ line }) => SECRETS.exec(String(line)) ?? [])).toEqual([]);
  });
});
