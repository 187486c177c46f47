import { describe, expect, it } from '@jest/globals';
import { formatAmount, type Money } from '../../model/money.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { createOtaXmlAdapter } from './adapter.js';
import { contextWith, fixture, search, settings } from './fixtures/setting.js';

async function offersOf(file: string, options: Record<string, unknown> = {}, asked: Partial<VehicleSearch> = {}) {
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  const answer = await adapter.searchVehicles?.({ ...search, ...asked }, contextWith([fixture(file)]));
  return answer ?? { items: [], warnings: [] };
}

const chf = (amount: number): Money => ({ amountMinor: amount, currency: 'CHF' });
const text = (money: Money | undefined): string | undefined => money && formatAmount(money);

function itemsOf(offer: SupplierOffer | undefined): unknown[] {
  return (offer?.price.items ?? []).map((item) => [
    item.kind,
    item.description,
    text(item.amount),
    item.includedInTotal,
    item.payable,
  ]);
}

const CODES =
  'Purpose|UnitName|RateCategory|Size|VehicleCategory|EquipType|CoverageType|VehiclePeriodUnitName|InfoType|Location|Type';

it('a code named like a member of every object is unknown, like any other', async () => {
  const answerTo = async (code: string): Promise<string> => {
    const coded = fixture('vehicles.xml')
      .toString()
      .replaceAll(new RegExp(`( (?:${CODES}))="[^"]*"`, 'g'), `$1="${code}"`);
    const context = contextWith([Buffer.from(coded)]);
    return JSON.stringify(await createOtaXmlAdapter(settings).searchVehicles?.(search, context)).replaceAll(
      code,
      'code',
    );
  };
  expect(await answerTo('constructor')).toBe(await answerTo('nonesuch'));
});

it('an answer whose cars are all unreadable is not empty', async () => {
  const unpriced = fixture('vehicles.xml')
    .toString()
    .replaceAll(/ (Estimated|Rate)TotalAmount="[^"]*"/g, '');
  const found = createOtaXmlAdapter(settings).searchVehicles?.(search, contextWith([Buffer.from(unpriced)]));
  await expect(found).rejects.toMatchObject({ fault: 'bad_payload' });
});

it('the return place that the supplier states is read, even if the car was requested for one place', async () => {
  const unnamed = fixture('vehicles.xml')
    .toString()
    .replaceAll(/<ota:LocationDetails[^>]*\/>/g, '');
  const asked = { ...search, dropoff: search.pickup };
  const found = await createOtaXmlAdapter(settings).searchVehicles?.(asked, contextWith([Buffer.from(unnamed)]));
  expect(found?.items[0]).toMatchObject({ pickup: { code: 'GVA' }, dropoff: { code: 'ZRH' } });
});

it('texts as long as an answer may be are parsed quickly', async () => {
  const long = fixture('vehicles.xml')
    .toString()
    .replaceAll(/( (?:Name|Description))="[^"]*"/g, `$1="a${' '.repeat(60_000)}b"`);
  const begun = performance.now();
  await createOtaXmlAdapter(settings).searchVehicles?.(search, contextWith([Buffer.from(long)]));
  expect(performance.now() - begun).toBeLessThan(5_000);
});

