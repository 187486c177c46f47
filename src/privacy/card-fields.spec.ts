import { describe, expect, it } from '@jest/globals';
import { threadMs } from '../../test/support/thread-time.js';
import { findCardFields, MOST_MEMBERS, MOST_SEARCHED } from './card-fields.js';

const CARD = '4111111111111111';
const ALLOWED = 'payment.credit_card_number';
const fields = (value: unknown, allowed?: string): readonly string[] => findCardFields(value, allowed).fields;

describe('card numbers in a JSON value', () => {
  it.each([
    ['the card field', { payment: { type: 'card', credit_card_number: CARD } }],
    ['a telephone number', { driver: { phone: '+49 1512 3456786' } }],
    ['a telephone number without a plus sign', { driver: { phone: '4915123456786' } }],
    ['a driver license number', { driver: { licence: { number: 'A30569309025904' } } }],
    ['digits that are not a card number', { remark: '4111111111111112', client_reference: '123456789012' }],
    ['nothing', undefined],
    ['null', { remark: null }],
    ['a text', 'text'],
  ])('are not found in %s', (_case, value) => {
    expect(fields(value, ALLOWED)).toEqual([]);
  });

  it.each([
    ['remark', { remark: `card ${CARD}` }],
    ['client_reference', { client_reference: Number(CARD) }],
    ['driver.phone', { driver: { phone: '+378282246310005' } }],
    ['driver.phone', { driver: { phone: '378282246310005' } }],
    ['driver.licence.number', { driver: { licence: { number: CARD } } }],
    ['driver.loyalty.1.number', { driver: { loyalty: [{ number: '1' }, { number: CARD }] } }],
    ['driver.address.lines.1', { driver: { address: { lines: ['x', CARD] } } }],
    ['payment.card_holder', { payment: { credit_card_number: CARD, card_holder: CARD } }],
    ['payment.card.number', { payment: { card: { number: CARD } } }],
    ['offer_id', { offer_id: `off_${CARD}` }],
    ['driver', { driver: { [CARD]: 'x' } }],
    ['', { [CARD]: 'x' }],
    ['', { [CARD]: { number: CARD }, remark: CARD }],
    ['', CARD],
    ['0', [CARD]],
  ])('are found at %j', (field, value) => {
    expect(fields(value, ALLOWED)).toEqual([field]);
  });

  it('belong in no field unless one is named', () => {
    expect(fields({ payment: { credit_card_number: CARD } })).toEqual([ALLOWED]);
  });

  it('are reported in the order of the fields, at most twenty', () => {
    expect(fields({ remark: CARD, driver: { first_name: CARD, last_name: CARD }, client_reference: CARD })).toEqual([
      'remark',
      'driver.first_name',
      'driver.last_name',
      'client_reference',
    ]);
    expect(fields(Array.from({ length: 50 }, () => CARD))).toHaveLength(20);
  });

  it('are found at any depth', () => {
    let value: unknown = CARD;
    for (let depth = 0; depth < MOST_MEMBERS; depth += 1) value = [value];
    expect(fields(value)).toHaveLength(1);
  });

  it.each([
    ['values', { remark: '1'.repeat(MOST_SEARCHED) }],
    ['names', { ['a'.repeat(MOST_SEARCHED)]: 1 }],
  ])('are not searched for without end: too many characters of %s are reported', (_case, value) => {
    const startedAt = threadMs();
    expect(findCardFields(value)).toEqual({ fields: [], isTooLong: true, crowded: undefined });
    expect(threadMs() - startedAt).toBeLessThan(500);
  });

  it('are not searched for among too many members: the field that exceeds the limit is reported', () => {
    const members = Object.fromEntries(Array.from({ length: MOST_MEMBERS / 2 }, (_, index) => [`m${index}`, 1]));
    expect(findCardFields(members).crowded).toBeUndefined();
    expect(findCardFields({ one: members, other: members })).toEqual({
      fields: [],
      isTooLong: false,
      crowded: 'other',
    });
    expect(findCardFields(Array(MOST_SEARCHED).fill({})).crowded).toBe('');
  });
});
