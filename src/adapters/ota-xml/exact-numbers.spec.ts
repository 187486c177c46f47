import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import { formatAmount, UnreadableAmountError } from '../../model/money.js';
import { oneWarning } from '../../model/warnings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, request } from './fixtures/booking.js';
import { contextWith, fixture, search, settings } from './fixtures/setting.js';

/*
 * Every number that a price, what is due when, or a cancellation fee depends on is read exactly or not at all (ruling 30).
 * The rate is 400.00, the stated total 600.00.
 */

const whole = fixture('rate-rule.xml').toString();
const unpaid = whole.replace(/<PaymentRule .*\/>/g, '');
const MADE = { totalFrom: 'rate_plus_fees' };
const COMMA = { money: { thousands: '.', decimal: ',' } };

/** The answer with every amount in another spelling. */
const spelled = (body: string, whole: string) => body.replace(/="(\d+)\.(\d\d)"/g, whole);
const inCommas = (body: string) => spelled(body, '="$1,$2"');

async function priced(body: string, options: Record<string, unknown> = {}, own: Partial<RentalRequest> = {}) {
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  const rental = { ...request, extras: [], coverages: [], ...own };
  const answer = await adapter.priceCheck?.(rental, answering([body]));
  return { offer: answer?.items[0], warnings: (answer?.warnings ?? []).map(({ kind }) => kind) };
}

/** What `show` makes of the offer, or 'refused'. */
async function shown(
  show: (result: Awaited<ReturnType<typeof priced>>) => string,
  ...asked: Parameters<typeof priced>
): Promise<string> {
  try {
    return show(await priced(...asked));
  } catch (error) {
    if (error instanceof UnreadableAmountError) return 'refused';
    throw error;
  }
}

const payment: Parameters<typeof shown>[0] = ({ offer }) =>
  offer
    ? `${formatAmount(offer.price.dueNow)} ${formatAmount(offer.price.dueAtCounter)} ${offer.rate.payment}`
    : 'none';
const total: Parameters<typeof shown>[0] = ({ offer }) => (offer ? formatAmount(offer.price.total) : 'none');

