import { describe, expect, it } from '@jest/globals';
import { formatAmount, UnreadableAmountError } from '../../model/money.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, request } from './fixtures/booking.js';
import { settings } from './fixtures/setting.js';

/*
 * A supplier that states RateTotalAmount only, as several systems for local suppliers do. OpenTravel means the rental without its
 * mandatory charges, but others mean the complete price, and list what it consists of. Nothing is added to it that it may contain.
 */

interface Car {
  /** RateTotalAmount. */
  readonly rate?: string;
  readonly charges?: string;
  readonly fees?: string;
  readonly more?: string;
}

const charge = (purpose: string, amount: string, taxes = '') =>
  `<VehicleCharge ${purpose && `Purpose="${purpose}"`} Amount="${amount}"><TaxAmounts>${taxes}</TaxAmounts></VehicleCharge>`;
const fee = (purpose: string, amount: string, flags = '') =>
  `<Fee ${purpose && `Purpose="${purpose}"`} Amount="${amount}" ${flags}/>`;
const VAT = '<TaxAmount Total="14.00" Percentage="5" Description="VAT"/>';

const answer = ({ rate = '294.00', charges = '', fees = '', more = '' }: Car) =>
  `<OTA_VehRateRuleRS><Success/><RentalRate><VehicleCharges>${charges}</VehicleCharges></RentalRate>` +
  `<TotalCharge RateTotalAmount="${rate}" CurrencyCode="AED"/><Fees>${fees}</Fees>${more}</OTA_VehRateRuleRS>`;

async function read(car: Car, options: Record<string, unknown> = {}, own: Partial<typeof request> = {}) {
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  const rental = { ...request, extras: [], coverages: [], ...own };
  return await adapter.priceCheck?.(rental, answering([answer(car)]));
}

const priced = async (...asked: Parameters<typeof read>) => (await read(...asked))?.items[0];
const warned = async (...asked: Parameters<typeof read>) =>
  (await read(...asked))?.warnings.map(({ text }) => text) ?? [];

async function totalOf(...asked: Parameters<typeof priced>): Promise<string> {
  try {
    const offer = await priced(...asked);
    return offer ? formatAmount(offer.price.total) : 'none';
  } catch (error) {
    if (error instanceof UnreadableAmountError) return 'refused';
    throw error;
  }
}

describe('a RateTotalAmount that its lines add up to is the total', () => {
  it.each<[string, Car]>([
    ['a word and its tax', { charges: charge('Base Rate', '280.00', VAT) }],
    ['the rental and its tax', { charges: charge('1', '280.00', VAT) }],
    ['a charge without a purpose', { charges: charge('', '294.00') }],
    ['the rental and a fee', { charges: charge('1', '280.00'), fees: fee('6', '14.00') }],
    ['the rental and fees of any meaning', { charges: charge('1', '280.00'), fees: fee('Road fund', '14.00') }],
    ['a word, and a discount', { charges: charge('Base Rate', '300.00') + charge('3', '6.00') }],
  ])('%s', async (_what, car) => {
    const offer = await priced(car);
    expect(offer && formatAmount(offer.price.total)).toBe('294.00');
    expect(offer?.price.unitemised).toBeUndefined();
  });

  it.each<[string, Car]>([
    ['a fee', { charges: charge('1', '280.00', VAT), fees: fee('6', '30.00') }],
    ['a fee besides words', { charges: charge('Base Rate', '280.00', VAT), fees: fee('6', '30.00') }],
    [
      'taxes after a fee',
      { charges: charge('1', '280.00'), fees: fee('2', '30.00') + fee('7', '6.00') + fee('65', '8.00') },
    ],
    ['a fee after a fee', { charges: charge('1', '280.00'), fees: fee('2', '30.00') + fee('6', '14.00') }],
    ['a word after a fee', { charges: charge('1', '280.00'), fees: fee('2', '30.00') + fee('Road fund', '14.00') }],
    ['taxes of a word after a fee', { charges: charge('Base', '280.00'), fees: fee('2', '30.00') + fee('7', '14.00') }],
    ['a discount after a fee', { charges: charge('1', '300.00'), fees: fee('2', '30.00') + fee('3', '6.00') }],
    ['a tax besides a discount', { charges: charge('1', '300.00') + charge('3', '6.00') + charge('7', '30.00') }],
  ])('to which the rest is added: %s', async (_what, car) => {
    expect(await totalOf(car)).toBe('324.00');
  });

  it.each([
    ['294.00', '351.75'],
    ['351.75', '351.75'],
  ])('with or without the chosen options: %s', async (rate, total) => {
    const more =
      '<PricedEquips><PricedEquip><Equipment EquipType="SCDW"/><Charge Amount="57.75"/></PricedEquip></PricedEquips>';
    const chosen = { extras: [{ code: 'SCDW', quantity: 1 }] };
    expect(await totalOf({ rate, charges: charge('Base Rate', '280.00', VAT), more }, {}, chosen)).toBe(total);
  });
});

