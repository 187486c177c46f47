import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import { UnreadableAmountError } from '../../model/money.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, request } from './fixtures/booking.js';
import { fixture, settings } from './fixtures/setting.js';

/*
 * Charges and options that are paid at the counter in another currency than the total: they are outside of all sums. The total is
 * 600.00 CHF, of which 100.00 are due now.
 */

const whole = fixture('rate-rule.xml').toString();
const unchosen = { extras: [], coverages: [] };
const chf = (amountMinor: number) => ({ amountMinor, currency: 'CHF' });
const eur = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });

async function priced(body: string, own: Partial<RentalRequest> = unchosen, options: Record<string, unknown> = {}) {
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  return (await adapter.priceCheck?.({ ...request, ...own }, answering([body]))) ?? { items: [], warnings: [] };
}

const OUTSIDE = 'IncludedInEstTotalInd="false"';
const LOCAL = `CurrencyCode="EUR" ${OUTSIDE}`;
const withFee = (fee: string) => whole.replace('<TotalCharge', `<Fees>${fee}</Fees><TotalCharge`);
const gps = /<Charge Amount="70.00" CurrencyCode="CHF" TaxInclusive="true"\/>/;
const withGps = (charge: string) => whole.replace(gps, charge);
const oneGps = { extras: [{ code: '13', quantity: 1 }], coverages: [] };

async function besides(body: string, own?: Partial<RentalRequest>, options?: Record<string, unknown>) {
  const [offer] = (await priced(body, own, options)).items;
  expect(offer?.price).toMatchObject({ total: chf(60_000), dueNow: chf(10_000), dueAtCounter: chf(50_000) });
  const known = ['fees', 'oneWay', 'taxes', 'extras', 'coverages'] as const;
  for (const sum of known) expect(offer?.price[sum]?.currency ?? 'CHF').toBe('CHF');
  return offer?.price.items.filter(({ amount }) => amount.currency !== 'CHF') ?? [];
}

describe('a local charge', () => {
  it.each([
    [`<Fee Purpose="2" Amount="95.00" ${LOCAL} RequiredInd="true" Description="One-way fee"/>`, [9_500]],
    [`<Fee Purpose="6" ${LOCAL}><Calculation UnitCharge="5.00" UnitName="Day" Quantity="8"/></Fee>`, [4_000]],
    [`<Fee Purpose="6" Amount="40.00" ${LOCAL}><TaxAmounts><TaxAmount Total="8.00"/></TaxAmounts></Fee>`, [4_000, 800]],
    [
      `<Fee Purpose="6" Amount="40.00" CurrencyCode="CHF" ${OUTSIDE}><TaxAmounts><TaxAmount Total="8.00" CurrencyCode="EUR"/></TaxAmounts></Fee>`,
      [800],
    ],
    // Yen have no decimals.
    [`<Fee Purpose="6" Amount="9500" CurrencyCode="jpy" ${OUTSIDE}/>`, [9_500]],
  ])('%s is an item outside of the total', async (fee, amounts) => {
    const items = await besides(withFee(fee));
    expect(items.map(({ amount }) => amount.amountMinor)).toEqual(amounts);
    for (const item of items)
      expect(item).toMatchObject({ mandatory: true, includedInTotal: false, payable: 'counter' });
  });

  it('is one if charges are outside by default, and optional if the supplier says so', async () => {
    const outside = { chargesIncludedByDefault: false };
    const fee = '<Fee Purpose="6" Amount="40.00" CurrencyCode="EUR"/>';
    expect(await besides(withFee(fee), unchosen, outside)).toMatchObject([{ amount: eur(4_000), mandatory: true }]);
    const optional = `<Fee Purpose="6" Amount="40.00" ${LOCAL} RequiredInd="false"/>`;
    expect(await besides(withFee(optional))).toMatchObject([{ amount: eur(4_000), mandatory: false }]);
  });

  it.each([
    '<Fee Purpose="6" Amount="40.00" CurrencyCode="EUR"/>',
    '<Fee Purpose="6" Amount="40.00" CurrencyCode="EUR" IncludedInEstTotalInd="true"/>',
    `<Fee Purpose="6" Amount="40.00" CurrencyCode="E??" ${OUTSIDE}/>`,
    `<Fee Purpose="6" Amount="40,00" ${LOCAL}/>`,
    `<Fee Purpose="6" Amount="40.00" ${LOCAL}><TaxAmounts><TaxAmount Total="8.00" CurrencyCode="E??"/></TaxAmounts></Fee>`,
  ])('%s that may be in the total or can’t be shown leaves the car out', async (fee) => {
    await expect(priced(withFee(fee))).rejects.toThrow(UnreadableAmountError);
  });

  it('for more distance or young drivers has its currency in these terms', async () => {
    const fees = `<Fee Purpose="8" ${LOCAL}><Calculation UnitCharge="0.25" UnitName="Km"/></Fee><Fee Purpose="13" Amount="30.00" ${LOCAL}/>`;
    const limited = withFee(fees).replace(
      '<VehicleCharges>',
      '<RateDistance Quantity="100" DistUnitName="Km"/><VehicleCharges>',
    );
    const [offer] = (await priced(limited)).items;
    expect([offer?.distancePolicy[0]?.overage, offer?.requirements.youngDriverFee]).toEqual([eur(25), eur(3_000)]);
  });
});

