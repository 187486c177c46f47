import { describe, expect, it } from '@jest/globals';
import type { BookRequest } from '../model/bookings.js';
import { UnreadableAmountError } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import type { SupplierAnswer } from '../model/supplier.js';
import * as abg from './abg/fixtures/setting.js';
import { createOtaXmlAdapter } from './ota-xml/adapter.js';
import * as ota from './ota-xml/fixtures/booking.js';
import { contextWith, fixture, settings } from './ota-xml/fixtures/setting.js';
import { scripted } from './rest/fixtures/replies.js';
import { shippedAdapter } from './rest/fixtures/shipped.js';

/* An amount that is left out although the rest of the answer is used is always a warning (docs/supplier-states.md#warnings). */

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

  it('leaves an ambiguous total out of a booking, with a warning', async () => {
    const ambiguous = changed('reservation.201.json', (reservation: { rate_totals: { totals: object } }) =>
      Object.assign(reservation.rate_totals.totals, { reservation_total: '1.234' }),
    );
    const booked = await abg.adapter.book?.(abg.booking, ambiguous);
    expect([booked?.status, booked?.total, booked?.warnings]).toEqual([
      'confirmed',
      undefined,
      rejected('the total: the amount "1.234"'),
    ]);
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

  it.each([
    ['<TotalCharge EstimatedTotalAmount="1.234" CurrencyCode="CHF"/>', undefined, 'the total: the amount "1.234"'],
    [
      '<TotalCharge EstimatedTotalAmount="80.00" CurrencyCode="CHF"/><PricedCoverages><PricedCoverage><Coverage CoverageType="7"/><Charge Amount="0.00" IncludedInRate="true"/><Deductible Amount="1.000"/></PricedCoverage></PricedCoverages>',
      80_00,
      'an excess: the amount "1.000"',
    ],
  ])('leaves an ambiguous amount out of a booking that exists, with a warning: %s', async (content, total, text) => {
    const [core, info = ''] = content.split(/(?=<PricedCoverages>)/);
    const body = rs(
      'Res',
      `<Success/><VehResRSCore><VehReservation><VehSegmentCore><ConfID Type="14" ID="K1"/>${core}</VehSegmentCore><VehSegmentInfo>${info}</VehSegmentInfo></VehReservation></VehResRSCore>`,
    );
    const booked = await adapter.book?.(ota.request, ota.answering([body]));
    expect([booked?.status, booked?.total?.amountMinor, booked?.warnings]).toEqual([
      'confirmed',
      total,
      rejected(text),
    ]);
  });

  describe('a price check', () => {
    const whole = fixture('rate-rule.xml').toString();
    const noAmount = /Amount="64.62" CurrencyCode="CHF" TaxInclusive="true"><Calculation UnitCharge="5.00"/;
    const checked = (body: string, own: Partial<BookRequest> = {}) =>
      adapter.priceCheck?.({ ...ota.request, ...own }, ota.answering([body])) as Promise<SupplierAnswer<SupplierOffer>>;

    it('is refused if the price of a chosen extra that is not in the total cannot be read', async () => {
      const outside = { ...settings, options: { ...settings.options, chosenInTotal: false } };
      const unreadable = whole.replace(
        noAmount,
        'CurrencyCode="CHF" TaxInclusive="true"><Calculation UnitCharge="7.995"',
      );
      const context = ota.answering([unreadable]);
      await expect(createOtaXmlAdapter(outside).priceCheck?.(ota.request, context)).rejects.toThrow(
        UnreadableAmountError,
      );
    });

    /** Without the limit that has a warning of its own. */
    const unlimited = (answer: string) => answer.replaceAll(/ MaxQuantity="\d+"/g, '');

    it('leaves the price of an extra that was not chosen out, with a warning', async () => {
      const unreadable = whole.replace(
        noAmount,
        'CurrencyCode="CHF" TaxInclusive="true"><Calculation UnitCharge="7.995"',
      );
      const { items, warnings } = await checked(unlimited(unreadable), { extras: [] });
      expect(items[0]?.extras[0]).toMatchObject({ code: '8', priceTotal: undefined, pricePerDay: undefined });
      expect(warnings).toEqual(rejected('the amount "7.995"'));
    });

    it('does not relabel a price per day that is in another currency', async () => {
      const foreign = whole.replace(noAmount, 'CurrencyCode="EUR" TaxInclusive="true"><Calculation UnitCharge="5.00"');
      const { items, warnings } = await checked(unlimited(foreign), { extras: [] });
      const perDay = { amountMinor: 500, currency: 'EUR' };
      expect(items[0]?.extras[0]).toMatchObject({ code: '8', priceTotal: undefined, pricePerDay: perDay });
      expect(warnings).toEqual([]);
    });
  });

  it.each([
    ['UnitCharge="3.50"', 'UnitCharge="3.459"', 'a price: the amount "3.459"'],
    ['MaxCharge="4.00"', 'MaxCharge="1.234"', 'a cap: the amount "1.234"'],
    ['<Fee CurrencyCode="CHF"', '<Fee CurrencyCode="C?"', 'a price without a readable currency'],
  ])('leaves a price out of the details of a location, with a warning: %s as %s', async (from, to, text) => {
    const body = fixture('2011b/details.xml').toString().replace(from, to);
    const place = { brand: 'Alpine', location: { iataCode: 'GVA', countryCode: 'CH' } };
    const answer = await adapter.locationDetails?.(place, contextWith([Buffer.from(body)]));
    expect([answer?.items.length, answer?.warnings]).toEqual([1, rejected(text)]);
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

  it('leaves an unreadable total out of a booking, with a warning', async () => {
    const booking = { no: 1, agent_ref: request.reference, st: 1, cur: 'USD', total_cents: 90.5 };
    const booked = await adapter.book?.(request, scripted({ status: 200, body: { ok: 1, booking } }));
    expect([booked?.confirmationNumber, booked?.total, booked?.warnings]).toEqual([
      '1',
      undefined,
      rejected('total_cents: the amount 90.5'),
    ]);
  });
});
