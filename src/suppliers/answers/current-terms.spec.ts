import { describe, expect, it } from '@jest/globals';
import type { Cancellation, SupplierOffer } from '../../model/offers.js';
import { sampleOffer, usd } from '../../representations/fixtures/sample-offer.js';
import { boundedAdapter } from './bounded-adapter.js';
import { withCurrentTerms, withoutExpired } from './current-terms.js';

/** Eleven in Boston, which is an hour before noon. */
const NOW = Date.parse('2027-01-30T16:00:00Z');
const ended = '2027-01-30T11:00:00';
const later = '2027-01-30T11:00:01';

function termsNow(cancellation: Cancellation, more: Partial<SupplierOffer> = {}): Cancellation | undefined {
  const items = [{ ...sampleOffer, ...more, cancellation }];
  return withCurrentTerms({ items, warnings: [] }, NOW).items[0]?.cancellation;
}

const free = (freeUntil: string, rule: Cancellation['rules'][number] = {}): Cancellation => ({
  refundable: true,
  freeUntil,
  rules: [{ from: freeUntil, ...rule }],
  source: 'structured',
});

describe('a free cancellation', () => {
  it('whose deadline is ahead is left as it is, with its answer', () => {
    const answer = { items: [{ ...sampleOffer, cancellation: free(later, { percent: '100' }) }], warnings: [] };
    expect(withCurrentTerms(answer, NOW)).toBe(answer);
  });

  it.each<[string, Cancellation['rules'][number], boolean | undefined]>([
    ['all is lost', { percent: '100' }, false],
    ['a fee of the total applies', { fee: sampleOffer.price.total }, false],
    ['a part is lost', { fee: usd(100) }, true],
    ['a fee in another currency applies', { fee: { amountMinor: 1, currency: 'EUR' } }, undefined],
    ['a high fee in another currency applies', { fee: { amountMinor: 9_000_000, currency: 'HUF' } }, undefined],
    ['it is not known what applies', { text: 'A fee applies' }, undefined],
  ])('whose deadline is past is not one: %s', (_what, rule, refundable) => {
    const { freeUntil: _ended, refundable: _stated, ...rest } = free(ended, rule);
    expect(termsNow(free(ended, rule))).toEqual(refundable === undefined ? rest : { ...rest, refundable });
  });

  it('ends at the local time of the pickup', () => {
    const { iataCode: _boston, ...pickup } = sampleOffer.pickup;
    const at = (latitude: number, longitude: number) => ({ pickup: { ...pickup, latitude, longitude } });
    expect(termsNow(free(later), at(34, -118))?.freeUntil).toBe(later);
    expect(termsNow(free(later), at(48.8, 2.3))?.freeUntil).toBeUndefined();
    expect(termsNow(free(later), at(948.8, 2.3))?.freeUntil).toBe(later);
    const magic = { pickup: { ...pickup, address: { ...pickup.address, countryCode: 'ZZ' } } };
    for (const [until, expected] of [
      ['2027-01-30T16:00:00', undefined],
      ['2027-01-30T16:00:01', '2027-01-30T16:00:01'],
    ] as const)
      expect(termsNow(free(until), magic)?.freeUntil).toBe(expected);
  });

  it.each([
    ['2027-01-31T02:30:00', undefined],
    ['2027-01-31T03:30:00', '2027-01-31T03:30:00'],
  ])(
    'whose deadline may be past where only the country is known is not one: at 2 in Brisbane and 3 in Sydney, until %s',
    (until, expected) => {
      const { iataCode: _airport, ...somewhere } = sampleOffer.pickup;
      const pickup = { ...somewhere, address: { ...somewhere.address, countryCode: 'AU' } };
      const terms = termsNow(free(until, { percent: '100' }), { pickup });
      expect(terms?.freeUntil).toBe(expected);
      // Nothing is said while it may still be free.
      expect(terms?.refundable).toBe(expected === undefined ? undefined : true);
    },
  );

  it.each(['searchVehicles', 'priceCheck'] as const)('is left out of the answer to %s', async (operation) => {
    const items = [{ ...sampleOffer, cancellation: free(ended, { percent: '100' }) }];
    const answer = async () => ({ items, warnings: [] });
    const adapter = boundedAdapter({ brandsPerCall: 'many', [operation]: answer });
    const { pickupDate, dropoffDate } = sampleOffer;
    const place = { iataCode: 'BOS', countryCode: 'US' };
    const question = { pickup: place, dropoff: place, pickupDate, dropoffDate } as never;
    const context = {
      http: { send: () => Promise.reject(new Error('no call')) },
      requestId: 'r',
      environment: 'sandbox',
      now: NOW,
    } as const;
    const found = await adapter[operation]?.(question, context);
    const expired = boundedAdapter({
      brandsPerCall: 'many',
      [operation]: async () => ({
        items: items.map((item) => ({ ...item, expiresAt: '2020-01-01T00:00:00Z' })),
        warnings: [],
      }),
    });
    const outcome = await expired[operation]?.(question, context).then(
      () => 'answered',
      ({ fault }) => fault,
    );
    expect(outcome).toBe(operation === 'priceCheck' ? 'answered' : 'bad_payload');
    expect(found?.items[0]?.cancellation).toMatchObject({ refundable: false });
    expect(found?.items[0]?.cancellation).not.toHaveProperty('freeUntil');
  });
});

describe('an offer that expires', () => {
  const expiring = (ms: number) => ({ ...sampleOffer, expiresAt: new Date(NOW + ms).toISOString() });
  const found = (...items: SupplierOffer[]) => withoutExpired({ items, warnings: [] }, NOW);

  it('in less than a minute is left out with a warning; the others stay', () => {
    const kept = [sampleOffer, expiring(60_000)];
    expect(found(expiring(-1), expiring(59_999), ...kept)).toMatchObject({
      items: kept,
      warnings: [{ kind: 'contradiction' }, { kind: 'contradiction' }],
    });
    const answer = { items: kept, warnings: [] };
    expect(withoutExpired(answer, NOW)).toBe(answer);
  });

  it('like all others of the answer makes it unreadable', () => {
    expect(() => found(expiring(-1))).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
    expect(found().items).toEqual([]);
  });
});
