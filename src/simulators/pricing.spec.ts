import { describe, expect, it } from '@jest/globals';
import { createInventory } from './inventory.js';
import { locationSites } from './location-sites.js';
import { localCurrency, localPrice } from './price-level.js';
import { PURPOSE, rentalDays } from './pricing.js';
import type { SimulatedCharge, SimulatedLocation, SimulatedPrice, SimulatedRental } from './world.js';

const inventory = createInventory({ brand: 'Avis', seed: 1 });

function location(code: string): SimulatedLocation {
  const found = inventory.locationByCode(code);
  if (!found) throw new Error(`no location ${code}`);
  return found;
}

const rental = (pickup: string, more: Partial<SimulatedRental> = {}): SimulatedRental => ({
  pickup: location(pickup),
  dropoff: location(pickup),
  pickupDate: '2027-05-10T10:00:00',
  dropoffDate: '2027-05-14T10:00:00',
  age: 35,
  ...more,
});

function first(asked: SimulatedRental) {
  const offer = inventory.carsFor(asked)[0];
  if (!offer) throw new Error('no cars');
  return offer.price;
}

const charge = (charges: readonly SimulatedCharge[], purpose: number) => charges.find((one) => one.purpose === purpose);
const included = (charges: readonly SimulatedCharge[]) =>
  charges.filter(({ includedInTotal }) => includedInTotal).reduce((sum, { amount }) => sum + amount, 0);

