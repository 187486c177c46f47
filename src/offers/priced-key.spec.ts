import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer } from '../model/offers.js';
import { sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { offerId } from '../representations/offer-id.js';
import { quoteId } from '../representations/quote-id.js';
import { seal } from '../representations/sealed-id.js';
import { placesOfWords, placeWords } from '../representations/shown-places.js';
import { type PricedKey, pricedOf, readPriced } from './priced-key.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const otherKey = createSecretKey(Buffer.alloc(32));
const offer: SupplierOffer = {
  ...sampleOffer,
  brand: 'Bravo "Select"',
  coverages: [],
  supplierRef: { rateCode: '7I', sipp: 'ECMR', days: 3, prepaid: true },
};
const search = ['BOS', 'JFK', '2027-02-01T10:00:00', '2027-02-03T10:00:00', 'US', 35] as const;
const sealed = {
  application: 'app_a',
  supplier: 'bravo',
  offer,
  total: usd(25_299),
  search,
  expiresAt: 1_800_000_000,
};
const quoted = { ...sealed, extras: [{ code: 'CSI "x"', quantity: 2 }], coverages: ['PAI', 'SLI'] };
const offer_id = offerId(sealed, key);
const quote_id = quoteId(quoted, key);
const places = placesOfWords(placeWords(offer));
const expectedKey: Omit<PricedKey, 'kind' | 'extras' | 'coverages'> = {
  application: 'app_a',
  supplier: 'bravo',
  brand: 'Bravo "Select"',
  search,
  ref: { rateCode: '7I', sipp: 'ECMR', days: 3, prepaid: true },
  car: 'ECAR',
  ...(places && { places }),
  terms: { payment: 'pay_later', dueNow: 0 },
  total: usd(25_299),
  expiresAt: 1_800_000_000,
};

describe('offer and quote ids', () => {
  it('an offer id contains the offer, its application and its expiry, without choices', () => {
    expect(readPriced(offer_id, key)).toEqual({ ...expectedKey, kind: 'offer', extras: [], coverages: [] });
  });

  it('a quote id also contains the choices', () => {
    expect(readPriced(quote_id, key)).toEqual({
      ...expectedKey,
      kind: 'quote',
      extras: [{ code: 'CSI "x"', quantity: 2 }],
      coverages: ['PAI', 'SLI'],
    });
  });

  it.each([
    ['with a class', sampleOffer.vehicle],
    ['without one', { ...sampleOffer.vehicle, sippCode: undefined }],
  ])('a quote id contains which choices are paid besides the total, %s', (_what, vehicle) => {
    const items = ['CSI "x"', 'SLI'].map((code) => ({
      ...{ kind: 'other' as const, code, description: code, amount: usd(500), unit: 'rental' as const, quantity: 1 },
      ...{ mandatory: false, includedInTotal: false, payable: 'counter' as const },
    }));
    const besides = { ...offer, vehicle, price: { ...offer.price, items } } as SupplierOffer;
    expect(readPriced(quoteId({ ...quoted, offer: besides }, key), key)?.besides).toEqual(['CSI "x"', 'SLI']);
    expect(readPriced(quoteId({ ...quoted, offer: besides, extras: [], coverages: [] }, key), key)).not.toHaveProperty(
      'besides',
    );
    expect(readPriced(offerId({ ...sealed, offer: besides }, key), key)).not.toHaveProperty('besides');
  });

  const rate = { from: 'USD', to: 'EUR', rate: '0.9248982612', asOf: '2026-11-20', source: 'European Central Bank' };
  it.each([
    ['the currency of the search', undefined, { currency: 'EUR' }],
    ['the currency, if no rate is known', { currency: 'EUR' }, { currency: 'EUR' }],
    ['the currency and the rate', { currency: 'EUR', locked: rate }, { currency: 'EUR', locked: rate }],
    [
      'a rate that was stale',
      { currency: 'EUR', locked: { ...rate, stale: true as const } },
      { currency: 'EUR', locked: { ...rate, stale: true } },
    ],
  ])('keep for the display price %s', (_what, display, kept) => {
    const id = display ? quoteId({ ...quoted, display }, key) : offerId({ ...sealed, displayCurrency: 'EUR' }, key);
    expect(readPriced(id, key)?.display).toEqual(kept);
  });

  it.each([
    ['with a class', sampleOffer.vehicle, 'ECAR'],
    ['without one', { ...sampleOffer.vehicle, sippCode: undefined }, undefined],
    ['with the class of the supplier', { ...sampleOffer.vehicle, sippCode: undefined, classCode: 'B 2' }, 'k:b2'],
  ])('keep that an offer was on request, %s', (_what, vehicle, car) => {
    const onRequest = { ...offer, vehicle, status: 'on_request' } as SupplierOffer;
    for (const id of [offerId({ ...sealed, offer: onRequest }, key), quoteId({ ...quoted, offer: onRequest }, key)])
      expect(readPriced(id, key)).toMatchObject({ ...(car && { car }), terms: { onRequest: true } });
    const plain = readPriced(offerId({ ...sealed, offer: { ...offer, vehicle } as SupplierOffer }, key), key);
    expect([plain?.car, plain?.terms]).toEqual([car, { payment: 'pay_later', dueNow: 0 }]);
  });

  it('of an offer from memory says so beside the currency, and one without a currency is as before', () => {
    const fromMemory = offerId({ ...sealed, displayCurrency: 'EUR' }, key, 'memory');
    expect(readPriced(fromMemory, key)).toMatchObject({ origin: 'memory', display: { currency: 'EUR' } });
    expect(offerId({ ...sealed, displayCurrency: undefined }, key)).toBe(offer_id);
    expect(readPriced(offer_id, key)).not.toHaveProperty('display');
    expect(readPriced(quote_id, key)).not.toHaveProperty('display');
  });

  it.each([
    ['nothing', ''],
    ['only a prefix', 'quo_'],
    ['an invented id', 'quo_x'],
    ['an id sealed with another key', quoteId(quoted, otherKey)],
    ['an offer sealed with another key', offerId(sealed, otherKey)],
    ['an id with its last character changed', quote_id.slice(0, -1) + (quote_id.endsWith('A') ? 'B' : 'A')],
    ['an id with changed content', `${quote_id.slice(0, 20)}${quote_id[20] === 'A' ? 'B' : 'A'}${quote_id.slice(21)}`],
    ['a truncated id', quote_id.slice(0, -5)],
    ['an offer id with the prefix of a quote', quote_id.slice(0, 4) + offer_id.slice(4)],
    ['a quote id with the prefix of an offer', offer_id.slice(0, 4) + quote_id.slice(4)],
    ['a valid location id', seal('loc_', '["bravo","Bravo","BOST01",null,"US",null,null]', key)],
    ['a validly sealed id with other content', seal('quo_', '["app_a"]', key)],
  ])('undefined: %s', (_case, id) => {
    expect(readPriced(id, key)).toBeUndefined();
  });
});

describe('pricedOf', () => {
  it.each([
    ['an offer in offer_id', { offer_id }, 'offer'],
    ['a quote in quote_id', { quote_id }, 'quote'],
    ['a quote in offer_id', { offer_id: quote_id }, undefined],
    ['an offer in quote_id', { quote_id: offer_id }, undefined],
    ['neither', {}, undefined],
  ])('%s', (_case, fields, kind) => {
    expect(pricedOf(fields, key)?.kind).toBe(kind);
  });
});
