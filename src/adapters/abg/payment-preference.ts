import type { Card, Payment } from '../../model/bookings.js';
import { formatAmount, type Money } from '../../model/money.js';
import { SupplierError } from '../../model/supplier.js';

/** Card schemes by the first digits, ABG's card_type words. Of its other words (CB, CC, CN, CP, CT, PA) nobody says what they stand for. */
const CARD_TYPES: readonly (readonly [prefix: RegExp, type: string])[] = [
  [/^4/, 'VI'],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 'MC'],
  [/^3[47]/, 'AX'],
  [/^3(?:0[0-5]|095|[689])/, 'DN'],
  [/^35(?:2[89]|[3-8])/, 'JCB'],
  [/^6(?:011|4[4-9]|5)/, 'DS'],
];

/**
 * payment_preference of a create or update; undefined for the counter, where ABG wants none. Throws `rejected`, nothing sent, for a card
 * of a scheme that ABG has no word for (card_declined) and for a voucher that is not of its 6 to 8 digits.
 */
export function paymentPreference(payment: Payment, total: Money): object | undefined {
  if (payment.type === 'counter') return undefined;
  if (payment.type === 'card') return { type: 'CustomerPaymentCard', payment_method: paymentMethod(payment.card) };
  if (!/^\d{6,8}$/.test(payment.voucher))
    throw new SupplierError('rejected', 'an abg voucher has 6 to 8 digits', false);
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
    throw new SupplierError('rejected', 'abg takes no cards of this scheme', false, { refusal: 'card_declined' });
  }
  // "As printed on the card"; the contract's example 213 is a month and a year that lost their leading zero.
  const expiryDate = String(expiryMonth).padStart(2, '0') + String(expiryYear % 100).padStart(2, '0');
  return { card_type: cardType, card_number: number, card_holder_name: holder, expiry_date: expiryDate };
}
