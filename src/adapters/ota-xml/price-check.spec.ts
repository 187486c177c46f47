import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import { oneWarning } from '../../model/warnings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, failureOf, request } from './fixtures/booking.js';
import { fixture, settings } from './fixtures/setting.js';

const chf = (amountMinor: number) => ({ amountMinor, currency: 'CHF' });
const whole = fixture('rate-rule.xml').toString();

async function priced(body: string, options: Record<string, unknown> = {}, own: Partial<RentalRequest> = {}) {
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  return (
    (await adapter.priceCheck?.({ ...request, ...own }, answering([body]))) ?? {
      items: [],
      warnings: oneWarning('not_sent', 'no operation'),
    }
  );
}

describe('the answer to a price check', () => {
  it('is the current offer: car, rate, rules, places and the ref to book it', async () => {
    const { items, warnings } = await priced(whole);
    expect(warnings).toEqual([]);
    expect(items).toMatchObject([
      {
        brand: 'Alpine',
        status: 'available',
        vehicle: { sippCode: 'IWAD', name: 'SKODA OCTAVIA COMBI' },
        pickup: { code: 'GVA', name: 'Genève Airport' },
        dropoff: { code: 'ZRH', name: 'Zürich Airport' },
        pickupDate: '2026-03-29T01:30:00',
        rate: { code: 'W7', payment: 'pay_partial' },
        cancellation: { freeUntil: '2026-03-27T01:30:00', source: 'structured' },
        deposit: { amount: chf(30_000) },
        terms: [{ kind: 'policy', text: 'BRING IT BACK FULL' }],
        supplierRef: { ...request.ref, referenceId: 'Q-NEW' },
      },
    ]);
    expect(items[0]?.cancellation.rules).toHaveLength(1);
  });

  it('has the status that was shown if it states none', async () => {
    const silent = whole.replace('<RentalRate Status="Available">', '<RentalRate>');
    const statusOf = async (body: string, own: Partial<RentalRequest>) =>
      (await priced(body, {}, own)).items[0]?.status;
    expect(await statusOf(silent, { status: 'on_request' })).toBe('on_request');
    expect(await statusOf(silent, {})).toBe('available');
    expect(await statusOf(whole, { status: 'on_request' })).toBe('available');
  });

  it('has the status of the rate that is read, of several ones', async () => {
    const [rate = ''] = /<RentalRate\b.*?<\/RentalRate>/s.exec(whole) ?? [];
    const [total = ''] = /<TotalCharge [^>]*\/>/.exec(whole) ?? [];
    const inEuros = (text: string) => text.replaceAll('"CHF"', '"EUR"');
    const statusOf = async (euros: string, francs: string) => {
      const rates = inEuros(rate).replace('"Available"', `"${euros}"`) + rate.replace('"Available"', `"${francs}"`);
      return (await priced(whole.replace(rate, rates).replace(total, total + inEuros(total)))).items[0]?.status;
    };
    expect([
      await statusOf('Available', 'OnRequest'),
      await statusOf('OnRequest', 'Available'),
      await statusOf('Available', 'Unavailable'),
    ]).toEqual(['on_request', 'available', undefined]);
  });

  it('keeps the stated total, which includes the chosen options', async () => {
    const [offer] = (await priced(whole)).items;
    // Two seats for 64.62, a coverage of 6.50 on each of 8 days.
    expect(offer?.price).toMatchObject({
      total: chf(60_000),
      base: chf(40_000),
      extras: chf(6_462),
      coverages: chf(5_200),
      unitemised: chf(8_338),
    });
    expect(offer?.price.items.filter(({ kind }) => kind === 'equipment' || kind === 'coverage')).toMatchObject([
      { code: '8', amount: chf(6_462), quantity: 2, mandatory: false, includedInTotal: true },
      { code: '32', amount: chf(5_200), quantity: 1, mandatory: false, includedInTotal: true },
    ]);
    expect(offer?.extras).toMatchObject([
      { code: '8', priceTotal: chf(3_231), maxQuantity: 2 },
      { code: '13', priceTotal: chf(7_000) },
    ]);
  });

  it('adds the chosen options if the total leaves them out, but not those whose charge says it is included', async () => {
    const options = { chosenInTotal: false };
    expect((await priced(whole, options)).items[0]?.price).toMatchObject({
      total: chf(71_662),
      unitemised: chf(20_000),
    });
    const stated = whole.replace('Amount="64.62"', 'Amount="64.62" IncludedInEstTotalInd="true"');
    expect((await priced(stated, options)).items[0]?.price.total).toEqual(chf(65_200));
    const outside = whole.replace('Amount="64.62"', 'Amount="64.62" IncludedInEstTotalInd="false"');
    expect((await priced(outside)).items[0]?.price.total).toEqual(chf(66_462));
  });

  // The supplier's total is 600.00; the two seats of 64.62 aren't in it. Due now, at the counter, and of the seats.
  it.each([
    ['<PaymentRule RuleType="2"/>', 'pay_now', 60_000, 6_462, 'counter'],
    ['<PaymentRule RuleType="2" Amount="600.00" CurrencyCode="CHF"/>', 'pay_now', 60_000, 6_462, 'counter'],
    ['<PaymentRule RuleType="2" Percent="50"/>', 'pay_partial', 30_000, 36_462, 'counter'],
    ['<PaymentRule RuleType="2" Amount="664.62" CurrencyCode="CHF"/>', 'pay_now', 66_462, 0, 'now'],
    ['', 'pay_later', 0, 66_462, 'counter'],
  ])(
    'options that its total leaves out are prepaid only if "%s" says so',
    async (rule, type, now, counter, payable) => {
      const outside = whole
        .replace('Amount="64.62"', 'Amount="64.62" IncludedInEstTotalInd="false"')
        .replace('<PaymentRule RuleType="2" Amount="100.00" CurrencyCode="CHF"/>', rule);
      const [offer] = (await priced(outside)).items;
      expect(offer?.rate.payment).toBe(type);
      expect(offer?.price).toMatchObject({ total: chf(66_462), dueNow: chf(now), dueAtCounter: chf(counter) });
      expect(offer?.price.items.find(({ kind }) => kind === 'equipment')).toMatchObject({ code: '8', payable });
      const rental = offer?.price.items.find(({ kind }) => kind === 'rental');
      expect(rental?.payable).toBe(type === 'pay_now' ? 'now' : 'counter');
    },
  );

  it('adds the chosen options to a rate without a total', async () => {
    expect((await priced(whole, { totalFrom: 'rate_plus_fees' })).items[0]?.price.total).toEqual(chf(51_662));
  });

  it('multiplies the unit price if the supplier does not return the quantity', async () => {
    const single = whole
      .replace('EquipType="8" Quantity="2"', 'EquipType="8"')
      .replace('Amount="64.62"', 'Amount="32.31"');
    const [offer] = (await priced(single, { chosenInTotal: false })).items;
    expect(offer?.price).toMatchObject({ total: chf(71_662), extras: chf(6_462) });
  });

  it('counts only chosen options', async () => {
    const [offer] = (await priced(whole, {}, { extras: [], coverages: [] })).items;
    expect(offer?.price).toMatchObject({ total: chf(60_000), extras: undefined, coverages: undefined });
  });

  it('keeps the codes of the offer that the answer does not return', async () => {
    const bare =
      '<OTA_VehRateRuleRS><Success/><TotalCharge EstimatedTotalAmount="9.00" CurrencyCode="CHF"/></OTA_VehRateRuleRS>';
    const [offer] = (await priced(bare)).items;
    expect(offer?.supplierRef).toEqual(request.ref);
  });

  it.each<[string, string, string]>([
    ['is empty: a car that is gone', '<Errors><Error Type="3" Code="301"/></Errors>', 'none'],
    ['is empty: a bare Success', '<Success/>', 'none'],
    ['is empty: a car that became unavailable', '<Success/><RentalRate Status="Unavailable"/>', 'none'],
    ['is refused: another rate', '<Errors><Error Type="3" Code="249"/></Errors>', 'rejected invalid_rate'],
    ['is refused: a closed counter', '<Errors><Error Type="3" Code="227"/></Errors>', 'rejected location_closed'],
    [
      'is refused: a driver not entitled to the rate',
      '<Errors><Error Type="3" Code="595"/></Errors>',
      'rejected not_eligible',
    ],
    [
      'fails: gone, and a busy system',
      '<Errors><Error Type="3" Code="301"/><Error Type="12" Code="191"/></Errors>',
      'unavailable',
    ],
    [
      'fails: a price together with Errors',
      '<Errors><Error Type="12" Code="191"/></Errors><TotalCharge/>',
      'unavailable',
    ],
    ['fails: a car without a price', '<Success/><RentalRate/>', 'bad_payload'],
    ['fails: a Success with content of another version', '<Success/><Price>9.00</Price>', 'bad_payload'],
    ['fails: nothing', '', 'bad_payload'],
  ])('%s', async (_name, content, failure) => {
    const body = `<OTA_VehRateRuleRS>${content}</OTA_VehRateRuleRS>`;
    expect(await failureOf(priced(body))).toBe(failure);
    if (failure === 'none') expect((await priced(body)).items).toEqual([]);
  });
});

describe('a price that is gone', () => {
  const refused = (content: string) =>
    failureOf(
      createOtaXmlAdapter(settings).priceCheck?.(
        request,
        answering([`<OTA_VehRateRuleRS>${content}</OTA_VehRateRuleRS>`]),
      ),
    );

  it('may be stated by a text without a code, in an error or a warning', async () => {
    for (const text of ['Price no longer available', 'THIS RATE HAS EXPIRED'])
      for (const type of [1, 3]) {
        const warning = `<Success/><Warnings><Warning Type="${type}">${text}</Warning></Warnings>`;
        expect(await refused(warning)).toBe('rejected rate_expired');
        expect(await refused(`<Errors><Error Type="${type}" ShortText="${text}"/></Errors>`)).toBe(
          'rejected rate_expired',
        );
      }
    expect(await refused('<Errors><Error Type="1" ShortText="Unknown"/></Errors>')).toBe('unavailable');
  });
});
