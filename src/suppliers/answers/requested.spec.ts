import { describe, expect, it } from '@jest/globals';
import type { SupplierBooking } from '../../model/bookings.js';
import type { SupplierLocation } from '../../model/locations.js';
import type { PriceItem, SupplierOffer } from '../../model/offers.js';
import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import { sampleOffer } from '../../representations/fixtures/sample-offer.js';
import { isForOtherDates, onlyRequested } from './requested.js';

const NCE = { iataCode: 'NCE', countryCode: 'FR', latitude: 43.66, longitude: 7.21 };
const request = {
  pickup: NCE,
  dropoff: NCE,
  pickupDate: '2027-05-01T10:00:00',
  dropoffDate: '2027-05-04T10:00:00',
};
const { iataCode: _iata, latitude: _latitude, longitude: _longitude, ...counter } = sampleOffer.pickup;
const at = (more: Partial<SupplierLocation>): SupplierLocation => ({ ...counter, code: 'S1', ...more });
const inCountry = (countryCode: string) => ({ lines: [], countryCode });
const nice = at({ iataCode: 'NCE', address: inCountry('FR') });
const honest: SupplierOffer = {
  ...sampleOffer,
  pickup: nice,
  dropoff: nice,
  pickupDate: request.pickupDate,
  dropoffDate: request.dropoffDate,
};

function kept(offers: readonly SupplierOffer[], asked: object = request): SupplierAnswer<SupplierOffer> {
  const answer = { items: offers, warnings: [] };
  return onlyRequested('searchVehicles', asked, answer) as SupplierAnswer<SupplierOffer>;
}

const eur = { amountMinor: 100, currency: honest.price.total.currency === 'EUR' ? 'CHF' : 'EUR' };

const fee: PriceItem = {
  ...{ kind: 'fee', description: 'Local fee', amount: eur, unit: 'rental', quantity: 1 },
  ...{ mandatory: true, includedInTotal: false, payable: 'counter' },
};

