import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer } from '../model/offers.js';
import { sampleOffer, usd } from './fixtures/sample-offer.js';
import { termsOfWords, termWords, worseTerms } from './shown-terms.js';

const km = (value: number) => ({ value, unit: 'km' as const });
const shown: SupplierOffer = {
  ...sampleOffer,
  status: 'on_request',
  rate: { ...sampleOffer.rate, payment: 'pay_partial' },
  price: { ...sampleOffer.price, dueNow: usd(1_000), dueAtCounter: usd(9_000) },
  cancellation: { refundable: true, freeUntil: '2027-01-30T10:00:00', rules: [], source: 'structured' },
  distancePolicy: [{ unlimited: false, included: km(100), per: 'day' }],
  deposit: { amount: usd(20_000) },
};
const endless: SupplierOffer = { ...shown, distancePolicy: [{ unlimited: true }] };

function worse(before: SupplierOffer, changes: Partial<SupplierOffer>, isSamePrice = true): readonly string[] {
  return worseTerms(termsOfWords(termWords(before, before.deposit)), { ...before, ...changes }, isSamePrice);
}

describe('the terms in an id', () => {
  it('are those that may be worse later, and none of most offers', () => {
    expect(termsOfWords(termWords(shown, shown.deposit))).toEqual({
      onRequest: true,
      freeUntil: '202701301000',
      distance: '100km/day',
      dueNow: 1_000,
      deposit: '20000USD',
    });
    expect(termsOfWords(termWords(endless))).toMatchObject({ unlimited: true });
    expect(termWords(sampleOffer)).toEqual([]);
    expect(termsOfWords(['x', 'later'])).toEqual({});
  });
});

describe('terms', () => {
  const { cancellation } = shown;
  it.each<[string, SupplierOffer, Partial<SupplierOffer>]>([
    ['cancelling is no longer free', shown, { cancellation: { refundable: false, rules: [], source: 'structured' } }],
    [
      'cancelling is free only until 2027-01-30T09:59:00',
      shown,
      { cancellation: { ...cancellation, freeUntil: '2027-01-30T09:59:00' } },
    ],
    ['less distance is included', shown, { distancePolicy: [{ unlimited: false, included: km(50), per: 'day' }] }],
    ['the distance is no longer unlimited', endless, { distancePolicy: shown.distancePolicy }],
    ['10.01 USD is due now', shown, { price: { ...shown.price, dueNow: usd(1_001) } }],
    ['the deposit is 5000.00 USD', shown, { deposit: { amount: usd(500_000) } }],
  ])('are worse: %s', (text, before, changes) => {
    expect(worse(before, changes)).toEqual([text]);
  });

  it.each<[string, SupplierOffer, Partial<SupplierOffer>]>([
    ['the same', shown, {}],
    ['a later deadline', shown, { cancellation: { ...cancellation, freeUntil: '2027-01-30T10:01:00' } }],
    ['no machine-readable cancellation', shown, { cancellation: { rules: [], source: 'text' } }],
    ['an unlimited distance', shown, { distancePolicy: [{ unlimited: true }] }],
    ['a distance in another unit', shown, { distancePolicy: [{ unlimited: false, included: km(50), per: 'rental' }] }],
    ['no statement about the distance', endless, { distancePolicy: [] }],
    [
      'less due now, and a lower deposit',
      shown,
      { price: { ...shown.price, dueNow: usd(0) }, deposit: { amount: usd(0) } },
    ],
    [
      'terms where none were shown',
      sampleOffer,
      { cancellation, distancePolicy: shown.distancePolicy, deposit: { amount: usd(1) } },
    ],
  ])('are not worse: %s', (_what, before, changes) => {
    expect(worse(before, changes)).toEqual([]);
  });

  it('are not compared for what is due now of another total', () => {
    expect(worse(shown, { price: { ...shown.price, dueNow: usd(2_000) } }, false)).toEqual([]);
  });
});
