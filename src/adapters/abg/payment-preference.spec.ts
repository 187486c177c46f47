import { describe, expect, it } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import { paymentPreference } from './payment-preference.js';

const total = { amountMinor: 26610, currency: 'GBP' };
const pay = (number: string) =>
  paymentPreference({ type: 'card', card: { number, expiryMonth: 2, expiryYear: 2033, holder: 'ADA SAMPLE' } }, total);

function thrownBy(work: () => unknown): SupplierError {
  try {
    work();
  } catch (error) {
    if (error instanceof SupplierError) return error;
    throw error;
  }
  throw new Error('the operation succeeded');
}

describe('the payment preference', () => {
  it('is absent for payment at the counter', () => {
    expect(paymentPreference({ type: 'counter' }, total)).toBeUndefined();
  });

  it('of a card has its scheme, number, holder and MMYY', () => {
    expect(pay('4111111111111111')).toEqual({
      type: 'CustomerPaymentCard',
      payment_method: {
        card_type: 'VI',
        card_number: '4111111111111111',
        card_holder_name: 'ADA SAMPLE',
        expiry_date: '0233',
      },
    });
  });

  it.each([
    ['4111111111111111', 'VI'],
    ['5555555555554444', 'MC'],
    ['2221000000000009', 'MC'],
    ['2720990000000007', 'MC'],
    ['378282246310005', 'AX'],
    ['341111111111111', 'AX'],
    ['36227206271667', 'DN'],
    ['30569309025904', 'DN'],
    ['38520000023237', 'DN'],
    ['3528000000000007', 'JCB'],
    ['3566002020360505', 'JCB'],
    ['3589000000000003', 'JCB'],
    ['6011111111111117', 'DS'],
    ['6445644564456445', 'DS'],
    ['6500000000000002', 'DS'],
  ])('maps the card number %s to the scheme %s', (number, type) => {
    expect(pay(number)).toMatchObject({ payment_method: { card_type: type } });
  });

  it.each([
    '6200000000000005',
    '2220999999999999',
    '2721000000000004',
    '3527999999999999',
    '5000000000000009',
    '9999999999999995',
  ])('rejects %s, whose scheme ABG does not support, before sending and without quoting its number', (number) => {
    const error = thrownBy(() => pay(number));
    expect([error.fault, error.refusal, error.sent]).toEqual(['rejected', 'card_declined', false]);
    expect(error.message).not.toContain(number);
  });

  it('of a voucher is paperless, with the fixed value of the complete total', () => {
    expect(paymentPreference({ type: 'voucher', voucher: '12313434' }, total)).toEqual({
      type: 'Voucher',
      id: '12313434',
      fixed_value: 'FixedValue',
      electronic_indicator: true,
      amount: 266.1,
      currency: 'GBP',
    });
  });

  it.each(['12345', '123456789', '12A456', ''])(
    'rejects voucher "%s" because ABG requires 6 to 8 digits',
    (voucher) => {
      const error = thrownBy(() => paymentPreference({ type: 'voucher', voucher }, total));
      expect([error.fault, error.sent]).toEqual(['rejected', false]);
    },
  );
});
