import {
  booked,
  create,
  driver,
  fresh,
  on,
  path,
  QUICK,
  quoteOf,
  type Reservation,
  read,
  reservationOf,
  settled,
} from '../support/booking.js';
import type { Offer } from '../support/client.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

/** Suppliers that consist of a manifest only; ember is off as shipped. */
const BRANDS = { dune: 'Dune', ember: 'Ember' } as const;
const running = runGateway({ config: { ...QUICK, suppliers: { ember: { state: 'live' } } } });
const client = () => running().client;

describe.each(['dune', 'ember'] as const)('%s', (supplier) => {
  const brand = BRANDS[supplier];
  let offer: Offer;
  beforeAll(async () => {
    const answer = await client().get(vehiclesPath({ brand, max_results: '60' }));
    const found = answer.body.vehicles.find(
      ({ status, rate }) => status === 'available' && rate.payment === 'pay_later',
    );
    if (!found) throw new Error(answer.text.slice(0, 300));
    offer = found;
  });

  const book = async (more: object = {}): Promise<Reservation> =>
    booked(client(), { offer_id: offer.offer_id, driver: driver(fresh()), ...more });

  test('finds its counters by words, each once', async () => {
    const { status, body } = await client().get(locationsPath('London', { brand }));
    expect(status).toBe(200);
    expect(body.locations.length).toBeGreaterThan(1);
    expect(new Set(body.locations.map((location) => location.location_id)).size).toBe(body.locations.length);
  });

  test('prices the chosen options; the quote can be booked, read and cancelled', async () => {
    const extra = offer.extras.find(({ price_total }) => price_total !== undefined);
    const quote = await quoteOf(client(), {
      offer_id: offer.offer_id,
      extras: [{ extra_id: extra?.extra_id, quantity: 1 }],
    });
    const reservation = await booked(client(), { quote_id: quote.quote_id, driver: driver(fresh()) });
    expect(reservation).toMatchObject({ state: 'confirmed', selected_extras: [{ quantity: 1 }] });
    expect(reservation.price.total).toEqual(quote.offer.price.total);
    expect(await read(client(), reservation.reservation_id)).toMatchObject({ state: 'confirmed' });
    expect((await on(client(), 'DELETE', reservation.reservation_id)).status).toBe(204);
    expect(path(await read(client(), reservation.reservation_id))).toBe('pending confirmed cancel_pending cancelled');
  });

  test('changes a booking, or declares that it supports no changes', async () => {
    const { reservation_id: id } = await book();
    const answer = await on(client(), 'PATCH', id, { remark: 'Three cases' });
    if (supplier === 'dune') expect([answer.status, answer.errors[0]?.cause]).toEqual([400, 'unsupported_by_supplier']);
    else expect([answer.status, (await read(client(), id)).remark]).toEqual([204, 'Three cases']);
  });

  test.each([
    ['sold_out', 404, 'sold_out'],
    ['price(+50%)', 400, 'price_changed'],
  ])('%s: nothing is booked', async (verb, status, cause) => {
    const answer = await create(
      client(),
      { offer_id: offer.offer_id, driver: driver(fresh()) },
      { scenario: `${supplier}=${verb}` },
    );
    expect([answer.status, answer.errors[0]?.cause ?? answer.errors[0]?.reason]).toEqual([status, cause]);
  });

  test('finds a lost answer by our reference', async () => {
    const answer = await create(
      client(),
      { offer_id: offer.offer_id, driver: driver(fresh()) },
      { scenario: `${supplier}=lost_then_found` },
    );
    expect(answer.status).toBe(202);
    expect(path(await settled(client(), reservationOf(answer).reservation_id, ['confirmed']))).toBe(
      'pending unknown confirmed',
    );
  });

  test.each([
    ['timeout', 'timeout'],
    ['html', 'bad_payload'],
    ['garbage', 'bad_payload'],
    ['truncated', 'unavailable'],
    ['error(503)', 'unavailable'],
    ['auth', 'rejected'],
    ['throttled', 'throttled'],
  ])('reports %s in a search as %s', async (verb, cause) => {
    const answer = await client().get(vehiclesPath({ brand, timeout_ms: '1500' }), {
      headers: { 'x-sandbox-scenario': `${supplier}=${verb}` },
    });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(cause);
  });
});
