import { describe, expect, it } from '@jest/globals';
import type { CheckedPrice } from '../offers/price-check.service.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import type { Supplier } from '../suppliers/registry.js';
import { guaranteeProblems, prepaymentProblems, untoldProblems } from './booking-problems.js';

/** A checked price at a supplier that takes cards or not, for a rate that needs a guarantee or not. */
function checked(takesCards: boolean, creditCardRequired: boolean | undefined) {
  const supplier = { id: 'uno', name: 'Uno Cars', connection: { adapter: { booking: { takesCards } } } };
  return { supplier, offer: { ...sampleOffer, requirements: { creditCardRequired } } } as unknown as CheckedPrice;
}

describe('what the supplier would not learn', () => {
  const problems = (booking: object | undefined, drivers: number, pickupLater: boolean) =>
    untoldProblems(new Array(drivers).fill({}), pickupLater, {
      ...{ id: 'uno', name: 'Uno Cars', connection: { adapter: { booking } } },
    } as unknown as Supplier).map(({ field, cause, supplier }) => [field, cause, supplier]);
  const none = { takesAdditionalDrivers: false, takesLatePickup: false };

  it('is refused', () => {
    expect(problems(none, 2, true)).toEqual([
      ['additional_drivers', 'unsupported_by_supplier', 'uno'],
      ['pickup_later', 'unsupported_by_supplier', 'uno'],
    ]);
    expect(problems({ ...none, takesAdditionalDrivers: true }, 1, true)).toHaveLength(1);
  });

  it('is nothing that was not asked for, that it takes, or that isn’t known', () => {
    expect(problems(none, 0, false)).toEqual([]);
    expect(problems({ takesAdditionalDrivers: true, takesLatePickup: true }, 2, true)).toEqual([]);
    expect(problems(undefined, 2, true)).toEqual([]);
  });
});

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

describe('an offer that is paid when it is booked', () => {
  const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });
  const problems = (type: string, paid: string, dueNow: number) =>
    prepaymentProblems(
      { payment: { type }, view: { price: { due_now: { amount: paid, currency: 'USD' } } } } as never,
      { offer: { ...sampleOffer, price: { ...sampleOffer.price, dueNow: usd(dueNow) } } },
      'quote_id',
    ).map(({ reason, field }) => [reason, field]);

  it('does not replace a booking that a card only guarantees', () => {
    expect(problems('card', '0.00', 1)).toEqual([['invalid_request', 'quote_id']]);
  });

  it.each([
    ['card', '10.00', 20_000],
    ['card', '0.00', 0],
    ['counter', '0.00', 20_000],
    ['voucher', '0.00', 20_000],
  ])('may replace a booking paid by %s, of which %s was due, if %i is due', (type, paid, dueNow) => {
    expect(problems(type, paid, dueNow)).toEqual([]);
  });
});
