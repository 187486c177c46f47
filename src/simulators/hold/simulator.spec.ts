import { beforeEach, describe, expect, it } from '@jest/globals';
import { shippedAdapter } from '../../adapters/rest/fixtures/shipped.js';
import type { BookingKey, BookRequest } from '../../model/bookings.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { type SupplierContext, SupplierError, type SupplierHttpCall } from '../../model/supplier.js';
import { BookingLedger } from '../bookings.js';
import { createInventory } from '../inventory.js';
import type { Directive, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { createHoldSimulator } from './simulator.js';

const START = Date.parse('2031-05-01T12:00:00Z');
const OK: Directive = { verb: 'ok' };
const inventory = createInventory({ brand: 'Dune', seed: 55 });
const adapter = shippedAdapter('dune');

let clock = START;
let ledger = new BookingLedger(() => clock);
let simulator = createHoldSimulator({ brand: 'Dune', inventory, apiKey: 'simulated-key', now: () => clock, ledger });

beforeEach(() => {
  clock = START;
  ledger = new BookingLedger(() => clock);
  simulator = createHoldSimulator({ brand: 'Dune', inventory, apiKey: 'simulated-key', now: () => clock, ledger });
});

function simulated(call: SupplierHttpCall, directive: Directive): SimulatedRequest {
  const { pathname, searchParams } = new URL(call.path, 'http://simulator');
  return {
    method: call.method,
    path: pathname,
    query: searchParams,
    headers: call.headers ?? {},
    body: call.body ?? '',
    directive,
  };
}

/** Calls the simulator with the key. */
function ask(method: SupplierHttpCall['method'], path: string, body?: object, directive = OK): SimulatedAnswer {
  const headers = { 'x-api-key': 'simulated-key', 'x-request-id': 'req_one' };
  return simulator.answer(simulated({ method, path, headers, ...(body && { body: JSON.stringify(body) }) }, directive));
}

interface Played {
  /** Replaces `directive` for calls whose path ends with this text. */
  readonly only?: { readonly path: string; readonly directive: Directive };
  /** Changes the body of a hold before it is sent. */
  readonly tamper?: (body: Record<string, unknown>) => void;
}

/** A context whose calls reach the simulator, with lost answers as in its server; `calls` are `METHOD path status`. */
function context(directive = OK, { only, tamper }: Played = {}): SupplierContext & { readonly calls: string[] } {
  const calls: string[] = [];
  const send = async (call: SupplierHttpCall) => {
    const body = call.body === undefined ? undefined : JSON.parse(call.body);
    if (tamper && call.path === '/v1/holds') tamper(body);
    const played = only && call.path.endsWith(only.path) ? only.directive : directive;
    const lost = played.verb === 'lost_then_found' || played.verb === 'lost_for_good';
    const request = simulated({ ...call, ...(body && { body: JSON.stringify(body) }) }, lost ? OK : played);
    if (lost && simulator.changesBookings(request)) {
      if (played.verb === 'lost_then_found') simulator.answer(request);
      calls.push(`${call.method} ${call.path} lost`);
      throw new SupplierError('unavailable', 'the connection broke');
    }
    const answer = simulator.answer(request);
    calls.push(`${call.method} ${call.path} ${answer.status}`);
    return { ...answer, body: Buffer.from(answer.body) };
  };
  return { calls, http: { send }, requestId: 'req_one', environment: 'sandbox', now: clock };
}

const search: VehicleSearch = {
  pickup: { supplierCode: 'BOS', countryCode: 'US' },
  dropoff: { supplierCode: 'BOS', countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'US',
  age: 35,
  brands: ['Dune'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

async function offers(changes: Partial<VehicleSearch> = {}, directive = OK): Promise<readonly SupplierOffer[]> {
  const found = await adapter.searchVehicles?.({ ...search, ...changes }, context(directive));
  expect(found?.warnings).toEqual([]);
  return found?.items ?? [];
}

async function offerThat(
  fits: (offer: SupplierOffer) => boolean,
  changes: Partial<VehicleSearch> = {},
): Promise<SupplierOffer> {
  const offer = (await offers(changes)).find(fits);
  if (!offer) throw new Error('no such offer');
  return offer;
}

function bookingOf(offer: SupplierOffer, changes: Partial<BookRequest> = {}): BookRequest {
  return {
    brand: 'Dune',
    ref: offer.supplierRef,
    pickup: search.pickup,
    dropoff: search.dropoff,
    pickupDate: offer.pickupDate,
    dropoffDate: offer.dropoffDate,
    countryCode: 'US',
    age: 35,
    extras: [],
    coverages: [],
    reference: 'ref_0001',
    total: offer.price.total,
    status: offer.status,
    driver: { firstName: 'Ada', lastName: 'Sample', email: 'ada@example.com', loyalty: [] },
    additionalDrivers: [],
    payment: { type: 'counter' },
    pickupLater: false,
    notifyCustomer: false,
    ...changes,
  };
}

const available = () => offerThat(({ status }) => status === 'available');

const key: BookingKey = {
  brand: 'Dune',
  ref: {},
  reference: 'ref_0001',
  firstName: 'Ada',
  lastName: 'Sample',
  pickup: search.pickup,
  pickupDate: search.pickupDate,
};

/** Fault and refusal of an operation, `done` if it succeeded. */
async function outcomeOf(operation: Promise<unknown> | undefined): Promise<string> {
  try {
    await operation;
    return 'done';
  } catch (error) {
    if (!(error instanceof SupplierError)) throw error;
    return error.refusal === undefined ? error.fault : `${error.fault} ${error.refusal}`;
  }
}

const statuses = () => ledger.all().map(({ confirmation, status }) => `${confirmation.charAt(0)} ${status}`);
const find = async (changes: Partial<BookingKey> = {}) =>
  (await adapter.retrieve?.({ ...key, ...changes }, context()))?.items ?? [];

describe('every call', () => {
  it('requires the key and echoes the request id', () => {
    const refused = simulator.answer(
      simulated({ method: 'GET', path: '/v1/stations?q=boston', headers: { 'x-api-key': 'another' } }, OK),
    );
    expect(refused.status).toBe(401);
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(refused.body)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(ask('GET', '/v1/stations?q=boston').headers['x-request-id']).toBe('req_one');
    expect(ask('GET', '/v1/stations').status).toBe(400);
  });

  it('is refused without effect in scenarios auth and throttled', async () => {
    const order = bookingOf(await available());
    expect(await outcomeOf(adapter.book?.(order, context({ verb: 'auth' })))).toBe('auth');
    expect(await outcomeOf(adapter.book?.(order, context({ verb: 'throttled' })))).toBe('throttled');
    expect(await outcomeOf(adapter.retrieve?.(key, context({ verb: 'throttled' })))).toBe('throttled');
    expect(ask('GET', '/v1/stations?q=x', undefined, { verb: 'throttled' }).headers['retry-after']).toBe('1');
    expect(statuses()).toEqual([]);
  });

  it('to an unknown path gets an error that differs from that of an unknown booking', async () => {
    expect(JSON.parse(ask('PATCH', '/v1/bookings/D1').body).code).toBe('NO_SUCH_RESOURCE');
    expect(JSON.parse(ask('GET', '/v2/bookings/D1').body).code).toBe('NO_SUCH_RESOURCE');
  });
});

describe('stations', () => {
  const stations = (keyword: string, directive: Directive = OK) =>
    adapter.searchLocations?.({ keyword, countryCode: 'US', brands: ['Dune'] }, context(directive));

  it('are found by words and all readable, airports with their IATA code', async () => {
    const found = await stations('boston');
    expect(found?.warnings).toEqual([]);
    expect(found?.items[0]).toMatchObject({
      brand: 'Dune',
      code: 'BOS',
      iataCode: 'BOS',
      type: 'airport',
      counter: 'in_terminal',
      address: { countryCode: 'US' },
    });
    expect(found?.items[0]?.openingHours.length).toBeGreaterThan(6);
    expect(found?.items.some(({ type }) => type === 'downtown')).toBe(true);
  });

  it('include the magic locations of the sandbox, and are empty in scenario empty', async () => {
    expect((await stations('ZZT202'))?.items.map(({ code }) => code)).toEqual(['ZZT202']);
    expect((await stations('boston', { verb: 'empty' }))?.items).toEqual([]);
  });
});

describe('availability', () => {
  it('has cars with both payment types, and every total is exactly the sum of its items', async () => {
    const found = await offers({ age: 23, dropoff: { iataCode: 'JFK', countryCode: 'US' } });
    expect(found.length).toBeGreaterThan(30);
    expect(new Set(found.map(({ rate }) => rate.payment))).toEqual(new Set(['pay_later', 'pay_now']));
    for (const { price, requirements, cancellation } of found) {
      expect(price.unitemised).toBeUndefined();
      expect(price.oneWay?.amountMinor).toBeGreaterThan(0);
      expect(price.dueNow.amountMinor + price.dueAtCounter.amountMinor).toBe(price.total.amountMinor);
      expect(requirements.youngDriverFee?.amountMinor).toBeGreaterThan(0);
      expect(cancellation.source).toBe('structured');
    }
    expect(
      new Set(found.flatMap(({ extras, coverages }) => [...extras, ...coverages].map(({ type }) => type))),
    ).not.toContain('other');
  });

  it('is deterministic, except for dates in the past', async () => {
    expect(await offers()).toEqual(await offers());
    clock = Date.parse('2031-05-06T14:00:01Z');
    expect(await outcomeOf(adapter.searchVehicles?.(search, context()))).toBe('rejected');
  });

  it('is empty at an unknown or closed station and in scenarios empty and sold_out', async () => {
    const town = inventory.findLocations('boston', 'US', 10).find(({ hours }) => hours[0]?.length === 0);
    expect(town).toBeDefined();
    const closed = { supplierCode: town?.code ?? '', countryCode: 'US' };
    expect(await offers({ pickup: { supplierCode: 'NOPE', countryCode: 'US' } })).toEqual([]);
    expect(await offers({ pickup: closed, pickupDate: '2031-05-04T10:00:00' })).toEqual([]);
    expect(await offers({}, { verb: 'empty' })).toEqual([]);
    expect(await offers({}, { verb: 'sold_out' })).toEqual([]);
  });

  it('is more expensive or on request in those scenarios', async () => {
    const [usual] = await offers();
    const [raised] = await offers({}, { verb: 'price', percent: 10 });
    expect(raised?.price.total.amountMinor).toBeGreaterThan(usual?.price.total.amountMinor ?? 0);
    expect(new Set((await offers({}, { verb: 'on_request' })).map(({ status }) => status))).toEqual(
      new Set(['on_request']),
    );
  });

  it('refuses a body with unknown members', () => {
    const place = { station: 'BOS', at: '2031-05-06T10:00:00' };
    const good = {
      pickup: place,
      dropoff: { ...place, at: '2031-05-07T10:00:00' },
      driver: { age: 35, country: 'US' },
    };
    expect(ask('POST', '/v1/availability', good).status).toBe(200);
    for (const bad of [
      { ...good, colour: 'blue' },
      { ...good, driver: {} },
      { ...good, dropoff: place },
    ]) {
      expect(JSON.parse(ask('POST', '/v1/availability', bad).body)).toMatchObject({
        status: 400,
        code: 'INVALID_REQUEST',
      });
    }
  });
});

describe('a price check', () => {
  const check = (order: BookRequest, directive: Directive = OK) => adapter.priceCheck?.(order, context(directive));

  it('adds chosen extras (by quantity, with capped days) and protections to the total', async () => {
    const long = { dropoffDate: '2031-05-20T10:00:00' };
    const offer = await offerThat(({ status, rate }) => status === 'available' && rate.payment === 'pay_now', long);
    const location = inventory.locationByCode('BOS');
    const seat = location && inventory.extras(location).find(({ name }) => name === 'Booster seat');
    const waiver = offer.coverages.find(({ code }) => code === 'LDW');
    const chosen = { extras: [{ code: 'BOOSTER_SEAT', quantity: 2 }], coverages: ['LDW'] };
    const priced = (await check(bookingOf(offer, chosen)))?.items[0];
    const extras = 2 * (seat?.maxPerRental ?? 0);
    const coverages = 14 * (waiver?.pricePerDay?.amountMinor ?? 0);
    expect(coverages).toBeGreaterThan(0);
    expect(priced?.price.extras?.amountMinor).toBe(extras);
    expect(priced?.price.coverages?.amountMinor).toBe(coverages);
    expect(priced?.price.total.amountMinor).toBe(offer.price.total.amountMinor + extras + coverages);
    expect(priced?.price.unitemised).toBeUndefined();
    expect(priced?.supplierRef).toEqual(offer.supplierRef);
    expect(statuses()).toEqual([]);
  });

  it('without options is equal to the offer', async () => {
    for (const offer of (await offers()).slice(0, 6)) expect((await check(bookingOf(offer)))?.items).toEqual([offer]);
  });

  it('supports scenarios sold_out, empty, price and on_request', async () => {
    const order = bookingOf(await available());
    expect(await outcomeOf(check(order, { verb: 'sold_out' }))).toBe('rejected sold_out');
    expect((await check(order, { verb: 'empty' }))?.items).toEqual([]);
    expect((await check(order, { verb: 'price', percent: 10 }))?.items[0]?.price.total.amountMinor).toBeGreaterThan(
      order.total.amountMinor,
    );
    expect((await check(order, { verb: 'on_request' }))?.items[0]?.status).toBe('on_request');
  });

  it('refuses a driver who is too young, too many of an extra, and an unknown protection', async () => {
    const premium = await offerThat(
      ({ requirements, status }) => status === 'available' && (requirements.minAge ?? 0) >= 25,
    );
    expect(await outcomeOf(check(bookingOf(premium, { age: 22 })))).toBe('rejected not_eligible');
    expect(await outcomeOf(check(bookingOf(premium, { extras: [{ code: 'GPS', quantity: 2 }] })))).toBe(
      'rejected extra_not_available',
    );
    expect(await outcomeOf(check(bookingOf(premium, { coverages: ['MOON'] })))).toBe('rejected extra_not_available');
  });

  it('refuses a rate that was not issued here, was altered, or has its pickup in the past', async () => {
    const offer = await available();
    const rateId = String(offer.supplierRef.rateId);
    const withRate = (id: string) => check(bookingOf({ ...offer, supplierRef: { rateId: id } }));
    expect(await outcomeOf(withRate(rateId))).toBe('done');
    for (const altered of ['', 'made-up', rateId.replace('20310509', '20310510'), rateId.replaceAll('BOS', 'JFK')]) {
      expect(await outcomeOf(withRate(altered || 'x'))).toBe('rejected rate_expired');
    }
    clock = Date.parse('2031-05-07T00:00:00Z');
    expect(await outcomeOf(withRate(rateId))).toBe('rejected rate_expired');
  });
});

describe('a booking', () => {
  it('is held, confirmed, found by number and by reference, cancelled without a fee while that is free', async () => {
    const offer = await offerThat(({ status, rate, cancellation }) => {
      return status === 'available' && rate.payment === 'pay_now' && cancellation.refundable === true;
    });
    const asked = context();
    const order = bookingOf(offer, { arrival: { carrierCode: 'QX', flightNumber: '12' }, remark: 'blue' });
    const booked = await adapter.book?.(order, asked);
    expect(booked).toMatchObject({
      status: 'confirmed',
      reference: 'ref_0001',
      total: offer.price.total,
      sippCode: offer.vehicle.sippCode,
    });
    expect(asked.calls.map((call) => call.replace(/H\d+/, 'H'))).toEqual([
      'POST /v1/holds 201',
      'POST /v1/holds/H/confirm 200',
    ]);
    expect(statuses()).toEqual(['H released', 'D confirmed']);
    expect(ledger.size).toBe(1);
    const confirmationNumber = booked?.confirmationNumber ?? '';
    expect(ledger.byConfirmation(confirmationNumber)).toMatchObject({
      email: 'ada@example.com',
      flight: 'QX12',
      remark: 'blue',
      prepaid: true,
    });
    expect(await find()).toEqual([booked]);
    expect(await find({ confirmationNumber })).toEqual([booked]);
    expect(await adapter.cancel?.({ ...key, confirmationNumber }, context())).toEqual({
      fee: { amountMinor: 0, currency: 'USD' },
      refund: offer.price.total,
      cancellationNumber: `X${confirmationNumber.slice(1)}`,
    });
    expect((await find({ confirmationNumber }))[0]?.status).toBe('cancelled');
    expect(await adapter.cancel?.({ ...key, confirmationNumber }, context())).toEqual({});
  });

  it('with extras and protections costs what the price check said, and lists the extras', async () => {
    const chosen = { extras: [{ code: 'CHILD_SEAT', quantity: 2 }], coverages: ['PAI'] };
    const offer = await available();
    const priced = (await adapter.priceCheck?.(bookingOf(offer, chosen), context()))?.items[0];
    const total = priced?.price.total ?? offer.price.total;
    const booked = await adapter.book?.(bookingOf(offer, { ...chosen, total }), context());
    expect(booked).toMatchObject({ status: 'confirmed', total, extras: chosen.extras });
  });

  it('costs a fee to cancel after the free period, and the full total after pickup', async () => {
    const offer = await offerThat(
      ({ cancellation, rate }) => cancellation.refundable === true && rate.payment === 'pay_later',
    );
    const first = await adapter.book?.(bookingOf(offer), context());
    const second = await adapter.book?.(bookingOf(offer, { reference: 'ref_0002' }), context());
    const cancel = (confirmationNumber: string | undefined) =>
      adapter.cancel?.({ ...key, confirmationNumber: confirmationNumber ?? '' }, context());
    clock = Date.parse('2031-05-06T13:30:00Z');
    const late = await cancel(first?.confirmationNumber);
    expect(late?.fee).toEqual(offer.cancellation.rules[0]?.fee);
    expect(late?.refund).toBeUndefined();
    clock = Date.parse('2031-05-06T14:00:01Z');
    expect((await cancel(second?.confirmationNumber))?.fee).toEqual(offer.price.total);
  });

  it('on request is confirmed after a while', async () => {
    const offer = await available();
    expect(await adapter.book?.(bookingOf(offer), context({ verb: 'on_request' }))).toMatchObject({
      status: 'on_request',
    });
    expect((await find())[0]?.status).toBe('on_request');
    clock += 5_000;
    expect((await find())[0]?.status).toBe('confirmed');
  });

  it('of an on-request car of the fleet is on request without a scenario', async () => {
    const offer = await offerThat(({ status }) => status === 'on_request');
    expect(await adapter.book?.(bookingOf(offer), context())).toMatchObject({ status: 'on_request' });
  });

  it('is refused at either step if the car is sold out, and leaves no hold', async () => {
    const order = bookingOf(await available());
    expect(await outcomeOf(adapter.book?.(order, context({ verb: 'sold_out' })))).toBe('rejected sold_out');
    expect(statuses()).toEqual([]);
    const only = { path: '/confirm', directive: { verb: 'sold_out' } as const };
    expect(await outcomeOf(adapter.book?.(order, context(OK, { only })))).toBe('rejected sold_out');
    expect(statuses()).toEqual(['H released']);
    expect(await find()).toEqual([]);
  });

  it('is refused by the supplier if the price has risen', async () => {
    const asked = context({ verb: 'price', percent: 10 });
    expect(await outcomeOf(adapter.book?.(bookingOf(await available()), asked))).toBe('rejected price_changed');
    expect(asked.calls).toEqual(['POST /v1/holds 409']);
  });

  it.each([['1.234'], ['1.005']])(
    'is refused as invalid if its expected total is %s, which can mean two amounts or half a cent',
    async (amount) => {
      const asked = context(OK, {
        tamper: (body) => Object.assign(body, { expectedTotal: { amount, currency: 'USD' } }),
      });
      expect(await outcomeOf(adapter.book?.(bookingOf(await available()), asked))).toBe('rejected');
      expect(asked.calls).toEqual(['POST /v1/holds 400']);
      expect(statuses()).toEqual([]);
    },
  );

  it('is released by the adapter if the supplier holds it at a higher price anyway', async () => {
    const tamper = (body: Record<string, unknown>) => {
      delete body.expectedTotal;
    };
    const asked = context({ verb: 'price', percent: 10 }, { tamper });
    expect(await outcomeOf(adapter.book?.(bookingOf(await available()), asked))).toBe('rejected price_changed');
    expect(asked.calls.map((call) => call.replace(/H\d+/, 'H'))).toEqual([
      'POST /v1/holds 201',
      'DELETE /v1/holds/H 204',
    ]);
    expect(statuses()).toEqual(['H released']);
  });

  it.each<readonly [Directive, string]>([
    [{ verb: 'lost_then_found' }, 'unavailable'],
    [{ verb: 'empty' }, 'bad_payload'],
  ])('whose confirmation is played %j is made, and found by reference', async (directive, outcome) => {
    expect(await outcomeOf(adapter.book?.(bookingOf(await available()), context(directive)))).toBe(outcome);
    const found = await find();
    expect(found).toMatchObject([{ status: 'confirmed', reference: 'ref_0001' }]);
    expect(ledger.size).toBe(1);
    expect(await outcomeOf(adapter.cancel?.(key, context()))).toBe('rejected not_changeable');
    expect((await find())[0]?.status).toBe('confirmed');
  });

  it('whose confirmation was lost leaves a hold, which is found and released by reference', async () => {
    expect(await outcomeOf(adapter.book?.(bookingOf(await available()), context({ verb: 'lost_for_good' })))).toBe(
      'unavailable',
    );
    expect(await find()).toMatchObject([{ status: 'held', reference: 'ref_0001' }]);
    expect(await adapter.cancel?.(key, context())).toEqual({});
    expect(await find()).toEqual([]);
    expect(ledger.size).toBe(0);
    expect(await outcomeOf(adapter.cancel?.(key, context()))).toBe('rejected not_found');
  });

  it('that does not exist is not found', async () => {
    expect(await find()).toEqual([]);
    expect(await find({ confirmationNumber: 'D0000000001' })).toEqual([]);
    expect(await outcomeOf(adapter.cancel?.({ ...key, confirmationNumber: 'D0000000001' }, context()))).toBe(
      'rejected not_found',
    );
  });
});

describe('a hold', () => {
  async function place(reference = 'ref_0001'): Promise<{ holdId: string; expiresAt: string; status: number }> {
    const offer = await available();
    const driver = { firstName: 'Ada', lastName: 'Sample', email: 'ada@example.com', age: 35, country: 'US' };
    const answer = ask('POST', '/v1/holds', { reference, rateId: offer.supplierRef.rateId, driver });
    return { ...JSON.parse(answer.body), status: answer.status };
  }

  it('is the same for the same reference while it is active', async () => {
    const first = await place();
    expect(first).toMatchObject({ status: 201, expiresAt: '2031-05-01T12:10:00.000Z' });
    clock += 60_000;
    expect(await place()).toEqual({ ...first, status: 200 });
    expect((await place('ref_0002')).holdId).not.toBe(first.holdId);
    clock = START + 600_000;
    const again = await place();
    expect(again.status).toBe(201);
    expect(again.holdId).not.toBe(first.holdId);
  });

  it('expires after ten minutes: it is no longer listed and cannot be confirmed', async () => {
    const { holdId } = await place();
    clock = START + 599_999;
    expect((await find()).map(({ status, ref }) => ({ status, ref }))).toEqual([{ status: 'held', ref: { holdId } }]);
    clock += 1;
    expect(await find()).toEqual([]);
    expect(JSON.parse(ask('POST', `/v1/holds/${holdId}/confirm`).body)).toMatchObject({
      status: 410,
      code: 'HOLD_EXPIRED',
    });
    expect(ask('DELETE', `/v1/holds/${holdId}`).status).toBe(204);
    expect(ledger.size).toBe(0);
  });

  it('confirmed twice is one booking, and can no longer be released', async () => {
    const { holdId } = await place();
    const first = ask('POST', `/v1/holds/${holdId}/confirm`);
    expect(ask('POST', `/v1/holds/${holdId}/confirm`).body).toBe(first.body);
    expect(ledger.size).toBe(1);
    expect(JSON.parse(ask('DELETE', `/v1/holds/${holdId}`).body)).toMatchObject({
      status: 409,
      code: 'HOLD_CONFIRMED',
    });
    expect(statuses()).toEqual(['H released', 'D confirmed']);
  });

  it('and a booking have separate numbers', async () => {
    const { holdId } = await place();
    expect(ask('GET', `/v1/bookings/${holdId}`).status).toBe(404);
    expect(ask('POST', `/v1/bookings/${holdId}/cancel`).status).toBe(404);
    const { booking } = JSON.parse(ask('POST', `/v1/holds/${holdId}/confirm`).body);
    expect(ask('POST', `/v1/holds/${booking.number}/confirm`).status).toBe(404);
    expect(ask('DELETE', `/v1/holds/${booking.number}`).status).toBe(404);
  });

  it('does not change bookings; its confirmation and a cancellation do', () => {
    const changes = (method: SupplierHttpCall['method'], path: string) =>
      simulator.changesBookings(simulated({ method, path }, OK));
    expect(changes('POST', '/v1/holds/H1/confirm')).toBe(true);
    expect(changes('POST', '/v1/bookings/D1/cancel')).toBe(true);
    expect(changes('POST', '/v1/holds')).toBe(false);
    expect(changes('DELETE', '/v1/holds/H1')).toBe(false);
    expect(changes('GET', '/v1/bookings/D1')).toBe(false);
  });
});
