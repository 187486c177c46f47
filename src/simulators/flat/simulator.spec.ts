import { beforeEach, describe, expect, it } from '@jest/globals';
import { shippedAdapter } from '../../adapters/rest/fixtures/shipped.js';
import type { BookingKey, BookRequest, ModifyRequest } from '../../model/bookings.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { type SupplierContext, SupplierError, type SupplierHttpCall } from '../../model/supplier.js';
import { BookingLedger } from '../bookings.js';
import { createInventory } from '../inventory.js';
import type { DialectSimulator, Directive } from '../world.js';
import { createFlatSimulator } from './simulator.js';

const START = Date.parse('2031-05-01T12:00:00Z');
const OK: Directive = { verb: 'ok' };
const inventory = createInventory({ brand: 'Ember', seed: 66 });
const adapter = shippedAdapter('ember');

let clock = START;
let ledger: BookingLedger;
let simulator: DialectSimulator;

beforeEach(() => {
  clock = START;
  ledger = new BookingLedger(() => clock);
  simulator = createFlatSimulator({ brand: 'Ember', inventory, apiKey: 'simulated-key', now: () => clock, ledger });
});

/** A context whose calls reach the simulator; `calls` are `METHOD path`. */
function context(directive = OK): SupplierContext & { readonly calls: string[] } {
  const calls: string[] = [];
  const send = async ({ method, path, headers = {}, body = '' }: SupplierHttpCall) => {
    calls.push(`${method} ${path}`);
    const { pathname, searchParams } = new URL(path, 'http://simulator');
    const answer = simulator.answer({ method, path: pathname, query: searchParams, headers, body, directive });
    return { status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) };
  };
  return { calls, http: { send }, requestId: 'req_one', environment: 'sandbox', now: clock };
}

