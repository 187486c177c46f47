import { describe, expect, it } from '@jest/globals';
import { formatAmount } from '../../model/money.js';
import { createOtaXmlAdapter } from './adapter.js';
import { contextWith, fixture, search, settings } from './fixtures/setting.js';

const body = fixture('vehicles.xml').toString();
const RATE = /<ota:RentalRate\b.*?<\/ota:RentalRate>/s;
const TOTAL = /<ota:TotalCharge [^>]*\/>/;
const [rate = ''] = RATE.exec(body) ?? [];
const [total = ''] = TOTAL.exec(body) ?? [];
const inEuros = (text: string) => text.replaceAll('"CHF"', '"EUR"');
const other = (text: string) => text.replaceAll('"400.00"', '"380.00"');
const bare = (text: string) => text.replaceAll(/ CurrencyCode="CHF"/g, '');

/** The totals of the cars that are found, with what their rental costs. */
async function found(rates: readonly string[], totals: readonly string[], own: object = {}) {
  const text = body.replace(RATE, rates.join('')).replace(TOTAL, totals.join(''));
  try {
    const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...own } });
    const answer = await adapter.searchVehicles?.(search, contextWith([Buffer.from(text)]));
    const [offer] = answer?.items ?? [];
    const rental = offer?.price.items.find(({ kind }) => kind === 'rental')?.amount;
    return (
      offer && rental && `${formatAmount(rental)} of ${formatAmount(offer.price.total)} ${offer.price.total.currency}`
    );
  } catch (error) {
    return (error as { fault?: string }).fault;
  }
}

describe('several rates of a car', () => {
  it.each([
    ['with one total', [rate, other(rate)], [total], '375.00 of 530.80 CHF'],
    ['with the same total', [rate, other(rate)], [total, total], '375.00 of 530.80 CHF'],
    ['that are the same', [rate, rate], [total, inEuros(total)], '375.00 of 530.80 CHF'],
    ['in two currencies', [rate, inEuros(rate)], [total, inEuros(total)], '375.00 of 530.80 CHF'],
    ['in another order', [inEuros(other(rate)), rate], [total, inEuros(total)], '375.00 of 530.80 CHF'],
    ['that may belong to each', [rate, other(rate)], [total, other(total)], 'bad_payload'],
    ['of which two may belong to it', [rate, other(rate)], [total, inEuros(total)], 'bad_payload'],
    ['without a currency', [bare(rate), bare(other(rate))], [total, inEuros(total)], 'bad_payload'],
    ['with totals without one', [rate, inEuros(rate)], [total, bare(other(total))], 'bad_payload'],
    ['of which none belongs to it', [inEuros(rate), inEuros(other(rate))], [total, inEuros(total)], 'bad_payload'],
  ])('%s', async (_what, rates, totals, result) => {
    expect(await found(rates, totals)).toBe(result);
  });

  it('that are the same, with their attributes in another order', async () => {
    const turned = total.replace(/ (RateTotalAmount="[^"]*")(.*?)\/>/, '$2 $1/>');
    expect(turned).not.toBe(total);
    expect(await found([rate, other(rate)], [total, turned])).toBe('375.00 of 530.80 CHF');
  });

  it('that are too many', async () => {
    expect(
      await found(
        Array.from({ length: 300 }, () => rate),
        [total],
      ),
    ).toBe('375.00 of 530.80 CHF');
    expect(
      await found(
        Array.from({ length: 301 }, () => rate),
        [total],
      ),
    ).toBe('bad_payload');
  });

  it.each([
    ['for the totals', [rate, inEuros(other(rate))], [bare(total), inEuros(total)], '375.00 of 530.80 CHF'],
    ['for what belongs together', [bare(rate), inEuros(rate)], [bare(total), inEuros(total)], '375.00 of 530.80 CHF'],
    ['for what does not', [bare(rate), rate], [bare(total), inEuros(total)], 'bad_payload'],
  ])('without the currency that the file of the supplier has %s', async (_what, rates, totals, result) => {
    expect(await found(rates, totals, { currency: 'CHF' })).toBe(result);
    expect(await found(rates, totals)).toBe('bad_payload');
  });
});