describe('an offer', () => {
  it.each<[string, Partial<SupplierOffer>]>([
    ['another pickup year', { pickupDate: '2009-05-01T10:00:00' }],
    ['another pickup day', { pickupDate: '2027-05-02T10:00:00' }],
    ['another dropoff day', { dropoffDate: '2027-05-05T10:00:00' }],
    ['one day instead of three', { rentalDays: 1 }],
    ['five days instead of three', { rentalDays: 5 }],
    ['thirty days instead of three', { rentalDays: 30 }],
    ['another airport', { pickup: at({ iataCode: 'IND', address: inCountry('US') }) }],
    ['another airport for the dropoff', { dropoff: at({ iataCode: 'IND', address: inCountry('US') }) }],
    [
      'another airport nearby',
      { pickup: at({ iataCode: 'CEQ', latitude: 43.55, longitude: 6.95, address: inCountry('FR') }) },
    ],
    ['another country', { pickup: at({ address: inCountry('IT') }) }],
    ['a branch 200 km away', { pickup: at({ latitude: 43.3, longitude: 5.4, address: inCountry('FR') }) }],
    ['a price in two currencies', { price: { ...honest.price, base: eur } }],
    [
      'an item of its total in another currency',
      { price: { ...honest.price, items: [{ ...fee, includedInTotal: true }] } },
    ],
  ])('with %s is left out with a warning, and makes the answer unreadable if it is the only one', (_what, other) => {
    const { items, warnings } = kept([honest, { ...honest, ...other }]);
    expect(items).toEqual([honest]);
    expect(warnings).toEqual([{ kind: 'contradiction', text: expect.stringMatching(/^item 1 left out: /), times: 1 }]);
    expect(() => kept([{ ...honest, ...other }])).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
  });

  it.each<[string, Partial<SupplierOffer>]>([
    ['its airport in lower case', { pickup: at({ iataCode: 'nce', address: inCountry('FR') }) }],
    ['the requested place and dates', {}],
    ['times rounded to the half hour', { pickupDate: '2027-05-01T10:30:00', dropoffDate: '2027-05-04T09:30:00' }],
    ['a code of its own at the airport', { pickup: at({ code: 'NCET01', address: inCountry('FR') }) }],
    ['a downtown branch nearby', { pickup: at({ latitude: 43.7, longitude: 7.27, address: inCountry('FR') }) }],
    [
      'a nearby branch in another country',
      { pickup: at({ latitude: 43.79, longitude: 7.6, address: inCountry('IT') }) },
    ],
    ['another code of the same airport', { pickup: at({ iataCode: 'NCX', latitude: 43.66, longitude: 7.2 }) }],
    ['its total in the requested currency as well', { price: { ...honest.price, display: eur } }],
    ['a charge in another currency besides its total', { price: { ...honest.price, items: [fee] } }],
    ['another number of days by its own rule', { rentalDays: 4 }],
  ])('with %s is kept', (_what, more) => {
    expect(kept([{ ...honest, ...more }]).warnings).toEqual([]);
  });

  it.each<[string, string, string, readonly number[]]>([
    ['an hour', '2027-05-01T10:00:00', '2027-05-01T11:00:00', [1, 2, 3, 7]],
    ['two hours around midnight', '2027-05-01T23:00:00', '2027-05-02T01:00:00', [1, 2, 3, 7]],
    ['a weekend', '2027-05-07T10:00:00', '2027-05-10T10:00:00', [2, 3, 4, 7]],
    ['three days and an hour', '2027-05-01T10:00:00', '2027-05-04T11:00:00', [2, 3, 4, 5, 7]],
    ['five days', '2027-05-01T10:00:00', '2027-05-06T10:00:00', [4, 5, 6, 7]],
    ['a week', '2027-05-01T10:00:00', '2027-05-08T10:00:00', [5, 6, 7, 8]],
    ['nine days', '2027-05-01T10:00:00', '2027-05-10T10:00:00', [6, 7, 8, 9, 10, 14]],
    ['25 days', '2027-05-01T10:00:00', '2027-05-26T10:00:00', [17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 30]],
  ])('for %s is kept with every count of days that suppliers charge, and with no other', (_what, from, to, charged) => {
    const asked = { ...request, pickupDate: from, dropoffDate: to };
    const offer = (rentalDays: number) => ({ ...honest, pickupDate: from, dropoffDate: to, rentalDays });
    const counts = Array.from({ length: 40 }, (_none, days) => days);
    expect(kept(counts.map(offer), asked).items.map(({ rentalDays }) => rentalDays)).toEqual(charged);
  });

  describe('whose answer states the requested dates', () => {
    const dated = { ...honest, statesDates: true };

    it.each([1, 5, 30])('is kept, whatever it charges, with a warning if that is unusual: %i days', (rentalDays) => {
      const { items, warnings } = kept([{ ...dated, rentalDays }]);
      expect(items).toEqual([{ ...dated, rentalDays }]);
      expect(warnings).toEqual(oneWarning('contradiction', `${rentalDays} days charged for a rental of 3`));
    });

    it.each([2, 3, 4, 7])('is kept without a warning at a usual number of charged days: %i', (rentalDays) => {
      expect(kept([{ ...dated, rentalDays }]).warnings).toEqual([]);
    });

    it('is left out for other dates, whatever it charges', () => {
      expect(() => kept([{ ...dated, dropoffDate: '2027-05-08T10:00:00', rentalDays: 7 }])).toThrow(
        expect.objectContaining({ fault: 'bad_payload' }),
      );
    });
  });

  it('of a location chosen by its own code is kept, whatever else is known about the place', () => {
    const asked = { ...request, pickup: { supplierCode: 's1', countryCode: '' } };
    expect(kept([{ ...honest, pickup: at({ address: inCountry('IT') }) }], asked).items).toHaveLength(1);
  });

  describe('of a one-way search', () => {
    const bare = (code: string) => at({ code, address: inCountry('US') });
    const ends = (pickup: string, dropoff: string) => ({ ...honest, pickup: bare(pickup), dropoff: bare(dropoff) });
    const asked = (pickup: object, dropoff: object) => ({
      ...request,
      pickup: { countryCode: 'US', ...pickup },
      dropoff: { countryCode: 'US', ...dropoff },
    });
    const oneWay = asked({ iataCode: 'BOS' }, { supplierCode: 'X1', iataCode: 'LGA' });

    it.each([
      ['that returns to the pickup', ends('BOS', 'BOS')],
      ['that begins at the dropoff', ends('X1', 'LGA')],
      ['that returns to its own name of the pickup', ends('BR7', 'BR7')],
    ])('%s is left out', (_what, offer) => {
      expect(() => kept([offer], oneWay)).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
    });

    it.each([
      ['with codes of its own', ends('BR7', 'LG4'), oneWay],
      [
        'between two counters of an airport, named by its code',
        ends('BOS', 'BOS'),
        asked({ supplierCode: 'T1', iataCode: 'BOS' }, { supplierCode: 'T2', iataCode: 'BOS' }),
      ],
      [
        'between two airports of a city, named by its code',
        ends('NYC', 'NYC'),
        asked(
          { iataCode: 'JFK', latitude: 40.64, longitude: -73.78 },
          { iataCode: 'LGA', latitude: 40.777, longitude: -73.872 },
        ),
      ],
    ])('%s is kept', (_what, offer, search) => {
      expect(kept([offer], search).items).toHaveLength(1);
    });
  });

  it('with contradictory features is kept, with a warning', () => {
    const vehicle = { ...honest.vehicle, sippCode: 'CDAR', transmission: 'manual', name: 'Sample' } as const;
    const answer = kept([{ ...honest, vehicle }, honest]);
    expect([answer.items.length, answer.warnings]).toEqual([
      2,
      oneWarning('contradiction', 'Sample: transmission manual, SIPP code automatic'),
    ]);
  });

  it('at the requested airport in another country is kept, with one warning', () => {
    const italian = at({ iataCode: 'NCE', address: inCountry('IT') });
    const odd = { ...honest, pickup: italian, dropoff: italian };
    const { items, warnings } = kept([odd, odd]);
    expect(items).toEqual([odd, odd]);
    expect(warnings).toEqual(oneWarning('contradiction', 'S1 is in IT instead of FR'));
    const anywhere = { ...request, pickup: { ...NCE, countryCode: '' }, dropoff: { ...NCE, countryCode: '' } };
    expect(kept([odd], anywhere).warnings).toEqual([]);
  });

  it('with items beyond its total is kept, with a warning', () => {
    const unitemised = (amountMinor: number) => ({
      ...honest,
      price: { ...honest.price, unitemised: { ...honest.price.total, amountMinor } },
    });
    const answer = kept([unitemised(-1), unitemised(1), honest]);
    expect(answer.items).toHaveLength(3);
    expect(answer.warnings).toEqual([
      { kind: 'contradiction', text: expect.stringMatching(/add up to more than the total$/), times: 1 },
    ]);
  });

  it('is not copied when the complete answer is for the request', () => {
    const answer = { items: [honest], warnings: [] };
    expect(onlyRequested('priceCheck', request, answer)).toBe(answer);
  });
});

