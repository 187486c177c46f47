import { describe, expect, it } from '@jest/globals';
import { scripted } from './fixtures/replies.js';
import { adapterOf, location } from './fixtures/tiny.js';

const offer = {
  rows: 'cars',
  ref: { no: 'no' },
  currency: "'USD'",
  rentalDays: '`3`',
  pickup: '$answer.at',
  dropoff: '$answer.at',
  payment: "'pay_later'",
  vehicle: { name: "'Car'" },
  price: {
    total: "'120.00'",
    items: [
      {
        rows: 'charges',
        description: 'name',
        amount: 'amount',
        currency: 'currency',
        includedInTotal: 'included',
        optional: 'optional',
      },
    ],
  },
  distance: { included: "'100'", unit: "'km'", overage: 'km.amount', currency: 'km.currency' },
  deposit: { amount: 'deposit.amount', currency: 'deposit.currency' },
  cancellation: { refundable: "'true'", fee: 'fee.amount', currency: 'fee.currency' },
  coverages: {
    ...{ rows: 'covers', code: 'code', name: 'code', included: "'false'", perDay: 'day', total: 'sum' },
    ...{ currency: 'currency', excess: 'excess.amount', excessCurrency: 'excess.currency' },
  },
  extras: { rows: 'extras', code: 'code', name: 'code', perDay: 'day', total: 'sum', currency: 'currency' },
};
const at = { code: 'B', name: 'Bergen', country: 'NO' };
const place = { supplierCode: 'B', countryCode: 'NO' };

/** The only car, whose other amounts are 10.00 in this currency as the supplier writes it, and the warnings. */
async function found(currency: unknown, toll: object = {}) {
  const adapter = adapterOf({ location, offer, searchVehicles: { request: { method: 'GET', path: '/cars' } } });
  const amount = { amount: '10.00', currency };
  const option = { code: 'X', day: '10.00', sum: '10.00', currency };
  const charges = [
    { name: 'Tax', included: true, ...amount },
    { name: 'Toll', included: false, ...amount, ...toll },
  ];
  const car = { no: 1, charges, km: amount, deposit: amount, fee: amount };
  const body = { at, cars: [{ ...car, covers: [{ ...option, excess: amount }], extras: [option] }] };
  const answer = await adapter.searchVehicles?.(
    {
      ...{ pickup: place, dropoff: place, pickupDate: '2031-05-06T10:00:00', dropoffDate: '2031-05-09T10:00:00' },
      ...{ countryCode: 'NO', age: 40, brands: ['Tiny'], sippCodes: [], discountCodes: [], loyalty: [] },
      additionalDrivers: 0,
    },
    scripted({ status: 200, body: JSON.stringify(body) }),
  );
  const car1 = answer?.items[0];
  const [extra, coverage] = [car1?.extras[0], car1?.coverages[0]];
  const amounts = {
    deposit: car1?.deposit?.amount,
    fee: car1?.cancellation.rules[0]?.fee,
    overage: car1?.distancePolicy[0]?.overage,
    excess: coverage?.excess,
    options: [extra?.pricePerDay, extra?.priceTotal, coverage?.pricePerDay, coverage?.priceTotal],
  };
  const items = car1?.price.items.map(({ description, amount: own }) => [description, own.currency]);
  return { amounts, items, unitemised: car1?.price.unitemised, warnings: answer?.warnings.map(({ text }) => text) };
}

describe('an amount whose currency the answer states beside it', () => {
  const all = (money: unknown) => ({
    ...{ deposit: money, fee: money, overage: money, excess: money },
    options: [money, money, money, money],
  });

  it('is in that currency, and never converted', async () => {
    const { amounts, items, unitemised, warnings } = await found('eur');
    expect(amounts).toEqual(all({ amountMinor: 1_000, currency: 'EUR' }));
    expect(items).toEqual([['Toll', 'EUR']]);
    expect(unitemised).toEqual({ amountMinor: 12_000, currency: 'USD' });
    expect(warnings).toEqual(['amount is in EUR, but in a total in USD: left out']);
  });

  it.each([undefined, null, ' '])('is in that of the offer if it is %j', async (currency) => {
    const { amounts, items, warnings } = await found(currency);
    expect(amounts).toEqual(all({ amountMinor: 1_000, currency: 'USD' }));
    expect(items).toEqual([
      ['Tax', 'USD'],
      ['Toll', 'USD'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('is left out with a warning if it cannot be read', async () => {
    const { amounts, items, warnings } = await found('Euro', { optional: true });
    expect([amounts, items]).toEqual([all(undefined), []]);
    expect(warnings).toContain('deposit.amount has no readable currency: left out');
    expect(warnings).toContain('fee.amount has no readable currency: left out');
  });

  it.each(['Euro', 'RMB', '???'])(
    'makes the car unreadable if it is %j for what must be paid besides the total',
    async (currency) => {
      const unreadable = { fault: 'bad_payload', message: expect.stringContaining('unreadable "currency"') };
      await expect(found(currency)).rejects.toMatchObject(unreadable);
      expect((await found(currency, { amount: '0.00' })).items).toEqual([]);
      expect((await found(currency, { included: true })).items).toEqual([]);
    },
  );
});
