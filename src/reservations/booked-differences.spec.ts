import { describe, expect, it } from '@jest/globals';
import type { SupplierBooking } from '../model/bookings.js';
import { bookedDifferences, laterView, reasonBooked } from './booked-differences.js';
import { bookedPatch } from './booking-outcome.js';
import { changeMove } from './change-outcome.js';
import { reservationIn, samplePersonal, sampleRental, sampleView } from './fixtures/sample-reservation.js';

const view = {
  ...sampleView,
  vehicle: { ...sampleView.vehicle, sipp_code: 'ECMR' },
  pickup: { ...sampleView.pickup, location: { ...sampleView.pickup.location, code: 'B7', iata_code: 'BOS' } },
  dropoff: { ...sampleView.dropoff, location: { ...sampleView.dropoff.location, code: 'J2', iata_code: 'JFK' } },
};
const reservation = reservationIn('modify_pending', { rental: sampleRental, view });
const { payment } = reservation;
const LAX = { code: 'LAX', iataCode: 'LAX', latitude: 33.94, longitude: -118.4 };
const BOS = { code: 'BOS', iataCode: 'BOS', latitude: 42.36, longitude: -71.01 };
const booking: SupplierBooking = { status: 'confirmed', confirmationNumber: 'N1', ref: {} };
const infantSeat = { code: 'CSI', quantity: 1 };

describe('a booking differs from what was accepted', () => {
  it.each<[string, Partial<SupplierBooking>, object]>([
    ['by its car', { sippCode: 'MBMR' }, { sipp_code: 'MBMR' }],
    ['by its pickup', { pickup: LAX }, { pickup_code: 'LAX' }],
    ['by its dropoff', { dropoff: LAX }, { dropoff_code: 'LAX' }],
    ['by a return to the pickup', { dropoff: { code: 'B7' } }, { dropoff_code: 'B7' }],
    ['by a return to the pickup in lower case', { dropoff: { code: 'b7' } }, { dropoff_code: 'b7' }],
    ['by its car in lower case', { sippCode: 'mbmr' }, { sipp_code: 'MBMR' }],
    ['by its pickup in lower case', { pickup: { code: 'lax', iataCode: 'lax' } }, { pickup_code: 'lax' }],
    ['by an extra', { extras: [{ code: 'WIFI', quantity: 1 }] }, { missing_extras: ['CSI'] }],
    [
      'by all of them',
      { sippCode: 'MBMR', pickup: LAX, dropoff: LAX, extras: [] },
      { sipp_code: 'MBMR', pickup_code: 'LAX', dropoff_code: 'LAX', missing_extras: ['CSI'] },
    ],
  ])('%s', (_what, stated, differences) => {
    expect(bookedDifferences(reservation, { ...booking, ...stated })).toEqual(differences);
  });

  it.each<[string, Partial<SupplierBooking>]>([
    ['nothing is stated', {}],
    ['everything is as accepted', { sippCode: 'ECMR', pickup: BOS, dropoff: { code: 'J2' }, extras: [infantSeat] }],
    ["a place has the supplier's own code of the offer", { pickup: { code: 'B7' }, dropoff: { code: 'j2' } }],
    ['a place has an unknown code', { pickup: { code: 'B-NORTH' } }],
    [
      'everything is as accepted, in other capitals',
      {
        sippCode: 'ecmr',
        pickup: { code: 'here', iataCode: 'bos' },
        dropoff: { code: 'there', iataCode: 'jfk' },
        extras: [{ code: 'csi', quantity: 1 }],
      },
    ],
    ['a place has only an airport', { pickup: { iataCode: 'BOS' } as never, dropoff: { iataCode: 'JFK' } as never }],
    ['a place has nothing', { pickup: {} as never, dropoff: { code: '' } }],
    ['there are more extras that the offer does not list', { extras: [{ code: 'WIFI', quantity: 1 }, infantSeat] }],
  ])('not if %s', (_what, stated) => {
    expect(bookedDifferences(reservation, { ...booking, ...stated })).toBeUndefined();
  });

  it.each<[string, object, string | undefined, string | undefined, object | undefined]>([
    ['by a return between two locations without an airport', {}, undefined, undefined, { dropoff_code: 'B7' }],
    ['by a return between two airports that only the offer named', {}, 'BOS', 'JFK', { dropoff_code: 'B7' }],
    ['not by a return between two locations at one airport', {}, 'BOS', 'bos', undefined],
    ['not by one if only the offer named the airport of the dropoff', { iataCode: 'BOS' }, 'BOS', 'BOS', undefined],
  ])('%s', (_what, known, from, to, differences) => {
    const rental = { ...sampleRental, pickup: { countryCode: 'US', ...known }, dropoff: { countryCode: 'US' } };
    const at = (end: 'pickup' | 'dropoff', iata_code: string | undefined) => {
      const location = { ...view[end].location, iata_code, latitude: undefined, longitude: undefined };
      return { ...view[end], location };
    };
    const shown = { ...view, pickup: at('pickup', from), dropoff: at('dropoff', to) };
    expect(bookedDifferences({ rental, view: shown }, { dropoff: { code: 'B7' } })).toEqual(differences);
  });

  it('by a distant place without a code', () => {
    const { latitude, longitude } = BOS;
    const rental = { ...sampleRental, pickup: { ...sampleRental.pickup, latitude, longitude } };
    const pickup = { latitude: LAX.latitude, longitude: LAX.longitude } as never;
    expect(bookedDifferences({ rental, view }, { pickup })).toEqual({ pickup_code: 'unknown' });
  });

  it('not by a car whose class was never known', () => {
    const { sipp_code: _unknown, ...vehicle } = view.vehicle;
    const unnamed = { rental: sampleRental, view: { ...view, vehicle } as never };
    expect(bookedDifferences(unnamed, { sippCode: 'MBMR' })).toBeUndefined();
  });
});

