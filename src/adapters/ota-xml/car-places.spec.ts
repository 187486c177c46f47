import { describe, expect, it } from '@jest/globals';
import { createOtaXmlAdapter } from './adapter.js';
import { contextWith, fixture, search, settings } from './fixtures/setting.js';

const round = { ...search, dropoff: search.pickup };
const STATION = 'ExtendedLocationCode="322-OK01" CounterLocation="7" Name="Gare Cornavin"';
const VENDOR = `<ota:VendorLocation ${STATION}/>`;

async function offerOf(content: string, hasDetails = false, asked = round) {
  const back = asked === round ? 'GVA' : 'ZRH';
  const body = fixture('vehicles.xml')
    .toString()
    .replace('ReturnLocation LocationCode="ZRH"', `ReturnLocation LocationCode="${back}"`)
    .replaceAll(/<ota:LocationDetails[^>]*\/>/g, (details) => (hasDetails ? details : ''))
    .replace('</ota:VehAvailCore>', `${content}</ota:VehAvailCore>`);
  const answer = await createOtaXmlAdapter(settings).searchVehicles?.(asked, contextWith([Buffer.from(body)]));
  return answer?.items[0];
}

describe('the station of a car', () => {
  it('is that of its VendorLocation, under the code that is requested', async () => {
    const offer = await offerOf(VENDOR);
    const station = { code: 'GVA', name: 'Gare Cornavin', type: 'downtown' };
    expect(offer).toMatchObject({ pickup: station, dropoff: station, supplierRef: { pickupCode: 'GVA' } });
  });

  it('has another one for the return', async () => {
    const offer = await offerOf(
      `${VENDOR}<ota:DropOffLocation CounterLocation="3" Name="Zürich Kloten"/>`,
      false,
      search,
    );
    expect([offer?.pickup.name, offer?.dropoff.name]).toEqual(['Gare Cornavin', 'Zürich Kloten']);
    expect(offer?.dropoff).toMatchObject({ code: 'ZRH', type: 'airport', counter: 'shuttle_off_airport' });
  });

  it('is the requested one without a name', async () => {
    const offer = await offerOf('<ota:VendorLocation ExtendedLocationCode="322-OK01"/>', false, search);
    expect(offer).toMatchObject({ pickup: { code: 'GVA', type: 'airport' }, dropoff: { name: 'Zürich' } });
  });

  it('is what LocationDetails say', async () => {
    const offer = await offerOf(VENDOR, true, search);
    expect([offer?.pickup.name, offer?.dropoff.name]).toEqual(['Genève Airport', 'Zürich Airport']);
  });
});

it.each([
  ['<ota:Vendor Code="OK">OK Rent</ota:Vendor>', ['Rental company: OK Rent']],
  ['<ota:Vendor Code="OK" CompanyShortName="OK Rent"/>', ['Rental company: OK Rent']],
  ['<ota:Vendor Code="AL">ALPINE</ota:Vendor>', []],
  ['<ota:Vendor Code="OK"/>', []],
])('the company that hands over a car is a term: %s', async (vendor, texts) => {
  const terms = (await offerOf(vendor))?.terms ?? [];
  expect(terms.flatMap(({ kind, text }) => (kind === 'vendor' ? [text] : []))).toEqual(texts);
});
