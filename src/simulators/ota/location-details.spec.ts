import { expect, it } from '@jest/globals';
import { connect } from './fixtures/connection.js';

it('the details of a location have its ages, hours and priced extras; an unknown one is empty', async () => {
  const { adapter, context } = connect();
  const ask = (iataCode: string) =>
    adapter.locationDetails?.({ brand: 'Alpine', location: { iataCode, countryCode: 'US' } }, context);
  const found = await ask('BOS');
  const [search] = (await adapter.searchLocations?.({ keyword: 'BOS', brands: ['Alpine'] }, context))?.items ?? [];
  expect(found?.warnings).toEqual([]);
  expect(found?.items).toMatchObject([
    { location: search, minAge: 19, fees: [], extras: [{ code: '8', type: 'toddler_seat' }] },
  ]);
  expect(found?.items[0]?.extras[0]?.prices).toMatchObject([{ per: 'day' }]);
  expect((await ask('XXX'))?.items).toEqual([]);
});