describe('known charges that it does not explain are added to it', () => {
  it.each<[string, Car]>([
    ['without a rental', { fees: fee('6', '30.00') }],
    ['beside the rental', { charges: charge('1', '294.00'), fees: fee('6', '30.00') }],
    ['beside parts of the rental', { charges: charge('1', '200.00'), fees: fee('6', '30.00') }],
    ['of a word that says so', { fees: fee('Road fund', '30.00', 'IncludedInEstTotalInd="1" IncludedInRate="0"') }],
  ])('%s', async (_what, car) => {
    expect(await totalOf(car)).toBe('324.00');
  });

  it.each<[string, Car, boolean]>([
    ['the rental is less', { charges: charge('1', '200.00'), fees: fee('6', '30.00') }, true],
    ['the rental is it', { charges: charge('1', '294.00'), fees: fee('6', '30.00') }, false],
    ['the rental and a tax are it', { charges: charge('1', '280.00', VAT), fees: fee('6', '30.00') }, false],
    ['no rental is stated', { fees: fee('6', '30.00') }, false],
    ['nothing is added', { charges: charge('1', '200.00') }, false],
  ])('with a warning if it may contain them: %s', async (_what, car, isWarned) => {
    const warnings = await warned(car);
    expect(warnings.some((text) => text.endsWith('Set totalFrom or chargesIncludedByDefault'))).toBe(isWarned);
    expect(await warned(car, { totalFrom: 'rate_plus_fees' })).toEqual([]);
  });

  it('also a fee of the same amount', async () => {
    expect(await totalOf({ fees: fee('2', '294.00') })).toBe('588.00');
  });
});

describe('a charge of unknown meaning that it does not explain', () => {
  it.each<[string, Car, string]>([
    ['a word', { charges: charge('1', '294.00'), fees: fee('PREPAY_AMOUNT', '294.00') }, 'PREPAY_AMOUNT'],
    ['a word of the same amount', { fees: fee('PREPAY_AMOUNT', '294.00') }, 'PREPAY_AMOUNT'],
    ['a word besides an explained one', { charges: charge('Base', '294.00'), fees: fee('Sum', '294.00') }, 'Sum'],
    ['an unlisted code', { charges: charge('1', '294.00'), fees: fee('999', '30.00') }, '999'],
    ['no purpose', { charges: charge('1', '294.00'), fees: fee('', '30.00') }, ''],
  ])('is refused, and the setting says what it is: %s', async (_what, car, key) => {
    await expect(priced(car)).rejects.toThrow(`may be in RateTotalAmount. Set purposeKinds: what is "${key}"?`);
    expect(await totalOf(car, { purposeKinds: { [key]: 'none' } })).toBe('294.00');
  });

  it('is named with all others', async () => {
    const car = {
      charges: charge('1', '294.00'),
      fees: fee('ADJ', '5.00') + fee('PRE PAY', '9.00') + fee('ADJ', '6.00'),
    };
    await expect(priced(car)).rejects.toThrow('what is "ADJ", "PRE PAY"?');
  });

  it('is added if the file of the supplier says so', async () => {
    const car = { charges: charge('1', '294.00'), fees: fee('Road fund', '30.00') };
    expect(await totalOf(car, { purposeKinds: { 'Road fund': 'fee' } })).toBe('324.00');
    expect(await totalOf(car, { totalFrom: 'rate_plus_fees' })).toBe('324.00');
    expect(await totalOf({ charges: charge('Base', '280.00') }, { totalFrom: 'rate_plus_fees' })).toBe('574.00');
  });
});

