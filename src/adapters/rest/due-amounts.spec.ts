import { describe, expect, it } from '@jest/globals';
import type { VehicleSearch } from '../../model/offers.js';
import { scripted } from './fixtures/replies.js';
import { adapterOf, location } from './fixtures/tiny.js';

/* What is due when, and the cost of cancelling: read exactly, or the row is refused (ruling 30). */

const offer = {
  rows: 'cars',
  ref: { no: 'no' },
  currency: "'EUR'",
  rentalDays: '`3`',
  pickup: '$answer.at',
  dropoff: '$answer.at',
  payment: "payment || 'pay_now'",
  vehicle: { name: "'Car'" },
  price: { total: "'600.00'", base: "'400.00'", dueNow: 'now' },
  deposit: { amount: 'deposit', takenAt: "'pickup'" },
  cancellation: { refundable: 'refundable', freeUntil: 'until', fee: 'fee' },
  zone: 'zone',
};
const adapter = adapterOf({ location, offer, searchVehicles: { request: { method: 'GET', path: '/cars' } } });
const search: VehicleSearch = {
  ...{ pickup: { supplierCode: 'B', countryCode: 'NO' }, dropoff: { supplierCode: 'B', countryCode: 'NO' } },
  ...{ pickupDate: '2031-05-06T10:00:00', dropoffDate: '2031-05-09T10:00:00', countryCode: 'NO', age: 40 },
  ...{ brands: ['Tiny'], sippCodes: [], discountCodes: [], loyalty: [], additionalDrivers: 0 },
};

/** The first of two cars, if it can be read, and the kinds of the warnings. */
async function found(car: object) {
  const body = { at: { code: 'B', name: 'Bergen', country: 'NO' }, cars: [{ no: 1, ...car }, { no: 2 }] };
  const answer = await adapter.searchVehicles?.(search, scripted({ status: 200, body: JSON.stringify(body) }));
  return {
    offer: answer?.items.find(({ supplierRef }) => supplierRef.no === 1),
    warnings: answer?.warnings.map(({ kind }) => kind),
  };
}

const REFUSED = [undefined, ['amount_rejected']];

describe('the amount that is due now', () => {
  it.each([
    [undefined, 60_000],
    [null, 60_000],
    ['', 60_000],
    ['0', 0],
    [120, 12_000],
    ['600.00', 60_000],
  ])('%j: %i', async (now, amountMinor) => {
    const { offer, warnings } = await found({ now });
    expect([offer?.price.dueNow.amountMinor, warnings]).toEqual([amountMinor, []]);
  });

  it.each(['600.01', '-1.00', 'N/A', 'all', '20%', '20,00', true])('%j: refused', async (now) => {
    const { offer, warnings } = await found({ now });
    expect([offer, warnings]).toEqual(REFUSED);
  });
});

describe('the amount that is due now without being stated', () => {
  it.each(['', ' ', null, undefined])('as %j: nothing to pay later, unreadable to pay in part', async (now) => {
    const later = await found({ now, payment: 'pay_later' });
    expect([later.offer?.price.dueNow.amountMinor, later.warnings]).toEqual([0, []]);
    const partial = await found({ now, payment: 'pay_partial' });
    expect([partial.offer, partial.warnings]).toEqual(REFUSED);
  });

  it.each<[string, string | undefined, string]>([
    ['pay_now', undefined, 'now'],
    ['pay_now', '600.00', 'now'],
    ['pay_now', '400.00', 'counter'],
    ['pay_later', undefined, 'counter'],
    ['pay_partial', '30.00', 'counter'],
  ])('%s, %s: an item is payable now only if all is', async (payment, now, payable) => {
    expect((await found({ now, payment })).offer?.price.items.map((item) => item.payable)).toEqual([payable]);
  });

  it('is read for a rate that is paid in part', async () => {
    const { offer } = await found({ now: '30.00', payment: 'pay_partial' });
    expect([offer?.price.dueNow.amountMinor, offer?.price.dueAtCounter.amountMinor]).toEqual([3_000, 57_000]);
  });
});

it('a deposit is never negative, and may be in words', async () => {
  expect((await found({ deposit: 'free' })).offer?.deposit).toBeUndefined();
  expect((await found({ deposit: '900.00' })).offer?.deposit?.amount.amountMinor).toBe(90_000);
  const { offer, warnings } = await found({ deposit: '-900.00' });
  expect([offer, warnings]).toEqual(REFUSED);
});

describe('the fee of a cancellation', () => {
  it('is read with its date', async () => {
    const { offer } = await found({ refundable: true, until: '2031-05-04T10:00:00', fee: '50.00' });
    expect(offer?.cancellation).toMatchObject({
      freeUntil: '2031-05-04T10:00:00',
      rules: [{ from: '2031-05-04T10:00:00', fee: { amountMinor: 5_000, currency: 'EUR' } }],
    });
  });

  it.each<[string, object, string]>([
    ['is due from that instant on, at the place of pickup', { zone: 'America/New_York' }, '2031-05-04T06:00:00'],
    ['is due from that clock on', { zone: 'Europe/Oslo' }, '2031-05-04T10:00:00'],
    ['is due from that clock on, at the requested pickup', {}, '2031-05-04T10:00:00'],
  ])('%s, if its date has the offset of UTC and the zone is %j', async (_case, zone, expected) => {
    const { offer } = await found({ refundable: true, until: '2031-05-04T10:00:00Z', fee: '50.00', ...zone });
    const { freeUntil, rules, source } = offer?.cancellation ?? {};
    expect([freeUntil ?? source, rules?.[0]?.from ?? source]).toEqual([expected, expected]);
  });

  it.each(['-50.00', 'the full price', '100%', '50,00'])('%j: refused', async (fee) => {
    const { offer, warnings } = await found({ refundable: true, fee });
    expect([offer, warnings]).toEqual(REFUSED);
  });

  it('is due at any time for a nonrefundable rate, whatever date it has', async () => {
    const { offer, warnings } = await found({ refundable: false, until: '2031-05-04T10:00:00', fee: '50.00' });
    const rules = [{ fee: { amountMinor: 5_000, currency: 'EUR' } }];
    expect([offer?.cancellation, warnings]).toEqual([
      { refundable: false, rules, source: 'structured' },
      ['contradiction'],
    ]);
  });

  it('is unknown if its date is unreadable', async () => {
    const { offer, warnings } = await found({ refundable: true, until: 'two days before' });
    expect([offer?.cancellation, warnings]).toEqual([{ rules: [], source: 'unknown' }, ['incomplete']]);
  });
});