describe('of the chosen extras,', () => {
  const rental = {
    ...sampleRental,
    extras: ['8', '9', 'GPS'].map((code) => ({ code, quantity: 1 })),
  };
  const all = rental.extras;
  const known = (differences?: object) => ({
    rental,
    view: differences ? { ...view, booked_differently: differences } : view,
  });
  const requested = (...codes: string[]) => ({ status: 'on_request' as const, codes });
  const refused = (...codes: string[]) => ({ status: 'not_booked' as const, codes });

  it.each<[string, object | undefined, Partial<SupplierBooking>, object | undefined]>([
    ['one on request is not confirmed', undefined, { extraNotices: [requested('8')] }, { unconfirmed_extras: ['8'] }],
    ['so is a listed one', undefined, { extras: all, extraNotices: [requested('8')] }, { unconfirmed_extras: ['8'] }],
    [
      'one on request that is not listed is not confirmed, another one is missing',
      undefined,
      { extras: [{ code: 'GPS', quantity: 1 }], extraNotices: [requested('8')] },
      { missing_extras: ['9'], unconfirmed_extras: ['8'] },
    ],
    [
      'none is confirmed if the notice names none, or others',
      undefined,
      { extras: all, extraNotices: [{ status: 'on_request' }] },
      { unconfirmed_extras: ['8', '9', 'GPS'] },
    ],
    [
      'none is confirmed if it names others',
      undefined,
      { extraNotices: [requested('14')] },
      { unconfirmed_extras: ['8', '9', 'GPS'] },
    ],
    [
      'all are confirmed if it names a listed one that was not chosen',
      undefined,
      { extras: [...all, { code: '14', quantity: 1 }], extraNotices: [requested('14')] },
      undefined,
    ],
    ['one that is not available is missing', undefined, { extraNotices: [refused('9')] }, { missing_extras: ['9'] }],
    [
      'a listed one, too',
      undefined,
      { extras: all, extraNotices: [refused('9'), { status: 'on_request' }] },
      { missing_extras: ['9'], unconfirmed_extras: ['8', 'GPS'] },
    ],
    [
      'those that may not be available are not confirmed',
      undefined,
      { extras: all, extraNotices: [refused('8', '9')] },
      { unconfirmed_extras: ['8', '9'] },
    ],
    ['an answer without extras changes nothing', { unconfirmed_extras: ['8'] }, {}, { unconfirmed_extras: ['8'] }],
    ['a list confirms', { unconfirmed_extras: ['8'] }, { extras: all }, undefined],
    [
      'a list without one refuses it',
      { unconfirmed_extras: ['8'] },
      { extras: all.slice(1) },
      { missing_extras: ['8'] },
    ],
    [
      'a notice of one leaves the others as known',
      { missing_extras: ['8', 'GPS'], unconfirmed_extras: ['9'] },
      { extraNotices: [requested('8')] },
      { missing_extras: ['GPS'], unconfirmed_extras: ['8', '9'] },
    ],
    ['those that are no longer chosen are forgotten', { unconfirmed_extras: ['SKI'] }, {}, undefined],
  ])('%s', (_what, before, stated, differences) => {
    expect(bookedDifferences(known(before), { ...booking, ...stated })).toEqual(differences);
  });

  it('none is stated by a notice alone', () => {
    const { rental: stored } = bookedPatch({ ...known(), payment }, { ...booking, extraNotices: [requested('8')] });
    expect(stored?.stated).toBeUndefined();
  });

  it('a refused request is not a change by staff of the supplier', () => {
    const shown = laterView(
      { ...known({ unconfirmed_extras: ['8'] }), rental: { ...rental, stated: ['missing_extras'] } },
      { ...booking, extras: all.slice(1) },
    );
    expect([shown.booked_differently, shown.changed_later]).toEqual([{ missing_extras: ['8'] }, undefined]);
  });

  it('the reason of the booking names those that are not confirmed', () => {
    expect(reasonBooked('booked', known({ unconfirmed_extras: ['8'] }).view)).toBe(
      'booked, but with extras that are not confirmed',
    );
  });
});

