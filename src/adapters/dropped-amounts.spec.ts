import { describe, expect, it } from '@jest/globals';
import type { BookRequest } from '../model/bookings.js';
import type { SupplierOffer } from '../model/offers.js';
import type { SupplierAnswer } from '../model/supplier.js';
import * as abg from './abg/fixtures/setting.js';
import { createOtaXmlAdapter } from './ota-xml/adapter.js';
import * as ota from './ota-xml/fixtures/booking.js';
import { settings } from './ota-xml/fixtures/setting.js';
import { scripted } from './rest/fixtures/replies.js';
import { shippedAdapter } from './rest/fixtures/shipped.js';

/* An amount that is left out although the rest of the answer is used is always a warning (docs/adding-a-supplier.md#warnings). */

const rejected = (text: string) => [{ kind: 'amount_rejected', text: expect.stringContaining(text), times: 1 }];

describe('abg', () => {
  const changed = (name: string, change: (reservation: never) => void) => {
    const { status, body } = abg.recorded(name);
    const parsed = JSON.parse(body) as { reservation: never };
    change(parsed.reservation);
    return abg.answering({ status, body: JSON.stringify(parsed) });
  };

  it('leaves a price per mile with surplus decimals out of a price check, with a warning', async () => {
    const answer = (await abg.adapter.priceCheck?.(
      abg.rental,
      changed('rates-chosen.200.json', ({ distance }: { distance: object }) =>
        Object.assign(distance, { distance_overage: 0.155 }),
      ),
    )) as SupplierAnswer<SupplierOffer>;
    expect(answer.items[0]?.distancePolicy).toEqual([
      { unlimited: false, included: { value: 600, unit: 'mi' }, per: 'rental' },
    ]);
    expect(answer.warnings).toEqual(rejected('distance_overage'));
  });

  it('leaves a total without a currency out of a booking, with a warning', async () => {
    const unpriced = () =>
      changed('reservation.201.json', ({ rate_totals }: { rate_totals: { rate: { currency: string } } }) => {
        rate_totals.rate.currency = '???';
      });
    const booked = await abg.adapter.book?.(abg.booking, unpriced());
    expect([booked?.total, booked?.warnings]).toEqual([undefined, rejected('the total has no readable currency')]);
    const found = await abg.adapter.retrieve?.(abg.key, unpriced());
    expect(found?.warnings).toEqual(rejected('the total has no readable currency'));
  });
});

describe('ota-xml', () => {
  const rs = (message: string, content: string) =>
    `<OTA_Veh${message}RS xmlns="http://www.opentravel.org/OTA/2003/05" Version="2.001">${content}</OTA_Veh${message}RS>`;
  const adapter = createOtaXmlAdapter(settings);
  const cancelled = (rules: string) =>
    adapter.cancel?.(
      { ...ota.key, confirmationNumber: 'K1' },
      ota.answering([rs('Cancel', `<Success/><VehCancelRSCore CancelStatus="Cancelled">${rules}</VehCancelRSCore>`)]),
    );

  it.each([
    ['<CancelRules><CancelRule Amount="80.00"/></CancelRules>', 'the fee has no readable currency'],
    ['<CancelRules><CancelRule Amount="80.005" CurrencyCode="CHF"/></CancelRules>', 'the fee'],
    [
      '<CancelRules><CancelRule Amount="80.00" CurrencyCode="CHF"/><CancelRule Amount="9.00" CurrencyCode="CHF"/></CancelRules>',
      'the fee is stated by several rules',
    ],
  ])('leaves the fee out of a cancellation, with a warning: %s', async (rules, text) => {
    const answer = await cancelled(rules);
    expect([answer?.fee, answer?.warnings]).toEqual([undefined, rejected(text)]);
  });

  it('leaves a total without a currency out of a booking, with a warning', async () => {
    const unpriced = rs(
      'Res',
      `<Success/><VehResRSCore><VehReservation><VehSegmentCore><ConfID Type="14" ID="K1"/><TotalCharge EstimatedTotalAmount="80.00"/></VehSegmentCore></VehReservation></VehResRSCore>`,
    );
    const booked = await adapter.book?.(ota.request, ota.answering([unpriced]));
    expect([booked?.status, booked?.total, booked?.warnings]).toEqual([
      'confirmed',
      undefined,
      rejected('the total has no readable currency'),
    ]);
  });
});

describe('rest', () => {
  const adapter = shippedAdapter('ember');
  const place = { supplierCode: '11', countryCode: 'US' };
  const request: BookRequest = {
    ...abg.booking,
    brand: 'Ember',
    ref: { grp: 1, pay: 1, from: 11, to: 11 },
    pickup: place,
    dropoff: place,
    extras: [],
    coverages: [],
  };
  const key = { ...abg.key, brand: 'Ember', pickup: place, confirmationNumber: '1' };

  it('leaves the fee of a cancellation without a currency out, with a warning', async () => {
    const answer = await adapter.cancel?.(key, scripted({ status: 200, body: { ok: 1, st: 4, fee_cents: 900 } }));
    expect([answer?.fee, answer?.warnings]).toEqual([undefined, rejected('fee_cents has no readable currency')]);
  });

  it('leaves a total without a currency out of a booking, with a warning', async () => {
    const booking = { no: 1, agent_ref: request.reference, st: 1, total_cents: 9_000 };
    const booked = await adapter.book?.(request, scripted({ status: 200, body: { ok: 1, booking } }));
    expect([booked?.total, booked?.warnings]).toEqual([undefined, rejected('has no readable currency')]);
    const found = await adapter.retrieve?.(key, scripted({ status: 200, body: { ok: 1, booking } }));
    expect(found?.warnings).toEqual(rejected('has no readable currency'));
  });
});
