import { describe, expect, it } from '@jest/globals';
import { membershipsOf, type ScopedSearch, searchForCall } from './scoped-codes.js';

const uno = { id: 'uno', brands: ['Uno', 'Prima'], loyaltyPrograms: { Uno: ['Uno Plus'], Prima: ['First Club'] } };
const due = { id: 'due', brands: ['Due'], loyaltyPrograms: {} };
const search: ScopedSearch = {
  pickup: { countryCode: 'US' } as ScopedSearch['pickup'],
  dropoff: { countryCode: 'US' } as ScopedSearch['dropoff'],
  pickupDate: '2031-05-11T10:00:00',
  dropoffDate: '2031-05-14T10:00:00',
  countryCode: 'US',
  age: 35,
  sippCodes: [],
  discountCodes: [
    { type: 'corporate', value: 'U1', supplier: 'uno' },
    { type: 'corporate', value: 'D1', supplier: 'due' },
    { type: 'promo', value: 'ALL' },
  ],
  loyalty: [],
  additionalDrivers: 0,
};

describe('a call to one supplier', () => {
  it('has the discount codes for this supplier and those for all, but none for others', () => {
    expect(searchForCall(uno, ['Uno'], search).discountCodes).toEqual([
      { type: 'corporate', value: 'U1' },
      { type: 'promo', value: 'ALL' },
    ]);
    expect(searchForCall(due, ['Due'], search)).toEqual({
      ...search,
      brands: ['Due'],
      discountCodes: [
        { type: 'corporate', value: 'D1' },
        { type: 'promo', value: 'ALL' },
      ],
    });
  });

  it.each([
    ['of a program of the brand', { program: 'Uno Plus' }, ['Uno'], true],
    ['of a program in another spelling', { program: 'uno-PLUS' }, ['Uno'], true],
    ['named like the brand', { program: 'UNO' }, ['Uno'], true],
    ['of one of the brands of the call', { program: 'First Club' }, ['Uno', 'Prima'], true],
    ['of another brand of the supplier', { program: 'First Club' }, ['Uno'], false],
    ['of an unknown program', { program: 'MilesOne' }, ['Uno'], false],
    ['without a program', {}, ['Uno'], false],
    ['without a program, for the supplier', { supplier: 'uno' }, ['Uno'], true],
    ['of a program of the brand, for another supplier', { program: 'Uno Plus', supplier: 'due' }, ['Uno'], false],
    ['of another program, for the supplier', { program: 'MilesOne', supplier: 'uno' }, ['Uno'], false],
  ])('has a membership %s: %j → %j %j', (_case, membership, brands, isSent) => {
    const { supplier: _supplier, ...sent } = { supplier: undefined, ...membership, number: '4711' };
    expect(membershipsOf(uno, brands, [{ ...membership, number: '4711' }])).toEqual(isSent ? [sent] : []);
  });
});
