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
  quoteOf,
  RESERVATIONS,
  type Reservation,
  read,
  reservationOf,
  SUPPLIERS,
  type SupplierId,
  settled,
} from '../support/booking.js';
import { Client, type HttpAnswer, type Offer } from '../support/client.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';
import { type SupplierTap, startTap } from '../support/supplier-tap.js';

const running = sharedGateway();
const simulators = () => running().simulators;
const client = () => running().client;

const CHANGEABLE = ['abg', 'alpine', 'bravo'] as const satisfies readonly SupplierId[];
const REPRESENTATION = { headers: { prefer: 'return=representation' } };
const LATER = { pickup_date: dayAhead(60), dropoff_date: dayAhead(65) };

let offers: Record<SupplierId, Offer>;
let laterOffers: Record<SupplierId, Offer>;
beforeAll(async () => {
  const all = (changes: Record<string, string>) =>
    Promise.all(SUPPLIERS.map(async (id) => [id, await offerOf(client(), id, changes)] as const)).then(
      Object.fromEntries,
    );
  [offers, laterOffers] = [await all({}), await all(LATER)];
});

async function book(
  supplier: SupplierId,
  more: object = {},
): Promise<{ id: string; lastName: string; before: Reservation }> {
  const lastName = fresh();
  const before = await booked(client(), { offer_id: offers[supplier].offer_id, driver: driver(lastName), ...more });
  return { id: before.reservation_id, lastName, before };
}

/** The one booking of a renter. Throws if there are none or several. */
async function theBooking(supplier: SupplierId, lastName: string) {
  const [booking, ...others] = await simulators().bookings(supplier, lastName);
  if (!booking || others.length > 0) throw new Error(`${others.length + (booking ? 1 : 0)} bookings`);
  return booking;
}

function told(answer: HttpAnswer): unknown[] {
  const [entry] = answer.errors;
  return [answer.status, entry?.reason, entry?.cause];
}

