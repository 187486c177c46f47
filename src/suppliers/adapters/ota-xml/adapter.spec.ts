import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer, VehicleSearch } from '../../models.js';
import { formatAmount, type Money } from '../../money.js';
import type { SupplierContext, SupplierHttpCall } from '../../supplier.js';
import { createOtaXmlAdapter } from './adapter.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));

const settings = {
  id: 'alpine',
  name: 'Alpine Rent',
  brands: ['Alpine', 'Alpine Plus'],
  credentials: {},
  options: { vendorCodes: { Alpine: 'AL', 'Alpine Plus': 'AP' } },
};

const search: VehicleSearch = {
  pickup: { iataCode: 'GVA', countryCode: 'CH' },
  dropoff: { iataCode: 'ZRH', countryCode: 'CH', name: 'Zürich' },
  pickupDate: '2026-03-29T01:30:00',
  dropoffDate: '2026-04-05T09:00:00',
  countryCode: 'DE',
  age: 35,
  brands: ['Alpine'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

function contextWith(bodies: readonly Buffer[], calls: SupplierHttpCall[] = []): SupplierContext {
  return {
    http: {
      send: (call) => {
        calls.push(call);
        const body = bodies[Math.min(calls.length, bodies.length) - 1] ?? Buffer.alloc(0);
        return Promise.resolve({ status: 200, headers: { 'content-type': 'text/xml' }, body });
      },
    },
    requestId: 'req_1',
    environment: 'sandbox',
    now: Date.parse('2026-02-01T08:00:00Z'),
  };
}

async function offersOf(file: string, options: Record<string, unknown> = {}, asked: Partial<VehicleSearch> = {}) {
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  const answer = await adapter.searchVehicles?.({ ...search, ...asked }, contextWith([fixture(file)]));
  return answer ?? { items: [], warnings: [] };
}

const chf = (amount: number): Money => ({ amountMinor: amount, currency: 'CHF' });
const text = (money: Money | undefined): string | undefined => money && formatAmount(money);

function itemsOf(offer: SupplierOffer | undefined): unknown[] {
  return (offer?.price.items ?? []).map((item) => [item.kind, item.description, text(item.amount), item.includedInTotal, item.payable]);
}

describe('mapping of a full offer', () => {
  it('maps car, rate, dates, places and the way to book it again', async () => {
    const { items, warnings } = await offersOf('vehicles.xml');
    const [offer] = items;
    expect(items).toHaveLength(1);
    expect(offer).toMatchObject({
      brand: 'Alpine',
      status: 'on_request',
      expiresAt: '2026-03-01T12:00:00Z',
      pickupDate: '2026-03-29T01:30:00',
      dropoffDate: '2026-04-05T09:00:00',
      rentalDays: 8,
      vehicle: {
        sippCode: 'IWAD',
        name: 'SKODA OCTAVIA COMBI',
        orSimilar: true,
        classCode: 'F2',
        className: 'Intermediate',
        seats: 4,
        doors: '4-5',
        bagsLarge: 3,
        imageUrl: 'https://img.example/f2.png',
        transmission: 'automatic',
        airConditioning: true,
        fuel: 'diesel',
      },
      pickup: { code: 'GVA', iataCode: 'GVA', name: 'Genève Airport', type: 'airport', address: { countryCode: 'CH' } },
      dropoff: { code: 'ZRH', name: 'Zürich Airport' },
      rate: { code: 'W7', type: 'inclusive', payment: 'pay_partial', inclusive: true, discountsApplied: ['R566', 'SPRING'] },
      fuelPolicy: 'full_to_full',
      distancePolicy: [
        { unlimited: false, included: { value: 1500, unit: 'km' }, per: 'week', overage: chf(25) },
        { unlimited: false, included: { value: 100, unit: 'km' }, per: 'day', overage: chf(25) },
      ],
      requirements: { minAge: 21, maxAge: 79, flightRequired: true, creditCardRequired: true, youngDriverFee: chf(2000) },
      deposit: { amount: chf(30000) },
      terms: [{ kind: 'fuel', text: 'BRING IT BACK FULL OR PAY' }],
      supplierRef: {
        vendor: 'AL',
        pickupCode: 'GVA',
        dropoffCode: 'ZRH',
        vehicleCode: 'IWAD',
        classCode: 'F2',
        rateQualifier: 'W7',
        rateCategory: '12',
        quoteId: 'VR-88',
        referenceId: 'Q-7781',
        referenceType: '16',
        referenceContext: 'AL',
      },
    });
    expect(warnings).toEqual([
      'Warning type 11 code 199: More cars at the desk',
      'Charge in EUR left out of an offer in CHF',
      'RateDistance of 9 Block left out',
    ]);
  });

  it('lists every charge once, keeps the supplier’s total and leaves the rest unitemised', async () => {
    const { price } = (await offersOf('vehicles.xml')).items[0] ?? {};
    expect(itemsOf((await offersOf('vehicles.xml')).items[0])).toEqual([
      ['rental', 'Vehicle rental', '375.00', true, 'counter'],
      ['tax', 'VAT', '30.80', true, 'counter'],
      ['fee', 'ROAD LICENCE', '25.00', true, 'counter'],
      ['discount', 'Member discount', '-40.00', true, 'counter'],
      ['young_driver', 'Young driver, at the desk', '20.00', false, 'counter'],
      ['tax', 'AIRPORT FEE', '60.00', true, 'counter'],
      ['one_way', 'One-way', '55.00', true, 'counter'],
      ['equipment', 'Winter tyres', '15.00', true, 'counter'],
    ]);
    expect(price).toMatchObject({
      total: chf(53080),
      base: chf(37500),
      taxes: chf(9080),
      fees: chf(2500),
      oneWay: chf(5500),
      extras: chf(1500),
      discount: chf(-4000),
      dueNow: chf(10000),
      dueAtCounter: chf(43080),
      unitemised: chf(1000),
    });
  });

  it('makes the total of rate and mandatory charges where the dialect says so', async () => {
    const { items } = await offersOf('vehicles.xml', { totalFrom: 'rate_plus_fees', purposeKinds: { 7: 'airport' } });
    expect(items[0]?.price).toMatchObject({ total: chf(52080), unitemised: undefined });
    expect(items[0]?.price.items[5]).toMatchObject({ kind: 'airport', description: 'AIRPORT FEE' });
  });

  it('maps extras with their taxes and coverages with the excess', async () => {
    const [offer] = (await offersOf('vehicles.xml')).items;
    expect(offer?.extras).toEqual([
      {
        code: '8',
        type: 'toddler_seat',
        name: 'Toddler seat',
        pricePerDay: chf(500),
        priceTotal: chf(3231),
        maxQuantity: 2,
        mandatory: false,
      },
      { code: '14', type: 'winter_tires', name: 'Winter tyres', priceTotal: chf(1500), maxQuantity: 1, mandatory: true },
      { code: '999', type: 'other', name: 'Equipment', maxQuantity: 1, mandatory: false },
    ]);
    expect(offer?.coverages).toEqual([
      {
        code: '7',
        type: 'collision_damage_waiver',
        name: 'Collision damage waiver',
        included: true,
        mandatory: false,
        excess: chf(150000),
      },
      { code: 'PAI', type: 'personal_accident', name: 'Personal Accident (PAI)', included: false, mandatory: false, pricePerDay: chf(650) },
    ]);
  });

  it('counts deadlines back on the wall clock, across a change to summer time too', async () => {
    const [offer] = (await offersOf('vehicles.xml')).items;
    expect(offer?.cancellation).toEqual({
      refundable: true,
      freeUntil: '2026-03-27T01:30:00',
      rules: [
        { from: '2026-03-27T01:30:00', until: '2026-03-29T00:00:00', fee: chf(8000) },
        { from: '2026-03-29T00:00:00', percent: '100' },
      ],
      noShowFee: chf(12000),
      source: 'structured',
    });
  });

  it('leaves out brands that were not asked for', async () => {
    expect((await offersOf('vehicles.xml', {}, { brands: ['Alpine Plus'] })).items).toEqual([]);
  });
});

describe('mapping of dirt', () => {
  it('keeps what is usable and says what it left out', async () => {
    const { items, warnings } = await offersOf('vehicles-dirt.xml', {}, { dropoff: search.pickup });
    expect(items.map((offer) => [offer.brand, offer.vehicle.name, offer.vehicle.sippCode, text(offer.price.total)])).toEqual([
      ['Alpine', 'Economy car', undefined, '108.00'],
      ['Alpine', 'XXXX', 'XXXX', '70.01'],
    ]);
    expect(warnings).toEqual([
      'unknown vendor XX, taken as Alpine',
      'VehicleCharge in EUR left out of an offer in USD',
      'no EstimatedTotalAmount: total taken as the rate and its mandatory charges',
      'No price without total left out',
      'No money without currency left out',
    ]);
  });

  it('shows a tax inside its charge without counting it twice, and computes an amount from its parts', async () => {
    const [offer] = (await offersOf('vehicles-dirt.xml')).items;
    expect(itemsOf(offer)).toEqual([
      ['rental', 'Vehicle rental', '91.00', true, 'counter'],
      ['tax', 'Tax', '9.00', true, 'counter'],
      ['surcharge', 'Made of its parts', '8.00', true, 'counter'],
    ]);
    expect(offer?.price.unitemised).toBeUndefined();
  });

  it('knows the counters from the question and shares one snapshot when there are no details', async () => {
    const [one, other] = (await offersOf('vehicles-dirt.xml', {}, { dropoff: search.pickup })).items;
    expect(one?.pickup).toMatchObject({
      code: 'GVA',
      iataCode: 'GVA',
      name: 'GVA',
      type: 'airport',
      address: { lines: [], countryCode: 'CH' },
    });
    expect(one?.dropoff).toBe(one?.pickup);
    expect(other?.pickup).toBe(one?.pickup);
    expect((await offersOf('vehicles-dirt.xml')).items[0]?.dropoff).toMatchObject({ code: 'ZRH', name: 'Zürich' });
  });

  it('takes cancelling from the text as text, and never as free', async () => {
    const [offer] = (await offersOf('vehicles-dirt.xml')).items;
    expect(offer?.cancellation).toEqual({ rules: [{ text: 'Free cancellation until the day before.' }], source: 'text' });
    expect(offer?.fuelPolicy).toBe('unknown');
    expect(offer?.rate).toMatchObject({ payment: 'pay_later', inclusive: false });
  });
});

describe('mapping of locations', () => {
  const find = async (options: Record<string, unknown> = {}) => {
    const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
    const answer = await adapter.searchLocations?.(
      { keyword: 'genève', countryCode: 'CH', brands: ['Alpine'] },
      contextWith([fixture('locations.xml')]),
    );
    return answer ?? { items: [], warnings: [] };
  };

  it('maps an airport counter with everything it says', async () => {
    const { items } = await find({ locationCode: { context: 'OAG', template: '{iata}T01' } });
    expect(items[0]).toEqual({
      brand: 'Alpine',
      code: 'GVAT01',
      codeContext: 'oag',
      iataCode: 'GVA',
      name: 'Genève Cointrin & France',
      type: 'airport',
      counter: 'in_terminal',
      address: {
        lines: ["Route de l'Aéroport 21", 'Niveau Arrivées'],
        city: 'Genève',
        region: 'GE',
        postalCode: '1215',
        countryCode: 'CH',
      },
      latitude: 46.2381,
      longitude: 6.1089,
      phone: '+41 22 5550142',
      openingHours: [
        ...(['mon', 'tue', 'wed', 'thu', 'fri'] as const).map((day) => ({ day, open: '07:00', close: '24:00' })),
        { day: 'sat', open: '22:00', close: '24:00' },
        { day: 'sun', open: '00:00', close: '02:30' },
      ],
      specialHours: [
        { name: 'Christmas', from: '2026-12-24', to: '2026-12-26', slots: [{ open: '10:00', close: '14:00' }] },
        { from: '2027-01-01', to: '2027-01-01', slots: [] },
      ],
      afterHoursReturn: true,
      services: ['delivery', 'collection'],
      public: true,
      distance: { value: 3.5, unit: 'mi' },
    });
  });

  it('fills the country from the question, drops zero positions and keeps counters that are not public apart', async () => {
    const { items, warnings } = await find();
    expect(items).toHaveLength(3);
    expect(items[1]).toMatchObject({
      code: 'GN4',
      codeContext: 'supplier',
      type: 'rail',
      phone: '(41) 022 555 0143',
      address: { countryCode: 'CH' },
    });
    expect(items[1]?.latitude).toBeUndefined();
    expect(items[1]?.iataCode).toBeUndefined();
    expect(items[2]).toMatchObject({ public: false, type: 'other', address: { countryCode: 'CH' } });
    expect(warnings).toEqual(['location without code left out']);
  });
});

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
    await adapter.searchLocations?.({ keyword, countryCode: 'CH', brands: ['Alpine'] }, contextWith([noLocations], calls));
    return calls.map((call) => /<VehLocSearchCriterion>(.*)<\/VehLocSearchCriterion>/.exec(call.body ?? '')?.[1]);
  };

  it('writes OTA_VehAvailRateRQ with everything that was asked, all brands in one call', async () => {
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
        '<VehAvailRQInfo><Customer><Primary><CitizenCountryName Code="DE"/><CustLoyalty ProgramID="GOLD" MembershipID="12&lt;3"/></Primary></Customer><TourInfo TourNumber="T9"/></VehAvailRQInfo></OTA_VehAvailRateRQ>',
    );
  });

  it('follows the dialect: envelope, credentials, suffix, codes, currency', async () => {
    const [call] = await askedFor(
      { pickup: { supplierCode: 'GVAT01', iataCode: 'GVA', countryCode: 'CH' }, dropoff: { supplierCode: 'GN4', countryCode: 'CH' } },
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
    expect(call?.body).toContain('<PickUpLocation LocationCode="GVAT01" CodeContext="OAG"/><ReturnLocation LocationCode="GN4"/>');
    expect(call?.body).toContain('Target="Production"');
  });

  it('can send the extended code beside the airport', async () => {
    const [call] = await askedFor({}, { locationCode: { template: '{iata}T01', extended: true } });
    expect(call?.body).toContain('<PickUpLocation LocationCode="GVA" CodeContext="IATA" ExtendedLocationCode="GVAT01"/>');
  });

  it('does not ask for a place of which it knows no code', async () => {
    expect(await askedFor({ pickup: { countryCode: 'CH', latitude: 1, longitude: 2 } })).toEqual([]);
  });

  it('searches words as cities, codes as codes, and three letters as a code first and a city after that', async () => {
    const city = (name: string) => `<Address><CityName>${name}</CityName><CountryName Code="CH"/></Address>`;
    expect(await searchedFor(' St. Gallen & more ')).toEqual([city('St. Gallen &amp; more')]);
    expect(await searchedFor('ulm')).toEqual(['<CodeRef LocationCode="ULM" CodeContext="IATA"/>', city('ulm')]);
    expect(await searchedFor('gn4')).toEqual(['<CodeRef LocationCode="GN4"/>']);
    expect(await searchedFor('GVA', { locationCriterion: 'ref_point' })).toEqual(['<RefPoint>GVA</RefPoint>', city('GVA')]);
  });

  it('searches coordinates as position and radius, a brand a call', async () => {
    const calls: SupplierHttpCall[] = [];
    const near = { latitude: 46.2, longitude: 6.1, radiusKm: 20 };
    await createOtaXmlAdapter(settings).searchLocations?.({ near, brands: settings.brands }, contextWith([noLocations], calls));
    expect(calls.map((call) => /<VehLocSearchCriterion>.*/.exec(call.body ?? '')?.[0])).toEqual(
      ['AL', 'AP'].map(
        (code) =>
          `<VehLocSearchCriterion><Position Latitude="46.2" Longitude="6.1"/><Radius Distance="20" DistanceMeasure="Km"/></VehLocSearchCriterion><Vendor Code="${code}"/></OTA_VehLocSearchRQ>`,
      ),
    );
  });

  it('refuses options that do not exist', () => {
    expect(() => createOtaXmlAdapter({ ...settings, options: { vendorcodes: {} } })).toThrow('vendorcodes');
  });
});
