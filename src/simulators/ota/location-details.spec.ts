import { expect, it } from '@jest/globals';
import { fleetOf } from '../fleet.js';
import { createInventory } from '../inventory.js';
import { connect } from './fixtures/connection.js';

it('the details of a location have its ages, hours and priced extras; an unknown one is empty', async () => {
  const { adapter, context } = connect();
  const ask = (iataCode: string) =>
    adapter.locationDetails?.({ brand: 'Alpine', location: { iataCode, countryCode: 'US' } }, context);
  const found = await ask('BOS');
  const [search] = (await adapter.searchLocations?.({ keyword: 'BOS', brands: ['Alpine'] }, context))?.items ?? [];
  expect(found?.warnings).toEqual([]);
  expect(found?.items).toMatchObject([
    { location: search, minAge: 21, fees: [], extras: [{ code: '8', type: 'toddler_seat' }] },
  ]);
  expect(found?.items[0]?.extras[0]?.prices).toMatchObject([{ per: 'day' }]);
  expect((await ask('XXX'))?.items).toEqual([]);
});

it.each([
  ['BOS', 'US', 21],
  ['BCN', 'ES', 19],
])('the least age at %s (%s) is %i, as in the fleet', async (iataCode, countryCode, age) => {
  const fleet = createInventory({ brand: 'Alpine', seed: 1 });
  const { adapter, context } = connect({ inventory: fleet });
  const found = await adapter.locationDetails?.({ brand: 'Alpine', location: { iataCode, countryCode } }, context);
  const location = fleet.locationByCode(iataCode);
  if (!location) throw new Error(`there is no ${iataCode}`);
  const ages = fleetOf(location, 1).map(({ minAge }) => minAge);
  expect([found?.items[0]?.minAge, Math.min(...ages)]).toEqual([age, age]);
});
