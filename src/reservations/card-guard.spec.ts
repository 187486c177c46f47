import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { refuseStrayCards } from './card-guard.js';

const CARD = '4111111111111111';

function fields(body: unknown): (string | undefined)[] {
  try {
    refuseStrayCards(body);
  } catch (error) {
    if (error instanceof ApiError) {
      expect(error.status).toBe(400);
      expect(JSON.stringify(error.problems) + error.message).not.toMatch(/4111/);
      return error.problems.map(({ field }) => field);
    }
    throw error;
  }
  return [];
}

describe('card numbers in a body (ruling 25)', () => {
  it.each([
    ['the card field', { payment: { type: 'card', credit_card_number: CARD } }],
    ['a phone number', { driver: { phone: '+4111 1111 1111 1111' } }],
    ['a voucher', { payment: { voucher: '1234567890123456' } }],
    ['a membership number', { driver: { loyalty: [{ number: '1' }, { number: CARD }] } }],
    ['an id issued by the gateway', { offer_id: `off_${CARD}`, quote_id: `quo_${CARD}` }],
    [
      'a driver license number, which has 14 digits in some states',
      { driver: { licence: { number: 'A30569309025904' } } },
    ],
    ['digits that are not a card number', { remark: '4111111111111112', client_reference: '123456789012' }],
    ['nothing', undefined],
    ['a body that is not an object', 'text'],
  ])('%s may contain digits', (_case, body) => {
    expect(fields(body)).toEqual([]);
  });

  it.each([
    ['remark', { remark: `card ${CARD}` }],
    ['remark', { remark: '4111 1111-1111 1111' }],
    ['client_reference', { client_reference: CARD }],
    ['client_reference', { client_reference: Number(CARD) }],
    ['driver.first_name', { driver: { first_name: CARD } }],
    ['driver.address.lines.1', { driver: { address: { lines: ['x', CARD] } } }],
    ['additional_drivers.0.last_name', { additional_drivers: [{ last_name: CARD }] }],
    ['payment.card_holder', { payment: { credit_card_number: CARD, card_holder: CARD } }],
    ['driver.loyalty.0.program', { driver: { loyalty: [{ program: CARD }] } }],
    ['payment.card.number', { payment: { card: { number: CARD } } }],
    ['unknown', { unknown: CARD }],
    ['driver', { driver: { [CARD]: 'x' } }],
    [undefined, { [CARD]: 'x' }],
    [undefined, CARD],
    ['0', [CARD]],
  ])('are rejected in %s', (field, body) => {
    expect(fields(body)).toEqual([field]);
  });

  it('are reported with one entry per field, at most twenty', () => {
    expect(fields({ remark: CARD, client_reference: CARD })).toEqual(['remark', 'client_reference']);
    expect(fields(Array.from({ length: 50 }, () => CARD))).toHaveLength(20);
  });

  it('a body of any depth is handled safely', () => {
    let body: unknown = CARD;
    for (let depth = 0; depth < 5_000; depth += 1) body = { inner: body };
    expect(() => refuseStrayCards(body)).not.toThrow();
  });
});