describe('mapping of a full offer', () => {
  it('maps car, rate, dates, places and the ref to book it', async () => {
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
      rate: {
        code: 'W7',
        type: 'inclusive',
        payment: 'pay_partial',
        inclusive: true,
        discountsApplied: ['R566', 'SPRING'],
      },
      fuelPolicy: 'full_to_full',
      distancePolicy: [
        { unlimited: false, included: { value: 1500, unit: 'km' }, per: 'week', overage: chf(25) },
        { unlimited: false, included: { value: 100, unit: 'km' }, per: 'day', overage: chf(25) },
      ],
      requirements: {
        minAge: 21,
        maxAge: 79,
        flightRequired: true,
        creditCardRequired: true,
        youngDriverFee: chf(2000),
      },
      changes: { penalty: true },
      deposit: { amount: chf(30000) },
      terms: [{ kind: 'policy', text: 'BRING IT BACK FULL OR PAY' }],
      supplierRef: {
        vendor: 'AL',
        pickupCode: 'GVA',
        dropoffCode: 'ZRH',
        vehicleCode: 'IWAD',
        classCode: 'F2',
        rateQualifier: 'W7',
        rateCategory: '12',
        corporateDiscount: 'R566',
        promotionCode: 'SPRING',
        vendorRateId: 'VR-88',
        referenceId: 'Q-7781',
        referenceType: '16',
        referenceContext: 'AL',
      },
    });
    expect(warnings.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'notice: Warning type 11 code 199: More cars at the desk',
      'incomplete: RateDistance of 9 Block left out',
    ]);
  });

  it('lists every charge once, keeps the stated total and leaves the rest unitemised', async () => {
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

  it('calculates the total from rate and mandatory charges if so configured', async () => {
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
      {
        code: '14',
        type: 'winter_tires',
        name: 'Winter tyres',
        priceTotal: chf(1500),
        maxQuantity: 1,
        mandatory: true,
      },
      {
        ...{ code: '999', type: 'other', name: 'Equipment', maxQuantity: 1, mandatory: false },
        priceTotal: { amountMinor: 800, currency: 'EUR' },
      },
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
      {
        code: '32',
        type: 'personal_accident',
        name: 'Personal Accident (PAI)',
        included: false,
        mandatory: false,
        pricePerDay: chf(650),
      },
    ]);
  });

  it('counts deadlines back on the wall clock, even across a change to summer time', async () => {
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

  it('leaves out brands that were not requested', async () => {
    expect((await offersOf('vehicles.xml', {}, { brands: ['Alpine Plus'] })).items).toEqual([]);
  });
});

describe('mapping of malformed data', () => {
  it('keeps what is usable and warns about the rest', async () => {
    const { items, warnings } = await offersOf('vehicles-dirt.xml', {}, { dropoff: search.pickup });
    expect(
      items.map((offer) => [offer.brand, offer.vehicle.name, offer.vehicle.sippCode, text(offer.price.total)]),
    ).toEqual([
      ['Alpine', 'Economy car', undefined, '108.00'],
      ['Alpine', 'XXXX', 'XXXX', '70.01'],
    ]);
    expect(warnings.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'contradiction: OTA_VehAvailRateRS in an unknown namespace',
      'unknown_code: unknown vendor XX, treated as Alpine',
      'incomplete: no EstimatedTotalAmount: the total is the rate plus its mandatory charges',
      'amount_rejected: Half a cent left out: the amount "70.005" has more than the 2 decimals of USD',
      'amount_rejected: VehicleCharge in EUR left out of an offer in USD',
      'amount_rejected: Mixed left out: the amount "5.00" of a charge is not in USD',
      'amount_rejected: Fee in letters left out: the amount "abc" is not a number',
      'row_dropped: No price without total left out',
      'row_dropped: No money without currency left out',
    ]);
  });

  it('lists a tax included in its charge without counting it twice, and computes an amount from its parts', async () => {
    const [offer] = (await offersOf('vehicles-dirt.xml')).items;
    expect(itemsOf(offer)).toEqual([
      ['rental', 'Vehicle rental', '91.00', true, 'counter'],
      ['tax', 'Tax', '9.00', true, 'counter'],
      ['surcharge', 'Made of its parts', '8.00', true, 'counter'],
      // In euros.
      ['fee', 'Fee', '5.00', false, 'counter'],
    ]);
    expect(offer?.price.unitemised).toBeUndefined();
  });

  it('takes the locations from the request and shares one snapshot if there are no details', async () => {
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

  it('keeps a cancellation text as text, and never as free', async () => {
    const [offer] = (await offersOf('vehicles-dirt.xml')).items;
    expect(offer?.cancellation).toEqual({
      rules: [{ text: 'Free cancellation until the day before.' }],
      source: 'text',
    });
    expect(offer?.fuelPolicy).toBe('unknown');
    expect(offer?.rate).toMatchObject({ payment: 'pay_later', inclusive: false });
  });
});
