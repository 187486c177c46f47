import { describe, expect, it } from '@jest/globals';
import type { VehicleSearch } from '../../model/offers.js';
import type { SupplierHttpCall } from '../../model/supplier.js';
import { createOtaXmlAdapter } from './adapter.js';
import { contextWith, search, settings } from './fixtures/setting.js';

describe('requests', () => {
  const noLocations = Buffer.from('<OTA_VehLocSearchRS><Success/></OTA_VehLocSearchRS>');
  const noVehicles = Buffer.from('<OTA_VehAvailRateRS><Success/></OTA_VehAvailRateRS>');

  const askedFor = async (
    asked: Partial<VehicleSearch>,
    options: Record<string, unknown> = {},
    credentials: Record<string, string> = {},
  ) => {
    const calls: SupplierHttpCall[] = [];
    const adapter = createOtaXmlAdapter({ ...settings, credentials, options: { ...settings.options, ...options } });
    await adapter.searchVehicles?.({ ...search, ...asked }, contextWith([noVehicles], calls));
    return calls;
  };
  const searchedFor = async (keyword: string, options: Record<string, unknown> = {}) => {
    const calls: SupplierHttpCall[] = [];
    const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
    await adapter.searchLocations?.(
      { keyword, countryCode: 'CH', brands: ['Alpine'] },
      contextWith([noLocations], calls),
    );
    return calls.map((call) => /<VehLocSearchCriterion>(.*)<\/VehLocSearchCriterion>/.exec(call.body ?? '')?.[1]);
  };

  it('writes OTA_VehAvailRateRQ with all parameters and brands in one call', async () => {
    const [call] = await askedFor({
      brands: ['Alpine', 'Alpine Plus'],
      currency: 'EUR',
      sippCodes: ['ECMR', 'C???'],
      discountCodes: [
        { type: 'corporate', value: 'R&D' },
        { type: 'promo', value: 'SPRING' },
        { type: 'coupon', value: 'C1' },
        { type: 'tour', value: 'T9' },
        { type: 'iata', value: '0104724P' },
      ],
      loyalty: [{ program: 'GOLD', number: '12<3' }],
      additionalDrivers: 2,
    });
    expect(call?.path).toBe('/ota');
    expect(call?.body).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><OTA_VehAvailRateRQ xmlns="http://www.opentravel.org/OTA/2003/05" EchoToken="req_1" TimeStamp="2026-02-01T08:00:00.000Z" Target="Test" Version="2.001" PrimaryLangID="en" MaxResponses="99" MaxPerVendorInd="true">' +
        '<POS><Source ISOCountry="DE" ISOCurrency="EUR"><RequestorID Type="4" ID="FORECOURT"/></Source><Source><RequestorID Type="5" ID="0104724P"/></Source></POS>' +
        '<VehAvailRQCore Status="All"><VehRentalCore PickUpDateTime="2026-03-29T01:30:00" ReturnDateTime="2026-04-05T09:00:00"><PickUpLocation LocationCode="GVA" CodeContext="IATA"/><ReturnLocation LocationCode="ZRH" CodeContext="IATA"/></VehRentalCore>' +
        '<VendorPrefs><VendorPref Code="AL" CorpDiscountNmbr="R&amp;D"/><VendorPref Code="AP" CorpDiscountNmbr="R&amp;D"/></VendorPrefs>' +
        '<VehPrefs><VehPref Code="ECMR" CodeContext="SIPP"/></VehPrefs><DriverType Age="35"/>' +
        '<RateQualifier CorpDiscountNmbr="R&amp;D" PromotionCode="SPRING"/><RateQualifier PromotionCode="C1"/>' +
        '<SpecialEquipPrefs><SpecialEquipPref EquipType="67" Quantity="2"/></SpecialEquipPrefs></VehAvailRQCore>' +
        '<VehAvailRQInfo><Customer><Primary><CitizenCountryName Code="DE"/><CustLoyalty ProgramID="GOLD" MembershipID="12&lt;3" RPH="1"/></Primary></Customer><TourInfo TourNumber="T9"/></VehAvailRQInfo></OTA_VehAvailRateRQ>',
    );
  });

  it('follows the settings: envelope, credentials, suffix, codes, currency', async () => {
    const [call] = await askedFor(
      {
        pickup: { supplierCode: 'GVAT01', iataCode: 'GVA', countryCode: 'CH' },
        dropoff: { supplierCode: 'GN4', countryCode: 'CH' },
      },
      {
        envelope: 'soap11',
        dateSuffix: 'Z',
        locationCode: { context: 'OAG', template: '{iata}T01' },
        currency: 'CHF',
        target: 'Production',
      },
      { requestorId: 'me', password: 'p"w' },
    );
    expect(call?.headers).toMatchObject({ soapaction: '""', 'content-type': 'text/xml; charset=utf-8' });
    expect(call?.body).toContain('<soap:Body><OTA_VehAvailRateRQ ');
    expect(call?.body).toContain('ISOCurrency="CHF"><RequestorID Type="4" ID="me" MessagePassword="p&quot;w"/>');
    expect(call?.body).toContain('PickUpDateTime="2026-03-29T01:30:00Z"');
    expect(call?.body).toContain(
      '<PickUpLocation LocationCode="GVAT01" CodeContext="OAG"/><ReturnLocation LocationCode="GN4"/>',
    );
    expect(call?.body).toContain('Target="Production"');
  });

  it('follows the settings: prefix, no namespace, times without seconds, context of vendor codes, compression', async () => {
    const [plain] = await askedFor({}, { namespace: '' });
    expect(plain?.body).toContain('?><OTA_VehAvailRateRQ EchoToken=');
    const [call] = await askedFor(
      {},
      { prefix: 'ota', dateSeconds: false, dateSuffix: '+01:00', vendorCodeContext: 'IATA', gzip: true },
    );
    expect(call?.body).toContain(
      '?><ota:OTA_VehAvailRateRQ xmlns:ota="http://www.opentravel.org/OTA/2003/05" EchoToken=',
    );
    expect(call?.body).toMatch(/<ota:POS><ota:Source .*<\/ota:POS>.*<\/ota:OTA_VehAvailRateRQ>$/);
    expect(call?.body).toContain('PickUpDateTime="2026-03-29T01:30+01:00"');
    expect(call?.body).toContain('<ota:VendorPref Code="AL" CodeContext="IATA"/>');
    expect(call?.gzip).toBe(true);
  });

  it.each([
    ['a prefix without a namespace', { prefix: 'ota', namespace: '' }, 'requires a namespace'],
    ['an invalid prefix', { prefix: 'o:ta' }, 'is not an XML namespace prefix'],
    ['a suffix that is not an offset', { dateSuffix: 'CET' }, 'or an offset'],
  ])('rejects %s', (_title, options, message) => {
    expect(() => createOtaXmlAdapter({ ...settings, options })).toThrow(message);
  });

  it('can send the extended code with the airport', async () => {
    const [call] = await askedFor({}, { locationCode: { template: '{iata}T01', extended: true } });
    expect(call?.body).toContain(
      '<PickUpLocation LocationCode="GVA" CodeContext="IATA" ExtendedLocationCode="GVAT01"/>',
    );
  });

  it('does not call the supplier for a place without a known code', async () => {
    expect(await askedFor({ pickup: { countryCode: 'CH', latitude: 1, longitude: 2 } })).toEqual([]);
  });

  it('searches words as cities, codes as codes, and three letters first as a code, then as a city', async () => {
    const city = (name: string) => `<Address><CityName>${name}</CityName><CountryName Code="CH"/></Address>`;
    expect(await searchedFor(' St. Gallen & more ')).toEqual([city('St. Gallen &amp; more')]);
    expect(await searchedFor('ulm')).toEqual(['<CodeRef LocationCode="ULM" CodeContext="IATA"/>', city('ulm')]);
    expect(await searchedFor('gn4')).toEqual(['<CodeRef LocationCode="GN4"/>']);
    expect(await searchedFor('GVA', { locationCriterion: 'ref_point' })).toEqual([
      '<RefPoint>GVA</RefPoint>',
      city('GVA'),
    ]);
  });

  it('searches coordinates as position and radius, one call per brand', async () => {
    const calls: SupplierHttpCall[] = [];
    const near = { latitude: 46.2, longitude: 6.1, radiusKm: 20 };
    await createOtaXmlAdapter(settings).searchLocations?.(
      { near, brands: settings.brands },
      contextWith([noLocations], calls),
    );
    expect(calls.map((call) => /<VehLocSearchCriterion>.*/.exec(call.body ?? '')?.[0])).toEqual(
      ['AL', 'AP'].map(
        (code) =>
          `<VehLocSearchCriterion><Position Latitude="46.2" Longitude="6.1"/><Radius Distance="20" DistanceMeasure="Km"/></VehLocSearchCriterion><Vendor Code="${code}"/></OTA_VehLocSearchRQ>`,
      ),
    );
  });

  it('rejects unknown options', () => {
    expect(() => createOtaXmlAdapter({ ...settings, options: { vendorcodes: {} } })).toThrow('vendorcodes');
  });
});
