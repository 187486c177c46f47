import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer } from './models.js';
import { compare } from './shadow.js';

const offer = (sippCode: string, amountMinor: number, currency = 'USD') =>
  ({ vehicle: { sippCode, name: 'x' }, price: { total: { amountMinor, currency } } }) as unknown as SupplierOffer;

describe('a supplier in shadow', () => {
  it('is compared class by class, by the cheapest of each', () => {
    const live = [offer('ECAR', 100), offer('EDMR', 80), offer('CCAR', 200)];
    expect(compare([offer('EXXX', 88), offer('EXXX', 300), offer('CXXX', 180)], live)).toEqual({ coverage: 1, priceRatio: 1 });
  });

  it('covers only what it has in the same currency', () => {
    const live = [offer('ECAR', 100), offer('CCAR', 200)];
    expect(compare([offer('ECAR', 50), offer('CCAR', 10, 'EUR')], live)).toEqual({ coverage: 0.5, priceRatio: 0.5 });
    expect(compare([], live)).toEqual({ coverage: 0 });
  });

  it('is compared with nothing where nobody has anything', () => {
    expect(compare([offer('ECAR', 100)], [])).toEqual({});
  });
});