function errorOf(run: () => unknown): SupplierError {
  try {
    run();
  } catch (error) {
    if (error instanceof SupplierError) return error;
  }
  throw new Error('no SupplierError');
}

describe('a booking', () => {
  const booking: SupplierBooking = { status: 'confirmed', confirmationNumber: 'A1', ref: {} };
  const other: SupplierBooking = { ...booking, pickupDate: '2027-05-02T10:00:00' };
  const doubtful = expect.objectContaining({ fault: 'bad_payload', sent: true });

  it.each(['book', 'modify'] as const)(
    'for other dates than requested leaves the outcome of %s in doubt',
    (operation) => {
      expect(() => onlyRequested(operation, request, other)).toThrow(doubtful);
      expect(errorOf(() => onlyRequested(operation, request, other)).booked).toBe(other);
      const longer = { ...booking, dropoffDate: '2027-05-05T10:00:00' };
      expect(() => onlyRequested(operation, request, longer)).toThrow(doubtful);
      expect(onlyRequested(operation, request, { ...booking, pickupDate: request.pickupDate })).toMatchObject(booking);
      expect(onlyRequested(operation, request, booking)).toBe(booking);
    },
  );

  it('stated without a time is compared by the day', () => {
    const at = (pickupDate: string, dropoffDate: string) =>
      isForOtherDates(request, { ...booking, pickupDate, dropoffDate });
    const [from, to] = [request.pickupDate.slice(0, 10), request.dropoffDate.slice(0, 10)];
    expect(at(`${from}T00:00:00`, `${to}T00:00:00`)).toBe(false);
    expect(at(`${from}T00:00:00`, '2027-05-09T00:00:00')).toBe(true);
    expect(at(`${from}T00:00:01`, `${to}T00:00:00`)).toBe(true);
  });

  it('found by its reference for other dates is not the lost one; one found by its number may have been changed', () => {
    const found = { items: [other], warnings: [] };
    expect(() => onlyRequested('retrieve', request, found)).toThrow(doubtful);
    expect(onlyRequested('retrieve', { ...request, confirmationNumber: 'A1' }, found)).toBe(found);
  });

  it('with our reference may be for other dates: the reservation may have been changed since a second one was made', () => {
    const key = { ...request, reference: 'res_1' };
    const own = { items: [{ ...other, reference: 'res_1' }], warnings: [] };
    expect(onlyRequested('retrieve', key, own)).toBe(own);
    const shouted = { items: [{ ...other, reference: 'RES_1' }], warnings: [] };
    expect(onlyRequested('retrieve', key, shouted)).toBe(shouted);
    const foreign = { items: [{ ...other, reference: 'res_2' }], warnings: [] };
    expect(() => onlyRequested('retrieve', key, foreign)).toThrow(doubtful);
  });
});
