import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readPriced } from '../offers/priced-key.js';
import { sampleOffer, usd } from './fixtures/sample-offer.js';
import { LocationFactsCache } from './location-view.js';
import { searchText } from './offer-id.js';
import { OfferWriter } from './offer-view.js';
import { offerWire, rentalWire } from './offers.wire.js';
import { rentalView } from './rental-view.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const facts = new LocationFactsCache(key);
const search = searchText(['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 35]);
const NOW = Date.parse('2027-01-01T00:00:00Z');
const written = (offer = sampleOffer, total = offer.price.total) =>
  offerWire.parse(JSON.parse(new OfferWriter(search, 'app_a', facts, key, NOW, 900).write('uno', offer, total)));

describe('an offer on the wire', () => {
  it('is the rental with id and expiry', () => {
    const { offer_id, expires_at, ...rental } = written();
    expect(rentalWire.parse(rentalView('uno', sampleOffer, facts))).toEqual(rental);
    expect([readPriced(offer_id, key)?.total, expires_at]).toEqual([usd(10_000), '2027-01-01T00:15:00.000Z']);
  });

  it('ends earlier where the supplier says so, never later', () => {
    expect(written({ ...sampleOffer, expiresAt: '2027-01-01T00:05:00Z' }).expires_at).toBe('2027-01-01T00:05:00.000Z');
    expect(written({ ...sampleOffer, expiresAt: '2027-01-02T00:00:00Z' }).expires_at).toBe('2027-01-01T00:15:00.000Z');
  });

  it('its id says the total it is told, its price the supplier’s', () => {
    const { offer_id, price } = written(sampleOffer, usd(8_000));
    expect([readPriced(offer_id, key)?.total, price.total.amount]).toEqual([usd(8_000), '100.00']);
  });
});