const search: VehicleSearch = {
  pickup: { iataCode: 'BOS', countryCode: 'US' },
  dropoff: { iataCode: 'BOS', countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'US',
  age: 41,
  brands: ['Ember'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

async function offers(changes: Partial<VehicleSearch> = {}, directive = OK): Promise<readonly SupplierOffer[]> {
  return (await adapter.searchVehicles?.({ ...search, ...changes }, context(directive)))?.items ?? [];
}

async function anOffer(): Promise<SupplierOffer> {
  const offer = (await offers()).find(({ status }) => status === 'available');
  if (!offer) throw new Error('no offer');
  return offer;
}

function booking(offer: SupplierOffer, changes: Partial<BookRequest> = {}): BookRequest {
  return {
    brand: 'Ember',
    ref: offer.supplierRef,
    pickup: search.pickup,
    dropoff: search.dropoff,
    pickupDate: search.pickupDate,
    dropoffDate: search.dropoffDate,
    countryCode: 'US',
    age: 41,
    extras: [],
    coverages: [],
    reference: 'ref_0001',
    total: offer.price.total,
    status: 'available',
    driver: { firstName: 'Ada', lastName: 'Sample', email: 'ada@example.com', loyalty: [] },
    additionalDrivers: [],
    arrival: { carrierCode: 'QX', flightNumber: '123' },
    payment: { type: 'counter' },
    pickupLater: false,
    notifyCustomer: false,
    ...changes,
  };
}

const key: BookingKey = {
  brand: 'Ember',
  ref: {},
  reference: 'ref_0001',
  firstName: 'Ada',
  lastName: 'Sample',
  pickup: search.pickup,
  pickupDate: search.pickupDate,
};

/** `fault refusal` of a rejected operation, `done` if it succeeded. */
async function outcome(operation: Promise<unknown> | undefined): Promise<string> {
  try {
    await operation;
    return 'done';
  } catch (error) {
    if (!(error instanceof SupplierError)) throw error;
    return `${error.fault} ${error.refusal ?? ''}`.trim();
  }
}

describe('locations of ember', () => {
  it('are read page by page to the last one, each location once', async () => {
    const asked = context();
    const found = await adapter.searchLocations?.({ keyword: 'London', brands: ['Ember'] }, asked);
    expect(asked.calls.length).toBeGreaterThan(1);
    expect(asked.calls[1]).toBe('GET /rest/depots?text=London&page=2');
    expect(found?.warnings).toEqual([]);
    expect(new Set(found?.items.map(({ code }) => code)).size).toBe(found?.items.length);
    expect(found?.items.length).toBeGreaterThan(5);
    for (const { code, latitude, openingHours } of found?.items ?? []) {
      expect(code).toMatch(/^\d+$/);
      expect(typeof latitude).toBe('number');
      expect(openingHours.length).toBeGreaterThan(0);
    }
  });

  it('can be searched for cars by their number', async () => {
    const [town] =
      (await adapter.searchLocations?.({ keyword: 'Boston Downtown', brands: ['Ember'] }, context()))?.items ?? [];
    const place = { supplierCode: town?.code, countryCode: 'US' };
    const [offer] = await offers({ pickup: place, dropoff: place });
    expect(offer?.pickup).toEqual(town);
  });
});

describe('cars of ember', () => {
  it('have prices that are exactly the sum of their items', async () => {
    const found = await offers({ age: 23 });
    expect(found.length).toBeGreaterThan(20);
    for (const { price } of found) {
      const sum = price.items
        .filter(({ includedInTotal }) => includedInTotal)
        .reduce((total, { amount }) => total + amount.amountMinor, 0);
      expect(price.total.amountMinor).toBe(sum);
      expect(price.unitemised).toBeUndefined();
    }
    expect(found.some(({ rate }) => rate.payment === 'pay_now')).toBe(true);
  });

  it('can be cancelled free of charge until a local time at the location', async () => {
    const free = (await offers()).find(({ cancellation }) => cancellation.refundable)?.cancellation.freeUntil;
    expect(free).toMatch(/^2031-05-0[3-6]T(08|10):00:00$/);
  });

  it('cost what the price check says, including chosen options', async () => {
    const offer = await anOffer();
    const [extra] = offer.extras;
    if (!extra?.priceTotal) throw new Error('no extra');
    const [priced] =
      (await adapter.priceCheck?.(booking(offer, { extras: [{ code: extra.code, quantity: 1 }] }), context()))?.items ??
      [];
    expect(priced?.price.total.amountMinor).toBe(offer.price.total.amountMinor + extra.priceTotal.amountMinor);
    expect(priced?.price.extras).toEqual(extra.priceTotal);
    expect(priced?.supplierRef).toEqual(offer.supplierRef);
  });

  it.each([
    [{ verb: 'empty' }, 'done'],
    [{ verb: 'sold_out' }, 'done'],
    [{ verb: 'auth' }, 'auth'],
    [{ verb: 'throttled' }, 'throttled'],
  ] as const)('under %j: %s', async (directive, expected) => {
    expect(await outcome(offers({}, directive))).toBe(expected);
    if (expected === 'done') expect(await offers({}, directive)).toEqual([]);
  });

  it('are not found at an unknown depot', async () => {
    expect(await offers({ pickup: { supplierCode: '1', countryCode: 'US' } })).toEqual([]);
  });
});

describe('a booking with ember', () => {
  it('is made, found by number and by reference, changed and cancelled', async () => {
    const offer = await anOffer();
    const booked = await adapter.book?.(booking(offer), context());
    expect(booked).toMatchObject({
      status: 'confirmed',
      reference: 'ref_0001',
      total: offer.price.total,
      sippCode: offer.vehicle.sippCode,
    });
    expect(booked).toMatchObject({ pickupDate: search.pickupDate, dropoffDate: search.dropoffDate });
    expect(ledger.all()).toMatchObject([{ lastName: 'Sample', flight: 'QX123', reference: 'ref_0001' }]);
    const confirmationNumber = booked?.confirmationNumber ?? '';
    expect((await adapter.retrieve?.({ ...key, confirmationNumber }, context()))?.items).toEqual([booked]);
    expect((await adapter.retrieve?.(key, context()))?.items).toEqual([booked]);

    const [extra] = offer.extras;
    const extras = [{ code: extra?.code ?? '', quantity: 1 }];
    const total = {
      ...offer.price.total,
      amountMinor: offer.price.total.amountMinor + (extra?.priceTotal?.amountMinor ?? 0),
    };
    const change: ModifyRequest = { ...booking(offer, { extras, total }), confirmationNumber, changes: ['extras'] };
    expect(await adapter.modify?.(change, context())).toMatchObject({ confirmationNumber, extras, total });

    expect(await adapter.cancel?.({ ...key, confirmationNumber }, context())).toEqual({
      fee: { amountMinor: 0, currency: 'USD' },
    });
    expect((await adapter.retrieve?.({ ...key, confirmationNumber }, context()))?.items).toMatchObject([
      { status: 'cancelled' },
    ]);
    expect(await outcome(adapter.cancel?.({ ...key, confirmationNumber }, context()))).toBe('done');
    expect(await outcome(adapter.modify?.(change, context()))).toBe('rejected not_changeable');
    expect(ledger.size).toBe(1);
  });

  it('is refused for a known reason, and nothing is booked', async () => {
    const offer = await anOffer();
    const book = (changes: Partial<BookRequest>, directive = OK) =>
      outcome(adapter.book?.(booking(offer, changes), context(directive)));
    expect(await book({ total: { amountMinor: 1, currency: 'USD' } })).toBe('rejected price_changed');
    expect(await book({ extras: [{ code: '99', quantity: 1 }] })).toBe('rejected extra_not_available');
    expect(await book({ age: 18 })).toBe('rejected not_eligible');
    expect(await book({}, { verb: 'sold_out' })).toBe('rejected sold_out');
    expect(await book({ ref: {} })).toBe('rejected invalid_rate');
    expect(ledger.size).toBe(0);
  });

  it('that is made and answered without content is in doubt', async () => {
    expect(await outcome(adapter.book?.(booking(await anOffer()), context({ verb: 'empty' })))).toBe('bad_payload');
    expect(ledger.size).toBe(1);
  });

  it('that does not exist is not found and cannot be cancelled', async () => {
    expect((await adapter.retrieve?.({ ...key, confirmationNumber: '7' }, context()))?.items).toEqual([]);
    expect((await adapter.retrieve?.(key, context()))?.items).toEqual([]);
    expect(await outcome(adapter.cancel?.({ ...key, confirmationNumber: '7' }, context()))).toBe('rejected not_found');
  });

  it('changes only by the calls that make, change or cancel one', () => {
    const request = { query: new URLSearchParams(), headers: {}, body: '', directive: OK };
    const changes = (method: string, path: string) => simulator.changesBookings({ ...request, method, path });
    expect(changes('POST', '/rest/bookings')).toBe(true);
    expect(changes('DELETE', '/rest/bookings/7')).toBe(true);
    expect(changes('GET', '/rest/bookings/7')).toBe(false);
    expect(changes('POST', '/rest/price')).toBe(false);
  });
});
