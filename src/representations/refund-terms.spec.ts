import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Cancellation } from '../model/offers.js';
import type { ComparedChoices } from './charges-besides.js';
import { sampleOffer, usd } from './fixtures/sample-offer.js';
import { LocationFactsCache } from './location-view.js';
import { rentalView } from './rental-view.js';
import { termsOfView, termsOfWords, termWords, worseTerms } from './shown-terms.js';

const { total } = sampleOffer.price;
const nothing = { extras: [], coverages: [] };
const same: ComparedChoices = { total, isSamePrice: true, isSameAge: true, before: nothing, now: nothing };
const stated = (changes: Partial<Cancellation>): Cancellation => ({ rules: [], source: 'structured', ...changes });
const refundable = stated({ refundable: true });
const all = { fee: total };
const late = '2027-01-31T10:00:00';

const marked = (cancellation: Cancellation) => {
  const offer = { ...sampleOffer, cancellation };
  const view = rentalView('uno', offer, new LocationFactsCache(createSecretKey(Buffer.alloc(32, 7))));
  return [termsOfWords(termWords(offer)).refundable, termsOfView(view).refundable];
};

describe('that a rate is refundable', () => {
  it.each<[string, Cancellation, true | undefined]>([
    ['without a deadline', refundable, true],
    ['for a part of the total', stated({ refundable: true, rules: [{ fee: usd(9_999) }] }), true],
    [
      'for a fee in another currency',
      stated({ refundable: true, rules: [{ fee: { ...total, currency: 'CHF' } }] }),
      true,
    ],
    ['not if it costs the total', stated({ refundable: true, rules: [all] }), undefined],
    [
      'not if it costs the total later',
      stated({ refundable: true, rules: [{ from: late, percent: '100' }] }),
      undefined,
    ],
    ['not with a deadline, which says more', stated({ refundable: true, freeUntil: late }), undefined],
    ['not if it is not stated', stated({}), undefined],
    ['not if it is not', stated({ refundable: false }), undefined],
  ])('is a term, in an id and of a booking: %s', (_what, cancellation, mark) => {
    expect(marked(cancellation)).toEqual([mark, mark]);
  });

  it.each<[string, Cancellation, string | undefined]>([
    ['it is not', stated({ refundable: false }), 'the rate is no longer refundable'],
    ['it costs the total', stated({ refundable: true, rules: [all] }), 'the rate is no longer refundable'],
    ['it costs 100 %', stated({ rules: [{ percent: '100.0' }] }), 'the rate is no longer refundable'],
    ['it costs a part', stated({ refundable: true, rules: [{ fee: usd(9_999) }] }), undefined],
    ['it costs the total from some day on', stated({ refundable: true, rules: [{ from: late, ...all }] }), undefined],
    ['it costs the total in a case that is a text', stated({ rules: [{ text: 'late', ...all }] }), undefined],
    ['there is a deadline', stated({ refundable: true, freeUntil: late, rules: [{ from: late, ...all }] }), undefined],
    ['nothing is stated', stated({ source: 'unknown' }), undefined],
  ])('is compared with a later answer: %s', (_what, cancellation, text) => {
    const shown = termsOfWords(termWords({ ...sampleOffer, cancellation: refundable }));
    expect(worseTerms(shown, { ...sampleOffer, cancellation }, same)).toEqual(text === undefined ? [] : [text]);
  });

  it('is not compared if the id of an earlier gateway does not say it', () => {
    const cancellation = stated({ refundable: false });
    expect(worseTerms({ payment: 'pay_later' }, { ...sampleOffer, cancellation }, same)).toEqual([]);
  });
});

describe('a free cancellation', () => {
  it.each<[string, Cancellation, readonly string[]]>([
    ['an answer that says only that the rate is refundable', refundable, []],
    ['a fee at any time', stated({ refundable: true, rules: [{ fee: usd(1) }] }), ['cancelling is no longer free']],
    ['no statement that it is refundable', stated({}), ['cancelling is no longer free']],
  ])('is compared with %s', (_what, cancellation, worse) => {
    expect(worseTerms({ freeUntil: '202701301000' }, { ...sampleOffer, cancellation }, same)).toEqual(worse);
  });
});
