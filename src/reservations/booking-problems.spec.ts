import { describe, expect, it } from '@jest/globals';
import type { CheckedPrice } from '../offers/price-check.service.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { guaranteeProblems } from './booking-problems.js';

/** A checked price at a supplier that takes cards or not, for a rate that needs a guarantee or not. */
function checked(takesCards: boolean, creditCardRequired: boolean | undefined) {
  const supplier = { id: 'uno', name: 'Uno Cars', connection: { adapter: { booking: { takesCards } } } };
  return { supplier, offer: { ...sampleOffer, requirements: { creditCardRequired } } } as unknown as CheckedPrice;
}

describe('a rate that needs a guarantee', () => {
  it.each(['counter', 'voucher'] as const)('is not booked without a card: %s', (type) => {
    expect(guaranteeProblems({ type }, checked(true, true))).toEqual([
      {
        reason: 'invalid_request',
        field: 'payment.type',
        details:
          'Uno Cars requires a card as guarantee for this rate. Send payment.type "card", or choose an offer without credit_card_required.',
      },
    ]);
  });

  it('cannot be booked at a supplier that takes no cards here', () => {
    expect(guaranteeProblems({ type: 'counter' }, checked(false, true))[0]?.details).toContain(
      'Cards cannot be sent to this supplier',
    );
  });

  it('is not accepted in a change of a reservation without a card, whose payment cannot be changed', () => {
    expect(guaranteeProblems({ type: 'counter' }, checked(true, true), 'quote_id')).toEqual([
      {
        reason: 'invalid_request',
        field: 'quote_id',
        details:
          'Uno Cars requires a card as guarantee for this rate. The payment of a reservation cannot be changed: choose an offer without credit_card_required.',
      },
    ]);
  });

  it.each([
    ['with a card', 'card', true],
    ['if the rate needs none', 'counter', false],
    ['if the supplier does not say', 'counter', undefined],
  ] as const)('is booked %s', (_name, type, required) => {
    expect(guaranteeProblems({ type }, checked(true, required))).toEqual([]);
  });
});