describe.each(CHANGEABLE)('a part of a reservation at %s is changed', (supplier) => {
  const CARD = { credit_card_number: '4111111111111111', card_expiry: '09/39', card_holder: 'Ada Sample' };
  const ARRIVAL = { carrier_code: 'LH', flight_number: '422' };
  const ADDRESS = { lines: ['2 Other Street'], city: 'Lynn', country_code: 'US' };

  test.each([
    [
      'contact',
      { driver: { email: 'new@example.com', phone: '+1 617 555 0199' } },
      { driver: { email: 'new@example.com', phone: '+1 617 555 0199' } },
      { email: 'new@example.com', phone: expect.stringContaining('0199') },
    ],
    ['address', { driver: { address: ADDRESS } }, { driver: { address: ADDRESS } }, {}],
    ['arrival', { arrival: ARRIVAL }, { arrival: ARRIVAL }, { flight: expect.stringMatching(/^LH ?422$/) }],
    ['remark', { remark: 'Three cases' }, { remark: 'Three cases' }, { remark: 'Three cases' }],
    [
      'pickup_later',
      { pickup_later: supplier !== 'abg', arrival: ARRIVAL },
      { pickup_later: supplier !== 'abg' },
      { flight: expect.stringMatching(/^LH ?422$/) },
    ],
  ])('%s: 204, shown afterwards, and in the supplier’s book', async (_kind, body, shown, kept) => {
    const { id, lastName, before } = await book(supplier);
    const answer = await on(client(), 'PATCH', id, body);
    const after = await read(client(), id);
    expect([answer.status, answer.text, answer.headers.etag, answer.headers['cache-control']]).toEqual([
      204,
      '',
      `"${after.version}"`,
      'no-store',
    ]);
    expect(after).toMatchObject({ ...shown, state: 'confirmed', confirmation_number: before.confirmation_number });
    expect(after.price.total).toEqual(before.price.total);
    expect(path(after)).toBe('pending confirmed modify_pending confirmed');
    expect(await theBooking(supplier, lastName)).toMatchObject({
      ...kept,
      total: cents(before.price.total),
      status: 'confirmed',
    });
  });

  if (supplier === 'abg')
    test('not to a late pickup, which cannot be sent', async () => {
      const { id, before } = await book(supplier);
      const { errors, status } = await on(client(), 'PATCH', id, { pickup_later: true, arrival: ARRIVAL });
      expect([status, errors[0]?.cause, errors[0]?.field]).toEqual([400, 'unsupported_by_supplier', 'pickup_later']);
      expect((await read(client(), id)).version).toBe(before.version);
    });

  if (supplier === 'abg')
    test('with what was read, also a late pickup that was not sent', async () => {
      const { id } = await book(supplier, { arrival: ARRIVAL });
      await running().postgres.query(
        `update reservations set rental = jsonb_set(rental::jsonb, '{pickupLater}', 'true') where id = $1`,
        [id],
      );
      const body = { pickup_later: true, remark: 'Three cases' };
      expect((await on(client(), 'PATCH', id, body)).status).toBe(204);
      expect(await read(client(), id)).toMatchObject(body);
    });

  test('changing extras and coverages reprices; price, list and the supplier’s book agree; removing them restores the price', async () => {
    const { id, lastName, before } = await book(supplier);
    const { offer } = await quoteOf(client(), { offer_id: offers[supplier].offer_id });
    const extra = offer.extras.find(({ price_total, max_quantity }) => price_total && max_quantity > 1);
    const coverage = offer.coverages.find(({ price_total, included }) => price_total && !included);
    const dearer = cents(before.price.total) + 2 * cents(extra?.price_total) + cents(coverage?.price_total);
    const body = { extras: [{ extra_id: extra?.extra_id, quantity: 2 }], coverages: [coverage?.code] };
    const unsaid = await on(client(), 'PATCH', id, body, REPRESENTATION);
    expect([unsaid.status, unsaid.errors[0]?.field]).toEqual([400, 'accepted_total']);
    const { currency } = before.price.total;
    const accepted_total = { amount: /total is (\d+(?:\.\d+)?) /.exec(unsaid.errors[0]?.details ?? '')?.[1], currency };
    const added = await on(client(), 'PATCH', id, { ...body, accepted_total }, REPRESENTATION);
    expect([added.status, added.headers['preference-applied']]).toEqual([200, 'return=representation']);
    expect(cents(reservationOf(added).price.total)).toBe(dearer);
    expect(reservationOf(added)).toMatchObject({
      selected_extras: [{ quantity: 2 }],
      selected_coverages: [{ code: coverage?.code }],
    });
    expect(await theBooking(supplier, lastName)).toMatchObject({
      total: dearer,
      extras: [{ quantity: 2 }],
      coverages: [expect.anything()],
    });

    const removed = reservationOf(await on(client(), 'PATCH', id, { extras: [], coverages: [] }, REPRESENTATION));
    expect([removed.selected_extras, removed.selected_coverages, removed.price.total]).toEqual([
      [],
      [],
      before.price.total,
    ]);
    expect(await theBooking(supplier, lastName)).toMatchObject({
      total: cents(before.price.total),
      extras: [],
      coverages: [],
    });
  });

  if (supplier === 'abg')
    test.each([
      ['remark', { remark: 'Three cases' }],
      [
        'extras',
        { extras: [{ extra_id: 'ADD', quantity: 1 }], accepted_total: { amount: '9999.00', currency: 'USD' } },
      ],
    ])('%s: at the booked rate, though the car costs more today', async (_kind, body) => {
      const { id, lastName, before } = await book(supplier);
      const dearer = await on(client(), 'PATCH', id, body, { ...REPRESENTATION, scenario: `${supplier}=price(+20%)` });
      const { price, price_drift } = reservationOf(dearer);
      expect([dearer.status, price.base, price_drift]).toEqual([200, before.price.base, undefined]);
      expect((await theBooking(supplier, lastName)).total).toBe(cents(price.total));
      const rows = await running().postgres.query('select rental from reservations where id = $1', [id]);
      expect(JSON.stringify(rows)).not.toContain('rateGuarantee');
    });

  if (supplier === 'abg')
    test('what extras add to a booking that was paid by card is due at the counter', async () => {
      const offer = await offerOf(client(), supplier, {}, ({ rate }) => rate.payment === 'pay_now');
      const payment = { type: 'card', ...CARD };
      const before = await booked(client(), { offer_id: offer.offer_id, driver: driver(fresh()), payment });
      const body = {
        extras: [{ extra_id: 'ADD', quantity: 1 }],
        accepted_total: { amount: '9999.00', currency: 'USD' },
      };
      const { price } = reservationOf(await on(client(), 'PATCH', before.reservation_id, body, REPRESENTATION));
      expect(price.due_now).toEqual(before.price.total);
      expect(cents(price.due_at_counter)).toBe(cents(price.total) - cents(before.price.total));
      expect(cents(price.due_at_counter)).toBeGreaterThan(0);
      const later = await offerOf(client(), supplier, {}, ({ price: { due_now } }) => cents(due_now) === 0);
      const put = await on(client(), 'PUT', before.reservation_id, { offer_id: later.offer_id });
      const { payment: shown, price: due } = reservationOf(put);
      expect([shown.paid, cents(due.due_now)]).toEqual([before.price.total, 0]);
    });

  if (supplier === 'abg')
    test('an offer that is paid when it is booked does not replace a booking that a card only guarantees', async () => {
      const [later, now] = [
        await offerOf(client(), supplier, {}, ({ price }) => cents(price.due_now) === 0),
        await offerOf(client(), supplier, {}, ({ rate }) => rate.payment === 'pay_now'),
      ];
      const payment = { type: 'card', ...CARD };
      const before = await booked(client(), { offer_id: later.offer_id, driver: driver(fresh()), payment });
      const refused = await on(client(), 'PUT', before.reservation_id, { offer_id: now.offer_id });
      expect([refused.status, refused.errors.map(({ field }) => field)]).toEqual([400, ['offer_id']]);
      expect(refused.errors[0]?.details).toContain('a change sends no card');
      const other = await on(client(), 'PUT', before.reservation_id, { offer_id: later.offer_id });
      expect(other.status).toBe(200);
    });

  test('null removes a part, including at the supplier', async () => {
    const { id, lastName } = await book(supplier, { arrival: ARRIVAL, remark: 'Two cases' });
    const answer = await on(
      client(),
      'PATCH',
      id,
      { arrival: null, remark: null, driver: { phone: null } },
      REPRESENTATION,
    );
    const after = reservationOf(answer);
    expect([after.arrival, after.remark, after.driver?.phone]).toEqual([undefined, undefined, undefined]);
    const booking = await theBooking(supplier, lastName);
    expect([booking.flight, booking.phone]).toEqual([undefined, undefined]);
    expect(booking.remark).not.toBe('Two cases');
  });

  test('a change without effect succeeds without a call', async () => {
    const { id, before } = await book(supplier, { remark: 'Two cases' });
    const calls = await simulators().calls();
    const answer = await on(client(), 'PATCH', id, { remark: 'Two cases', driver: { email: 'ada@example.com' } });
    expect([answer.status, answer.headers.etag, await simulators().calls()]).toEqual([
      204,
      `"${before.version}"`,
      calls,
    ]);
  });

  test('a change that the supplier refuses leaves the reservation confirmed and unchanged', async () => {
    const { id, lastName, before } = await book(supplier);
    const answer = await on(client(), 'PATCH', id, { remark: 'Three cases' }, { scenario: `${supplier}=auth` });
    const after = await read(client(), id);
    expect(told(answer)).toEqual([500, 'supplier_failure', 'rejected']);
    expect([after.state, after.remark, after.price.total]).toEqual(['confirmed', undefined, before.price.total]);
    expect((await theBooking(supplier, lastName)).remark).not.toBe('Three cases');
  });

  test('an extra above the accepted price: 400 price_changed, nothing changed', async () => {
    const { id, lastName, before } = await book(supplier);
    const { offer } = await quoteOf(client(), { offer_id: offers[supplier].offer_id });
    const extras = [{ extra_id: offer.extras.find(({ price_total }) => price_total)?.extra_id }];
    const answer = await on(client(), 'PATCH', id, { extras, accepted_total: before.price.total });
    expect(told(answer)).toEqual([400, 'invalid_range', 'price_changed']);
    expect(path(await read(client(), id))).toBe('pending confirmed');
    expect((await theBooking(supplier, lastName)).extras).toEqual([]);
  });
});