describe('extras in another number than chosen', () => {
  const rental = { ...sampleRental, extras: [{ code: 'CSI', quantity: 2 }] };
  const required = view.extras.map((extra) => ({ ...extra, mandatory: true }));
  const navigation = { extra_id: 'GPS', name: 'Navigation' };
  const seats = (quantity: number) => ({ other_extras: [{ extra_id: 'CSI', name: 'Infant seat', quantity }] });
  const known = (booked_differently?: object, extras = view.extras) => ({
    rental,
    view: { ...view, extras, ...(booked_differently && { booked_differently }) },
  });
  const listed = (...extras: NonNullable<SupplierBooking['extras']>) => ({ ...booking, extras });

  it.each<[string, Parameters<typeof bookedDifferences>, object | undefined]>([
    ['are as chosen', [known(), listed({ code: 'csi', quantity: 2 })], undefined],
    ['are as chosen in two rows', [known(), listed(infantSeat, { code: 'csi', quantity: 1 })], undefined],
    ['may be as chosen if the number is not stated', [known(), listed({ code: 'CSI' })], undefined],
    ['may be as chosen if a row does not state it', [known(), listed(infantSeat, { code: 'CSI' })], undefined],
    ['are fewer', [known(), listed(infantSeat)], seats(1)],
    ['are fewer if the offer requires one', [known(undefined, required), listed(infantSeat)], seats(1)],
    ['are more', [known(), listed({ code: 'CSI', quantity: 3 })], seats(3)],
    [
      'may be more if the offer requires one',
      [known(undefined, required), listed(infantSeat, { code: 'CSI', quantity: 2 })],
      undefined,
    ],
    [
      'are more if none was chosen',
      [known(), listed({ code: 'CSI', quantity: 2 }, { code: 'gps', quantity: 1 })],
      { other_extras: [{ ...navigation, quantity: 1 }] },
    ],
    [
      'are more if none was chosen, in a number that is not stated',
      [known(), listed({ code: 'CSI', quantity: 2 }, { code: 'GPS' })],
      { other_extras: [navigation] },
    ],
    [
      'may come with the car if the offer requires them',
      [known(undefined, required), listed({ code: 'CSI', quantity: 2 }, { code: 'GPS', quantity: 1 })],
      undefined,
    ],
    [
      'were not removed, although the offer does not list them',
      [
        { ...known(undefined, []), chosenBefore: [{ code: 'gps', quantity: 1 }] },
        listed({ code: 'CSI', quantity: 2 }, { code: 'GPS', quantity: 1 }),
      ],
      { other_extras: [{ extra_id: 'GPS', quantity: 1 }] },
    ],
    [
      'stay known until they are not listed',
      [
        known({ other_extras: [{ extra_id: 'GPS', quantity: 1 }] }, []),
        listed({ code: 'CSI', quantity: 2 }, { code: 'GPS' }),
      ],
      { other_extras: [{ extra_id: 'GPS' }] },
    ],
    ['stay known without a list', [known(seats(1)), booking], seats(1)],
    ['stay known while the number is not stated', [known(seats(1)), listed({ code: 'CSI' })], seats(1)],
    ['are forgotten once they are as chosen', [known(seats(1)), listed({ code: 'CSI', quantity: 2 })], undefined],
    ['are missing, not fewer', [known(seats(1)), listed()], { missing_extras: ['CSI'] }],
    [
      'are not confirmed, whatever their number',
      [known(), { ...listed(infantSeat), extraNotices: [{ status: 'on_request' }] }],
      { unconfirmed_extras: ['CSI'] },
    ],
  ])('%s', (_what, [before, stated], differences) => {
    expect(bookedDifferences(before, stated)).toEqual(differences);
  });

  it('are in the same order, whatever the order of the list', () => {
    const rows = [{ code: 'GPS', quantity: 1 }, infantSeat];
    const [one, other] = [rows, rows.toReversed()].map((extras) => bookedDifferences(known(), listed(...extras)));
    expect(one?.other_extras).toHaveLength(2);
    expect(one).toEqual(other);
  });

  it('are not a change by staff of the supplier', () => {
    const before = { ...known(), rental: { ...rental, stated: ['missing_extras' as const] } };
    const shown = laterView(before, listed(infantSeat));
    expect([shown.booked_differently, shown.changed_later]).toEqual([seats(1), undefined]);
  });

  it('are known after a change that answers with the extras as before', () => {
    const { personal } = reservation;
    if (!personal) throw new Error('no renter');
    const changed = (
      before: object | undefined,
      kinds: readonly ('remark' | 'extras' | 'rental')[],
      stated: SupplierBooking,
    ) => {
      const change = {
        kinds,
        rental: { ...rental, extras: kinds[0] === 'remark' ? rental.extras : [] },
        view: { ...view, extras: [] },
        personal,
      };
      const { reason, patch } = changeMove(
        { kind: 'done', result: stated },
        { ...reservation, ...known(before) },
        change,
        1,
        1,
      );
      return [reason, patch?.view?.booked_differently];
    };
    const kept = { other_extras: [{ extra_id: 'CSI', quantity: 2 }] };
    const reason = (kind: string) => `changed: ${kind}, but with other extras than chosen`;
    expect(changed(undefined, ['extras'], listed({ code: 'CSI', quantity: 2 }))).toEqual([reason('extras'), kept]);
    expect(changed(undefined, ['rental'], listed({ code: 'CSI', quantity: 2 }))).toEqual([reason('rental'), kept]);
    expect(changed(seats(1), ['remark'], booking)).toEqual([reason('remark'), seats(1)]);
    expect(changed(seats(1), ['extras'], booking)).toEqual(['changed: extras', undefined]);
  });
});

