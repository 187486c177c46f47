import { describe, expect, it } from '@jest/globals';
import { UnreadableAmountError } from '../../model/money.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, request } from './fixtures/booking.js';
import { fixture, settings } from './fixtures/setting.js';

/* Charges whose purpose is a word of the supplier instead of a code. The total is 600.00 CHF, the rate 400.00, the stated deposit 300.00. */

const whole = fixture('rate-rule.xml').toString();
const RATE = 'Amount="400.00" CurrencyCode="CHF" IncludedInRate="true" Purpose="1"/>';
const withCharge = (attributes: string, body = whole) => {
  if (!body.includes(RATE)) throw new Error('the document has no rate');
  return body.replace(RATE, `${RATE}<VehicleCharge ${attributes}/>`);
};

async function priced(body: string, options: Record<string, unknown> = {}) {
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  const answer = await adapter.priceCheck?.({ ...request, extras: [], coverages: [] }, answering([body]));
  return { offer: answer?.items[0], texts: answer?.warnings.map(({ text }) => text) };
}

describe('a charge with a word as its purpose', () => {
  const OUTSIDE = 'Purpose="Estimated deposit" Amount="1050" IncludedInRate="false" IncludedInEstTotalInd="false"';
  const besides = async (attributes: string, options?: Record<string, unknown>) => {
    const { offer, texts } = await priced(withCharge(attributes), options);
    const items = offer?.price.items.filter(({ includedInTotal }) => !includedInTotal) ?? [];
    return { items: items.map(({ amount, mandatory }) => [amount.amountMinor, mandatory]), offer, texts };
  };

  it('is not known to be required outside of the total, and the warning names the setting', async () => {
    const { items, texts } = await besides(OUTSIDE);
    expect(items).toEqual([[105_000, false]]);
    expect(texts).toEqual(['Estimated deposit: not known to be required outside of the total. Set purposeKinds']);
  });

  it.each([
    ['if the supplier says so', OUTSIDE.replace('Purpose', 'RequiredInd="true" Purpose'), {}],
    ['if the file of the supplier has its kind', OUTSIDE, { purposeKinds: { 'Estimated deposit': 'fee' } }],
    ['if it has a code, also one that the list lacks', OUTSIDE.replace('Estimated deposit', '999'), {}],
    ['if it has a code of letters', OUTSIDE.replace('Estimated deposit', 'YDF'), {}],
    ['if it has a code of its own in a list', OUTSIDE.replace('Estimated deposit', '28.VCP.X'), {}],
    ['if it has no purpose', OUTSIDE.replace('Purpose="Estimated deposit"', ''), {}],
  ])('is required %s', async (_when, attributes, options) => {
    const { items, texts } = await besides(attributes, options);
    expect({ items, texts }).toEqual({ items: [[105_000, true]], texts: [] });
  });

  it('is the deposit or no charge if the file of the supplier says so', async () => {
    const body = whole.replace(/<PaymentRule RuleType="3"[^>]*\/>/, '');
    const read = async (kind: string, charge = OUTSIDE) => {
      const { offer, texts } = await priced(withCharge(charge, body), { purposeKinds: { 'Estimated deposit': kind } });
      return [offer?.deposit?.amount, offer?.price.items.map(({ description }) => description), texts];
    };
    const { offer } = await priced(body);
    const items = offer?.price.items.map(({ description }) => description);
    expect(offer?.deposit).toBeUndefined();
    expect(await read('deposit')).toEqual([{ amountMinor: 105_000, currency: 'CHF' }, items, []]);
    const foreign = OUTSIDE.replace('Amount', 'CurrencyCode="EUR" Amount');
    expect(await read('deposit', foreign)).toEqual([{ amountMinor: 105_000, currency: 'EUR' }, items, []]);
    expect(await read('none')).toEqual([undefined, items, []]);
    await expect(read('deposit', OUTSIDE.replace('1050', '-1'))).rejects.toThrow(UnreadableAmountError);
  });

  it('doesn’t add a deposit beside the stated one', async () => {
    const { offer } = await priced(withCharge(OUTSIDE), { purposeKinds: { 'Estimated deposit': 'deposit' } });
    expect(offer?.deposit?.amount).toEqual({ amountMinor: 30_000, currency: 'CHF' });
  });
});

describe('the rental charge in another currency than the total', () => {
  const ORIGINAL = 'Purpose="original" Amount="380.00" CurrencyCode="EUR"';

  it('can’t be part of the total', async () => {
    const { offer, texts } = await priced(whole.replace(RATE, RATE.replace('CHF', 'EUR')));
    expect(offer?.price.total).toEqual({ amountMinor: 60_000, currency: 'CHF' });
    expect(offer?.price.base).toBeUndefined();
    expect(texts).toEqual(['VehicleCharge in EUR left out of an offer in CHF']);
  });

  it.each(['none', 'rental'])('may be a word of the supplier: %s', async (kind) => {
    const { offer } = await priced(withCharge(ORIGINAL), { purposeKinds: { original: kind } });
    expect(offer?.price.total).toEqual({ amountMinor: 60_000, currency: 'CHF' });
    expect(offer?.price.base).toEqual({ amountMinor: 40_000, currency: 'CHF' });
  });

  it('may be listed beside a charge of that currency without an amount', async () => {
    const { offer } = await priced(withCharge('Purpose="7" CurrencyCode="EUR" IncludedInRate="true"'));
    expect(offer?.price.total).toEqual({ amountMinor: 60_000, currency: 'CHF' });
  });

  it('without a setting, leaves the car out and names it', async () => {
    await expect(priced(withCharge(ORIGINAL))).rejects.toThrow('Set purposeKinds: what is original?');
  });
});