describe('totals', () => {
  it('add up exactly in minor units everywhere, for both payment types', () => {
    let prepaid = 0;
    let all = 0;
    const wrong: SimulatedPrice[] = [];
    for (const { code } of locationSites({ brand: 'Avis', seed: 1 }).filter((_, index) => index % 9 === 0)) {
      for (const { price } of inventory.carsFor(
        rental(code, { age: 24, pickupDate: '2027-01-13T10:30:00', dropoffDate: '2027-01-21T10:00:00' }),
      )) {
        all += 1;
        const amounts = [price.dailyRate, price.total, ...price.charges.map(({ amount }) => amount)];
        const isRight =
          price.base === price.dailyRate * price.days &&
          price.total === price.base + included(price.charges) &&
          amounts.every((amount) => Number.isSafeInteger(amount) && amount > 0);
        const isPrepaidRight =
          price.prepaid === undefined ||
          (price.prepaid.total === price.prepaid.base + included(price.prepaid.charges) &&
            Math.abs(price.prepaid.base / price.base - 0.92) < 0.01);
        if (!isRight || !isPrepaidRight) wrong.push(price);
        if (price.prepaid) prepaid += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(Math.abs(prepaid / all - 0.6)).toBeLessThan(0.05);
  });

  it('have percentages that match their amounts', () => {
    const price = first(rental('BOS'));
    const tax = charge(price.charges, PURPOSE.tax);
    const taxable = price.total - (tax?.amount ?? 0);
    expect(tax).toMatchObject({ percent: 6.25, amount: Math.round(taxable * 0.0625) });
    expect(charge(price.charges, PURPOSE.airport)?.amount).toBe(
      Math.round((price.base * (charge(price.charges, PURPOSE.airport)?.percent ?? 0)) / 100),
    );
  });
});

describe('discounts and additional drivers', () => {
  it('reduce every base price by the percentage, and add a daily fee per driver', () => {
    const plain = first(rental('BOS'));
    const reduced = first(rental('BOS', { discountPercent: 15 }));
    expect(Math.abs(reduced.base / plain.base - 0.85)).toBeLessThan(0.01);
    const shared = first(rental('BOS', { additionalDrivers: 2 }));
    expect(charge(shared.charges, PURPOSE.additionalDriver)).toMatchObject({ amount: 10_400, includedInTotal: true });
    expect(shared.base).toBe(plain.base);
    expect(first(rental('BOS'))).toEqual(plain);
  });
});

describe('days', () => {
  it.each([
    ['2027-05-10T11:00:00', 1],
    ['2027-05-11T10:59:00', 1],
    ['2027-05-11T11:00:00', 2],
    ['2027-05-17T10:00:00', 7],
  ])('from May 10, 10:00 to %s: %i', (until, days) => {
    expect(rentalDays('2027-05-10T10:00:00', until)).toBe(days);
  });

  it('are cheaper in longer rentals', () => {
    expect(first(rental('FRA', { dropoffDate: '2027-05-24T10:00:00' })).dailyRate).toBeLessThan(
      first(rental('FRA', { dropoffDate: '2027-05-11T10:00:00' })).dailyRate * 0.9,
    );
  });

  it('are more expensive on a weekend at an airport', () => {
    const factor = (pickupDate: string, dropoffDate: string) => {
      const offers = inventory.carsFor(rental('FRA', { pickupDate, dropoffDate }));
      return offers.reduce((sum, { price }) => sum + price.dailyRate, 0);
    };
    expect(factor('2027-05-14T10:00:00', '2027-05-16T10:00:00')).toBeGreaterThan(
      factor('2027-05-10T10:00:00', '2027-05-12T10:00:00') * 1.05,
    );
  });
});

describe('charges', () => {
  it('include a surcharge only for drivers under 25', () => {
    expect(charge(first(rental('BOS', { age: 24 })).charges, PURPOSE.youngDriver)).toMatchObject({
      amount: 10_800,
      includedInTotal: true,
    });
    expect(charge(first(rental('BOS', { age: 25 })).charges, PURPOSE.youngDriver)).toBeUndefined();
  });

  it('increase with the distance of a one-way rental and across a border', () => {
    const fee = (to: string) =>
      charge(first(rental('FRA', { dropoff: location(to) })).charges, PURPOSE.oneWay)?.amount ?? 0;
    expect(fee('FRA')).toBe(0);
    expect(fee('STR')).toBeGreaterThan(0);
    expect(fee('BER')).toBeGreaterThan(fee('STR'));
    expect(fee('CDG')).toBeGreaterThan(fee('BER'));
  });

  it('include the airport surcharge only at airports', () => {
    const town = inventory.findLocations('boston downtown', 'US', 1)[0];
    if (!town) throw new Error('no location in Boston');
    expect(charge(first(rental(town.code)).charges, PURPOSE.airport)).toBeUndefined();
    expect(charge(first(rental('BOS')).charges, PURPOSE.airport)).toBeDefined();
  });

  it('include winter tires only in countries with a winter', () => {
    const winter = { pickupDate: '2027-01-11T10:00:00', dropoffDate: '2027-01-13T10:00:00' };
    expect(charge(first(rental('MUC', winter)).charges, PURPOSE.winter)).toBeDefined();
    expect(charge(first(rental('MUC')).charges, PURPOSE.winter)).toBeUndefined();
    expect(charge(first(rental('LIS', winter)).charges, PURPOSE.winter)).toBeUndefined();
  });

  it('list tolls in the United States without counting them in the total', () => {
    expect(charge(first(rental('BOS')).charges, PURPOSE.tolls)).toMatchObject({ includedInTotal: false });
  });
});

describe('scenario price(±n%)', () => {
  it.each([10, -10])('moves the base by %i percent', (pricePercent) => {
    const [before, after] = [first(rental('BOS')), first(rental('BOS', { pricePercent }))];
    expect(Math.abs(after.base / before.base - (1 + pricePercent / 100))).toBeLessThan(0.005);
    expect(after.total).toBe(after.base + included(after.charges));
  });
});

describe('price levels', () => {
  it.each([
    ['JP', 'JPY'],
    ['KW', 'KWD'],
    ['FR', 'EUR'],
    ['ZZ', 'USD'],
    ['VE', 'USD'],
  ])('locations in %s charge %s', (country, currency) => {
    expect(localCurrency(country)).toBe(currency);
  });

  it.each([
    [50, 'USD', 5_000],
    [50, 'JPY', 7_500],
    [50.04, 'JPY', 7_510],
    [50, 'KWD', 15_350],
    [50, 'KRW', 67_500],
    [50, 'IDR', 80_000_000],
    [0, 'USD', 1],
  ])('%f dollars: %s %i in minor units', (dollars, currency, minor) => {
    expect(localPrice(dollars, currency)).toBe(minor);
  });
});
