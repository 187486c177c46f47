import {
  BRANDS,
  booked,
  cents,
  create,
  driver,
  fresh,
  offerOf,
  on,
  path,
  type Quote,
  quoteOf,
  RESERVATIONS,
  read,
  reservationOf,
  SUPPLIERS,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer, Offer } from '../support/client.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const simulators = () => running().simulators;
const client = () => running().client;

const CARD = { type: 'card', credit_card_number: '4111111111111111', card_expiry: '09/39', card_holder: 'Ada Sample' };

describe.each(SUPPLIERS)('a reservation at %s', (supplier) => {
  let offer: Offer;
  let quote: Quote;
  beforeAll(async () => {
    offer = await offerOf(client(), supplier);
    const plain = await quoteOf(client(), { offer_id: offer.offer_id });
    const extra = plain.offer.extras.find(
      ({ price_total, max_quantity }) => price_total !== undefined && max_quantity > 1,
    );
    const coverage = plain.offer.coverages.find(({ price_total, included }) => price_total !== undefined && !included);
    const choice = { extras: [{ extra_id: extra?.extra_id, quantity: 2 }], coverages: [coverage?.code] };
    quote = await quoteOf(client(), { offer_id: offer.offer_id, ...choice });
  });

  test("from a quote is booked once, with the quote's extras and price", async () => {
    const lastName = fresh();
    const answer = await create(client(), { quote_id: quote.quote_id, driver: driver(lastName) });
    const reservation = reservationOf(answer);
    const bookings = await simulators().bookings(supplier, lastName);
    expect(answer.status).toBe(201);
    expect(reservation.price.total).toEqual(quote.offer.price.total);
    expect(reservation.selected_extras).toEqual(quote.selected_extras);
    expect(reservation.selected_coverages).toEqual(quote.selected_coverages);
    expect([reservation.price_drift, reservation.booked_differently]).toEqual([undefined, undefined]);
    expect(bookings).toMatchObject([
      {
        reference: reservation.reservation_id,
        confirmation: reservation.confirmation_number,
        status: 'confirmed',
        total: cents(quote.offer.price.total),
        currency: quote.offer.price.total.currency,
        pickupDate: offer.pickup.date,
        dropoffDate: offer.dropoff.date,
        sippCode: offer.vehicle.sipp_code,
        extras: [{ quantity: 2 }],
      },
    ]);
    expect(bookings[0]?.coverages).toHaveLength(1);
  });

  test("from an offer is booked without extras; the renter's remarks reach the supplier", async () => {
    const lastName = fresh();
    const arrival = { carrier_code: 'BA', flight_number: '349' };
    const body = {
      offer_id: offer.offer_id,
      driver: driver(lastName),
      arrival,
      remark: 'Two cases',
      pickup_later: supplier !== 'abg',
    };
    const reservation = await booked(client(), body);
    expect(reservation).toMatchObject({
      selected_extras: [],
      selected_coverages: [],
      arrival,
      remark: 'Two cases',
      pickup_later: body.pickup_later,
    });
    expect(await simulators().bookings(supplier, lastName)).toMatchObject([
      {
        firstName: 'Ada',
        email: 'ada@example.com',
        flight: expect.stringMatching(/^BA ?349$/),
        remark: 'Two cases',
        total: cents(offer.price.total),
        extras: [],
        coverages: [],
      },
    ]);
  });

  claim(
    ['personal-data', 'V14.3.2'],
    "A reservation is shown to its owner with its history, and its response can't be cached.",
    async () => {
      const lastName = fresh();
      const person = driver(lastName, {
        age: 42,
        licence: { number: 'S-123-456', country_code: 'US', region: 'MA' },
        address: { lines: ['1 Sample Street'], city: 'Boston', region: 'MA', postal_code: '02101', country_code: 'US' },
      });
      const answer = await create(client(), {
        offer_id: offer.offer_id,
        driver: person,
        client_reference: 'mine-1',
        notify_customer: true,
      });
      const reservation = reservationOf(answer);
      const { age: _age, ...shown } = person;
      expect([answer.status, answer.headers.location, answer.headers.etag, answer.headers['cache-control']]).toEqual([
        201,
        `${RESERVATIONS}${reservation.reservation_id}`,
        '"2"',
        'no-store',
      ]);
      expect(reservation).toMatchObject({
        state: 'confirmed',
        supplier,
        brand: BRANDS[supplier],
        client_reference: 'mine-1',
        driver: { ...shown, loyalty: [] },
        driver_age: 42,
        payment: { type: 'counter' },
        vehicle: { sipp_code: offer.vehicle.sipp_code },
        pickup: { date: offer.pickup.date, location: { code: offer.pickup.location.code } },
        dropoff: { date: offer.dropoff.date },
        rate: { payment: 'pay_later' },
        version: 2,
      });
      expect(reservation.history).toMatchObject([
        { from: null, to: 'pending', actor: 'application' },
        { from: 'pending', to: 'confirmed', actor: 'gateway' },
      ]);
      expect(answer.body.status.success).toMatchObject([{ code: '201' }]);
    },
  );

  test('reads the same by id and by confirmation number, on paths with and without version', async () => {
    const created = await booked(client(), { offer_id: offer.offer_id, driver: driver(fresh()) });
    const { reservation_id: id, confirmation_number: number } = created;
    const paths = [id, `?confirmation_number=${number}`].flatMap((end) => [
      `${RESERVATIONS}${end}`,
      `/cars/reservation/${end}`,
    ]);
    for (const address of paths) {
      const answer = await client().get(address);
      expect([
        address,
        answer.status,
        answer.headers.etag,
        answer.headers['cache-control'],
        reservationOf(answer),
      ]).toEqual([address, 200, '"2"', 'no-store', created]);
    }
  });

  test('is refused with what the supplier would not learn', async () => {
    const told = {
      additional_drivers: [{ first_name: 'Bo', last_name: 'Example' }],
      pickup_later: true,
      arrival: { carrier_code: 'BA', flight_number: '349' },
    };
    const lastName = fresh();
    const answer = await create(client(), { offer_id: offer.offer_id, driver: driver(lastName), ...told });
    const unsupported = answer.errors.map(({ cause, field }) => [cause, field]);
    expect([answer.status, unsupported]).toEqual(
      supplier === 'abg'
        ? [400, ['additional_drivers', 'pickup_later'].map((field) => ['unsupported_by_supplier', field])]
        : [201, []],
    );
    expect(await simulators().bookings(supplier, lastName)).toHaveLength(supplier === 'abg' ? 0 : 1);
  });

  test('is made, changed and cancelled alike on a path without version', async () => {
    const answer = await client().post('/cars/reservation', { offer_id: offer.offer_id, driver: driver(fresh()) });
    const { reservation_id: id } = reservationOf(answer);
    const cancelled = await client().call('DELETE', `/cars/reservation/${id}`);
    expect([answer.status, cancelled.status, (await read(client(), id)).state]).toEqual([201, 204, 'cancelled']);
  });

  test.each(['card', 'voucher'])(
    'paid by %s: booked if the supplier accepts it, else rejected without a call',
    async (type) => {
      const lastName = fresh();
      const payment = type === 'card' ? CARD : { type, voucher: '1234567' };
      const before = await simulators().calls();
      const answer = await create(client(), { offer_id: offer.offer_id, driver: driver(lastName), payment });
      const bookings = await simulators().bookings(supplier, lastName);
      if (supplier === 'dune') {
        expect(told(answer)).toEqual([400, 'invalid_request', 'unsupported_by_supplier', 'payment.type']);
        expect(bookings).toEqual([]);
        expect((await simulators().calls()) - before).toBeLessThanOrEqual(1);
        return;
      }
      expect([answer.status, bookings.length]).toEqual([201, 1]);
      expect(reservationOf(answer).payment).toEqual(type === 'card' ? { type, last_four: '1111' } : { type });
      expect(answer.text).not.toContain(CARD.credit_card_number);
    },
  );

  test.each([
    ['sold_out', 404, 'no_results', 'sold_out'],
    ['auth', 500, 'supplier_failure', 'rejected'],
    ['throttled', 500, 'supplier_failure', 'throttled'],
  ])('%s: %d %s with cause %s, and nothing is booked', async (verb, status, reason, cause) => {
    const lastName = fresh();
    const answer = await create(
      client(),
      { offer_id: offer.offer_id, driver: driver(lastName) },
      { scenario: `${supplier}=${verb}` },
    );
    expect(told(answer).slice(0, 3)).toEqual([status, reason, cause]);
    expect([await simulators().bookings(supplier, lastName), await simulators().holds(supplier)]).toEqual([[], []]);
    expect(answer.text).not.toContain(lastName);
  });

  claim('API6', 'If the price has increased, nothing is booked until the caller accepts the new total.', async () => {
    const lastName = fresh();
    const body = { offer_id: offer.offer_id, driver: driver(lastName) };
    const scenario = `${supplier}=price(+10%)`;
    const refused = await create(client(), body, { scenario });
    expect(told(refused).slice(0, 3)).toEqual([400, 'invalid_range', 'price_changed']);
    expect(await simulators().bookings(supplier, lastName)).toEqual([]);
    const now = /total is now ([\d.]+) (\w+)/.exec(refused.errors[0]?.details ?? '');
    const accepted_total = { amount: now?.[1] ?? '', currency: now?.[2] ?? '' };
    const reservation = await booked(client(), { ...body, accepted_total }, { scenario });
    expect([reservation.price.total, reservation.price_drift]).toEqual([accepted_total, undefined]);
    expect(await simulators().bookings(supplier, lastName)).toMatchObject([{ total: cents(accepted_total) }]);
  });

  test('a tolerance that covers the increase books, one cent less does not', async () => {
    const scenario = `${supplier}=price(+10%)`;
    const body = { offer_id: offer.offer_id, driver: driver(fresh()) };
    const now = /total is now ([\d.]+)/.exec(
      (await create(client(), body, { scenario })).errors[0]?.details ?? '',
    )?.[1];
    const rise = Math.round(Number(now) * 100) - cents(offer.price.total);
    const amount = (minor: number) => (minor / 100).toFixed(2);
    const short = await create(client(), { ...body, price_tolerance: amount(rise - 1) }, { scenario });
    const wide = await create(client(), { ...body, price_tolerance: amount(rise) }, { scenario });
    expect([told(short).slice(0, 3), wide.status]).toEqual([[400, 'invalid_range', 'price_changed'], 201]);
  });
});

