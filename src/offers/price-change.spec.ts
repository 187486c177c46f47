import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer } from '../model/offers.js';
import { offerAt, sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import { bareTotal, type Choice, coveragePrice, extraPrice, priceChange } from './price-change.js';
import type { PricedKey } from './priced-key.js';

const NOTHING: Choice = { extras: [], coverages: [] };
const two: Choice = { extras: [{ code: 'CSI', quantity: 2 }], coverages: ['PAI'] };

function keyAt(amountMinor: number, chosen: Choice = NOTHING): PricedKey {
  const search = ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 35] as const;
  return {
    kind: 'offer',
    application: 'a',
    supplier: 'uno',
    brand: 'Uno',
    search,
    ref: {},
    total: usd(amountMinor),
    expiresAt: 0,
    ...chosen,
  };
}

describe('prices of choices from the offer', () => {
  it('an extra costs its price times its quantity', () => {
    expect(extraPrice(sampleOffer, { code: 'CSI', quantity: 3 })).toEqual(usd(6_000));
  });

  it.each(['SNO', 'XXX'])('%s: undefined if the offer has no price', (code) => {
    expect(extraPrice(sampleOffer, { code, quantity: 1 })).toBeUndefined();
  });

  it('one in another currency is shown, and the total doesn’t contain it', () => {
    const local = { extras: [{ code: 'GPS', quantity: 2 }], coverages: [] };
    expect(extraPrice(sampleOffer, { code: 'GPS', quantity: 2 })).toEqual({ amountMinor: 1_800, currency: 'EUR' });
    expect(bareTotal(offerAt(10_000), local)).toEqual(usd(10_000));
  });

  it('an included coverage costs nothing extra, another costs its price', () => {
    expect([coveragePrice(sampleOffer, 'CDW'), coveragePrice(sampleOffer, 'PAI')]).toEqual([undefined, usd(1_500)]);
  });

  it('the bare total is the total without the choices', () => {
    expect(bareTotal(offerAt(15_500), two)).toEqual(usd(10_000));
  });
});

describe('choices that are paid besides the total', () => {
  const seat: Choice = { extras: [{ code: 'CSI', quantity: 2 }], coverages: [] };
  const item = (more: object) => ({
    ...{ kind: 'equipment' as const, code: 'CSI', description: 'Infant seat', amount: usd(4_000) },
    ...{ unit: 'rental' as const, quantity: 2, mandatory: false, includedInTotal: false, payable: 'counter' as const },
    ...more,
  });
  /** An offer with these items. */
  const listing = (amountMinor: number, ...items: object[]): SupplierOffer => {
    const offer = offerAt(amountMinor);
    return { ...offer, price: { ...offer.price, items: items.map(item) } };
  };
  const quoted = { ...keyAt(10_000, seat), besides: ['CSI'] };

  it('aren’t subtracted from it: a higher total is a change, the same one is not', () => {
    expect(bareTotal(listing(10_000, {}), seat)).toEqual(usd(10_000));
    expect(priceChange(keyAt(10_000), seat, listing(10_000, {}))).toBeUndefined();
    expect(priceChange(keyAt(10_000), seat, listing(14_000, {}))?.delta).toEqual(usd(4_000));
    expect(priceChange(quoted, seat, listing(10_000, {}))).toBeUndefined();
    expect(priceChange(quoted, seat, listing(11_000, {}))?.delta).toEqual(usd(1_000));
  });

  it('aren’t added to it either, once they are dropped', () => {
    expect(priceChange(quoted, NOTHING, offerAt(10_000))).toBeUndefined();
    expect(priceChange(quoted, NOTHING, offerAt(10_500))?.delta).toEqual(usd(500));
  });

  it('may be in it at another time', () => {
    expect(priceChange(quoted, seat, listing(14_000, { includedInTotal: true }))?.delta).toEqual(usd(4_000));
    expect(priceChange(keyAt(14_000, seat), seat, listing(10_000, {}))?.delta).toEqual(usd(-4_000));
  });

  it.each<[string, object, Choice]>([
    ['has no code, but the name', { code: undefined }, seat],
    ['has the code in another case', { code: 'csi' }, seat],
    ['is of an unknown kind', { kind: 'other' }, seat],
    ['is a coverage', { kind: 'coverage', code: 'PAI' }, { extras: [], coverages: ['PAI'] }],
  ])('are known from an item that %s', (_case, own, choice) => {
    expect(bareTotal(listing(10_000, own), choice)).toEqual(usd(10_000));
  });

  it.each<[string, ...object[]]>([
    ['is a fee with the same code', { kind: 'fee' }],
    ['is for another extra', { code: 'GPS' }],
    ['has another name and no code', { code: undefined, description: 'Seat' }],
    ['is only a part, the other is in the total', {}, { includedInTotal: true }],
  ])('aren’t known from an item that %s', (_case, ...items) => {
    expect(bareTotal(listing(10_000, ...items), seat)).toEqual(usd(6_000));
  });
});

describe('priceChange', () => {
  it.each<[string, PricedKey, Choice, number]>([
    ['the same total', keyAt(10_000), NOTHING, 10_000],
    ['a total that grew by the choices', keyAt(10_000), two, 15_500],
    ['the same quote again', keyAt(15_500, two), two, 15_500],
    ['a quote without its choices', keyAt(15_500, two), NOTHING, 10_000],
    ['a quote with one seat fewer', keyAt(15_500, two), { ...two, extras: [{ code: 'CSI', quantity: 1 }] }, 13_500],
    ['an included coverage chosen explicitly', keyAt(10_000), { extras: [], coverages: ['CDW'] }, 10_000],
  ])('undefined for %s', (_case, key, choice, now) => {
    expect(priceChange(key, choice, offerAt(now))).toBeUndefined();
  });

  it.each<[string, PricedKey, Choice, number, number, number]>([
    ['dearer', keyAt(10_000), NOTHING, 11_000, 11_000, 1_000],
    ['cheaper', keyAt(10_000), NOTHING, 9_500, 9_500, -500],
    ['a higher price apart from the choices', keyAt(10_000), two, 16_500, 11_000, 1_000],
    ['a higher quote, compared with its choices', keyAt(15_500, two), NOTHING, 11_000, 16_500, 1_000],
    [
      'an extra without a known price',
      keyAt(10_000),
      { extras: [{ code: 'SNO', quantity: 1 }], coverages: [] },
      10_300,
      10_300,
      300,
    ],
  ])('%s', (_case, key, choice, now, current, delta) => {
    expect(priceChange(key, choice, offerAt(now))).toEqual({
      previous: key.total,
      current: usd(current),
      delta: usd(delta),
    });
  });

  it('a dropped choice that is listed at a negative price does not hide a higher total', () => {
    const { extras, coverages } = offerAt(1_000_000);
    const offer = {
      ...offerAt(1_000_000),
      extras: extras.map((extra) => ({ ...extra, priceTotal: usd(-490_000) })),
      coverages: coverages.map((coverage) => ({ ...coverage, included: false, priceTotal: usd(-490_000) })),
    };
    for (const chosen of [{ ...two, coverages: [] }, { ...two, extras: [] }, two])
      expect(priceChange(keyAt(20_000, chosen), NOTHING, offer)?.delta).toEqual(usd(980_000));
  });
});