describe('a prepayment', () => {
  const withRule = (attributes: string, body = unpaid) =>
    body.replace('<PaymentRules>', `<PaymentRules><PaymentRule RuleType="2" ${attributes}/>`);

  it.each([
    ['', '600.00 0.00 pay_now'],
    ['Percent=""', '600.00 0.00 pay_now'],
    ['Percent="0"', '0.00 600.00 pay_later'],
    ['Percent="20"', '120.00 480.00 pay_partial'],
    ['Percent=" 20 "', '120.00 480.00 pay_partial'],
    ['Percent="20.00"', '120.00 480.00 pay_partial'],
    ['Percent="8.125"', '48.75 551.25 pay_partial'],
    ['Percent="33.3333333333"', '200.00 400.00 pay_partial'],
    ['Percent="100"', '600.00 0.00 pay_now'],
    ['Percent="20,00"', 'refused'],
    ['Percent="20%"', 'refused'],
    ['Percent="twenty"', 'refused'],
    ['Percent="0x14"', 'refused'],
    ['Percent="2e1"', 'refused'],
    ['Percent="150"', 'refused'],
    ['Percent="100.01"', 'refused'],
    ['Percent="-5"', 'refused'],
    ['Amount="100.00" CurrencyCode="CHF"', '100.00 500.00 pay_partial'],
    ['Amount="600.00"', '600.00 0.00 pay_now'],
    ['Amount="0.00"', '0.00 600.00 pay_later'],
    ['Amount="100.00" Percent="17 %"', '100.00 500.00 pay_partial'],
    ['Amount="100.00" CurrencyCode="EUR"', 'refused'],
    ['Amount="100.00" CurrencyCode="EUR" Percent="20"', 'refused'],
    ['Amount="100,00"', 'refused'],
    ['Amount="all of it"', 'refused'],
    ['Amount="600.01"', 'refused'],
    ['Amount="-10.00"', 'refused'],
  ])('%s: %s', async (attributes, result) => {
    expect(await shown(payment, withRule(attributes))).toBe(result);
  });

  it.each([
    ['Percent="20"', '120.00 480.00 pay_partial'],
    ['Percent="20,00"', '120.00 480.00 pay_partial'],
    ['Percent="8,125"', '48.75 551.25 pay_partial'],
    ['Percent="20.00"', 'refused'],
    ['Amount="100.00"', 'refused'],
    ['Amount="100,00"', '100.00 500.00 pay_partial'],
  ])('of a supplier that writes 1.234,56, %s: %s', async (attributes, result) => {
    expect(await shown(payment, withRule(attributes, inCommas(unpaid)), COMMA)).toBe(result);
  });

  const withCharge = (charge: string) => unpaid.replace('<VehicleCharges>', `<VehicleCharges>${charge}`);

  it.each([
    ['<VehicleCharge Purpose="22" Amount="100.00"/>', '100.00 500.00 pay_partial'],
    ['<VehicleCharge Purpose="22"/>', '0.00 600.00 pay_later'],
    [
      '<VehicleCharge Purpose="22"><Calculation UnitCharge="25.00" Quantity="4"/></VehicleCharge>',
      '100.00 500.00 pay_partial',
    ],
    ['<VehicleCharge Purpose="23" Amount="450.00"/>', '150.00 450.00 pay_partial'],
    ['<VehicleCharge Purpose="22" Amount="100.00"/><VehicleCharge Purpose="22" Amount="20.00"/>', 'refused'],
    ['<VehicleCharge Purpose="23" Amount="100.00"/><VehicleCharge Purpose="23" Amount="20.00"/>', 'refused'],
    [
      '<VehicleCharge Purpose="22" Amount="100.00"/><VehicleCharge Purpose="22" Amount="100.00"/>',
      '100.00 500.00 pay_partial',
    ],
    ['<VehicleCharge Purpose="22" Amount="100.00"/><VehicleCharge Purpose="22"/>', '100.00 500.00 pay_partial'],
    ['<VehicleCharge Purpose="22" Amount="100.00" CurrencyCode="EUR"/>', 'refused'],
    ['<VehicleCharge Purpose="23" Amount="100.00" CurrencyCode="EUR"/>', 'refused'],
    ['<VehicleCharge Purpose="22"><Calculation Percentage="20"/></VehicleCharge>', 'refused'],
    ['<VehicleCharge Purpose="22"><Calculation UnitCharge="25.00" Quantity="4,0"/></VehicleCharge>', 'refused'],
    ['<VehicleCharge Purpose="22" Amount="600.01"/>', 'refused'],
    ['<VehicleCharge Purpose="22" Amount="-1.00"/>', 'refused'],
    ['<VehicleCharge Purpose="23" Amount="600.01"/>', 'refused'],
    ['<VehicleCharge Purpose="23" Amount="-1.00"/>', 'refused'],
  ])('as a charge, %s: %s', async (charge, result) => {
    expect(await shown(payment, withCharge(charge))).toBe(result);
  });

  it.each([
    ['RuleType="2" Amount="20.00"', 'RuleType="2" Amount="580.00"', 'refused'],
    ['RuleType="2" Amount="20.00"', 'RuleType="2" Percent="20"', 'refused'],
    ['RuleType="2" Amount="120.00"', 'RuleType="2" Percent="20"', '120.00 480.00 pay_partial'],
    ['RuleType="2" Amount="20.00"', 'RuleType="2"', '20.00 580.00 pay_partial'],
    ['RuleType="2"', 'RuleType="2" Amount="20.00"', '20.00 580.00 pay_partial'],
    ['PaymentType="4"', 'PaymentType="4" Amount="20.00"', '20.00 580.00 pay_partial'],
    ['RuleType="2" PaymentType="3"', 'RuleType="2" Amount="600.00"', '600.00 0.00 voucher'],
    ['PaymentType="4"', 'RuleType="2" PaymentType="3"', '600.00 0.00 voucher'],
    ['PaymentType="4" Amount="20.00"', 'PaymentType="4" Amount="580.00"', 'refused'],
    ['RuleType="2" Amount="20.00"', 'PaymentType="4" Amount="580.00"', 'refused'],
    ['RuleType="2" Amount="20.00"', 'PaymentType="4" Amount="20.00"', '20.00 580.00 pay_partial'],
    ['PaymentType="5"', 'PaymentType="4"', '600.00 0.00 pay_now'],
    ['PaymentType="4" Amount="20.00"', 'RuleType="3" PaymentType="4" Amount="50.00"', '20.00 580.00 pay_partial'],
    ['PaymentType="5"', 'RuleType="3" PaymentType="4" Amount="50.00"', '0.00 600.00 pay_later'],
  ])('by two rules, %s and %s: %s', async (one, other, result) => {
    const rules = `<PaymentRules><PaymentRule ${one}/><PaymentRule ${other}/>`;
    expect(await shown(payment, unpaid.replace('<PaymentRules>', rules))).toBe(result);
  });

  const CHARGED = '<VehicleCharge Purpose="22" Amount="100.00"/>';
  const ON_ARRIVAL = '<VehicleCharge Purpose="23" Amount="500.00"/>';
  const TWICE = ['contradiction', 'contradiction'];
  const SPLIT_NOTHING = (CHARGED + ON_ARRIVAL).replace('100', '0').replace('500', '600');

  it.each([
    ['PaymentType="4"', CHARGED + ON_ARRIVAL, '100.00 500.00 pay_partial', []],
    ['PaymentType="4"', CHARGED, '100.00 500.00 pay_partial', []],
    ['PaymentType="4"', ON_ARRIVAL, '100.00 500.00 pay_partial', []],
    ['PaymentType="4" Amount="100.00"', CHARGED + ON_ARRIVAL, '100.00 500.00 pay_partial', []],
    ['PaymentType="4"', '<VehicleCharge Purpose="22" Amount="0.00"/>', '0.00 600.00 pay_later', ['contradiction']],
    ['PaymentType="4" Percent="50"', CHARGED, '300.00 300.00 pay_partial', ['contradiction']],
    ['RuleType="2" PaymentType="4"', CHARGED, '600.00 0.00 pay_now', ['contradiction']],
    ['RuleType="2"', CHARGED + ON_ARRIVAL, '100.00 500.00 pay_partial', []],
    ['RuleType="2" PaymentType="3"', CHARGED + ON_ARRIVAL, '100.00 500.00 voucher', []],
    ['RuleType="2"', CHARGED + ON_ARRIVAL.replace('500', '400'), '600.00 0.00 pay_now', TWICE],
    ['RuleType="2"', ON_ARRIVAL, '600.00 0.00 pay_now', ['contradiction']],
    ['RuleType="2"', SPLIT_NOTHING, '600.00 0.00 pay_now', TWICE],
    ['RuleType="2" Amount="600.00"', CHARGED + ON_ARRIVAL, '600.00 0.00 pay_now', TWICE],
  ])('by a rule and charges that split the total, %s and %s: %s', async (rule, charges, result, warnings) => {
    const body = withCharge(charges).replace('<PaymentRules>', `<PaymentRules><PaymentRule ${rule}/>`);
    expect(await shown(payment, body)).toBe(result);
    expect((await priced(body)).warnings).toEqual(warnings);
  });

  it.each([
    ['<VehicleCharge Purpose="23" Amount="500.00"/>', '', []],
    ['<VehicleCharge Purpose="23" Amount="550.00"/>', '', ['contradiction']],
    ['<VehicleCharge Purpose="23" Amount="400.00"/>', '', ['contradiction']],
    ['', 'Amount="100.00"', []],
    ['', 'Amount="50.00"', ['contradiction']],
  ])('warns if it contradicts itself: 100.00, %s and %s', async (onArrival, rule, warnings) => {
    const body = withCharge(CHARGED + onArrival);
    expect((await priced(rule === '' ? body : withRule(rule, body))).warnings).toEqual(warnings);
  });

  it('a car whose prepayment is unreadable is left out of a search, with the warning about amounts', async () => {
    const cars = fixture('vehicles.xml')
      .toString()
      .replace(/(<\/?)ota:/g, '$1')
      .replace('<PaymentRules>', '<PaymentRules><PaymentRule RuleType="2" Percent="20,00"/>');
    const good = fixture('vehicles-dirt.xml').toString();
    const car =
      /<VehAvail><VehAvailCore Status="Available"><Vehicle Code="XXXX"\/>.*?<\/VehAvail>/.exec(good)?.[0] ?? '';
    const both = cars.replace('</VehAvails>', `${car}</VehAvails>`);
    const found = await createOtaXmlAdapter(settings).searchVehicles?.(search, contextWith([Buffer.from(both)]));
    expect(found?.items.map(({ vehicle }) => vehicle.name)).toEqual(['XXXX']);
    expect(found?.warnings).toContainEqual({
      kind: 'amount_rejected',
      text: 'SKODA OCTAVIA COMBI left out: the amount "20,00" of Percent is not a percentage from 0 to 100',
      times: 1,
    });
  });
});