describe('rejected callers', () => {
  test('a declined card: 400 card_declined, nothing booked', async () => {
    const payment = { ...CARD, credit_card_number: '4000000000000002' };
    for (const supplier of ['abg', 'alpine', 'bravo'] as const) {
      const lastName = fresh();
      const { offer_id } = await offerOf(client(), supplier);
      const answer = await create(client(), { offer_id, driver: driver(lastName), payment });
      expect([supplier, told(answer).slice(0, 3), await simulators().bookings(supplier, lastName)]).toEqual([
        supplier,
        [400, 'invalid_request', 'card_declined'],
        [],
      ]);
    }
  });

  claim.each(['POST', 'GET', 'PATCH', 'PUT', 'DELETE'] as const)(
    ['API5', 'V8.2.1'],
    'Every reservation operation without a subscription gets 403, and no supplier is called.',
    '%s',
    async (method) => {
      const { offer_id } = await offerOf(client(), 'alpine');
      const { reservation_id: id } = await booked(client(), { offer_id, driver: driver(fresh()) });
      const bodies = {
        POST: { offer_id, driver: driver(fresh()) },
        PATCH: { remark: 'x' },
        PUT: { offer_id },
        GET: undefined,
        DELETE: undefined,
      };
      const body = bodies[method];
      const before = await simulators().calls();
      const token = await client().token('demo-unsubscribed');
      const answer = await client().call(method, `${RESERVATIONS}${method === 'POST' ? '' : id}`, {
        token,
        ...(body ? { body } : {}),
      });
      expect([told(answer).slice(0, 2), (await simulators().calls()) - before]).toEqual([
        [403, 'permissions_failure'],
        0,
      ]);
    },
  );

  claim.each(['GET', 'PATCH', 'PUT', 'DELETE'] as const)(
    ['API1', 'V8.2.2'],
    "Every operation on another application's reservation gets exactly the response of an unknown one and changes nothing.",
    '%s',
    async (method) => {
      const { offer_id } = await offerOf(client(), 'alpine');
      const { reservation_id: id, confirmation_number: number } = await booked(client(), {
        offer_id,
        driver: driver(fresh()),
      });
      const body = { PATCH: { remark: 'mine now' }, PUT: { offer_id }, GET: undefined, DELETE: undefined }[method];
      const ask = (name: string) => on(client(), method, name, body, { application: 'demo-throttled' });
      const [foreign, unknown, byNumber] = [
        await ask(id),
        await ask(`${id.slice(0, -1)}0`),
        await ask(`?confirmation_number=${number}`),
      ];
      expect(told(foreign).slice(0, 2)).toEqual([404, 'resource_failure']);
      expect([foreign.errors, byNumber.errors]).toEqual([unknown.errors, unknown.errors]);
      expect(path(await read(client(), id))).toBe('pending confirmed');
    },
  );

  claim('API1', "Another application's reservation takes as long to reject as an unknown one.", async () => {
    const { offer_id } = await offerOf(client(), 'alpine');
    const { reservation_id: id } = await booked(client(), { offer_id, driver: driver(fresh()) });
    const ask = async (name: string): Promise<number> =>
      (await on(client(), 'GET', name, undefined, { application: 'demo-throttled' })).ms;
    // In turn, and the quickest of each: on a busy machine the others measure other processes.
    const foreign: number[] = [];
    const unknown: number[] = [];
    for (let i = 0; i < 40; i += 1) {
      foreign.push(await ask(id));
      unknown.push(await ask(`${id.slice(0, -1)}0`));
    }
    expect(Math.abs(Math.min(...foreign) - Math.min(...unknown))).toBeLessThan(3);
  });

  test.each([
    ['without an identifier', ''],
    ['with both an id and a number', 'res_AAAAAAAAAAAAAAAAAAAA?confirmation_number=AL1'],
  ])('%s: 400 that says how to name one reservation', async (_case, end) => {
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await on(client(), method, end);
      expect([told(answer).slice(0, 2), answer.errors[0]?.details]).toEqual([
        [400, 'invalid_request'],
        expect.stringContaining('confirmation_number'),
      ]);
    }
  });
});

/** Status, reason, cause and field of the first entry. */
function told(answer: HttpAnswer): unknown[] {
  const [entry] = answer.errors;
  return [answer.status, entry?.reason, entry?.cause, entry?.field];
}
