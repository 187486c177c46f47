import { createSecretKey } from 'node:crypto';
import type { Cancellation } from '../model/offers.js';
import { sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { OfferViews } from '../representations/offer-view.js';
import { withCurrentTerms } from '../suppliers/answers/current-terms.js';
import { withTermsAt } from './kept-terms.js';

/** Eleven in Boston, which is an hour before noon. */
const NOW = Date.parse('2027-01-30T16:00:00Z');
const HOUR_MS = 3_600_000;
const KEY = createSecretKey(Buffer.alloc(32, 1));
const BOSTON = ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 30] as const;
const { iataCode: _airport, ...unknownPlace } = sampleOffer.pickup;
const inAustralia = { ...unknownPlace, address: { ...unknownPlace.address, countryCode: 'AU' } };

const free = (freeUntil: string, rule: Cancellation['rules'][number] = {}): Cancellation => ({
  refundable: true,
  freeUntil,
  rules: [{ from: freeUntil, ...rule }],
  source: 'structured',
});
const offerWith = (cancellation: Cancellation, pickup = sampleOffer.pickup) => ({
  ...sampleOffer,
  cancellation,
  pickup,
});
const written = (offer: typeof sampleOffer) => {
  const views = new OfferViews(BOSTON, 'app_1', new LocationFactsCache(KEY), KEY, NOW, 1_800);
  return Buffer.from(views.bytesOf('uno', offer).toString());
};
const cancellationOf = (item: Buffer | undefined) => JSON.parse(String(item)).cancellation;

describe('a kept offer', () => {
  it.each<[string, ReturnType<typeof offerWith>]>([
    ['all is lost', offerWith(free('2027-01-30T11:30:00', { percent: '100' }))],
    ['a part is lost', offerWith(free('2027-01-30T11:30:00', { fee: usd(100) }))],
    ['it is not known what applies', offerWith(free('2027-01-30T11:30:00', { text: 'A "free_until":"2020" fee' }))],
    ['it may have ended in a part of the country', offerWith(free('2027-01-31T03:30:00'), inAustralia)],
    ['it has not ended', offerWith(free('2027-01-30T12:00:01', { fee: usd(100) }))],
    ['it was never free', offerWith({ rules: [], source: 'unknown' })],
  ])('has the terms of an offer that is found then: %s', (_what, offer) => {
    const [found] = withCurrentTerms({ items: [offer], warnings: [] }, NOW + HOUR_MS).items;
    const kept = written(offer);
    const [shown] = withTermsAt([kept], NOW + HOUR_MS);
    expect(cancellationOf(shown)).toEqual(cancellationOf(found && written(found)));
    expect({ ...JSON.parse(String(shown)), cancellation: 0 }).toEqual({ ...JSON.parse(String(kept)), cancellation: 0 });
  });

  it('is not read if no deadline can be past', () => {
    const kept = written(offerWith(free('2027-01-31T07:00:01')));
    expect(withTermsAt([kept], NOW + HOUR_MS)[0]).toBe(kept);
  });

  it('has them in a group, too', () => {
    const [ended, open] = ['2027-01-30T11:30:00', '2027-01-30T13:00:00'].map((until) =>
      written(offerWith(free(until))),
    );
    const group = Buffer.from(`{"offer":${open},"alternatives":[${ended},${open}],"matched_by":["sipp_code"]}`);
    const shown = JSON.parse(String(withTermsAt([group], NOW + HOUR_MS)[0]));
    const untils = [shown.offer, ...shown.alternatives].map(({ cancellation }) => cancellation.free_until);
    expect([untils, shown.matched_by]).toEqual([
      ['2027-01-30T13:00:00', undefined, '2027-01-30T13:00:00'],
      ['sipp_code'],
    ]);
  });
});
