import { describe, expect, it } from '@jest/globals';
import type { SupplierHttpCall } from '../../model/supplier.js';
import { createOtaXmlAdapter } from './adapter.js';
import { contextWith, fixture, settings } from './fixtures/setting.js';

const adapter = createOtaXmlAdapter(settings);
const chf = (amountMinor: number) => ({ amountMinor, currency: 'CHF' });
const request = { brand: 'Alpine', location: { iataCode: 'GVA', countryCode: 'CH' } };
const whole = fixture('2011b/details.xml').toString();

async function detailsOf(body: string, calls: SupplierHttpCall[] = []) {
  return (
    (await adapter.locationDetails?.(request, contextWith([Buffer.from(body)], calls))) ?? { items: [], warnings: [] }
  );
}

describe('the details of a location', () => {
  it('are requested by the code of the place and the vendor', async () => {
    const calls: SupplierHttpCall[] = [];
    await detailsOf(whole, calls);
    expect(calls[0]?.body).toMatch(
      /<OTA_VehLocDetailRQ .*<\/POS><Location LocationCode="GVA" CodeContext="IATA"\/><Vendor Code="AL"\/><\/OTA_VehLocDetailRQ>/,
    );
  });

  it('have the location with its hours, the ages and the shuttle', async () => {
    const { items, warnings } = await detailsOf(whole);
    expect(warnings).toEqual([]);
    expect(items).toMatchObject([
      {
        location: {
          brand: 'Alpine',
          code: 'GVA',
          iataCode: 'GVA',
          counter: 'shuttle_on_airport',
          address: { lines: ['GENEVA AIRPORT', 'Hall 3'], region: 'GE', countryCode: 'CH' },
          phone: '22 5550100',
          afterHoursReturn: true,
        },
        minAge: 23,
        maxAge: undefined,
        shuttle: { texts: [{ kind: 'pickup_info', text: 'Bus 7 stops at the hall.' }] },
      },
    ]);
    expect(items[0]?.location.openingHours).toHaveLength(7);
    expect(items[0]?.location.openingHours[0]).toEqual({ day: 'mon', open: '00:00', close: '24:00' });
    expect(items[0]?.shuttle?.openingHours[6]).toEqual({ day: 'sun', open: '05:00', close: '23:00' });
  });

  it('have every tax, fee and surcharge with its unit, percentage, cap and text', async () => {
    expect((await detailsOf(whole)).items[0]?.fees).toEqual([
      { kind: 'tax', name: 'Tax', prices: [], percent: '8.10', text: 'The tax is added to every rental.' },
      { kind: 'fee', name: 'Road Pass', prices: [{ amount: chf(350), per: 'day' }], text: 'Each day costs 3.50.' },
      { kind: 'fee', name: 'Airport Share', prices: [], percent: '12.5', text: 'The airport receives a share.' },
      {
        kind: 'fee',
        name: 'Fuel',
        prices: [{ amount: chf(240), per: 'gallon' }],
        text: 'Charged for a tank that is not full.',
      },
      {
        kind: 'surcharge',
        name: 'Miles Surcharge',
        prices: [{ amount: chf(80), per: 'day' }],
        most: chf(400),
        text: 'Charged with these programs: North Air South Air',
      },
    ]);
  });

  it('have coverages, extras, cars and services', async () => {
    const [details] = (await detailsOf(whole)).items;
    expect(details?.coverages).toMatchObject([
      { code: '32', type: 'personal_accident', name: 'Accident insurance', prices: [] },
      { code: '24', type: 'loss_damage_waiver', name: 'Damage waiver', prices: [{ amount: chf(2_250), per: 'day' }] },
    ]);
    expect(details?.extras).toMatchObject([
      { code: '18', type: 'spinner_knob', name: 'Steering knob', prices: [], text: 'Order it three days ahead.' },
      {
        code: '7',
        type: 'infant_seat',
        name: 'Infant seat',
        prices: [
          { amount: chf(900), per: 'day' },
          { amount: chf(4_500), per: 'week' },
        ],
        most: chf(7_000),
      },
      { code: '8', type: 'toddler_seat', name: 'Child seat' },
    ]);
    expect(details?.vehicles.map(({ name, sippCode }) => [name, sippCode])).toEqual([
      ['FIAT 500', 'ECAR'],
      ['SKODA SCALA', 'CCAR'],
      ['VW SHARAN', 'MVAR'],
    ]);
    expect(details?.terms).toEqual([
      { kind: 'after_hours_return', text: 'Leave the key in the box at exit 4.' },
      { kind: 'express_return_service', text: 'Leave the car and go.' },
      { kind: 'special_needs', text: 'Wide bays are near the exit. Call for help.' },
      { kind: 'cust_pick_up', text: 'Guests of hotels are picked up.' },
    ]);
  });

  it('are empty for a place that the supplier does not know', async () => {
    const unknown = '<OTA_VehLocDetailRS><Errors><Error Type="3" Code="229"/></Errors></OTA_VehLocDetailRS>';
    expect((await detailsOf(unknown)).items).toEqual([]);
  });

  it('are a bad payload with too many texts', async () => {
    const long = whole.replace(
      /<OffLocationServices>/,
      (tag) => tag + '<OffLocationService Type="Other"/>'.repeat(101),
    );
    await expect(detailsOf(long)).rejects.toMatchObject({ fault: 'bad_payload' });
  });
});
