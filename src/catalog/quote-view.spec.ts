import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type PricedKey, readPriced } from '../offers/priced-key.js';
import { ODD_TEXT } from '../representations/fixtures/odd-text.js';
import { sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { quoteView } from './quote-view.js';
import { quoteWire } from './rates.wire.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const terms = {
  facts: new LocationFactsCache(key),
  key,
  now: Date.parse('2027-01-01T00:00:00Z'),
  ttlSeconds: 900,
  isSimulated: false,
};
const priced: PricedKey = {
  kind: 'offer',
  application: 'app_a',
  supplier: 'uno',
  brand: 'Uno',
  search: ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 35],
  ref: {},
  total: usd(10_000),
  expiresAt: 0,
  extras: [],
  coverages: [],
};

/** A quote with one extra and one coverage with the given code and name. */
function quoteOf(text: string) {
  const offer = {
    ...sampleOffer,
    extras: [{ code: text, type: 'other', name: text, priceTotal: usd(500), maxQuantity: 2, mandatory: false }],
    coverages: [{ code: text, type: 'other', name: text, included: false, mandatory: false }],
  };
  const { brand, pickupDate, dropoffDate, supplierRef: ref } = offer;
  const place = { iataCode: 'BOS', countryCode: 'US' };
  const places = { pickup: place, dropoff: place, pickupDate, dropoffDate };
  const choice = { extras: [{ code: text, quantity: 2 }], coverages: [text] };
  const request = { brand, ref, ...places, ...choice, countryCode: 'US', age: 36 };
  const change = { previous: usd(1), current: usd(3), delta: usd(2) };
  return quoteView(priced, { supplier: { id: 'uno', name: 'Uno' }, request, offer, change }, terms);
}

describe('a quote on the wire', () => {
  it('passes texts of suppliers through unchanged', () => {
    const view = quoteOf(ODD_TEXT);
    const shown = quoteWire.parse(JSON.parse(JSON.stringify(view)));
    expect(shown).toEqual(quoteWire.parse(view));
    expect(shown).toMatchObject({
      selected_extras: [{ extra_id: ODD_TEXT, quantity: 2, name: ODD_TEXT, price_total: { amount: '10.00' } }],
      selected_coverages: [{ code: ODD_TEXT, name: ODD_TEXT }],
      price_change: { delta: { amount: '0.02', currency: 'USD' } },
      expires_at: '2027-01-01T00:15:00.000Z',
    });
    expect(readPriced(shown.quote_id, key)).toMatchObject({
      kind: 'quote',
      search: [...priced.search.slice(0, 5), 36],
      extras: [{ code: ODD_TEXT, quantity: 2 }],
      coverages: [ODD_TEXT],
    });
    expect(readPriced(shown.offer.offer_id, key)).toMatchObject({ kind: 'offer', extras: [] });
  });

  it('does not match the wire schema with another guarantee', () => {
    expect(quoteWire.safeParse({ ...quoteOf('GPS'), price_guarantee: 'full' }).success).toBe(false);
  });
});
