import { describe, expect, it } from '@jest/globals';
import type { PriceItem, SupplierOffer } from '../model/offers.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { priceView } from '../representations/price-view.js';
import { sampleReservation, sampleView } from './fixtures/sample-reservation.js';
import { paidBefore, paidNow, paidOtherwise } from './paid-before.js';
import type { StoredPayment } from './reservation.js';
import { reservationView } from './reservation-view.js';

const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });
const item = (kind: PriceItem['kind'], amountMinor: number): PriceItem => ({
  ...{ kind, description: kind, amount: usd(amountMinor), unit: 'rental', quantity: 1 },
  ...{ mandatory: true, includedInTotal: true, payable: 'now' },
});
/** An offer of which this is due now, and nothing else. */
const prepaid = (...items: readonly PriceItem[]): SupplierOffer => {
  const total = usd(items.reduce((sum, { amount }) => sum + amount.amountMinor, 0));
  return { ...sampleOffer, price: { total, dueNow: total, dueAtCounter: usd(0), items } };
};
const BOOKED = prepaid(item('rental', 25_299));
const WITH_GPS = prepaid(item('rental', 25_299), item('equipment', 4_680));

function changed(offer: SupplierOffer, type: StoredPayment['type'] = 'card', booked = BOOKED) {
  return paidBefore(offer, { payment: { type }, view: { ...sampleView, price: priceView(booked.price) } }).price;
}

describe('what a change adds to a booking that was paid by card', () => {
  it('is due at the counter, because no change sends a card', () => {
    expect(changed(WITH_GPS)).toMatchObject({
      total: usd(29_979),
      dueNow: usd(25_299),
      dueAtCounter: usd(4_680),
      items: [{ payable: 'now' }, { kind: 'equipment', payable: 'counter' }],
    });
  });

  it('is due there also in the currency of the display price', () => {
    const display = { ...{ amountMinor: 14_990, currency: 'EUR', rate: '0.5', asOf: '2026-11-01', source: 'x' } };
    const price = { ...WITH_GPS.price, display: { ...display, dueNow: usd(14_990), dueAtCounter: usd(0) } };
    const shown = changed({ ...WITH_GPS, price }).display;
    expect([shown?.amountMinor, shown?.dueNow?.amountMinor, shown?.dueAtCounter?.amountMinor]).toEqual([
      14_990, 12_650, 2_340,
    ]);
    const own = { amountMinor: 14_990, currency: 'EUR' };
    expect(changed({ ...WITH_GPS, price: { ...price, display: own } }).display).toEqual(own);
  });

  it('has no items of its own if the new ones are not what it adds', () => {
    const taxed = prepaid(item('rental', 25_299), item('tax', 500), item('equipment', 4_680));
    expect(changed(taxed, 'card', prepaid(item('rental', 25_299), item('tax', 300)))).toMatchObject({
      dueNow: usd(25_599),
      dueAtCounter: usd(4_880),
      items: [{ payable: 'now' }, { payable: 'now' }, { payable: 'now' }],
    });
  });

  it.each([
    ['with another payment', changed(WITH_GPS, 'voucher'), WITH_GPS],
    ['with nothing more due now', changed(BOOKED, 'card', WITH_GPS), BOOKED],
    [
      'in another currency',
      changed(WITH_GPS, 'card', {
        ...BOOKED,
        price: { ...BOOKED.price, dueNow: { amountMinor: 1, currency: 'EUR' } },
      }),
      WITH_GPS,
    ],
  ])('stays as the supplier prices it %s', (_when, price, offer) => {
    expect(price).toEqual(offer.price);
  });
});

describe('what was paid by card at booking', () => {
  const view = (offer: SupplierOffer) => ({ ...sampleView, price: priceView(offer.price) });
  const payment = paidNow({ type: 'card', lastFour: '1111' }, WITH_GPS.price);

  it('is kept, and shown once a change leaves another amount due', () => {
    expect(payment).toEqual({ type: 'card', lastFour: '1111', paid: usd(29_979) });
    expect(paidOtherwise({ payment, view: view(WITH_GPS) })).toBeUndefined();
    expect(paidOtherwise({ payment, view: view(BOOKED) })).toEqual(usd(29_979));
    const later = { ...BOOKED, price: { ...BOOKED.price, dueNow: usd(0), dueAtCounter: BOOKED.price.total } };
    expect(paidOtherwise({ payment, view: view(later) })).toEqual(usd(29_979));
    const shown = reservationView(sampleReservation({ payment, view: view(later) }));
    expect(shown.payment).toEqual({ type: 'card', last_four: '1111', paid: { amount: '299.79', currency: 'USD' } });
  });

  it('is nothing with another payment, for a card that only guarantees, and of an earlier version', () => {
    expect(paidNow({ type: 'voucher' }, BOOKED.price)).toEqual({ type: 'voucher' });
    expect(paidNow({ type: 'card' }, { dueNow: usd(0) })).toEqual({ type: 'card' });
    expect(paidOtherwise({ payment: { type: 'card' }, view: view(BOOKED) })).toBeUndefined();
  });

  it('is not counted by a later change, because it may have been paid back', () => {
    const { dueNow, dueAtCounter } = paidBefore(WITH_GPS, { payment, view: view(BOOKED) }).price;
    expect([dueNow, dueAtCounter]).toEqual([usd(25_299), usd(4_680)]);
  });
});
