import { describe, expect, it } from '@jest/globals';
import type { PaymentType, PriceItem, SupplierOffer } from '../model/offers.js';
import type { ComparedChoices } from './charges-besides.js';
import { sampleOffer, usd } from './fixtures/sample-offer.js';
import { termsOfWords, termWords, worseTerms } from './shown-terms.js';

const { price, rate } = sampleOffer;
const nothing = { extras: [], coverages: [] };
const same: ComparedChoices = {
  ...{ total: price.total, isSamePrice: true, isSameAge: true },
  ...{ before: nothing, now: nothing },
};
const repriced: ComparedChoices = { ...same, isSamePrice: false };
const other: ComparedChoices = { ...repriced, now: { extras: [{ code: 'CSI', quantity: 1 }], coverages: [] } };

const seat = (payable: PriceItem['payable'], code?: string): PriceItem => ({
  ...(code !== undefined && { code }),
  ...{ kind: 'equipment', description: 'Seat', amount: usd(2_000), unit: 'rental', quantity: 1 },
  ...{ mandatory: true, includedInTotal: true, payable },
});
const due = (total: number, dueNow: number, ...items: PriceItem[]): Pick<SupplierOffer, 'price'> => ({
  price: { ...price, total: usd(total), dueNow: usd(dueNow), items },
});
const paid = (payment: PaymentType, dueNow: number): SupplierOffer => ({
  ...{ ...sampleOffer, ...due(10_000, dueNow) },
  rate: { ...rate, payment },
});

describe('what is due now', () => {
  it.each<[string, SupplierOffer, Pick<SupplierOffer, 'price'>, ComparedChoices, string | undefined]>([
    ['something instead of nothing', sampleOffer, due(10_000, 1), same, '0.01 USD'],
    ['something of a guarantee', paid('guarantee', 0), due(10_000, 1), same, '0.01 USD'],
    ['all instead of a part', paid('pay_now', 7_500), due(10_000, 10_000), same, '100.00 USD'],
    ['all of a higher total', paid('pay_now', 10_000), due(12_000, 12_000), repriced, undefined],
    ['a part, as before', paid('pay_later', 5_000), due(10_000, 5_000), same, undefined],
    ['a share of a higher total', paid('pay_partial', 5_000), due(12_000, 6_000), repriced, undefined],
    ['more than the total rose', paid('pay_partial', 5_000), due(12_000, 7_001), repriced, '70.01 USD'],
    ['more of a lower total', paid('pay_partial', 5_000), due(9_900, 5_001), repriced, '50.01 USD'],
    ['an extra', sampleOffer, due(12_000, 2_000), other, undefined],
    ['more than an extra', sampleOffer, due(12_000, 2_001), other, '20.01 USD'],
    ['an extra instead of another one', sampleOffer, due(10_000, 2_000, seat('now')), other, undefined],
    ['an extra that was due later', sampleOffer, due(10_000, 2_000, seat('now')), same, '20.00 USD'],
    ['something else than the extra', sampleOffer, due(10_000, 2_000, seat('counter')), other, '20.00 USD'],
  ])('is worse if it is more than explained: %s', (_what, before, changes, choices, text) => {
    const { dueNow } = termsOfWords(termWords(before));
    const shown = dueNow === undefined ? {} : { dueNow };
    expect(worseTerms(shown, { ...before, ...changes }, choices)).toEqual(
      text === undefined ? [] : [`${text} is due now`],
    );
  });

  it.each<[string, readonly string[], string, number, readonly PriceItem[], string | undefined]>([
    ['by an extra that is paid now', ['GPS'], 'CSI', 2_000, [], undefined],
    ['but by no more than its price', ['GPS'], 'CSI', 2_001, [], '20.01 USD'],
    ['unless it is itemized otherwise', ['GPS'], 'CSI', 2_000, [seat('counter', 'CSI')], '20.00 USD'],
    ['unless an item without a code may be its', ['GPS'], 'CSI', 2_000, [seat('counter')], '20.00 USD'],
    ['although a required one is itemized', ['GPS'], 'CSI', 2_000, [seat('counter', 'WIN')], undefined],
    ['but not if both are', ['GPS'], 'CSI', 2_000, [seat('counter', 'WIN'), seat('counter', 'CSI')], '20.00 USD'],
    ['but by none without a price', ['GPS'], 'SNO', 2_000, [], '20.00 USD'],
    ['unless nothing was', [], 'CSI', 2_000, [], '20.00 USD'],
  ])('may be more if an extra was replaced, %s', (_what, before, now, dueNow, items, text) => {
    const extrasOf = (codes: readonly string[]) => ({
      extras: codes.map((code) => ({ code, quantity: 1 })),
      coverages: [],
    });
    const choices = { ...repriced, before: extrasOf(before), now: extrasOf([now]) };
    expect(worseTerms({ dueNow: 0 }, { ...sampleOffer, ...due(9_000, dueNow, ...items) }, choices)).toEqual(
      text === undefined ? [] : [`${text} is due now`],
    );
  });

  it('is not compared if the id of an earlier gateway does not say it', () => {
    expect(worseTerms({ payment: 'pay_later' }, paid('pay_later', 5_000), same)).toEqual([]);
  });
});
