import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer } from '../suppliers/models.js';
import { offerId, readOfferId } from './offer-id.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const offer = {
  brand: 'Bravo "Select"',
  supplierRef: { rateCode: '7I', sipp: 'ECMR', days: 3, prepaid: true },
  price: { total: { amountMinor: 25_299, currency: 'USD' } },
} as unknown as SupplierOffer;
const search = '["BOS","BOS","2027-02-01T10:00:00","2027-02-03T10:00:00","US",35]';

describe('offer ids', () => {
  it('say again what was offered, to whom and until when', () => {
    expect(readOfferId(offerId('app_a', 'bravo', offer, search, 1_800_000_000, key), key)).toEqual({
      application: 'app_a',
      supplier: 'bravo',
      brand: 'Bravo "Select"',
      search: ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-03T10:00:00', 'US', 35],
      ref: { rateCode: '7I', sipp: 'ECMR', days: 3, prepaid: true },
      total: '252.99',
      currency: 'USD',
      expiresAt: 1_800_000_000,
    });
  });

  it('are undefined when forged', () => {
    expect(readOfferId('off_x', key)).toBeUndefined();
    expect(readOfferId(offerId('app_a', 'bravo', offer, search, 1, key), createSecretKey(Buffer.alloc(32)))).toBeUndefined();
  });
});
