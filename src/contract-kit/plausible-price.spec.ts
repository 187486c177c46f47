import { expect, it } from '@jest/globals';
import { currencyDigits } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { judgeMagnitude } from './plausible-price.js';

function offersAt(perDay: number, currency: string): readonly SupplierOffer[] {
  return [0.8, 1, 1.3].map((share) => {
    const amountMinor = Math.round(perDay * share * 3 * 10 ** currencyDigits(currency));
    const vehicle = { ...sampleOffer.vehicle, sippCode: 'ECMR' };
    const price = { ...sampleOffer.price, total: { amountMinor, currency } };
    return { ...sampleOffer, vehicle, price, rentalDays: 3 };
  });
}

/** What a small car costs per day in the currency. */
it.each([
  ['USD', 40],
  ['EUR', 35],
  ['TRY', 1_600],
  ['JPY', 6_000],
  ['CLP', 35_000],
  ['KWD', 10],
  ['IDR', 500_000],
  ['VND', 900_000],
  ['HUF', 14_000],
  ['KRW', 55_000],
])('prices in %s are plausible, and not if they are wrong by 10, 100 or 1000', (currency, perDay) => {
  expect(() => judgeMagnitude(offersAt(perDay, currency))).not.toThrow();
  for (const factor of [0.001, 0.01, 0.1, 10, 100, 1_000])
    expect(() => judgeMagnitude(offersAt(perDay * factor, currency))).toThrow(/USD per day/);
});

it('every price within the bounds is outside if it is wrong by ten', () => {
  for (const perDay of [12, 30, 60, 119]) {
    expect(() => judgeMagnitude(offersAt(perDay, 'USD'))).not.toThrow();
    expect(() => judgeMagnitude(offersAt(perDay * 10, 'USD'))).toThrow(/USD per day/);
    expect(() => judgeMagnitude(offersAt(perDay / 10, 'USD'))).toThrow(/USD per day/);
  }
});
