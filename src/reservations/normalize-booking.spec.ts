import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { normalizeBooking } from './normalize-booking.js';
import { createBody } from './reservations.schema.js';

const NOW = Date.parse('2027-01-31T12:00:00Z');
const driver = { first_name: 'Ada', last_name: 'Sample', email: 'ada.sample@example.com' };
const arrival = { carrier_code: 'ba', flight_number: '349' };

function normalized(more: object, now = NOW) {
  return normalizeBooking(createBody.parse({ offer_id: 'off_1', driver, ...more }), now);
}

function problems(more: object, now = NOW) {
  try {
    normalized(more, now);
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map(({ reason, field }) => `${reason} ${field}`);
    throw error;
  }
  return [];
}

function card(expiry: string) {
  return {
    payment: { type: 'card', credit_card_number: '4111111111111111', card_expiry: expiry, card_holder: 'Ada Sample' },
  };
}

describe('mapping a create body to the model', () => {
  it('a minimal body: payment at the counter, no optional data', () => {
    expect(normalized({})).toEqual({
      personal: {
        driver: { firstName: 'Ada', lastName: 'Sample', email: 'ada.sample@example.com', loyalty: [] },
        additionalDrivers: [],
      },
      payment: { type: 'counter' },
      storedPayment: { type: 'counter' },
      pickupLater: false,
      notifyCustomer: false,
      clientReference: undefined,
    });
  });

  it('everything', () => {
    const address = {
      lines: ['1 Invented Road'],
      city: 'Samplecity',
      region: 'MA',
      postal_code: '02128',
      country_code: 'US',
    };
    const complete = normalized({
      driver: {
        ...driver,
        phone: '+1 617 555 0100',
        date_of_birth: '1990-05-31',
        licence: { number: 'L77', country_code: 'US', region: 'MA' },
        address,
        loyalty: [{ program: 'UNO', number: '1' }, { number: '2' }],
      },
      additional_drivers: [{ first_name: 'Bob', last_name: 'Example' }],
      arrival: { ...arrival, arrives_at: '2027-02-01T09:00:00' },
      remark: 'red one',
      payment: { type: 'voucher', voucher: 'V-333' },
      pickup_later: true,
      notify_customer: true,
      client_reference: 'mine',
    });
    expect(complete).toEqual({
      personal: {
        driver: {
          firstName: 'Ada',
          lastName: 'Sample',
          email: 'ada.sample@example.com',
          phone: '+1 617 555 0100',
          dateOfBirth: '1990-05-31',
          licence: { number: 'L77', countryCode: 'US', region: 'MA' },
          address: {
            lines: ['1 Invented Road'],
            city: 'Samplecity',
            region: 'MA',
            postalCode: '02128',
            countryCode: 'US',
          },
          loyalty: [{ program: 'UNO', number: '1' }, { number: '2' }],
        },
        additionalDrivers: [{ firstName: 'Bob', lastName: 'Example' }],
        arrival: { carrierCode: 'BA', flightNumber: '349', arrivesAt: '2027-02-01T09:00:00' },
        remark: 'red one',
        voucher: 'V-333',
      },
      payment: { type: 'voucher', voucher: 'V-333' },
      storedPayment: { type: 'voucher' },
      pickupLater: true,
      notifyCustomer: true,
      clientReference: 'mine',
    });
  });

  it.each(['09/28', '09/2028'])(
    'a card that expires %s goes to the supplier; only its last four digits are stored',
    (expiry) => {
      const { payment, storedPayment, personal } = normalized(card(expiry));
      expect(payment).toEqual({
        type: 'card',
        card: { number: '4111111111111111', expiryMonth: 9, expiryYear: 2028, holder: 'Ada Sample' },
      });
      expect(storedPayment).toEqual({ type: 'card', lastFour: '1111' });
      expect(JSON.stringify([storedPayment, personal])).not.toContain('41111111');
    },
  );
});

describe('what a schema cannot check', () => {
  it.each([
    ['2027-01-31T23:59:59Z', []],
    ['2027-02-01T11:59:59Z', []],
    ['2027-02-01T12:00:00Z', ['invalid_range payment.card_expiry']],
    ['2027-06-01T00:00:00Z', ['invalid_range payment.card_expiry']],
  ])('a card of 01/27 at %s: it is valid until the end of its month in every time zone', (now, expected) => {
    expect(problems(card('01/27'), Date.parse(now))).toEqual(expected);
  });

  it('a card that expires in December is valid until the end of the year', () => {
    expect(problems(card('12/26'), Date.parse('2026-12-31T23:00:00Z'))).toEqual([]);
    expect(problems(card('12/26'), Date.parse('2027-01-01T12:00:00Z'))).toEqual(['invalid_range payment.card_expiry']);
  });

  it('a later pickup requires an arrival; all problems are reported', () => {
    expect(problems({ pickup_later: true, arrival })).toEqual([]);
    expect(problems({ pickup_later: true })).toEqual(['invalid_request arrival']);
    expect(problems({ pickup_later: true, ...card('01/20') })).toEqual([
      'invalid_range payment.card_expiry',
      'invalid_request arrival',
    ]);
  });
});