describe("the supplier's own split of the total", () => {
  const purposeKinds = { PREPAY_AMOUNT: 'prepaid', PAY_ON_ARRIVAL_AMOUNT: 'on_arrival' };
  const split = (now: string, later: string) => fee('PREPAY_AMOUNT', now) + fee('PAY_ON_ARRIVAL_AMOUNT', later);
  const besides = charge('ADJUSTMENT', '5.54') + charge('1', '294.00');
  const UNKNOWN = 'ADJUSTMENT: not known to be required outside of the total. Set purposeKinds';

  it('that adds up to RateTotalAmount leaves out of it what a word may mean', async () => {
    const car = { charges: besides, fees: split('200.00', '94.00') };
    const { items, warnings } = (await read(car, { purposeKinds })) ?? {};
    const price = items?.[0]?.price;
    expect([price?.total, price?.dueNow, price?.dueAtCounter].map((one) => one && formatAmount(one))).toEqual([
      '294.00',
      '200.00',
      '94.00',
    ]);
    expect(price?.unitemised).toBeUndefined();
    expect(price?.items.find(({ code }) => code === 'ADJUSTMENT')).toMatchObject({
      includedInTotal: false,
      mandatory: false,
      payable: 'counter',
    });
    expect(warnings?.map(({ text }) => text)).toContain(UNKNOWN);
  });

  it('that adds up to RateTotalAmount leaves out what may be the rental, if none is listed', async () => {
    const car = { charges: charge('Base Rate', '250.00') + charge('7', '14.00'), fees: split('294.00', '0.00') };
    const { items, warnings } = (await read(car, { purposeKinds })) ?? {};
    const price = items?.[0]?.price;
    expect(price?.items.map(({ code }) => code)).toEqual(['7']);
    expect(warnings?.map(({ text }) => text)).toContain(
      'Base Rate: the rental, or outside of the total? Set purposeKinds: left out',
    );
    const named = { charges: charge('', '250.00') + charge('ADJ', '5.54'), fees: split('294.00', '0.00') };
    expect((await priced(named, { purposeKinds }))?.price.items).toEqual([]);
    const beside = { fees: `${fee('ADJ', '5.54')}${split('294.00', '0.00')}` };
    expect((await priced(beside, { purposeKinds }))?.price.items.map(({ code }) => code)).toEqual(['ADJ']);
  });

  it('does so for a booking as well', async () => {
    const body =
      '<OTA_VehResRS><Success/><VehResRSCore><VehReservation ReservationStatus="Reserved"><VehSegmentCore><ConfID Type="14" ID="AL1"/>' +
      `<RentalRate><VehicleCharges>${besides}</VehicleCharges></RentalRate><TotalCharge RateTotalAmount="294.00" CurrencyCode="AED"/>` +
      `<Fees>${split('294.00', '0.00')}</Fees></VehSegmentCore></VehReservation></VehResRSCore></OTA_VehResRS>`;
    const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, purposeKinds } });
    const booked = await adapter.book?.({ ...request, extras: [], coverages: [] }, answering([body]));
    expect(booked?.total && formatAmount(booked.total)).toBe('294.00');
  });

  it('keeps what explains RateTotalAmount, and what is known to be due besides it', async () => {
    const explained = charge('1', '288.46') + charge('ADJUSTMENT', '5.54');
    expect(await warned({ charges: explained, fees: split('294.00', '0.00') }, { purposeKinds })).not.toContain(
      UNKNOWN,
    );
    const offer = await priced({ charges: explained, fees: split('294.00', '0.00') }, { purposeKinds });
    expect(offer?.price.unitemised).toBeUndefined();
    const known = { purposeKinds: { ...purposeKinds, ADJUSTMENT: 'fee' } };
    expect(await totalOf({ charges: besides, fees: split('294.00', '0.00') }, known)).toBe('299.54');
    expect(await warned({ charges: besides, fees: split('294.00', '0.00') }, known)).toContain(
      'the prepayment and what is due on arrival are not the total: the rest of the total is due on arrival',
    );
  });

  it.each([
    ['is another amount', split('294.00', '5.54')],
    ['has one part only', fee('PREPAY_AMOUNT', '294.00')],
    ['is not readable', split('294.00', 'x')],
  ])('settles nothing if it %s', async (_what, fees) => {
    expect(await totalOf({ charges: besides, fees }, { purposeKinds })).toBe('refused');
  });
});
