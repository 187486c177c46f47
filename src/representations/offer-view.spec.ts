import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { readPriced } from '../offers/priced-key.js';
import { sampleOffer } from './fixtures/sample-offer.js';
import { LocationFactsCache } from './location-view.js';
import type { SearchKey } from './offer-id.js';
import { OfferViews, type SearchedOffer, writtenBytes } from './offer-view.js';
import { offerWire } from './offers.wire.js';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const FACTS = new LocationFactsCache(KEY);
const TTL_SECONDS = 1_800;
const BOSTON: SearchKey = ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 30];
const offer = { ...sampleOffer, vehicle: { ...sampleOffer.vehicle, name: 'Škoda Fabia' } };

const viewsFor = (application: string, now: number, search = BOSTON) =>
  new OfferViews(search, application, FACTS, KEY, now, TTL_SECONDS);
const read = (views: OfferViews, one: SearchedOffer) => JSON.parse(views.bytesOf('uno', one).toString());

describe('an offer that is written for one answer', () => {
  const views = viewsFor('app_1', Date.now());

  it.each([
    ['as the first of its answer', offer],
    ['with the places and terms of another', { ...offer, brand: 'Due' }],
    ['with another place', { ...offer, dropoff: { ...offer.dropoff, name: 'Łódź 東京' } }],
    ['with another date', { ...offer, pickupDate: '2027-02-01T11:00:00' }],
    ['with other terms', { ...offer, terms: [{ kind: 'fuel', text: 'Full to full, 5 €' }] }],
    ['as before', offer],
  ])('has all members of its view, %s', (_which, one) => {
    const bytes = views.bytesOf('uno', one);
    const copied = Buffer.alloc(bytes.length + 2);
    bytes.copy(copied, 1);
    expect(copied.subarray(1, -1).toString()).toBe(bytes.toString());
    expect([copied[0], copied.at(-1)]).toEqual([0, 0]);
    expect(offerWire.parse(JSON.parse(bytes.toString()))).toEqual(
      offerWire.parse(JSON.parse(JSON.stringify(views.of('uno', one)))),
    );
  });

  it('has an expiry of its own, whatever that of the offer before is', () => {
    const now = Date.parse('2027-01-01T00:00:00Z');
    const [usual, sooner] = [new Date(now + TTL_SECONDS * 1_000).toISOString(), '2027-01-01T00:05:00.000Z'];
    const own = viewsFor('app_1', now);
    const offers = [offer, { ...offer, expiresAt: sooner }, offer, offer];
    expect(offers.map((one) => read(own, one).expires_at)).toEqual([usual, sooner, usual, usual]);
  });
});

describe('an offer that is written once for several answers', () => {
  it('has the same JSON as one that is written for one answer', () => {
    const views = viewsFor('app_1', Date.now());
    expect(read(views, views.write('uno', offer))).toEqual(read(views, offer));
  });

  it('includes per day what it does on the days between its dates, however many are charged, and shows those charged', () => {
    const views = viewsFor('app_1', Date.now());
    for (const [rentalDays, counted] of [
      [7, 3],
      [3, 3],
      [2, 2],
    ] as const) {
      const written = views.write('uno', { ...offer, rentalDays });
      expect([written.rentalDays, read(views, written).rental_days]).toEqual([counted, rentalDays]);
    }
  });

  it('says when its free cancellation may end: at the pickup, by the latest clock that it may have', () => {
    const views = viewsFor('app_1', Date.now());
    const { iataCode: _airport, ...somewhere } = offer.pickup;
    const inAustralia = { ...somewhere, address: { ...somewhere.address, countryCode: 'AU' } };
    const ends = [offer.pickup, inAustralia].map((pickup) => {
      const cancellation = { freeUntil: '2027-01-30T11:00:00', rules: [], source: 'structured' } as const;
      return new Date(views.write('uno', { ...offer, pickup, cancellation }).freeEndsAt).toISOString();
    });
    expect(ends).toEqual(['2027-01-30T16:00:00.000Z', '2027-01-30T00:00:00.000Z']);
    const { freeEndsAt } = views.write('uno', { ...offer, cancellation: { rules: [], source: 'unknown' } });
    expect(freeEndsAt).toBe(Number.POSITIVE_INFINITY);
  });

  claim(
    'API1',
    'An offer answered from memory has an id of the application that gets it, never of another one.',
    () => {
      const written = viewsFor('app_1', Date.now()).write('uno', offer);
      for (const application of ['app_1', 'app_2', 'app_1', 'app_3', 'app_3']) {
        const { offer_id, ...rest } = read(viewsFor(application, written.answeredAt), written);
        expect(readPriced(offer_id, KEY)?.application).toBe(application);
        expect(rest.vehicle.name).toBe('Škoda Fabia');
      }
    },
  );

  it('has an id of the search that it answers', () => {
    const written = viewsFor('app_1', Date.now()).write('uno', offer);
    for (const place of ['BOS', 'plc_bos', 'BOS']) {
      const views = viewsFor('app_1', written.answeredAt, [place, ...BOSTON.slice(1)] as unknown as SearchKey);
      expect(readPriced(read(views, written).offer_id, KEY)?.search[0]).toBe(place);
    }
  });

  it('expires as long after the supplier’s answer as a fresh one, and its id says that it is from memory', () => {
    const written = viewsFor('app_1', Date.now() - 1_000).write('uno', offer);
    const fresh = read(viewsFor('app_1', written.answeredAt), written);
    const later = read(viewsFor('app_1', written.answeredAt + 60_000), written);
    expect(Date.parse(later.expires_at)).toBe(written.answeredAt + TTL_SECONDS * 1_000);
    expect(readPriced(fresh.offer_id, KEY)?.origin).toBeUndefined();
    expect(readPriced(later.offer_id, KEY)?.origin).toBe('memory');
  });

  it('counts the bytes that it takes', () => {
    const views = viewsFor('app_1', Date.now());
    const written = views.write('uno', offer);
    const rentalBytes = written.json.length;
    expect(writtenBytes(written)).toBeGreaterThan(rentalBytes);
    expect(views.bytesOf('uno', written).length).toBeLessThanOrEqual(writtenBytes(written));
  });
});
