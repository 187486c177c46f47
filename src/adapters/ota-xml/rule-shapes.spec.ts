import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { request } from './fixtures/booking.js';
import { contextWith, fixture, settings } from './fixtures/setting.js';

/*
 * Answers in every shape that OpenTravel 2011B documents for rate rules. Amounts in minor units; each expected figure is
 * worked out beside it.
 */

const adapter = createOtaXmlAdapter(settings);
const chf = (amountMinor: number) => ({ amountMinor, currency: 'CHF' });
const eur = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });

async function ruled(body: Buffer, asked: Partial<RentalRequest>) {
  const rental = { ...request, extras: [], coverages: [], ...asked };
  return (await adapter.priceCheck?.(rental, contextWith([body]))) ?? { items: [], warnings: [] };
}

const geneva = { iataCode: 'GVA', countryCode: 'CH' };
const zurich = { iataCode: 'ZRH', countryCode: 'CH', name: 'Zürich' };
const basel = { iataCode: 'BSL', countryCode: 'CH' };

describe('the rules of a rate with a discount (rule-1)', () => {
  it('every charge counts once, and the penalty needs a guarantee', async () => {
    const asked = {
      pickup: geneva,
      dropoff: geneva,
      pickupDate: '2027-03-01T10:30:00',
      dropoffDate: '2027-03-09T10:00:00',
    };
    const { items, warnings } = await ruled(fixture('2011b/rule-1.xml'), asked);
    const [offer] = items;
    // 250.00 − 10 % = 225.00; 8 % of it are 18.00; fees 50.00; the summary of 68.00 is not a charge.
    expect(offer?.price).toMatchObject({
      total: chf(25_000 - 2_500 + 1_800 + 5_000),
      base: chf(25_000),
      discount: chf(-2_500),
      taxes: chf(1_800),
      fees: chf(5_000),
      unitemised: undefined,
    });
    expect(offer?.cancellation).toMatchObject({
      freeUntil: '2027-02-28T10:30:00',
      rules: [{ from: '2027-02-28T10:30:00', fee: chf(9_000) }],
    });
    expect(offer).toMatchObject({
      rentalDays: 8,
      rate: { payment: 'guarantee' },
      requirements: { creditCardRequired: true },
      // 8 days of 5.00.
      extras: [{ code: '8', priceTotal: chf(8 * 500), pricePerDay: chf(500) }],
    });
    expect(warnings).toEqual([]);
  });
});

describe('payment rules inside the rate rules (rule-2)', () => {
  const asked = {
    pickup: zurich,
    dropoff: zurich,
    pickupDate: '2027-09-23T09:00:00',
    dropoffDate: '2027-09-25T10:00:00',
  };

  it('a prepaid car is paid now, its deposit is kept, and contradicting texts are warnings', async () => {
    const { items, warnings } = await ruled(fixture('2011b/rule-2.xml'), asked);
    const [offer] = items;
    // 2 × 20.30 + 1 hour of 4.00 = 44.60; 19 % VAT = 8.474, stated only as a percentage: 53.07 − 44.60 is unitemised.
    expect(offer?.price).toMatchObject({
      total: eur(5_307),
      base: eur(2 * 2_030 + 400),
      dueNow: eur(5_307),
      dueAtCounter: eur(0),
      unitemised: eur(847),
    });
    expect(offer).toMatchObject({
      rentalDays: 2,
      rate: { payment: 'pay_now' },
      deposit: { amount: eur(2_030), takenAt: 'booking' },
      terms: [
        { kind: 'marketing', text: 'ALPINE WISHES YOU A GOOD TRIP' },
        { kind: 'rate', text: 'RATE FOR MEMBERS OF THE SKI CLUB' },
      ],
    });
    expect(warnings.map(({ text }) => text)).toEqual([
      'PaymentRule of type 2 with a text about guarantee: read as prepayment',
      'PaymentRule of type 3 with a text about prepayment: read as deposit',
    ]);
  });

  it('a location without a code keeps address, phone and hours', async () => {
    const [offer] = (await ruled(fixture('2011b/rule-2.xml'), asked)).items;
    expect(offer?.pickup).toMatchObject({
      code: 'ZRHC01',
      iataCode: 'ZRH',
      address: { lines: ['7', 'Seestrasse'], city: 'Zürich', postalCode: '8002', countryCode: 'CH' },
      phone: '+41 445550100',
      openingHours: [
        { day: 'mon', open: '08:00', close: '12:00' },
        { day: 'mon', open: '13:30', close: '21:00' },
        { day: 'wed', open: '08:00', close: '19:00' },
        { day: 'thu', open: '08:00', close: '12:00' },
      ],
    });
    expect(offer?.supplierRef).toMatchObject({ pickupCode: 'ZRHC01', pickupPlain: 'ZRH' });
  });
});

describe('a guarantee with the accepted cards and no-show terms (rule-3)', () => {
  it('has deadline, grace period, text and cards', async () => {
    const asked = {
      pickup: basel,
      dropoff: basel,
      pickupDate: '2027-07-18T12:00:00',
      dropoffDate: '2027-07-26T15:00:00',
    };
    const { items, warnings } = await ruled(fixture('2011b/rule-3.xml'), asked);
    const [offer] = items;
    expect(offer?.price).toMatchObject({ total: chf(51_071), base: chf(31_500 + 9_000), unitemised: undefined });
    expect(offer).toMatchObject({
      rentalDays: 9,
      rate: { payment: 'guarantee' },
      requirements: {
        creditCardRequired: true,
        acceptedCards: ['american_express', 'mastercard', 'visa', 'other'],
      },
      cancellation: {
        noShowFee: chf(3_000),
        noShow: {
          // 24 hours before and 2 hours after the pickup.
          cancelBy: '2027-07-17T12:00:00',
          graceUntil: '2027-07-18T14:00:00',
          text: 'We keep the car for two hours. After that the fee is due, unless the flight is late.',
        },
      },
      pickup: { code: 'BSL', type: 'airport', counter: 'shuttle_off_airport' },
      terms: [{ kind: 'policy', text: 'The car must stay in Switzerland, France and Germany.' }],
    });
    expect(warnings).toEqual([]);
  });
});
