import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { heapOf } from '../../test/support/heap.js';
import type { SupplierOffer } from '../model/offers.js';
import { readPriced } from '../offers/priced-key.js';
import { ODD_TEXT } from './fixtures/odd-text.js';
import { sampleOffer, usd } from './fixtures/sample-offer.js';
import { LocationFactsCache } from './location-view.js';
import { OfferViews } from './offer-view.js';
import { offerWire, rentalWire } from './offers.wire.js';
import { rentalView } from './rental-view.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const facts = new LocationFactsCache(key);
const search = ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 35] as const;
const NOW = Date.parse('2027-01-01T00:00:00Z');
const viewOf = (offer = sampleOffer, total = offer.price.total) =>
  new OfferViews(search, 'app_a', facts, key, NOW, 900).of('uno', offer, {
    ...offer,
    price: { ...offer.price, total },
  });
const written = (offer = sampleOffer, total = offer.price.total) =>
  offerWire.parse(JSON.parse(JSON.stringify(viewOf(offer, total))));

/** The sample offer with every optional member, and `text` as every text of the supplier. */
function offerSaying(text: string): SupplierOffer {
  const place = { ...sampleOffer.pickup, brand: text, code: text, name: text, phone: text };
  const address = { lines: [text, ''], city: text, region: text, postalCode: text, countryCode: 'US' };
  const counter = { ...place, address };
  return {
    ...sampleOffer,
    brand: text,
    supplierRef: { [text]: text },
    vehicle: {
      name: text,
      make: text,
      model: text,
      orSimilar: true,
      classCode: text,
      className: text,
      doors: text,
      imageUrl: text,
      fuel: text,
    },
    pickup: counter,
    dropoff: counter,
    rate: { code: text, type: text, payment: 'pay_now', inclusive: true, discountsApplied: [text] },
    price: {
      ...sampleOffer.price,
      display: { amountMinor: -5, currency: 'JPY' },
      items: [
        {
          kind: 'tax',
          code: text,
          description: text,
          amount: usd(1),
          unit: 'day',
          quantity: 0.5,
          mandatory: true,
          includedInTotal: true,
          payable: 'now',
        },
      ],
    },
    distancePolicy: [{ unlimited: false, included: { value: 100, unit: 'mi' }, per: 'day', overage: usd(25) }],
    coverages: [
      { code: text, type: text, name: text, included: true, mandatory: true, pricePerDay: usd(1), excess: usd(2) },
    ],
    extras: [{ code: text, type: text, name: text, pricePerDay: usd(1), maxQuantity: 1, mandatory: false }],
    deposit: { amount: usd(5), takenAt: 'pickup' },
    cancellation: {
      source: 'text',
      refundable: false,
      freeUntil: '2027-01-31T10:00:00',
      rules: [{ text, percent: '50' }],
      noShowFee: usd(9),
    },
    changes: { allowed: true, penalty: false },
    requirements: { minAge: 21, youngDriverFee: usd(3) },
    terms: [{ kind: text, url: text, text }],
  };
}

describe('an offer in a response', () => {
  it('contains the rental, an id and an expiry', () => {
    const { offer_id, expires_at, ...rental } = written();
    expect(rentalWire.parse(rentalView('uno', sampleOffer, facts))).toEqual(rental);
    expect([readPriced(offer_id, key)?.total, expires_at]).toEqual([usd(10_000), '2027-01-01T00:15:00.000Z']);
  });

  it('expires earlier if the supplier says so, but never later', () => {
    expect(written({ ...sampleOffer, expiresAt: '2027-01-01T00:05:00Z' }).expires_at).toBe('2027-01-01T00:05:00.000Z');
    expect(written({ ...sampleOffer, expiresAt: '2027-01-02T00:00:00Z' }).expires_at).toBe('2027-01-01T00:15:00.000Z');
  });

  it('has the given total in its id and the supplier’s total in its price', () => {
    const { offer_id, price } = written(sampleOffer, usd(8_000));
    expect([readPriced(offer_id, key)?.total, price.total.amount]).toEqual([usd(8_000), '100.00']);
  });

  it.each(['', ODD_TEXT])('contains any text of a supplier unchanged: %j', (text) => {
    const offer = offerSaying(text);
    const shown = written(offer);
    expect(shown).toEqual(offerWire.parse(viewOf(offer)));
    expect([
      shown.brand,
      shown.vehicle.name,
      shown.pickup.location.address.lines,
      shown.terms,
      shown.price.items[0]?.code,
    ]).toEqual([text, text, [text, ''], [{ kind: text, url: text, text }], text]);
    expect(readPriced(shown.offer_id, key)).toMatchObject({ brand: text, ref: { [text]: text } });
  });

  it('has a change policy only if the supplier states something about changes', () => {
    expect(written({ ...sampleOffer, changes: { penalty: true } }).change_policy).toEqual({ penalty: true });
    expect(JSON.stringify(viewOf())).not.toContain('change_policy');
  });

  it('has its members in the order of the schema', () => {
    const order = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, member]) => [name, order(member)])
        : '';
    // Parsing orders the members as in the schema.
    expect(order(JSON.parse(JSON.stringify(viewOf(offerSaying('text')))))).toEqual(order(written(offerSaying('text'))));
  });

  it('converts the parts that offers share only once', () => {
    const views = new OfferViews(search, 'app_a', facts, key, NOW, 900);
    const [one, other] = [views.of('uno', sampleOffer), views.of('uno', { ...sampleOffer, brand: 'Due' })];
    expect(one.pickup).toBe(other.pickup);
    expect(one.terms).toBe(other.terms);
    expect(views.of('uno', { ...sampleOffer, pickupDate: '2027-02-02T10:00:00' }).pickup.date).toBe(
      '2027-02-02T10:00:00',
    );
  });

  it('does not match the schema with an invalid amount, or with an additional or missing member', () => {
    const { dedupe_group, ...short } = viewOf();
    const { price } = sampleOffer;
    const views = [
      viewOf({ ...sampleOffer, price: { ...price, dueNow: usd(Number.NaN) } }),
      { ...viewOf(), more: 1 },
      short,
    ];
    const places = views.map((view) =>
      offerWire.safeParse(view).error?.issues.map(({ path, code }) => [code, ...path]),
    );
    expect(places).toEqual([
      [['invalid_format', 'price', 'due_now', 'amount']],
      [['unrecognized_keys']],
      [['invalid_type', 'dedupe_group']],
    ]);
  });
});

it('what is remembered of a SIPP code does not keep the text of which it is a part', () => {
  let made = 0;
  const shown = () => {
    made += 1;
    const [sippCode = ''] = `the long code ${made}#${' '.repeat(60_000)}`.split('#');
    return rentalView('uno', { ...sampleOffer, vehicle: { ...sampleOffer.vehicle, sippCode } }, facts).rental_days;
  };
  // 200 texts have 12 MB.
  expect(heapOf(() => Array.from({ length: 200 }, shown))).toBeLessThan(3_000_000);
});