describe('a difference', () => {
  const differing = { ...view, booked_differently: { sipp_code: 'MBMR', missing_extras: ['CSI'] } };
  const known = { ...reservation, view: differing };

  it('stays until the supplier states otherwise', () => {
    expect(bookedPatch(known, booking).view).toEqual(differing);
    expect(bookedPatch(known, { ...booking, sippCode: 'ECMR' }).view).toMatchObject({
      booked_differently: { missing_extras: ['CSI'] },
    });
    expect(bookedPatch(known, { ...booking, sippCode: 'ECMR', extras: [infantSeat] }).view).toEqual(view);
    expect(bookedPatch(reservation, booking)).not.toHaveProperty('view');
  });

  it('of a place stays until the supplier clearly states the accepted one', () => {
    const far = { latitude: 42.36, longitude: -71.5 };
    for (const [end, accepted] of [
      ['pickup', BOS],
      ['dropoff', { code: 'j2' }],
    ] as const) {
      const elsewhere = { [`${end}_code`]: 'LAX' };
      const known = { rental: sampleRental, view: { ...view, booked_differently: elsewhere } };
      for (const unclear of [{ code: 'LOS ANGELES' }, { code: 'BRANCH', ...far }])
        expect(bookedDifferences(known, { [end]: unclear })).toEqual(elsewhere);
      expect(bookedDifferences(known, { [end]: accepted })).toBeUndefined();
      expect(bookedDifferences(known, { [end]: { code: 'SFO', iataCode: 'SFO' } })).toEqual({ [`${end}_code`]: 'SFO' });
    }
    const { latitude, longitude } = BOS;
    const rental = { ...sampleRental, pickup: { ...sampleRental.pickup, latitude, longitude } };
    const known = { rental, view: { ...view, booked_differently: { pickup_code: 'LAX' } } };
    expect(bookedDifferences(known, { pickup: { code: 'BRANCH', ...far } })).toEqual({ pickup_code: 'LAX' });
    expect(bookedDifferences(known, { pickup: { code: 'BRANCH', latitude, longitude } })).toBeUndefined();
  });

  it('is known after a change of a part, and forgotten with the rental', () => {
    const { personal } = reservation;
    if (!personal) throw new Error('no renter');
    const changed = (kinds: readonly ('remark' | 'extras' | 'rental')[], extras = sampleRental.extras) => {
      const change = { kinds, rental: { ...sampleRental, extras }, view, personal };
      const { reason, patch } = changeMove({ kind: 'done', result: booking }, known, change, 1, 1);
      return [reason, patch?.view?.booked_differently];
    };
    expect(changed(['remark'])).toEqual([
      'changed: remark, but with another vehicle class, fewer extras',
      differing.booked_differently,
    ]);
    expect(changed(['extras'], [])).toEqual(['changed: extras, but with another vehicle class', { sipp_code: 'MBMR' }]);
    expect(changed(['rental'])).toEqual(['changed: rental', undefined]);
  });

  it('may be new only in what was stated, which extras and another rental forget', () => {
    const { rental } = bookedPatch(reservation, { ...booking, sippCode: 'ECMR', pickup: { code: 'x' }, extras: [] });
    expect(rental?.stated).toEqual(['sipp_code', 'missing_extras']);
    const stated = { ...known, rental: { ...sampleRental, ...rental } };
    const statedAfter = (kind: 'remark' | 'extras' | 'rental') => {
      const change = { kinds: [kind], rental: stated.rental, view, personal: samplePersonal };
      return changeMove({ kind: 'done', result: booking }, stated, change, 1, 1).patch?.rental?.stated;
    };
    expect(statedAfter('remark')).toEqual(['sipp_code', 'missing_extras']);
    expect(statedAfter('extras')).toEqual(['sipp_code']);
    expect(statedAfter('rental')).toBeUndefined();
  });

  it('is named in the reason, without a text of the supplier', () => {
    expect(reasonBooked('booked', differing)).toBe('booked, but with another vehicle class, fewer extras');
    expect(reasonBooked('booked', view)).toBe('booked');
  });
});