describe.each(CHANGEABLE)('the rental of a reservation at %s is replaced', (supplier) => {
  test('by a fresh offer with other dates: 200 with the new price; the same booking is changed and keeps its driver', async () => {
    const { id, lastName, before } = await book(supplier, { remark: 'Two cases' });
    const offer = laterOffers[supplier];
    const answer = await on(client(), 'PUT', id, { offer_id: offer.offer_id });
    const after = reservationOf(answer);
    expect([answer.status, answer.headers.etag]).toEqual([200, `"${after.version}"`]);
    expect(after).toMatchObject({
      state: 'confirmed',
      confirmation_number: before.confirmation_number,
      driver: before.driver,
      pickup: { date: LATER.pickup_date },
      dropoff: { date: LATER.dropoff_date },
      price: { total: offer.price.total },
    });
    expect([after.remark, after.price_drift, after.booked_differently]).toEqual([before.remark, undefined, undefined]);
    expect(path(after)).toBe('pending confirmed modify_pending confirmed');
    expect(await theBooking(supplier, lastName)).toMatchObject({
      pickupDate: LATER.pickup_date,
      dropoffDate: LATER.dropoff_date,
      sippCode: offer.vehicle.sipp_code,
      total: cents(offer.price.total),
    });
    expect(await read(client(), id)).toEqual(after);
  });

  test('by a quote: includes its extras', async () => {
    const { id, lastName } = await book(supplier);
    const plain = await quoteOf(client(), { offer_id: laterOffers[supplier].offer_id });
    const extra = plain.offer.extras.find(({ price_total }) => price_total);
    const quote = await quoteOf(client(), {
      offer_id: laterOffers[supplier].offer_id,
      extras: [{ extra_id: extra?.extra_id }],
    });
    const after = reservationOf(await on(client(), 'PUT', id, { quote_id: quote.quote_id }));
    expect([after.selected_extras, after.price.total]).toEqual([quote.selected_extras, quote.offer.price.total]);
    expect(await theBooking(supplier, lastName)).toMatchObject({
      total: cents(quote.offer.price.total),
      extras: [{ quantity: 1 }],
    });
  });

  test('refused by the supplier: 404 sold_out, the old rental stays booked', async () => {
    const { id, lastName, before } = await book(supplier);
    const answer = await on(
      client(),
      'PUT',
      id,
      { offer_id: laterOffers[supplier].offer_id },
      { scenario: `${supplier}=sold_out` },
    );
    expect(told(answer)).toEqual([404, 'no_results', 'sold_out']);
    expect(await read(client(), id)).toMatchObject({ state: 'confirmed', pickup: before.pickup, price: before.price });
    expect(await theBooking(supplier, lastName)).toMatchObject({
      pickupDate: before.pickup.date,
      total: cents(before.price.total),
    });
  });

  test('by an offer of another supplier: 400 naming the field, no supplier is called', async () => {
    const { id } = await book(supplier);
    const calls = await simulators().calls();
    const answer = await on(client(), 'PUT', id, { offer_id: offers.dune.offer_id });
    expect([answer.status, answer.errors[0]?.reason, answer.errors[0]?.field]).toEqual([
      400,
      'invalid_range',
      'offer_id',
    ]);
    expect(await simulators().calls()).toBe(calls);
  });
});

