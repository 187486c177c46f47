import type { Card, Payment } from '../../model/bookings.js';
import { formatAmount, type Money } from '../../model/money.js';
import { SupplierError } from '../../model/supplier.js';

/**
 * Card schemes by their first digits, as ABG's card_type values. The meaning of its other values (CB, CC, CN, CP, CT,
 * PA) is undocumented.
 */
const CARD_TYPES: readonly (readonly [prefix: RegExp, type: string])[] = [
  [/^4/, 'VI'],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 'MC'],
  [/^3[47]/, 'AX'],
  [/^3(?:0[0-5]|095|[689])/, 'DN'],
  [/^35(?:2[89]|[3-8])/, 'JCB'],
  [/^6(?:011|4[4-9]|5)/, 'DS'],
];

/**
 * payment_preference of a create or update; undefined for payment at the counter, where ABG requires none. Throws
 * `rejected`, unsent, for a card scheme that ABG has no value for (card_declined) and for a voucher that doesn't have 6
 * to 8 digits.
 */
export function paymentPreference(payment: Payment, total: Money): object | undefined {
  if (payment.type === 'counter') return undefined;
  if (payment.type === 'card') return { type: 'CustomerPaymentCard', payment_method: paymentMethod(payment.card) };
  if (!/^\d{6,8}$/.test(payment.voucher))
    throw new SupplierError('rejected', 'abg vouchers must have 6 to 8 digits', false);
  return {
    type: 'Voucher',
    id: payment.voucher,
    fixed_value: 'FixedValue',
    electronic_indicator: true,
    amount: Number(formatAmount(total)),
    currency: total.currency,
  };
}

function paymentMethod({ number, expiryMonth, expiryYear, holder }: Card): object {
  const cardType = CARD_TYPES.find(([prefix]) => prefix.test(number))?.[1];
  if (cardType === undefined) {
    throw new SupplierError('rejected', 'abg does not accept cards of this scheme', false, {
      refusal: 'card_declined',
    });
  }
  // "As printed on the card". The contract's example 213 is a month and a year without their leading zeros.
  const expiryDate = String(expiryMonth).padStart(2, '0') + String(expiryYear % 100).padStart(2, '0');
  return { card_type: cardType, card_number: number, card_holder_name: holder, expiry_date: expiryDate };
}