describe('a deposit', () => {
  const deposit: Parameters<typeof shown>[0] = ({ offer }) =>
    offer?.deposit ? formatAmount(offer.deposit.amount) : 'none';
  const withRule = (attributes: string) =>
    unpaid.replace('<PaymentRules>', `<PaymentRules><PaymentRule RuleType="3" ${attributes}/>`);

  it.each([
    ['', 'none'],
    ['Percent="20"', '120.00'],
    ['Percent="150"', '900.00'],
    ['Amount="900.00"', '900.00'],
    ['Amount="900.00" CurrencyCode="EUR"', '900.00'],
    ['Amount="900.00" CurrencyCode="E??"', 'none'],
    ['Percent="20,0"', 'refused'],
    ['Percent="-20"', 'refused'],
    ['Amount="-900.00"', 'refused'],
  ])('%s: %s', async (attributes, result) => {
    expect(await shown(deposit, withRule(attributes))).toBe(result);
  });
});

describe('DecimalPlaces', () => {
  const totals = 'RateTotalAmount="400.00" EstimatedTotalAmount="600.00" CurrencyCode="CHF"';
  const withTotals = (attributes: string) => unpaid.replace(totals, attributes);

  it.each([
    ['EstimatedTotalAmount="600.00" CurrencyCode="CHF" DecimalPlaces="2"', {}, '600.00'],
    ['EstimatedTotalAmount="600" CurrencyCode="CHF" DecimalPlaces="0"', {}, '600.00'],
    ['EstimatedTotalAmount="600" CurrencyCode="CHF" DecimalPlaces=""', {}, '600.00'],
    ['EstimatedTotalAmount="60000" CurrencyCode="CHF" DecimalPlaces="2"', {}, 'refused'],
    ['EstimatedTotalAmount="60000" CurrencyCode="CHF" DecimalPlaces="two"', {}, 'refused'],
    ['EstimatedTotalAmount="0" RateTotalAmount="400.00" CurrencyCode="CHF" DecimalPlaces="2"', {}, '400.00'],
    ['RateTotalAmount="40000" CurrencyCode="CHF" DecimalPlaces="2"', MADE, 'refused'],
  ])('with %s: %s', async (attributes, options, result) => {
    expect(await shown(total, withTotals(attributes), options)).toBe(result);
  });

  it.each([
    ['2', '600.00'],
    ['0', 'refused'],
    ['3', 'refused'],
  ])('%s of a supplier that writes minor units: %s', async (places, result) => {
    const body = spelled(whole, `="$1$2" DecimalPlaces="${places}"`).replace(
      /(DecimalPlaces="\d")([^>]*) DecimalPlaces="\d"/g,
      '$1$2',
    );
    expect(await shown(total, body, { money: { minor: true } })).toBe(result);
  });

  it('with a comma for decimals, an amount without one is unclear too', async () => {
    const body = (amount: string) =>
      inCommas(withTotals(`EstimatedTotalAmount="${amount}" CurrencyCode="CHF" DecimalPlaces="2"`));
    expect(await shown(total, body('600,00'), COMMA)).toBe('600.00');
    expect(await shown(total, body('60.000'), COMMA)).toBe('refused');
  });

  it.each([
    '<Fee Amount="8000" CurrencyCode="CHF" DecimalPlaces="2" Purpose="6"/>',
    '<Fee CurrencyCode="CHF" DecimalPlaces="2" Purpose="6"><Calculation UnitCharge="1000" Quantity="8"/></Fee>',
    '<Fee Amount="80.00" DecimalPlaces="2" Purpose="6"><TaxAmounts><TaxAmount Total="800"/></TaxAmounts></Fee>',
  ])('counts for the parts of a charge: %s', async (fee) => {
    expect(await shown(total, whole.replace('<TotalCharge', `<Fees>${fee}</Fees><TotalCharge`), MADE)).toBe('refused');
  });
});