describe('a change whose answer is lost', () => {
  // It takes a second to resolve, so that of all suppliers are made together.
  test('to a part: 500 outcome_unknown, then resolved automatically as made', async () => {
    await Promise.all(CHANGEABLE.map(loseChange));
  });

  test('to the rental: 202, then resolved automatically as made', async () => {
    await Promise.all(CHANGEABLE.map(loseReplacement));
  });

  async function loseChange(supplier: SupplierId) {
    const { id, lastName } = await book(supplier);
    const answer = await on(
      client(),
      'PATCH',
      id,
      { remark: 'Three cases' },
      { scenario: `${supplier}=lost_then_found` },
    );
    expect([...told(answer), answer.headers.location, answer.headers['retry-after']]).toEqual([
      500,
      'supplier_failure',
      'outcome_unknown',
      `${RESERVATIONS}${id}`,
      '5',
    ]);
    const after = await settled(client(), id, ['confirmed', 'manual_review']);
    expect([after.state, after.remark]).toEqual(['confirmed', 'Three cases']);
    expect(await theBooking(supplier, lastName)).toMatchObject({ remark: 'Three cases' });
  }

  async function loseReplacement(supplier: SupplierId) {
    const { id, lastName } = await book(supplier);
    const answer = await on(
      client(),
      'PUT',
      id,
      { offer_id: laterOffers[supplier].offer_id },
      { scenario: `${supplier}=lost_then_found` },
    );
    expect([answer.status, reservationOf(answer).state, answer.headers['retry-after']]).toEqual([202, 'unknown', '5']);
    const after = await settled(client(), id, ['confirmed', 'manual_review']);
    expect([after.state, after.pickup.date, after.price.total]).toEqual([
      'confirmed',
      LATER.pickup_date,
      laterOffers[supplier].price.total,
    ]);
    expect((await theBooking(supplier, lastName)).pickupDate).toBe(LATER.pickup_date);
  }
});

test('a rental is not replaced by an offer of the supplier’s other brand: 400 naming the field, no supplier is called', async () => {
  const { id } = await book('bravo');
  const { offer_id } = await offerOf(client(), 'bravo', { brand: 'Bravo Select' });
  const calls = await simulators().calls();
  const answer = await on(client(), 'PUT', id, { offer_id });
  expect([answer.status, answer.errors[0]?.reason, answer.errors[0]?.field]).toEqual([
    400,
    'invalid_range',
    'offer_id',
  ]);
  expect(await simulators().calls()).toBe(calls);
});

