import { describe, expect, it } from '@jest/globals';
import { createOtaXmlAdapter } from './adapter.js';
import { contextWith, fixture, search, settings } from './fixtures/setting.js';

const DETAILS = /<ota:LocationDetails[^>]*\/>/g;
const detail = (name: string, code: string, more = '') =>
  `<ota:LocationDetails Name="${name}" Code="${code}" ${more}><ota:Address><ota:CountryName Code="CH"/></ota:Address></ota:LocationDetails>`;

/** The ends of an offer for GVA to ZRH, by VehRentalCore `from` to `to`, with these LocationDetails. */
async function endsOf(details: string, from = 'GVA', to = 'ZRH', asked = search) {
  const body = fixture('vehicles.xml')
    .toString()
    .replaceAll(DETAILS, '')
    .replace('PickUpLocation LocationCode="GVA"', `PickUpLocation LocationCode="${from}"`)
    .replace('ReturnLocation LocationCode="ZRH"', `ReturnLocation LocationCode="${to}"`)
    .replace(/<\/ota:Info>/, `${details}</ota:Info>`);
  const answer = await createOtaXmlAdapter(settings).searchVehicles?.(asked, contextWith([Buffer.from(body)]));
  const { pickup, dropoff, supplierRef = {} } = answer?.items[0] ?? {};
  return [pickup?.name, dropoff?.name, supplierRef.pickupCode, supplierRef.dropoffCode];
}

describe('the places of a one-way rental', () => {
  const [geneva, zurich] = [detail('Genève', 'GVAT01'), detail('Zürich', 'ZRHT01')];
  it.each<[string, string, string, string]>([
    ['in order', geneva + zurich, 'GVAT01', 'ZRHT01'],
    ['the return first', zurich + geneva, 'GVAT01', 'ZRHT01'],
    ['the return first, by airports', zurich + geneva, 'GVA', 'ZRH'],
    ['the return first, of which only it is known', zurich + detail('Genève', 'GVAT01'), 'X1', 'ZRHT01'],
    [
      ...(['the return first, with plain codes as well'] as const),
      ...([detail('Zürich', 'ZRH', 'ExtendedLocationCode="ZRHT01"') + geneva, 'GVA', 'ZRH'] as const),
    ],
  ])('are taken by their codes: %s', async (_what, details, from, to) => {
    expect(await endsOf(details, from, to)).toEqual(['Genève', 'Zürich', 'GVAT01', 'ZRHT01']);
  });

  it('are taken in their order if no code is known', async () => {
    expect(await endsOf(detail('One', 'K1') + detail('Other', 'K2'))).toEqual(['One', 'Other', 'K1', 'K2']);
  });

  it('have only the return’s details', async () => {
    expect(await endsOf(zurich, 'GVAT01', 'ZRHT01')).toEqual(['GVAT01', 'Zürich', 'GVAT01', 'ZRHT01']);
  });

  it('are two stations of one airport', async () => {
    const asked = { ...search, dropoff: search.pickup };
    const stations = detail('Town', 'GVAC02') + geneva;
    expect(await endsOf(stations, 'GVAT01', 'GVAC02', asked)).toEqual(['Genève', 'Town', 'GVAT01', 'GVAC02']);
  });
});

it('the place of a round trip is what the only details say, whatever they are for', async () => {
  const asked = { ...search, dropoff: search.pickup };
  const details = detail('Genève', 'GVAT01', 'CodeContext="Return Location"');
  expect(await endsOf(details, 'GVAT01', 'GVAT01', asked)).toEqual(['Genève', 'Genève', 'GVAT01', 'GVAT01']);
});