describe('a mandatory charge', () => {
  const withFee = (fee: string) => unpaid.replace('<TotalCharge', `<Fees>${fee}</Fees><TotalCharge`);
  const withoutEstimate = (fee: string) => withFee(fee).replace(' EstimatedTotalAmount="600.00"', '');
  const taxed = (tax: string, attributes = '') =>
    `<Fee Amount="50.00" CurrencyCode="CHF" Purpose="6" ${attributes}><TaxAmounts>${tax}</TaxAmounts></Fee>`;

  // `made`: the gateway adds the total up; `stated`: the supplier states it.
  it.each([
    ['', '400.00', '600.00'],
    ['<Fee Amount="80.00" CurrencyCode="CHF" Purpose="6"/>', '480.00', '600.00'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="Day" Quantity="8"/></Fee>', '480.00', '600.00'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="Day" Quantity="1.5"/></Fee>', '415.00', '600.00'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="RentalPeriod"/></Fee>', '410.00', '600.00'],
    // 0.50 × 0.29 is 0.145: half up, although the binary product is below it.
    ['<Fee Purpose="6"><Calculation UnitCharge="0.50" UnitName="Day" Quantity="0.29"/></Fee>', '400.15', '600.00'],
    [taxed('<TaxAmount Total="30.00" CurrencyCode="CHF"/>'), '480.00', '600.00'],
    [taxed('<TaxAmount Percentage="8"/>', 'TaxInclusive="true"'), '450.00', '600.00'],
    [taxed('<TaxAmount Total="30.00" CurrencyCode="EUR"/>', 'TaxInclusive="true"'), '450.00', '600.00'],
    ['<Fee Purpose="6" RequiredInd="false" IncludedInEstTotalInd="false"/>', '400.00', '600.00'],
    // A flag of a charge that can't count doesn't matter.
    ['<Fee Amount="0.00" Purpose="6" TaxInclusive="?" IncludedInEstTotalInd="?"/>', '400.00', '600.00'],
    ['<Fee Amount="50.00" Purpose="6" RequiredInd="false" TaxInclusive="?"/>', '400.00', '600.00'],
    ['<Fee Amount="50.00" Purpose="6" TaxInclusive="?"/>', 'refused', 'refused'],
    ['<Fee Amount="50.00" Purpose="6" RequiredInd="?"/>', 'refused', 'refused'],
    ['<Fee Amount="50.00" Purpose="6" RequiredInd="false" IncludedInEstTotalInd="?"/>', 'refused', 'refused'],
    [taxed('<TaxAmount Total="3.00"/>', 'TaxInclusive="?"').replace('50.00', '0.00'), 'refused', 'refused'],
    ['<Fee Purpose="116" Description="Full to full"/>', '400.00', '600.00'],
    // Not in amounts: needed only by a total that is made of them.
    ['<Fee Purpose="6"/>', 'refused', '600.00'],
    ['<Fee Purpose="7"><Calculation Percentage="20"/></Fee>', 'refused', '600.00'],
    ['<Fee Purpose="7"><Calculation UnitCharge="400.00" Quantity="1" Percentage="20"/></Fee>', 'refused', '600.00'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="Day"/></Fee>', 'refused', '600.00'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" Quantity="8" MaxQuantity="5"/></Fee>', 'refused', '600.00'],
    [
      '<Fee Purpose="6"><MinMax MaxCharge="50.00"/><Calculation UnitCharge="10.00" Quantity="8"/></Fee>',
      'refused',
      '600.00',
    ],
    ['<Fee Purpose="114"><Calculation Percentage="20"/></Fee>', 'refused', '600.00'],
    ['<Fee Purpose="6" Amount="0.00"><TaxAmounts><TaxAmount Total="5.00"/></TaxAmounts></Fee>', 'refused', '600.00'],
    [taxed('<TaxAmount Percentage="60"/>'), 'refused', '600.00'],
    [taxed('<TaxAmount Percentage="60"/>', 'IncludedInRate="true"'), 'refused', '600.00'],
    // Unreadable, or in several currencies.
    ['<Fee Amount="80,00" CurrencyCode="CHF" Purpose="6"/>', 'refused', 'refused'],
    ['<Fee Amount="eighty" CurrencyCode="CHF" Purpose="6"/>', 'refused', 'refused'],
    ['<Fee Amount="80.00" CurrencyCode="EUR" Purpose="6"/>', 'refused', 'refused'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="Day" Quantity="8,0"/></Fee>', 'refused', 'refused'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="Day" Quantity="8 days"/></Fee>', 'refused', 'refused'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="Day" Quantity="8.000"/></Fee>', 'refused', 'refused'],
    ['<Fee Purpose="6"><Calculation UnitCharge="10.00" UnitName="Day" Quantity="-8"/></Fee>', 'refused', 'refused'],
    ['<Fee Purpose="6"><Calculation CurrencyCode="EUR" UnitCharge="10.00" Quantity="8"/></Fee>', 'refused', 'refused'],
    ['<Fee Purpose="6"><Calculation CurrencyCode="EUR" Total="80.00"/></Fee>', 'refused', 'refused'],
    [taxed('<TaxAmount Total="30.00" CurrencyCode="EUR"/>'), 'refused', 'refused'],
    [taxed('<TaxAmount Total="30,00"/>'), 'refused', 'refused'],
  ])('%s: made %s, stated %s', async (fee, made, stated) => {
    expect([
      await shown(total, withFee(fee), MADE),
      await shown(total, withoutEstimate(fee)),
      await shown(total, withFee(fee)),
    ]).toEqual([made, made, stated]);
  });

  it('is counted in the notation of the supplier', async () => {
    const fee = '<Fee Purpose="6"><Calculation UnitCharge="10,00" UnitName="Day" Quantity="8,5"/></Fee>';
    expect(await shown(total, inCommas(withFee(fee)), { ...MADE, ...COMMA })).toBe('485.00');
  });

  it.each(['N/A', 'NaN', '-600.00', '600,00'])('a total of "%s" is not replaced by another one', async (amount) => {
    const body = unpaid.replace('EstimatedTotalAmount="600.00"', `EstimatedTotalAmount="${amount}"`);
    expect(await shown(total, body)).toBe('refused');
  });
});

describe('an option', () => {
  const gps =
    '<PricedEquip><Equipment EquipType="13"/><Charge Amount="70.00" CurrencyCode="CHF" TaxInclusive="true"/></PricedEquip>';
  const ON_TOP = { chosenInTotal: false };
  const priceOf = (charge: string, equipment = '<Equipment EquipType="13"/>') =>
    unpaid.replace(gps, `<PricedEquip>${equipment}${charge}</PricedEquip>`);
  const taxed = (tax: string) => `<Charge Amount="70.00" CurrencyCode="CHF"><TaxAmounts>${tax}</TaxAmounts></Charge>`;

  // Chosen, on top of the stated total; and chosen, inside it.
  it.each([
    ['<Charge Amount="70.00" CurrencyCode="CHF"/>', '670.00', '600.00'],
    ['<Charge><Calculation UnitCharge="10.00" UnitName="Day" Quantity="7"/></Charge>', '670.00', '600.00'],
    ['<Charge><Calculation UnitCharge="10.00" UnitName="Day"/></Charge>', '680.00', '600.00'],
    ['<Charge><Calculation UnitCharge="39.00" UnitName="RentalPeriod"/></Charge>', '639.00', '600.00'],
    ['<Charge><Calculation UnitCharge="39.00" UnitName="Package"/></Charge>', '639.00', '600.00'],
    ['<Charge><Calculation UnitCharge="39.00" UnitName="Bundle" Quantity="2"/></Charge>', '678.00', '600.00'],
    ['<Charge><Calculation UnitCharge="39.00" UnitName="Week"/></Charge>', 'refused', '600.00'],
    [taxed('<TaxAmount Total="10.00"/>'), '680.00', '600.00'],
    [
      '<Charge><TaxAmounts><TaxAmount Total="1.00"/></TaxAmounts><Calculation UnitCharge="10.00" UnitName="Day"/></Charge>',
      'refused',
      '600.00',
    ],
    ['', 'refused', '600.00'],
    ['<Charge CurrencyCode="CHF"/>', 'refused', '600.00'],
    ['<Charge Amount="-70.00" CurrencyCode="CHF"/>', 'refused', 'refused'],
    ['<Charge Amount="none" CurrencyCode="CHF"/>', 'refused', 'refused'],
    ['<Charge><Calculation UnitCharge="10.00" UnitName="Day" Quantity="7,0"/></Charge>', 'refused', 'refused'],
    ['<Charge><Calculation UnitCharge="10.00" UnitName="Week" Quantity="1,0"/></Charge>', 'refused', 'refused'],
    ['<Charge><Calculation UnitCharge="10.00" UnitName="Day" MaxQuantity="8"/></Charge>', '680.00', '600.00'],
    ['<Charge><Calculation UnitCharge="10.00" UnitName="Day" MaxQuantity="5"/></Charge>', 'refused', '600.00'],
    [
      '<Charge><Calculation UnitCharge="10.00" UnitName="Day" Quantity="8" MaxQuantity="5"/></Charge>',
      'refused',
      '600.00',
    ],
    [
      '<Charge><Calculation UnitCharge="10.00" UnitName="Day" Quantity="8" MaxQuantity="5" Total="50.00"/></Charge>',
      '650.00',
      '600.00',
    ],
    [
      '<Charge><MinMax MaxCharge="30.00"/><Calculation UnitCharge="10.00" UnitName="Day"/></Charge>',
      'refused',
      '600.00',
    ],
    [taxed('<TaxAmount Total="10.00" CurrencyCode="EUR"/>'), 'refused', 'refused'],
    [taxed('<TaxAmount Percentage="8"/>'), 'refused', 'refused'],
  ])('%s: on top %s, inside %s', async (charge, onTop, inside) => {
    const own = { extras: [{ code: '13', quantity: 1 }] };
    expect([
      await shown(total, priceOf(charge), ON_TOP, own),
      await shown(total, priceOf(charge), {}, own),
      await shown(total, priceOf(charge)),
    ]).toEqual([onTop, inside, '600.00']);
  });

  it.each([
    ['Quantity="8" MaxQuantity="5"', { units: '650.00', pieces: '680.00' }],
    ['MaxQuantity="5"', { units: '650.00', pieces: '680.00' }],
    ['MaxQuantity="10"', { units: '680.00', pieces: '680.00' }],
    ['', { units: '680.00', pieces: '680.00' }],
  ])('with a limit that the file of the supplier explains: %s', async (quantities, results) => {
    const body = priceOf(`<Charge><Calculation UnitCharge="10.00" UnitName="Day" ${quantities}/></Charge>`);
    for (const [maxQuantity, result] of Object.entries(results))
      expect(await shown(total, body, { ...ON_TOP, maxQuantity }, { extras: [{ code: '13', quantity: 1 }] })).toBe(
        result,
      );
  });

  it.each([
    [undefined, 5],
    ['units', 2],
    ['pieces', 5],
  ])('has as many pieces as its limit says, if that limits %s: %s', async (maxQuantity, most) => {
    const charge = '<Charge Amount="70.00"><Calculation UnitCharge="10.00" UnitName="Day" MaxQuantity="5"/></Charge>';
    const { offer } = await priced(priceOf(charge, '<Equipment EquipType="13" Quantity="2"/>'), { maxQuantity });
    expect(offer?.extras.find(({ code }) => code === '13')?.maxQuantity).toBe(most);
  });

  it.each([
    ['MaxQuantity="5"', undefined, ['amount_rejected']],
    ['Quantity="8" MaxQuantity="5"', undefined, ['amount_rejected']],
    ['MaxQuantity="5"', 'pieces', []],
    ['MaxQuantity="5"', 'units', []],
    ['MaxQuantity="8"', undefined, []],
    ['MaxQuantity="5" Total="50.00"', undefined, []],
  ])('with a limit that nothing explains has a warning: %s, %s', async (quantities, maxQuantity, warnings) => {
    const charge = `<Charge><Calculation UnitCharge="10.00" UnitName="Day" ${quantities}/></Charge>`;
    expect((await priced(priceOf(charge), { maxQuantity })).warnings).toEqual(warnings);
  });

  // From 29 March, 1:30, to 5 April, 9:00: seven days and some hours.
  it.each([
    ['hours of grace', 'UnitName="Day" Quantity="7"', '670.00'],
    ['started days', 'UnitName="Day" Quantity="8"', '680.00'],
    ['calendar days', 'UnitName="Day" Quantity="9"', '690.00'],
    ['fewer than the rental has', 'UnitName="Day" Quantity="6"', '680.00'],
    ['two weeks', 'UnitName="Week" Quantity="2"', '680.00'],
    ['a price for the rental', 'UnitName="RentalPeriod" Quantity="1"', '680.00'],
  ])('with a daily price is for the days that the supplier charges: %s', async (_what, calculation, result) => {
    const body = priceOf('<Charge><Calculation UnitCharge="10.00" UnitName="Day"/></Charge>').replace(
      'IncludedInRate="true" Purpose="1"/>',
      `IncludedInRate="true" Purpose="1"><Calculation UnitCharge="1.00" ${calculation}/></VehicleCharge>`,
    );
    expect(await shown(total, body, ON_TOP, { extras: [{ code: '13', quantity: 1 }] })).toBe(result);
  });

  it.each<[string, boolean]>([
    ['IncludedInRate="true" Amount="6.50"', true],
    ['IncludedInEstTotalInd="true" IncludedInRate="false" Amount="0"', true],
    ['IncludedInEstTotalInd="true" Amount="0.00"', true],
    ['IncludedInEstTotalInd="true" Amount="6.50"', false],
    ['IncludedInEstTotalInd="true"', false],
    ['IncludedInEstTotalInd="false" Amount="0.00"', false],
    ['Amount="0.00"', false],
  ])('that is a coverage with %s is included: %s', async (attributes, included) => {
    const charge = '<Charge Amount="0.00" IncludedInRate="true"/>';
    const coverageOf = async (own: string) => {
      const [, coverage] = (await priced(whole.replace(charge, own))).offer?.coverages ?? [];
      return [coverage?.code, coverage?.included, included && coverage?.priceTotal];
    };
    expect(await coverageOf(`<Charge ${attributes}/>`)).toEqual(['7', included, included ? undefined : false]);
    const daily = '<Calculation UnitCharge="6.50" UnitName="Day"/>';
    const isInRate = attributes.includes('IncludedInRate="true"');
    expect((await coverageOf(`<Charge ${attributes}>${daily}</Charge>`))[1]).toBe(isInRate);
  });

  it.each(['per day', 'Child seat (1.25 CHF per day)', '8 days at the daily rate of 1.25', 'Daily limit 250 km'])(
    'with an amount and the text "%s" has a price only if the file of the supplier says for what',
    async (text) => {
      const own = { extras: [{ code: '13', quantity: 1 }] };
      const charge = (more = '') =>
        priceOf(`<Charge Description="${text}" Amount="10.00" CurrencyCode="CHF">${more}</Charge>`);
      const readAs = (describedPerDay: string | undefined, body = charge()) =>
        shown(total, body, { ...ON_TOP, describedPerDay }, own);
      expect([await readAs(undefined), await readAs('day'), await readAs('rental')]).toEqual([
        'refused',
        '680.00',
        '610.00',
      ]);
      expect(await shown(total, charge(), { describedPerDay: undefined }, own)).toBe('600.00');
      const explained = charge('<Calculation UnitCharge="1.25" UnitName="Day" Quantity="8"/>');
      expect(await readAs(undefined, explained)).toBe('610.00');
    },
  );

  it.each<[string, string, string, string, string]>([
    ['days', 'UnitName="Day" Quantity="8"', 'refused', '680.00', '610.00'],
    ['days without a number', 'UnitName="Day"', 'refused', '680.00', '610.00'],
    ['one day of several', 'UnitName="Day" Quantity="1"', 'refused', '610.00', '610.00'],
    ['weeks', 'UnitName="Week" Quantity="2"', 'refused', '620.00', '610.00'],
    ['one week for eight days', 'UnitName="Week" Quantity="1"', 'refused', '610.00', '610.00'],
    ['hours', 'UnitName="Hour" Quantity="192"', 'refused', '2520.00', '610.00'],
    ['an unreadable number of days', 'UnitName="Day" Quantity="x"', 'refused', 'refused', '610.00'],
    ['the rental', 'UnitName="RentalPeriod" Quantity="1"', '610.00', '610.00', '610.00'],
    ['a price per day', 'UnitName="Day" Quantity="8" UnitCharge="1.25"', '610.00', '610.00', '610.00'],
    ['a sum', 'UnitName="Day" Quantity="8" Total="10.00"', '610.00', '610.00', '610.00'],
    ['a percentage', 'UnitName="Day" Quantity="8" Percentage="10"', '610.00', '610.00', '610.00'],
  ])(
    'with an amount and a calculation of %s has a price only if its meaning is known',
    async (_what, line, ...read) => {
      const own = { extras: [{ code: '13', quantity: 1 }] };
      const body = priceOf(`<Charge Amount="10.00" CurrencyCode="CHF"><Calculation ${line}/></Charge>`);
      const readAs = (countedUnits: string | undefined) => shown(total, body, { ...ON_TOP, countedUnits }, own);
      expect([await readAs(undefined), await readAs('unit'), await readAs('rental')]).toEqual(read);
    },
  );

  it.each([undefined, 'unit', 'rental'])(
    'is free with an amount of 0 for any calculation (countedUnits: %s)',
    async (countedUnits) => {
      const body = priceOf(
        '<Charge Amount="0.00" CurrencyCode="CHF"><Calculation UnitName="Day" Quantity="8"/></Charge>',
      );
      expect(await shown(total, body, { ...ON_TOP, countedUnits }, { extras: [{ code: '13', quantity: 1 }] })).toBe(
        '600.00',
      );
    },
  );

  it('names the setting that says what an amount with a calculation in days is for', async () => {
    const body = priceOf('<Charge Amount="10.00"><Calculation UnitName="Day" Quantity="8"/></Charge>');
    const adapter = createOtaXmlAdapter(settings);
    const answer = await adapter.priceCheck?.(
      { ...request, extras: [], coverages: [] },
      contextWith([Buffer.from(body)]),
    );
    expect(answer?.warnings).toEqual(
      oneWarning(
        'amount_rejected',
        'Charge: for each unit of its Calculation or the rental? Set countedUnits: left out',
      ),
    );
    expect(answer?.items[0]?.extras[1]).toMatchObject({ code: '13', pricePerDay: undefined, priceTotal: undefined });
  });

  it.each([
    ['Quantity="2"', '670.00'],
    ['', '740.00'],
    ['Quantity="2,0"', 'refused'],
    ['Quantity="two"', 'refused'],
  ])('two pieces, %s: %s', async (attributes, result) => {
    const body = priceOf('<Charge Amount="70.00"/>', `<Equipment EquipType="13" ${attributes}/>`);
    expect(await shown(total, body, ON_TOP, { extras: [{ code: '13', quantity: 2 }] })).toBe(result);
  });

  it.each<[string, string, string, string, string]>([
    ['of one', 'Amount="40.00"', 'UnitCharge="5.00" UnitName="Day"', 'refused', '680.00'],
    ['of one, with its days', 'Amount="30.00"', 'UnitCharge="5.00" UnitName="Day" Quantity="6"', 'refused', '660.00'],
    ['of both', 'Amount="80.00"', 'UnitCharge="5.00" UnitName="Day"', '680.00', '760.00'],
    ['of both, in its days', 'Amount="80.00"', 'UnitCharge="5.00" UnitName="Day" Quantity="16"', '680.00', '760.00'],
    ['of neither', 'Amount="70.00"', 'UnitCharge="5.00" UnitName="Day"', '670.00', '740.00'],
  ])('two pieces, with the number and a price per day %s', async (_what, amount, line, read, most) => {
    const body = priceOf(
      `<Charge ${amount}><Calculation ${line}/></Charge>`,
      '<Equipment EquipType="13" Quantity="2"/>',
    );
    const readAs = (equipmentQuantity?: string) =>
      shown(total, body, { ...ON_TOP, equipmentQuantity }, { extras: [{ code: '13', quantity: 2 }] });
    const chosen = read === 'refused' ? `6${amount.slice(8, -1)}` : read;
    expect([await readAs(), await readAs('chosen'), await readAs('most')]).toEqual([read, chosen, most]);
  });

  it.each([
    ['without a number', 'UnitCharge="5.00" UnitName="Day"'],
    ['of one day', 'UnitCharge="5.00" UnitName="Day" Quantity="1"'],
  ])('two pieces with only a price per day, %s', async (_what, line) => {
    const body = priceOf(`<Charge><Calculation ${line}/></Charge>`, '<Equipment EquipType="13" Quantity="2"/>');
    const two = { extras: [{ code: '13', quantity: 2 }] };
    const readAs = (equipmentQuantity?: string) => shown(total, body, { ...ON_TOP, equipmentQuantity }, two);
    expect([await readAs(), await readAs('chosen'), await readAs('most')]).toEqual(['refused', '640.00', '680.00']);
    const perDay: Parameters<typeof shown>[0] = ({ offer }) => {
      const price = offer?.extras.find(({ code }) => code === '13')?.pricePerDay;
      return price ? formatAmount(price) : '-';
    };
    const perDayAs = (options: Record<string, unknown>) => shown(perDay, body, options, two);
    expect(await perDayAs({})).toBe('-');
    expect(await perDayAs({ equipmentQuantity: 'chosen' })).toBe('2.50');
    expect(await perDayAs({ equipmentQuantity: 'most' })).toBe('5.00');
    // One of several that are listed.
    const one = { extras: [{ code: '13', quantity: 1 }] };
    expect(await shown(total, body, ON_TOP, one)).toBe('640.00');
  });

  it.each([
    ['<Charge Amount="70.00"/>', '470.00'],
    ['<Charge/>', 'refused'],
    ['<Charge IncludedInRate="true"/>', '400.00'],
    ['<Charge IncludedInEstTotalInd="false"/>', '400.00'],
  ])('required, in a total that is made of lines, %s: %s', async (charge, result) => {
    expect(await shown(total, priceOf(charge, '<Equipment EquipType="13" Required="true"/>'), MADE)).toBe(result);
  });
});

describe('an option that is required besides the total', () => {
  const besides: Parameters<typeof shown>[0] = ({ offer }) => {
    const lines = offer?.price.items.filter(({ code, mandatory }) => code === '13' && mandatory) ?? [];
    return lines.map(({ amount, includedInTotal }) => `${formatAmount(amount)} ${includedInTotal}`).join();
  };
  const outside = (charge: string, content = '', flags = 'IncludedInEstTotalInd="false"') =>
    unpaid.replace(
      /<PricedEquip><Equipment EquipType="13"\/><Charge [^>]*>/,
      `<PricedEquip Required="true"><Equipment EquipType="13"/><Charge ${flags} ${charge}>${content}</Charge>`,
    );
  const daily = '<Calculation UnitCharge="10.00" UnitName="Day"/>';
  const perDay = 'Description="per day" Amount="10.00"';

  it.each<[string, string, Record<string, unknown>, string]>([
    ['a price', outside('Amount="70.00"'), {}, '70.00 false'],
    ['a price per day', outside('', daily), {}, '80.00 false'],
    ['a price per day, by default', outside('', daily, ''), { chargesIncludedByDefault: false }, '80.00 false'],
    ['an amount per day', outside(perDay), { describedPerDay: 'day' }, '80.00 false'],
    ['an amount that may be per day', outside(perDay), { describedPerDay: undefined }, 'refused'],
    ['a limit', outside('', `<MinMax MaxCharge="30.00"/>${daily}`), {}, 'refused'],
    ['a price per week', outside('', daily.replace('Day', 'Week')), {}, 'refused'],
    ['no price', outside(''), {}, ''],
    ['a price per day in the total', outside('', daily, ''), {}, ''],
  ])('is never shown free: %s', async (_what, body, options, result) => {
    expect(await shown(besides, body, options)).toBe(result);
  });
});

describe('a cancellation penalty', () => {
  const stated = /<Deadline [^>]*\/>\s*<PenaltyFee [^>]*\/>/;
  const BEFORE = '<Deadline OffsetTimeUnit="Hour" OffsetUnitMultiplier="48" OffsetDropTime="BeforeArrival"/>';
  const withPenalty = (content: string) => whole.replace(stated, content);
  const SURE = { refundable: true, freeUntil: '2026-03-27T01:30:00', source: 'structured' };

  it.each([
    ['<PenaltyFee Amount="80.00"/>', { fee: { amountMinor: 8_000, currency: 'CHF' } }],
    ['<PenaltyFee Percent="50.5"/>', { percent: '50.5' }],
    ['<PenaltyFee Percent="100"/>', { percent: '100' }],
    ['<PenaltyFee Amount="0.00"/>', { fee: { amountMinor: 0, currency: 'CHF' } }],
    ['', {}],
  ])('%s is read', async (fee, rule) => {
    const { offer, warnings } = await priced(withPenalty(BEFORE + fee));
    expect(offer?.cancellation).toEqual({ ...SURE, rules: [{ from: SURE.freeUntil, ...rule }] });
    expect(warnings).toEqual([]);
  });

  it('is read in the notation of the supplier', async () => {
    const { offer } = await priced(inCommas(withPenalty(`${BEFORE}<PenaltyFee Percent="50,5"/>`)), COMMA);
    expect(offer?.cancellation.rules).toEqual([{ from: SURE.freeUntil, percent: '50.5' }]);
  });

  it('ends when a later one begins, also beside one with the same deadline', async () => {
    const next = (content: string) => `</CancelPenaltyInfo><CancelPenaltyInfo>${content}`;
    const all = `${BEFORE}<PenaltyFee Percent="100"/>`;
    const body = withPenalty(
      all +
        next(`${BEFORE}<PenaltyFee Amount="20.00"/>`) +
        next(all.replace('48', '24')) +
        next('<PenaltyFee Percent="10"/>'),
    );
    const last = '2026-03-28T01:30:00';
    expect((await priced(body)).offer?.cancellation.rules).toEqual([
      { until: SURE.freeUntil, percent: '10' },
      { from: SURE.freeUntil, until: last, percent: '100' },
      { from: SURE.freeUntil, until: last, fee: { amountMinor: 2_000, currency: 'CHF' } },
      { from: last, percent: '100' },
    ]);
  });

  it.each([
    'Percent="100%"',
    'Percent="50,5"',
    'Percent="-50"',
    'Percent="500"',
    'Percent="1e2"',
    'Amount="80,00"',
    'Amount="everything"',
    'Amount="-80.00"',
    'Amount="80.00" CurrencyCode="EUR"',
    'Amount="8000" DecimalPlaces="2"',
    'Amount="80.00" Percent="13 %"',
  ])('%s makes the terms unknown, with a warning', async (attributes) => {
    const { offer, warnings } = await priced(withPenalty(`${BEFORE}<PenaltyFee ${attributes}/>`));
    expect(offer?.cancellation).toEqual({ rules: [], source: 'unknown' });
    expect(warnings).toEqual(['amount_rejected']);
    expect(total({ offer, warnings })).toBe('600.00');
  });

  it("that can't be read leaves the supplier's words, and nothing of the other penalties", async () => {
    const readable = `<CancelPenaltyInfo>${BEFORE}<PenaltyFee Amount="80.00"/></CancelPenaltyInfo>`;
    const body = withPenalty(
      '<PenaltyFee Percent="all"/><PenaltyDescription><Text>Everything from two days before.</Text></PenaltyDescription>',
    )
      .replace('</CancelPenaltyInfo>', `</CancelPenaltyInfo>${readable}`)
      .replace('BRING IT BACK FULL', 'No refund for late cancellations');
    expect((await priced(body)).offer?.cancellation).toEqual({
      rules: [{ text: 'Everything from two days before.' }, { text: 'No refund for late cancellations' }],
      source: 'text',
    });
  });

  it('as a payment rule leaves its text', async () => {
    const rule = '<PaymentRule RuleType="1" Percent="20,0">A fifth of the price.</PaymentRule>';
    const body = withPenalty('')
      .replace(/<CancelPenaltyInfo>\s*<\/CancelPenaltyInfo>/, '')
      .replace('<PaymentRules>', `<PaymentRules>${rule}`);
    expect((await priced(body)).offer?.cancellation).toEqual({
      rules: [{ text: 'A fifth of the price.' }],
      source: 'text',
    });
  });

  it.each(['-48', '48h', '4e1', '48.000'])('with a deadline of "%s" hours is never free before it', async (hours) => {
    const { offer } = await priced(whole.replace('OffsetUnitMultiplier="48"', `OffsetUnitMultiplier="${hours}"`));
    expect(offer?.cancellation).toEqual({
      refundable: undefined,
      freeUntil: undefined,
      rules: [{ fee: { amountMinor: 8_000, currency: 'CHF' }, text: `${hours} Hour BeforeArrival` }],
      source: 'structured',
    });
  });

  it('with a deadline of part of a month has no date', async () => {
    const body = whole.replace('"Hour" OffsetUnitMultiplier="48"', '"Month" OffsetUnitMultiplier="1.5"');
    expect((await priced(body)).offer?.cancellation.rules).toMatchObject([{ text: '1.5 Month BeforeArrival' }]);
  });

  it.each(['-80.00', '80,00', 'all'])('a no-show fee of "%s" is refused', async (amount) => {
    const body = whole.replace(
      '<RateRules>',
      `<RateRules><NoShowFeeInfo><FeeAmount Amount="${amount}"/></NoShowFeeInfo>`,
    );
    expect(await shown(total, body)).toBe('refused');
  });
});