describe('between the gateway and bravo or ember', () => {
  let tap: SupplierTap;
  let ember: SupplierTap;
  let gateway: Gateway;
  let guest: Client;
  beforeAll(async () => {
    tap = await startTap(simulators().urls.bravo);
    ember = await startTap(simulators().env.SUPPLIER_EMBER_URL ?? '');
    gateway = await startGateway({
      config: { suppliers: { ember: { state: 'live' } } },
      env: { ...simulators().env, SUPPLIER_BRAVO_URL: tap.url, SUPPLIER_EMBER_URL: ember.url },
    });
    guest = await Client.of(gateway);
  });
  afterAll(async () => {
    guest.close();
    await gateway.stop();
    await tap.close();
    await ember.close();
  });

  test('a changed booking has the new number that the supplier gives it, and is changed once', async () => {
    const found = await guest.get(vehiclesPath({ brand: 'Ember', max_results: '60' }));
    const offer = found.body.vehicles.find(
      ({ status, rate }) => status === 'available' && rate.payment === 'pay_later',
    );
    const before = await booked(guest, { offer_id: offer?.offer_id, driver: driver(fresh()) });
    const number = before.confirmation_number ?? '';
    const next = String(Number(number) + 1);
    const shown: string[] = [];
    // As it was when it is looked up before the change.
    ember.rewrite((text) => {
      if (!text.includes(`"no":${number}`) || shown.push(text) === 1) return text;
      return text.replace(`"no":${number}`, `"no":${next}`);
    });
    expect((await on(guest, 'PATCH', before.reservation_id, { remark: 'Three cases' })).status).toBe(204);
    const after = await read(guest, before.reservation_id);
    expect([after.state, after.confirmation_number, after.remark]).toEqual(['confirmed', next, 'Three cases']);
    expect(ember.calls.filter((call) => call.startsWith('PUT'))).toEqual([`PUT /rest/bookings/${number}`]);
  });

  test('a rental is replaced by exactly the other offer: nothing that only the old one had is sent', async () => {
    const codes = { discount_codes: [{ type: 'corporate', value: 'CORP15' }] };
    const rental = { pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33) };
    const { body } = await guest.post('/cars/catalog/v1/vehicles', { ...rental, ...codes, brand: [BRANDS.bravo] });
    const reduced = body.vehicles.find(({ status, rate }) => status === 'available' && rate.payment === 'pay_later');
    const before = await booked(guest, { offer_id: reduced?.offer_id, driver: driver(fresh()) });
    expect(tap.bodies.at(-1)).toContain('CORP15');
    const { offer_id } = await offerOf(guest, 'bravo', LATER);
    const sent = tap.bodies.length;
    expect((await on(guest, 'PUT', before.reservation_id, { offer_id })).status).toBe(200);
    expect(tap.bodies.slice(sent).map((body) => /OTA_Veh\w+RQ/.exec(body)?.[0])).toEqual([
      'OTA_VehRateRuleRQ',
      'OTA_VehRetResRQ',
      'OTA_VehModifyRQ',
    ]);
    expect(tap.bodies.slice(sent).join()).not.toContain('CORP15');
  });

  test('a rental is not replaced by an offer that the supplier accepts manually: 400, nothing is sent', async () => {
    const before = await booked(guest, { offer_id: (await offerOf(guest, 'bravo')).offer_id, driver: driver(fresh()) });
    const { offer_id } = await offerOf(guest, 'bravo', LATER, ({ status }) => status === 'on_request');
    const sent = tap.calls.length;
    const answer = await on(guest, 'PUT', before.reservation_id, { offer_id });
    expect(told(answer)).toEqual([400, 'invalid_request', 'not_changeable']);
    expect(answer.errors[0]).toMatchObject({
      field: 'offer_id',
      details: expect.stringContaining('accept this change manually'),
    });
    expect(tap.calls.length - sent).toBe(2);
    expect(tap.bodies.slice(sent).join()).not.toContain('OTA_VehModify');
    // The same if the price check states no status, as OpenTravel's samples.
    tap.rewrite((text) => (text.includes('OTA_VehRateRuleRS') ? text.replaceAll(' Status=', ' Unread=') : text));
    expect(told(await on(guest, 'PUT', before.reservation_id, { offer_id }))).toEqual(told(answer));
    expect((await quoteOf(guest, { offer_id })).offer.status).toBe('on_request');
    tap.rewrite((text) => text);
    expect(await read(guest, before.reservation_id)).toMatchObject({ state: 'confirmed', version: before.version });
  });

  test('worse terms than shown: 400 offer_changed naming them, nothing is booked or changed; a new quote is booked', async () => {
    const lastName = fresh();
    const unlimited = ({ status, rate, distance_policy }: Offer) =>
      status === 'available' && rate.payment === 'pay_later' && distance_policy.some((one) => one.unlimited);
    const { offer_id } = await offerOf(guest, 'bravo', LATER, unlimited);
    const now = await offerOf(guest, 'bravo', undefined, unlimited);
    const before = await booked(guest, { offer_id: now.offer_id, driver: driver(fresh()) });
    const { quote_id, offer } = await quoteOf(guest, { offer_id });
    const extra = offer.extras.find(({ price_total }) => price_total);
    tap.rewrite((text) =>
      text.includes('OTA_VehRateRuleRS') ? text.replaceAll('Unlimited="true"', 'Quantity="9"    ') : text,
    );
    const changed = [400, 'invalid_request', 'offer_changed'];
    for (const named of [{ offer_id }, { quote_id }]) {
      const answer = await create(guest, { ...named, driver: driver(lastName) });
      expect(told(answer)).toEqual(changed);
      expect(answer.errors[0]).toMatchObject({
        field: Object.keys(named)[0],
        details: expect.stringContaining('the distance is no longer unlimited'),
      });
      expect(told(await on(guest, 'PUT', before.reservation_id, named))).toEqual(changed);
    }
    const patched = await on(guest, 'PATCH', before.reservation_id, {
      extras: [{ extra_id: extra?.extra_id, quantity: 1 }],
      accepted_total: { amount: '9999.00', currency: before.price.total.currency },
    });
    expect(told(patched)).toEqual(changed);
    expect(patched.errors[0]?.details).toContain('the distance is no longer unlimited. Nothing was changed.');
    expect(await simulators().bookings('bravo', lastName)).toEqual([]);
    expect(await read(guest, before.reservation_id)).toMatchObject({ version: before.version });
    const again = await quoteOf(guest, { offer_id });
    await booked(guest, { quote_id: again.quote_id, driver: driver(lastName) });
    tap.rewrite((text) => text);
  });

  test('a booking of another car at another place is confirmed, and says so until it is as accepted', async () => {
    const { offer_id, vehicle } = await offerOf(guest, 'bravo');
    const sippCode = vehicle.sipp_code ?? '';
    const other = `${sippCode.startsWith('X') ? 'P' : 'X'}${sippCode.slice(1)}`;
    tap.rewrite((text) =>
      text.includes('OTA_VehResRS')
        ? text.replaceAll(sippCode, other).replaceAll(/(<PickUpLocation [^>]*)BOS/g, '$1LAX')
        : text,
    );
    const before = await booked(guest, { offer_id, driver: driver(fresh()) });
    expect(before).toMatchObject({
      state: 'confirmed',
      state_reason: 'booked, but with another vehicle class, another pickup location',
      vehicle: { sipp_code: sippCode },
      booked_differently: { sipp_code: other, pickup_code: 'LAX' },
    });
    tap.rewrite((text) => text);
    const answer = await on(guest, 'PATCH', before.reservation_id, { remark: 'Three cases' }, REPRESENTATION);
    expect(reservationOf(answer).booked_differently).toBeUndefined();
  });

  test('an extra that the supplier has only on request is not booked: the reservation and its voucher say so until it is', async () => {
    const offer = await offerOf(guest, 'bravo');
    const seat = offer.extras.find(({ code }) => code === '8');
    const { quote_id } = await quoteOf(guest, {
      offer_id: offer.offer_id,
      extras: [{ extra_id: seat?.extra_id, quantity: 1 }],
    });
    const before = await booked(guest, { quote_id, driver: driver('Requested') });
    const shown = { unconfirmed_extras: [seat?.extra_id] };
    expect(before).toMatchObject({
      state: 'confirmed',
      state_reason: 'booked, but with extras that are not confirmed',
      booked_differently: shown,
    });
    const id = before.reservation_id;
    expect((await read(guest, id)).booked_differently).toEqual(shown);
    const voucher = await guest.get(`/cars/reservation/v1/${id}/voucher`);
    expect(JSON.parse(voucher.text).voucher).toMatchObject({ booked_differently: shown });
    tap.rewrite((text) => text.replace(/<(\w+:)?Warnings>.*<\/(\w+:)?Warnings>/s, ({ length }) => ' '.repeat(length)));
    expect((await on(guest, 'PATCH', id, { remark: 'Three cases' })).status).toBe(204);
    tap.rewrite((text) => text);
    expect((await read(guest, id)).booked_differently).toBeUndefined();
  });

  test('a booking that the supplier makes for another time is not confirmed: manual review, with its number', async () => {
    const { offer_id } = await offerOf(guest, 'bravo');
    const lastName = fresh();
    tap.rewrite((text) =>
      /OTA_Veh(Ret)?ResRS/.test(text) ? text.replaceAll(/(PickUpDateTime="[\d-]+T)\d\d:/g, '$123:') : text,
    );
    const answer = await create(guest, { offer_id, driver: driver(lastName) });
    expect([answer.status, reservationOf(answer).state]).toEqual([202, 'unknown']);
    const { reservation_id: id } = reservationOf(answer);
    const found = await settled(guest, id, ['manual_review', 'confirmed', 'failed'], 20_000);
    tap.rewrite((text) => text);
    expect(found).toMatchObject({
      state: 'manual_review',
      state_reason: 'the supplier shows the booking for other dates than requested',
      confirmation_number: (await theBooking('bravo', lastName)).confirmation,
    });
  });

  test('extras that the supplier prices only with another car: 400 offer_changed naming both classes, nothing is changed', async () => {
    const lastName = fresh();
    const { offer_id } = await offerOf(guest, 'bravo');
    const { offer } = await quoteOf(guest, { offer_id });
    const before = await booked(guest, { offer_id, driver: driver(lastName) });
    const extra = offer.extras.find(({ price_total }) => price_total);
    const { sipp_code: sippCode = '' } = before.vehicle;
    const other = `${sippCode.startsWith('X') ? 'P' : 'X'}${sippCode.slice(1)}`;
    tap.rewrite((text) => text.replaceAll(sippCode, other));
    const calls = tap.calls.length;
    const answer = await on(guest, 'PATCH', before.reservation_id, {
      extras: [{ extra_id: extra?.extra_id, quantity: 1 }],
      accepted_total: { amount: '9999.00', currency: before.price.total.currency },
    });
    expect(told(answer)).toEqual([400, 'invalid_request', 'offer_changed']);
    expect(answer.errors[0]?.details).toContain(`the vehicle class would change from ${sippCode} to ${other}`);
    // The price and the look-up.
    expect(tap.calls.length - calls).toBe(2);
    expect(tap.bodies.slice(calls).join()).not.toContain('OTA_VehModify');
    expect(await theBooking('bravo', lastName)).toMatchObject({ status: 'confirmed', extras: [] });
    expect(await read(guest, before.reservation_id)).toMatchObject({ state: 'confirmed', version: before.version });
  });
});

test('a reservation can be changed 100 times; then changes are refused, and it can be read and cancelled', async () => {
  const { id } = await book('alpine');
  const change = (count: number) => on(client(), 'PATCH', id, { remark: `Change ${count}` });
  for (let count = 1; count <= 100; count += 1) expect((await change(count)).status).toBe(204);
  const refused = await change(101);
  expect(told(refused)).toEqual([400, 'invalid_request', 'too_many_changes']);
  expect(refused.errors[0]?.details).toContain('You can still read and cancel it.');
  const put = await on(client(), 'PUT', id, { offer_id: laterOffers.alpine.offer_id });
  expect(told(put)).toEqual([400, 'invalid_request', 'too_many_changes']);
  expect(await read(client(), id)).toMatchObject({ state: 'confirmed', remark: 'Change 100' });
  expect((await on(client(), 'DELETE', id)).status).toBe(204);
}, 120_000);

describe('dune, which supports no changes', () => {
  test.each([
    ['driver', { driver: { email: 'new@example.com' } }],
    ['remark', { remark: 'Three cases' }],
    ['arrival', { arrival: { carrier_code: 'LH', flight_number: '422' } }],
    ['extras', { extras: [{ extra_id: 'INFANT_SEAT' }] }],
    ['coverages', { coverages: ['LDW'] }],
  ])('PATCH %s: 400 unsupported_by_supplier naming it, no call', async (field, body) => {
    const { id } = await book('dune');
    const calls = await simulators().calls();
    const answer = await on(client(), 'PATCH', id, body);
    expect([...told(answer), answer.errors[0]?.field]).toEqual([
      400,
      'invalid_request',
      'unsupported_by_supplier',
      field,
    ]);
    expect(await simulators().calls()).toBe(calls);
  });

  test('PUT: 400 unsupported_by_supplier, no call', async () => {
    const { id } = await book('dune');
    const calls = await simulators().calls();
    const answer = await on(client(), 'PUT', id, { offer_id: laterOffers.dune.offer_id });
    expect([told(answer), await simulators().calls()]).toEqual([
      [400, 'invalid_request', 'unsupported_by_supplier'],
      calls,
    ]);
    expect(path(await read(client(), id))).toBe('pending confirmed');
  });
});

describe.each(SUPPLIERS)('a reservation at %s is cancelled', (supplier) => {
  test('204, cancelled in the supplier’s book; repeated: the same success without a call', async () => {
    const { id, lastName } = await book(supplier);
    const first = await on(client(), 'DELETE', id);
    const after = await read(client(), id);
    expect([first.status, first.text, first.headers.etag]).toEqual([204, '', `"${after.version}"`]);
    expect([after.state, path(after)]).toEqual(['cancelled', 'pending confirmed cancel_pending cancelled']);
    expect(Date.parse(after.cancellation_result?.at ?? '')).toBeGreaterThan(0);
    expect((await theBooking(supplier, lastName)).status).toBe('cancelled');
    const calls = await simulators().calls();
    const again = await on(client(), 'DELETE', id);
    expect([again.status, again.headers.etag, await simulators().calls()]).toEqual([204, `"${after.version}"`, calls]);
  });

  test('by its confirmation number, with the result if preferred', async () => {
    const { before, lastName } = await book(supplier);
    const answer = await on(
      client(),
      'DELETE',
      `?confirmation_number=${before.confirmation_number}`,
      undefined,
      REPRESENTATION,
    );
    expect([answer.status, answer.headers['preference-applied'], reservationOf(answer).state]).toEqual([
      200,
      'return=representation',
      'cancelled',
    ]);
    expect((await theBooking(supplier, lastName)).status).toBe('cancelled');
  });

  test('two concurrent cancellations both succeed, and the supplier is called once', async () => {
    const { id } = await book(supplier);
    const before = await simulators().calls();
    const answers = await Promise.all([on(client(), 'DELETE', id), on(client(), 'DELETE', id)]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect((await simulators().calls()) - before).toBe(1);
    expect(path(await read(client(), id))).toBe('pending confirmed cancel_pending cancelled');
  });

  test('with a lost answer: 500 outcome_unknown, then resolved automatically as cancelled', async () => {
    const { id, lastName } = await book(supplier);
    const answer = await on(client(), 'DELETE', id, undefined, { scenario: `${supplier}=lost_then_found` });
    expect([...told(answer), answer.headers.location]).toEqual([
      500,
      'supplier_failure',
      'outcome_unknown',
      `${RESERVATIONS}${id}`,
    ]);
    const after = await settled(client(), id, ['cancelled', 'confirmed', 'manual_review']);
    expect([after.state, (await theBooking(supplier, lastName)).status]).toEqual(['cancelled', 'cancelled']);
  });

  test('if the call never reached the supplier, it is repeated until the booking is cancelled there', async () => {
    const { id, lastName } = await book(supplier);
    const answer = await on(client(), 'DELETE', id, undefined, { scenario: `${supplier}=lost_for_good` });
    expect(told(answer)).toEqual([500, 'supplier_failure', 'outcome_unknown']);
    const after = await settled(client(), id, ['cancelled', 'confirmed', 'manual_review']);
    expect([after.state, (await theBooking(supplier, lastName)).status]).toEqual(['cancelled', 'cancelled']);
  });

  test('refused by the supplier: an error, and both sides stay confirmed', async () => {
    const { id, lastName } = await book(supplier);
    const answer = await on(client(), 'DELETE', id, undefined, { scenario: `${supplier}=auth` });
    expect(told(answer)).toEqual([500, 'supplier_failure', 'rejected']);
    expect([(await read(client(), id)).state, (await theBooking(supplier, lastName)).status]).toEqual([
      'confirmed',
      'confirmed',
    ]);
  });

  test('a cancelled reservation cannot be changed: 400 not_changeable', async () => {
    const { id } = await book(supplier);
    await on(client(), 'DELETE', id);
    const answers = [
      await on(client(), 'PATCH', id, { remark: 'x' }),
      await on(client(), 'PUT', id, { offer_id: laterOffers[supplier].offer_id }),
    ];
    expect(answers.map(told)).toEqual([
      [400, 'invalid_request', 'not_changeable'],
      [400, 'invalid_request', 'not_changeable'],
    ]);
  });
});

describe('If-Match', () => {
  const change = (id: string, method: 'PATCH' | 'PUT' | 'DELETE', tag: string): Promise<HttpAnswer> => {
    const body = { PATCH: { remark: fresh('r') }, PUT: { offer_id: laterOffers.alpine.offer_id }, DELETE: undefined }[
      method
    ];
    return on(client(), method, id, body, { headers: { 'if-match': tag } });
  };

  test.each(['PATCH', 'PUT', 'DELETE'] as const)(
    '%s with another version: 400 version_mismatch, no call, nothing changed',
    async (method) => {
      const { id, before } = await book('alpine');
      const calls = await simulators().calls();
      for (const tag of ['"1"', '"3", "4"']) {
        const answer = await change(id, method, tag);
        expect([tag, ...told(answer), answer.errors[0]?.field]).toEqual([
          tag,
          400,
          'invalid_request',
          'version_mismatch',
          'If-Match',
        ]);
      }
      for (const tag of ['w/"2"', '2', '""']) {
        const answer = await change(id, method, tag);
        expect([tag, answer.status, answer.reasons, answer.errors[0]?.field]).toEqual([
          tag,
          400,
          ['invalid_format'],
          'If-Match',
        ]);
      }
      expect([await simulators().calls(), await read(client(), id)]).toEqual([calls, before]);
    },
  );

  test.each(['PATCH', 'PUT', 'DELETE'] as const)(
    '%s succeeds with the current version, with a list that contains it, and with *',
    async (method) => {
      for (const tag of ['"2"', '"1", "2"', '*']) {
        const { id } = await book('alpine');
        const answer = await change(id, method, tag);
        expect([tag, answer.status]).toEqual([tag, method === 'PUT' ? 200 : 204]);
        expect(Number(answer.headers.etag?.slice(1, -1))).toBeGreaterThan(2);
      }
    },
  );

  test('of two concurrent changes of the same version, one is made and the other rejected', async () => {
    const { id } = await book('alpine');
    const answers = await Promise.all([change(id, 'PATCH', '"2"'), change(id, 'PATCH', '"2"')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
    expect(path(await read(client(), id))).toBe('pending confirmed modify_pending confirmed');
  });
});
