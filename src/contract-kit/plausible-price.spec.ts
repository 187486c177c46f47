import { expect, it } from '@jest/globals';
import { currencyDigits } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { judgeMagnitude, PRICED, SEARCHED } from './plausible-price.js';

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
  expect(() => judgeMagnitude(offersAt(perDay, currency), PRICED)).not.toThrow();
  for (const factor of [0.001, 0.01, 0.1, 10, 100, 1_000])
    expect(() => judgeMagnitude(offersAt(perDay * factor, currency), PRICED)).toThrow(/USD per day/);
});

it.each([
  ['searched', SEARCHED, [4, 60, 380], [100, 1_000]],
  ['priced', PRICED, [12, 30, 60, 119], [10, 100, 1_000]],
])(
  'every %s price within the bounds is outside if it is wrong by one of its factors',
  (_what, bounds, prices, factors) => {
    for (const perDay of prices) {
      expect(() => judgeMagnitude(offersAt(perDay, 'USD'), bounds)).not.toThrow();
      for (const factor of factors) {
        expect(() => judgeMagnitude(offersAt(perDay * factor, 'USD'), bounds)).toThrow(/USD per day/);
        expect(() => judgeMagnitude(offersAt(perDay / factor, 'USD'), bounds)).toThrow(/USD per day/);
      }
    }
  },
);

it('an expensive season is plausible for a search, and not for a price check', () => {
  expect(() => judgeMagnitude(offersAt(240, 'USD'), SEARCHED)).not.toThrow();
  expect(() => judgeMagnitude(offersAt(240, 'USD'), PRICED)).toThrow(/expected 12 to 119/);
});

it('prices in a currency without a rate fail, and the reason says where to add one', () => {
  expect(() => judgeMagnitude(offersAt(40, 'XAU'), PRICED)).toThrow(/no rate for XAU: add .* PER_USD/);
});

it('no prices at all fail', () => {
  expect(() => judgeMagnitude([], SEARCHED)).toThrow(/no car/);
});