describe('a price drift', () => {
  const { personal } = reservation;
  const accepted = sampleRental.total;
  const drift = { accepted, actual: { ...accepted, amountMinor: accepted.amountMinor + 10_000 } };
  const drifted = { ...reservation, priceDrift: drift };
  const changed = (
    kinds: readonly ('remark' | 'extras' | 'rental')[],
    more: Partial<SupplierBooking> = {},
    total = accepted,
  ) => {
    if (!personal) throw new Error('no renter');
    const change = { kinds, rental: { ...sampleRental, total }, view, personal };
    return changeMove({ kind: 'done', result: { ...booking, ...more } }, drifted, change, 1, 1).patch?.priceDrift;
  };

  it('stays while answers state no total', () => {
    expect(bookedPatch(drifted, booking).priceDrift).toEqual(drift);
    expect(changed(['remark'])).toEqual(drift);
    expect(bookedPatch(reservation, booking).priceDrift).toBeUndefined();
  });

  it('is replaced by the total of a later answer', () => {
    expect(bookedPatch(drifted, { ...booking, total: accepted }).priceDrift).toBeUndefined();
    const other = { amountMinor: 1, currency: accepted.currency };
    expect(changed(['remark'], { total: other })).toEqual({ accepted, actual: other });
  });

  it('keeps its difference when another total is accepted, until an answer states one', () => {
    const total = { ...accepted, amountMinor: accepted.amountMinor + 3_900 };
    const actual = { ...accepted, amountMinor: accepted.amountMinor + 13_900 };
    expect(changed(['extras'], {}, total)).toEqual({ accepted: total, actual });
    expect(changed(['extras'], { total }, total)).toBeUndefined();
  });

  it('is forgotten with the rental, and with the currency', () => {
    expect(changed(['rental'])).toBeUndefined();
    expect(changed(['extras'], {}, { ...accepted, currency: 'EUR' })).toBeUndefined();
  });
});
