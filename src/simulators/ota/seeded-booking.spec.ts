import { expect, it } from '@jest/globals';
import { createInventory } from '../inventory.js';
import { connect } from './fixtures/connection.js';
import { bookingOf, failureOf, keyOf, rentalOf, search } from './fixtures/rental.js';

const inventory = createInventory({ brand: 'Alpine', seed: 22 });

it.each([22, 35])(
  'prices and books every car of a seeded inventory at the price of the search, for a driver aged %d',
  async (age) => {
    const { adapter, context, ledger } = connect({ inventory });
    const asked = { ...search, dropoff: search.pickup, age };
    const { items } = (await adapter.searchVehicles?.(asked, context)) ?? { items: [] };
    expect(items.length).toBeGreaterThan(0);
    for (const [index, offer] of items.entries()) {
      const rental = rentalOf(offer, asked);
      const checked = await adapter.priceCheck?.(rental, context);
      expect(checked).toEqual({ items: [offer], warnings: [] });
      const request = bookingOf({ rental, offer }, { reference: `FC_${index}_SEED` });
      const booking = await adapter.book?.(request, context);
      expect(booking).toMatchObject({ total: offer.price.total, reference: request.reference });
    }
    expect(ledger.size).toBe(items.length);
  },
);

it('includes every chosen extra and coverage in the total', async () => {
  const { adapter, context } = connect({ inventory });
  const asked = { ...search, dropoff: search.pickup };
  const [offer] = (await adapter.searchVehicles?.(asked, context))?.items ?? [];
  if (!offer) throw new Error('no offer');
  const extras = offer.extras.map(({ code, maxQuantity }) => ({ code, quantity: maxQuantity }));
  const coverages = offer.coverages.filter(({ included }) => !included).map(({ code }) => code);
  const checked = (await adapter.priceCheck?.({ ...rentalOf(offer, asked), extras, coverages }, context))?.items[0];
  const extra = offer.extras.reduce(
    (sum, { priceTotal, maxQuantity }) => sum + (priceTotal?.amountMinor ?? 0) * maxQuantity,
    0,
  );
  const cover = offer.coverages.reduce((sum, { priceTotal }) => sum + (priceTotal?.amountMinor ?? 0), 0);
  expect(extra * cover).toBeGreaterThan(0);
  expect(checked?.price.total.amountMinor).toBe(offer.price.total.amountMinor + extra + cover);
  expect(checked?.price.unitemised).toBeUndefined();
});

it('refuses a driver who is too young for the car', async () => {
  const { adapter, context } = connect({ inventory });
  const asked = { ...search, dropoff: search.pickup };
  const adult = (await adapter.searchVehicles?.(asked, context))?.items ?? [];
  const young = (await adapter.searchVehicles?.({ ...asked, age: 22 }, context))?.items ?? [];
  const offer = adult.find(({ vehicle }) => !young.some((other) => other.vehicle.sippCode === vehicle.sippCode));
  if (!offer) throw new Error('no car has a minimum age');
  const request = bookingOf({ rental: { ...rentalOf(offer, asked), age: 22 }, offer });
  expect(await failureOf(adapter.book?.(request, context))).toBe('rejected not_eligible');
  expect(await adapter.retrieve?.(keyOf(request), context)).toMatchObject({ items: [] });
});