describe('a local option', () => {
  it('has its price in its own currency', async () => {
    const { items, warnings } = await priced(withGps(`<Charge Amount="70.00" ${LOCAL}/>`));
    expect(items[0]?.extras[1]).toMatchObject({ code: '13', priceTotal: eur(7_000) });
    expect([items[0]?.price.items.some(({ code }) => code === '13'), warnings]).toEqual([false, []]);
  });

  it.each([
    [`<Charge Amount="70.00" ${LOCAL}/>`, 7_000],
    [`<Charge ${LOCAL}><Calculation UnitCharge="5.00" UnitName="Day"/></Charge>`, 4_000],
  ])('%s that was chosen must be paid besides the total', async (charge, amountMinor) => {
    expect(await besides(withGps(charge), oneGps)).toMatchObject([
      {
        kind: 'equipment',
        code: '13',
        amount: eur(amountMinor),
        includedInTotal: false,
        payable: 'counter',
        mandatory: true,
      },
    ]);
  });

  it('that is required must be, too', async () => {
    const required = whole.replace(
      '<PricedEquip><Equipment EquipType="13"/>',
      '<PricedEquip Required="true"><Equipment EquipType="13"/>',
    );
    const body = required.replace(gps, `<Charge Amount="70.00" ${LOCAL}/>`);
    expect(await besides(body)).toMatchObject([{ code: '13', amount: eur(7_000), mandatory: true }]);
  });

  it.each([
    '<Charge Amount="70.00" CurrencyCode="EUR"/>',
    `<Charge ${LOCAL}/>`,
    `<Charge Amount="70.00" CurrencyCode="E??" ${OUTSIDE}/>`,
  ])('%s that was chosen and may be in the total or can’t be shown fails', async (charge) => {
    await expect(priced(withGps(charge), oneGps)).rejects.toThrow(UnreadableAmountError);
  });

  it('that the total contains isn’t an item', async () => {
    const body = withGps('<Charge Amount="70.00" CurrencyCode="EUR" IncludedInEstTotalInd="true"/>');
    expect(await besides(body, oneGps)).toEqual([]);
  });
});

it('local deposits, excesses and no-show fees have their own currency', async () => {
  const deductible =
    '<Charge Amount="0.00" IncludedInRate="true"/><Deductible ExcessAmount="900.00" CurrencyCode="EUR"/>';
  const body = whole
    .replace('RuleType="3" Amount="300.00" CurrencyCode="CHF"', 'RuleType="3" Amount="300.00" CurrencyCode="EUR"')
    .replace('<Charge Amount="0.00" IncludedInRate="true"/>', deductible)
    .replace('<RateRules>', '<RateRules><NoShowFeeInfo><FeeAmount Amount="80.00" CurrencyCode="EUR"/></NoShowFeeInfo>');
  const { items, warnings } = await priced(body);
  expect(items[0]).toMatchObject({ deposit: { amount: eur(30_000) }, cancellation: { noShowFee: eur(8_000) } });
  expect(items[0]?.coverages.find(({ code }) => code === '7')?.excess).toEqual(eur(90_000));
  expect(warnings).toEqual([]);
});

it('a deposit and a no-show fee are in the first place that has one, whatever the others say', async () => {
  const body = whole
    .replace('</PaymentRules>', '<PaymentRule RuleType="5" Amount="one day"/></PaymentRules>')
    .replace('<RateRules>', '<RateRules><NoShowFeeInfo><FeeAmount Amount="80.00"/></NoShowFeeInfo>')
    .replace('</RateRules>', '<RateDeposit Amount="full"/></RateRules>');
  expect(body).toContain('"full"');
  const [offer] = (await priced(body)).items;
  expect(offer).toMatchObject({ deposit: { amount: chf(30_000) }, cancellation: { noShowFee: chf(8_000) } });
});
