import { describe, expect, it } from '@jest/globals';
import type { SupplierBooking } from '../model/bookings.js';
import { samplePersonal, sampleRental, sampleView } from './fixtures/sample-reservation.js';
import type { BookedView, Change } from './reservation.js';
import { shownOfChange } from './shown-change.js';

const OLD = { pickupDate: sampleRental.pickupDate, dropoffDate: sampleRental.dropoffDate };
const NEW = { pickupDate: '2027-03-01T10:00:00', dropoffDate: '2027-03-04T10:00:00' };
const OTHER = { pickupDate: '2027-04-01T10:00:00', dropoffDate: '2027-04-04T10:00:00' };
const [SEAT, GPS] = ['csi', 'GPS'].map((code) => ({ code, quantity: 1 }));
const inClass = (code: string): BookedView => ({ ...sampleView, vehicle: { ...sampleView.vehicle, sipp_code: code } });

type Shown = Partial<SupplierBooking>;
/** What a supplier shows of a change to these dates, extras and class, that showed `shown` before. */
function verdict(
  now: Shown,
  shown: Change['shown'],
  {
    dates = OLD,
    extras = sampleRental.extras,
    view = inClass('ECMR'),
  }: { dates?: typeof OLD; extras?: typeof sampleRental.extras; view?: BookedView },
) {
  const change: Change = {
    kinds: ['rental'],
    rental: { ...sampleRental, ...dates, extras },
    view,
    personal: samplePersonal,
    ...(shown && { shown }),
  };
  const known = { rental: sampleRental, view: inClass('ECMR') };
  return shownOfChange(known, change, { status: 'confirmed', ref: {}, ...now });
}

describe('a change in doubt', () => {
  it.each<[string, ...Parameters<typeof verdict>]>([
    ['with its dates', NEW, OLD, { dates: NEW }],
    ['with its dates, by what was stored before', NEW, undefined, { dates: NEW }],
    ['with one of its dates', { dropoffDate: NEW.dropoffDate }, OLD, { dates: NEW }],
    [
      'with the extra that it added',
      { extras: [SEAT, GPS] as never },
      { extras: [SEAT] as never },
      { extras: [SEAT, GPS] as never },
    ],
    ['without the extra that it removed', { ...OLD, extras: [] }, { extras: [SEAT] as never }, { extras: [] }],
    ['with its class', { ...OLD, sippCode: 'mbmr' }, { ...OLD, sippCode: 'ECMR' }, { view: inClass('MBMR') }],
  ])('was made if the supplier shows the booking %s', (_what, ...shown) => {
    expect(verdict(...shown)).toBe('made');
  });

  it('was not made if the supplier shows the dates before', () => {
    expect(verdict(OLD, OLD, { dates: NEW })).toBe('unchanged');
    expect(verdict(OTHER, OTHER, { dates: NEW })).toBe('unchanged');
  });

  it.each<[string, ...Parameters<typeof verdict>]>([
    ['already had its dates', NEW, NEW, { dates: NEW }],
    [
      'already had its extra',
      { extras: [SEAT, GPS] as never },
      { extras: [SEAT, GPS] as never },
      { extras: [SEAT, GPS] as never },
    ],
    ['already lacked its extra', { extras: [] }, { extras: [] }, { extras: [] }],
    ['was not asked about extras before', { extras: [] }, undefined, { extras: [] }],
    ['already had its class', { sippCode: 'MBMR' }, { sippCode: 'MBMR' }, { view: inClass('MBMR') }],
    [
      'has one of two extras',
      { extras: [SEAT, GPS] as never },
      { extras: [SEAT] as never },
      { extras: [SEAT, GPS, { code: 'TOL', quantity: 1 }] as never },
    ],
    ['lists no extras', { ...OLD }, { ...OLD, extras: [SEAT] as never }, { extras: [] }],
    [
      'does not list the extra',
      { extras: [SEAT] as never },
      { extras: [SEAT] as never },
      { extras: [SEAT, GPS] as never },
    ],
    ['has other dates than both', OTHER, OLD, { dates: NEW }],
    ['has no dates', {}, OLD, { dates: NEW }],
    ['had no dates before', NEW, {}, { dates: NEW }],
    ['has it on request', { ...NEW, status: 'on_request' }, OLD, { dates: NEW }],
  ])('is unclear if the booking %s', (_what, ...shown) => {
    expect(verdict(...shown)).toBeUndefined();
  });

  it('is unclear if the booking already had its dates when it was last looked up', () => {
    const { pickupDate, dropoffDate } = NEW;
    const view = { ...sampleView, booked_differently: { pickup_date: pickupDate, dropoff_date: dropoffDate } };
    const change: Change = {
      kinds: ['rental'],
      rental: { ...sampleRental, ...NEW },
      view: sampleView,
      personal: samplePersonal,
    };
    expect(
      shownOfChange({ rental: sampleRental, view }, change, { status: 'confirmed', ref: {}, ...NEW }),
    ).toBeUndefined();
  });
});
