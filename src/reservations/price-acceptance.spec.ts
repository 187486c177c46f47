import { describe, expect, it } from '@jest/globals';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { PaymentType, PriceItem } from '../model/offers.js';
import type { Choice } from '../offers/price-change.js';
import type { CheckedPrice } from '../offers/price-check.service.js';
import type { PricedKey } from '../offers/priced-key.js';
import { offerAt, sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { readShown, shownOf } from '../representations/offer-id.js';
import { ApiError } from '../status/api-error.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { sampleRental } from './fixtures/sample-reservation.js';
import { type Acceptance, acceptPrice, acceptTerms } from './price-acceptance.js';

const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno Cars', adapter: 'fake', brands: ['Uno'] });
const supplier = {
  id: 'uno',
  name: 'Uno Cars',
  config,
  connection: new SupplierConnection(config, { brandsPerCall: 'many' }, 'http://127.0.0.1:9'),
};

/** A price in cents that has changed by `delta` cents since the id was issued; undefined = unchanged. */
function price(total: number, moved?: number): CheckedPrice {
  const previous = usd(total - (moved ?? 0));
  const change = moved === undefined ? {} : { change: { previous, current: usd(total), delta: usd(moved) } };
  return { supplier, request: sampleRental, offer: offerAt(total), previous, ...change };
}

function refusal(checked: CheckedPrice, acceptance: Acceptance, priced: Choice = checked.request) {
  try {
    acceptPrice(priced, checked, acceptance);
  } catch (error) {
    if (error instanceof ApiError) return error.problems[0];
    throw error;
  }
  return undefined;
}

const accepted = (amount: string, currency = 'USD') => ({ accepted_total: { amount, currency } });

describe('choosing more than the id includes', () => {
  const bare = { extras: [], coverages: [] };
  it('requires the resulting total', () => {
    expect(refusal(price(10_000), {}, bare)).toMatchObject({ reason: 'invalid_request', field: 'accepted_total' });
    expect(refusal(price(10_000), accepted('100.00'), bare)).toBeUndefined();
  });

  it('includes a greater quantity, but not a smaller one', () => {
    const [first] = sampleRental.extras;
    if (!first) throw new Error('the sample has an extra');
    const more = { extras: [{ ...first, quantity: first.quantity + 1 }], coverages: sampleRental.coverages };
    const checked = price(10_000);
    expect(refusal({ ...checked, request: { ...checked.request, ...more } }, {}, sampleRental)).toMatchObject({
      field: 'accepted_total',
    });
    expect(refusal({ ...checked, request: { ...checked.request, ...bare } }, {}, sampleRental)).toBeUndefined();
  });
});

describe('a price is accepted', () => {
  it.each<[string, CheckedPrice, Acceptance]>([
    ['if unchanged', price(10_000), {}],
    ['if lower', price(9_000, -1_000), {}],
    ['if equal to the accepted total', price(10_000), accepted('100.00')],
    ['if below the accepted total', price(10_000), accepted('100.01')],
    ['if equal to the accepted total, whatever the change', price(11_000, 1_000), accepted('110')],
    ['if within the tolerance of the total in the id', price(10_500, 500), { price_tolerance: '5.00' }],
    ['if within the tolerance of the accepted total', price(10_500, 900), { ...accepted('100'), price_tolerance: '5' }],
  ])('%s', (_case, checked, acceptance) => {
    expect(refusal(checked, acceptance)).toBeUndefined();
  });
});

describe('a price is refused', () => {
  it.each<[string, CheckedPrice, Acceptance, string | undefined]>([
    ['one cent above the total in the id', price(10_001, 1), {}, undefined],
    ['one cent above the accepted total', price(10_001), accepted('100'), 'accepted_total'],
    ['above what was accepted, though it fell', price(10_000, -500), accepted('99.99'), 'accepted_total'],
    ['one cent above the tolerance', price(10_501, 501), { price_tolerance: '5' }, undefined],
    [
      'one cent above the tolerance of the accepted total',
      price(10_501),
      { ...accepted('100'), price_tolerance: '5' },
      'accepted_total',
    ],
  ])('%s', (_case, checked, acceptance, field) => {
    const problem = refusal(checked, acceptance);
    expect(problem).toMatchObject({ reason: 'invalid_range', cause: 'price_changed', supplier: 'uno' });
    expect(problem?.field).toBe(field);
    const amount = (checked.offer.price.total.amountMinor / 100).toFixed(2);
    expect(problem?.total).toEqual({ amount, currency: 'USD' });
    expect(problem?.details).toContain(`${amount} USD`);
  });

  it('if it is in another currency than accepted', () => {
    expect(refusal(price(1), accepted('100', 'EUR'))).toMatchObject({
      reason: 'invalid_range',
      field: 'accepted_total.currency',
    });
  });

  it('with the decimal places of its currency: 100 yen are not 1.00', () => {
    const yen = { amountMinor: 101, currency: 'JPY' };
    const offer = { ...sampleOffer, price: { ...sampleOffer.price, total: yen } };
    const checked = { ...price(1), offer };
    expect(refusal(checked, accepted('100', 'JPY'))).toMatchObject({
      cause: 'price_changed',
      total: { amount: '101', currency: 'JPY' },
    });
    expect(refusal(checked, accepted('101', 'JPY'))).toBeUndefined();
  });
});

describe('terms worse than in the id', () => {
  const priced: PricedKey = {
    kind: 'quote',
    application: 'app_a',
    supplier: 'uno',
    brand: 'Uno',
    search: ['BOS', 'JFK', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 36],
    ref: {},
    terms: { unlimited: true, dueNow: 1_000 },
    total: usd(10_000),
    expiresAt: 0,
    extras: sampleRental.extras,
    coverages: sampleRental.coverages,
  };
  const checked = (moved?: number): CheckedPrice => {
    const { offer, ...rest } = price(10_000, moved);
    const dueNow = { ...offer.price, dueNow: usd(2_000) };
    return { ...rest, offer: { ...offer, price: dueNow, distancePolicy: [{ unlimited: false }] } };
  };

  const [limited, dueNow] = ['the distance is no longer unlimited', '20.00 USD is due now'];
  it.each<[string, CheckedPrice, PricedKey, string]>([
    ['named', checked(), priced, `${limited}, ${dueNow}.`],
    ['with another total', checked(1), { ...priced, total: usd(9_999) }, `${limited}, ${dueNow}.`],
    ['but not what is due now of a higher total', checked(1_000), { ...priced, total: usd(9_000) }, `${limited}.`],
    ['with other choices', checked(), { ...priced, extras: [] }, `${limited}, ${dueNow}.`],
  ])('are refused, %s', (_how, current, key, text) => {
    expect(() => acceptTerms(key, current)).toThrow(ApiError);
    try {
      acceptTerms(key, current);
    } catch (error) {
      const [problem] = error instanceof ApiError ? error.problems : [];
      expect(problem).toMatchObject({ reason: 'invalid_request', cause: 'offer_changed', field: 'quote_id' });
      expect(problem?.details).toContain(`Uno Cars has changed the terms: ${text}`);
    }
  });

  it.each<[PaymentType, PaymentType, string | undefined]>([
    ['pay_later', 'guarantee', 'the payment is guarantee instead of pay_later'],
    ['pay_later', 'pay_now', 'the payment is pay_now instead of pay_later'],
    // What the caller has collected would be due again.
    ['pay_now', 'pay_later', 'the payment is pay_later instead of pay_now'],
    ['guarantee', 'pay_later', undefined],
    ['guarantee', 'guarantee', undefined],
  ])('are another way of payment: %s, then %s', (before, payment, text) => {
    const key: PricedKey = { ...priced, terms: { payment: before } };
    const now = { ...price(10_000), offer: { ...sampleOffer, rate: { ...sampleOffer.rate, payment } } };
    if (text === undefined) expect(() => acceptTerms(key, now)).not.toThrow();
    else expect(() => acceptTerms(key, now)).toThrow(text);
  });

  it('are another pickup location, if the offer stated its own', () => {
    const { places } = readShown(shownOf(sampleOffer));
    const pickup = { ...sampleOffer.pickup, code: 'LAX9', name: 'Downtown' };
    const { iataCode: _airport, ...elsewhere } = pickup;
    const moved = { ...price(10_000), offer: { ...sampleOffer, pickup: elsewhere } };
    const key: PricedKey = { ...priced, terms: {} };
    expect(() => acceptTerms({ ...key, ...(places && { places }) }, moved)).toThrow(
      'the pickup location is LAX9 (Downtown)',
    );
    expect(() => acceptTerms(key, moved)).not.toThrow();
  });

  it('are not a deposit that rose with the total', () => {
    const key: PricedKey = { ...priced, terms: { deposit: '3000USD' } };
    const at = (total: number): CheckedPrice => ({
      ...price(total),
      offer: { ...offerAt(total), deposit: { amount: usd(3_300) } },
    });
    expect(() => acceptTerms(key, at(11_000))).not.toThrow();
    expect(() => acceptTerms(key, at(10_000))).toThrow('the deposit is 33.00 USD');
  });

  it('are not a fee at the counter for the age of another driver', () => {
    const { items: _none, ...total } = offerAt(10_000).price;
    const fee: PriceItem = {
      ...{ kind: 'young_driver', description: 'Young driver', amount: usd(2_500), unit: 'rental', quantity: 1 },
      ...{ mandatory: true, includedInTotal: false, payable: 'counter' },
    };
    const young = { ...price(10_000), offer: { ...sampleOffer, price: { ...total, items: [fee] } } };
    const key: PricedKey = { ...priced, terms: { besides: 0 } };
    expect(() => acceptTerms(key, { ...young, request: { ...sampleRental, age: 22 } })).not.toThrow();
    expect(() => acceptTerms(key, young)).toThrow('25.00 USD must be paid besides the total');
    const secured = { ...young, offer: { ...young.offer, deposit: { amount: usd(5_000) } } };
    const other = { ...secured, request: { ...sampleRental, age: 22 } };
    expect(() => acceptTerms({ ...priced, terms: { deposit: '1USD' } }, other)).toThrow(
      'again for the age of 22, show',
    );
  });

  it('are unknown for an id of an earlier gateway', () => {
    expect(() => acceptTerms({ ...priced, terms: {} }, checked())).not.toThrow();
  });
});
