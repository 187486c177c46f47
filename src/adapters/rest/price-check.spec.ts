import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import { type SupplierContext, SupplierError } from '../../model/supplier.js';
import { adapterOf, location } from './fixtures/tiny.js';

const offer = {
  rows: 'cars',
  ref: { no: 'no', pay: 'pay' },
  currency: "'EUR'",
  rentalDays: '`3`',
  pickup: '$answer.at',
  dropoff: '$answer.at',
  payment: "'pay_later'",
  vehicle: { name: 'name' },
  price: { total: 'total' },
};
/** The same request as the search: nothing in it identifies the car. */
const searchAgain = adapterOf({
  location,
  offer,
  priceCheck: { request: { method: 'GET', path: '/cars', query: { from: 'pickupDate' } } },
});
const named = adapterOf({ location, offer, priceCheck: { request: { method: 'GET', path: '/cars/{ref.no}' } } });

const car = (no: number, pay: string, total: string) => ({ no, pay, name: `Car ${no}`, total });
const asked: RentalRequest = {
  ...{ brand: 'Tiny', ref: { no: 7, pay: 'C' }, pickup: { countryCode: 'NO' }, dropoff: { countryCode: 'NO' } },
  ...{
    pickupDate: '2031-05-06T10:00:00',
    dropoffDate: '2031-05-09T10:00:00',
    countryCode: 'NO',
    age: 40,
    extras: [],
    coverages: [],
  },
};

function answering(...cars: readonly object[]): SupplierContext {
  const body = Buffer.from(JSON.stringify({ at: { code: 'B', name: 'Bergen', country: 'NO' }, cars }));
  return {
    http: { send: () => Promise.resolve({ status: 200, headers: {}, body }) },
    requestId: 'r',
    environment: 'sandbox',
    now: Date.now(),
  };
}

const totals = async (adapter: typeof named, ...cars: readonly object[]) =>
  (await adapter.priceCheck?.(asked, answering(...cars)))?.items.map(({ price }) => price.total.amountMinor);

describe('a price check that repeats the search', () => {
  it('prices the car with the same ref, however many others there are', async () => {
    expect(await totals(searchAgain, car(6, 'C', '10.00'), car(7, 'P', '20.00'), car(7, 'C', '30.00'))).toEqual([
      3_000,
    ]);
  });

  it('reports that the car is gone if others remain, even if only one does', async () => {
    expect(await totals(searchAgain, car(6, 'C', '10.00'), car(8, 'C', '20.00'))).toEqual([]);
    expect(await totals(searchAgain, car(6, 'C', '10.00'))).toEqual([]);
  });

  it('fails if two cars have the same ref', async () => {
    await expect(totals(searchAgain, car(7, 'C', '10.00'), car(7, 'C', '20.00'))).rejects.toThrow(SupplierError);
  });
});

describe('the number of days', () => {
  const { priceCheck } = adapterOf({
    location,
    offer: { ...offer, rentalDays: 'days' },
    priceCheck: { request: { method: 'GET', path: '/cars/{ref.no}' } },
  });
  const daysOf = async (stated: object) =>
    (await priceCheck?.(asked, answering({ ...car(7, 'C', '10.00'), ...stated })))?.items.map((one) => one.rentalDays);

  it('is what the supplier states, and that of the requested dates if it states none', async () => {
    expect([await daysOf({ days: 4 }), await daysOf({ days: null }), await daysOf({})]).toEqual([[4], [3], [3]]);
  });

  it.each(['a few', 0, -3, 2.5])('is never replaced if it is unreadable: %j', async (days) => {
    await expect(daysOf({ days })).rejects.toThrow('rentalDays');
  });
});

describe('the dates', () => {
  const answered = async (mapped: object) => {
    const { priceCheck } = adapterOf({
      location,
      offer: { ...offer, ...mapped },
      priceCheck: { request: { method: 'GET', path: '/cars/{ref.no}' } },
    });
    const car = { no: 7, pay: 'C', name: 'Car', total: '1.00', from: asked.pickupDate, to: asked.dropoffDate };
    return (await priceCheck?.(asked, answering(car)))?.items.map((one) => one.statesDates);
  };

  it.each([
    ['both are mapped', { pickupDate: 'from', dropoffDate: 'to' }, true],
    ['one is mapped', { pickupDate: 'from' }, false],
    ['one is mapped and missing', { pickupDate: 'from', dropoffDate: 'until' }, false],
    ['one is that of the request', { pickupDate: 'from', dropoffDate: '$request.dropoffDate' }, false],
    ['none is mapped', {}, false],
  ])('are stated by the answer only if it has both: %s', async (_which, mapped, states) => {
    expect(await answered(mapped)).toEqual([states]);
  });
});

it('the texts of terms have any length', async () => {
  const { priceCheck } = adapterOf({
    location,
    offer: { ...offer, terms: { rows: 'terms', kind: "'conditions'", text: 'words' } },
    priceCheck: { request: { method: 'GET', path: '/cars/{ref.no}' } },
  });
  const words = 'x'.repeat(60_000);
  const answer = await priceCheck?.(
    asked,
    answering({ ...car(7, 'C', '1.00'), terms: [{ words: ` ${words}\n` }, { words: ' ' }] }),
  );
  expect(answer?.items[0]?.terms).toEqual([{ kind: 'conditions', text: words }]);
});

describe('a price check that names the offer', () => {
  it('accepts the one car it gets, whose ref may be new', async () => {
    expect(await totals(named, car(99, 'C', '10.00'))).toEqual([1_000]);
  });

  it('has the status that was shown if the supplier states none', async () => {
    const { priceCheck } = adapterOf({
      location,
      offer: { ...offer, status: 'st' },
      tables: { offerStatus: { 0: 'available', 1: 'on_request' } },
      priceCheck: { request: { method: 'GET', path: '/cars/{ref.no}' } },
    });
    const statusOf = async (stated: object, own: Partial<RentalRequest>) =>
      (await priceCheck?.({ ...asked, ...own }, answering({ ...car(7, 'C', '10.00'), ...stated })))?.items[0]?.status;
    expect(await statusOf({}, { status: 'on_request' })).toBe('on_request');
    expect(await statusOf({}, {})).toBe('available');
    expect(await statusOf({ st: 0 }, { status: 'on_request' })).toBe('available');
  });

  it('rejects several', async () => {
    await expect(totals(named, car(7, 'C', '10.00'), car(8, 'C', '10.00'))).rejects.toThrow(
      'the supplier priced several',
    );
  });
});
