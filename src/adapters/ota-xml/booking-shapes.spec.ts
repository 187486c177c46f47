import { describe, expect, it } from '@jest/globals';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, failureOf, key, request } from './fixtures/booking.js';
import { fixture, settings } from './fixtures/setting.js';

/*
 * Answers in every shape that OpenTravel 2011B documents for reservations and locations. Amounts in minor units; each
 * expected figure is worked out beside it.
 */

const adapter = createOtaXmlAdapter(settings);
const chf = (amountMinor: number) => ({ amountMinor, currency: 'CHF' });
const at = (file: string) => answering([fixture(`2011b/${file}`).toString()]);

describe('OTA_VehResRS', () => {
  it('a complete reservation is confirmed under its number (res-1)', async () => {
    expect(await adapter.book?.(request, at('res-1.xml'))).toEqual({
      status: 'confirmed',
      confirmationNumber: 'K77120AL',
      reference: undefined,
      ref: { numberType: '14' },
      // 250.00 + 8 % tax of 20.00 + fees of 15.00 and 35.00.
      total: chf(25_000 + 2_000 + 1_500 + 3_500),
      pickupDate: '2027-03-01T10:30:00',
      dropoffDate: '2027-03-09T10:00:00',
      sippCode: undefined,
      pickup: expect.objectContaining({ code: 'GVA', iataCode: 'GVA' }),
      dropoff: expect.objectContaining({ code: 'GVA', iataCode: 'GVA' }),
      extras: [{ code: '8' }],
    });
  });

  it('has a row for each piece of an extra, which may be equal', async () => {
    const seat =
      '<PricedEquip><Equipment EquipType="9"/><Charge Amount="10.00" CurrencyCode="CHF" TaxInclusive="true" IncludedInEstTotalInd="true"/></PricedEquip>';
    const made = createOtaXmlAdapter({ ...settings, options: { ...settings.options, totalFrom: 'rate_plus_fees' } });
    const totalWith = async (seats: string) => {
      const body = fixture('2011b/res-1.xml')
        .toString()
        .replace(/<PricedEquips>.*?<\/PricedEquips>/s, `<PricedEquips>${seats}</PricedEquips>`);
      const booked = await made.book?.(request, answering([body]));
      return [booked?.total?.amountMinor, booked?.extras?.length];
    };
    expect(await totalWith(seat)).toEqual([33_000, 1]);
    expect(await totalWith(seat + seat)).toEqual([34_000, 2]);
    const daily = (count: number) =>
      seat
        .replace('Amount="10.00"', '')
        .replace('/></', `><Calculation UnitCharge="10.00" UnitName="Day" Quantity="${count}"/></Charge></`);
    expect(await totalWith(daily(8))).toEqual([40_000, 1]);
    // One day is the price of one, and the rental has eight.
    expect(await totalWith(daily(1))).toEqual([undefined, 1]);
    // How many it has isn't stated.
    const undated = async (seats: string) => {
      const body = fixture('2011b/res-1.xml')
        .toString()
        .replace(/<PricedEquips>.*?<\/PricedEquips>/s, `<PricedEquips>${seats}</PricedEquips>`)
        .replace(/ ReturnDateTime="[^"]*"/, '');
      return (await made.book?.(request, answering([body])))?.total?.amountMinor;
    };
    expect([await undated(daily(1)), await undated(seat)]).toEqual([undefined, 33_000]);
  });

  it('a bare Success leaves the outcome in doubt (res-2)', async () => {
    expect(await failureOf(adapter.book?.(request, at('res-2.xml')))).toBe('bad_payload');
  });

  it('a reservation of nothing but numbers is confirmed under that of the car rental, not the agency (res-3)', async () => {
    expect(await adapter.book?.(request, at('res-3.xml'))).toMatchObject({
      status: 'confirmed',
      confirmationNumber: '90817263',
      total: undefined,
      extras: undefined,
    });
  });
});

describe('OTA_VehModifyRS', () => {
  const change = { ...request, confirmationNumber: '60115531CH4', changes: ['rental'] as const };

  it('a changed reservation has its new dates and total (modify-1)', async () => {
    expect(await adapter.modify?.(change, at('modify-1.xml'))).toMatchObject({
      status: 'confirmed',
      confirmationNumber: '60115531CH4',
      pickupDate: '2027-07-25T15:30:00',
      dropoffDate: '2027-07-27T18:30:00',
      // 2 × 22.00 + 3 hours of 3.00 = 53.00; surcharges 12.00 + 3.20. The offered coverages are not in it.
      total: chf(5_300 + 1_200 + 320),
    });
  });

  it('a reservation that the supplier cancelled instead leaves the outcome in doubt (modify-2)', async () => {
    expect(await failureOf(adapter.modify?.(change, at('modify-2.xml')))).toBe('bad_payload');
  });
});

it('OTA_VehCancelRS with a status and an empty car is a cancellation without a fee', async () => {
  const cancelled = await adapter.cancel?.({ ...key, confirmationNumber: '55810027' }, at('cancel.xml'));
  expect(cancelled).toEqual({ fee: undefined, cancellationNumber: undefined });
});

it('OTA_VehRetResRS without a status is a confirmed reservation', async () => {
  const found = await adapter.retrieve?.({ ...key, confirmationNumber: '60115531CH4' }, at('retrieve.xml'));
  expect(found?.items).toMatchObject([
    {
      status: 'confirmed',
      confirmationNumber: '60115531CH4',
      pickupDate: '2027-07-25T15:30:00',
      dropoffDate: '2027-07-26T08:30:00',
      // 22.00 for the day + surcharges of 6.00 and 3.20.
      total: chf(2_200 + 600 + 320),
    },
  ]);
});

it('OTA_VehLocSearchRS without hours and positions has every location, with the vendor named once', async () => {
  const found = await adapter.searchLocations?.({ keyword: 'ZRH', brands: ['Alpine'] }, at('locations.xml'));
  expect(found?.warnings).toEqual([]);
  expect(found?.items.map(({ code, iataCode, type }) => [code, iataCode, type])).toEqual([
    ['ZRH', 'ZRH', 'airport'],
    ['ZD3', undefined, 'other'],
    ['ZW5', undefined, 'other'],
    ['ZN7', undefined, 'other'],
    ['ZE3', undefined, 'other'],
  ]);
  expect(found?.items[0]).toMatchObject({
    brand: 'Alpine',
    name: 'Zürich Airport',
    address: {
      lines: ['1 Terminalweg', 'Level 0, Arrivals'],
      city: 'Kloten',
      postalCode: '8058',
      countryCode: 'CH',
    },
    phone: '(41) 044 555 01 00',
    openingHours: [],
  });
  expect(found?.items[1]?.address).toMatchObject({ lines: [], city: 'Thalwil' });
});
