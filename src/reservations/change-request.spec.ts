import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { changeOfPatch, changeOfPut, changesPrice, kindsOf, pricedAgain } from './change-request.js';
import { reservationIn, samplePersonal, sampleRental } from './fixtures/sample-reservation.js';
import { patchBody, putBody } from './reservations.schema.js';

const reservation = reservationIn('confirmed', { confirmationNumber: 'CN1' });
const patched = (body: unknown, of = reservation) => changeOfPatch(of, patchBody.parse(body));
const put = (body: object, of = reservation) => changeOfPut(of, putBody.parse({ offer_id: 'off_1', ...body }));
const kinds = (body: unknown) => kindsOf(reservation, patched(body));

function refused(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.problems[0];
    throw error;
  }
  return undefined;
}

/** A display price as a reservation stores it: undefined members are absent. */
function displayed(more: object): NonNullable<typeof reservation.view.price.display> {
  return { amount: '1.00', currency: 'EUR', ...more } as NonNullable<typeof reservation.view.price.display>;
}

const address = { lines: ['2 Other Road'], city: 'Othertown', country_code: 'US' };
const arrival = { carrier_code: 'LH', flight_number: '422' };

describe('a PATCH', () => {
  it('of one field leaves all others unchanged', () => {
    expect(patched({ remark: 'new' })).toEqual({
      personal: { ...samplePersonal, remark: 'new' },
      extras: sampleRental.extras,
      age: sampleRental.age,
      coverages: sampleRental.coverages,
      pickupLater: false,
    });
  });

  it.each<[object, string[]]>([
    [{ driver: { email: 'new@example.com' } }, ['contact']],
    [{ driver: { phone: null } }, ['contact']],
    [{ driver: { address } }, ['contact']],
    [{ driver: { address: null } }, ['contact']],
    [{ arrival }, ['arrival']],
    [{ arrival: null }, ['arrival']],
    [{ pickup_later: true }, ['arrival']],
    [{ remark: 'new' }, ['remark']],
    [{ remark: null }, ['remark']],
    [{ extras: [] }, ['extras']],
    [{ extras: [{ extra_id: 'CSI', quantity: 2 }] }, ['extras']],
    [{ coverages: [] }, ['coverages']],
    [
      { driver: { phone: '+1 617 555 0199' }, remark: null, extras: [], coverages: ['CDW'] },
      ['contact', 'remark', 'extras', 'coverages'],
    ],
  ])('%j changes %j', (body, expected) => {
    expect(kinds(body)).toEqual(expected);
    expect(changesPrice(kindsOf(reservation, patched(body)))).toBe(
      expected.includes('extras') || expected.includes('coverages'),
    );
  });

  it.each([
    { driver: {} },
    { driver: { email: 'ada.sample@example.com', phone: '+1 617 555 0100' } },
    { arrival: { carrier_code: 'ba', flight_number: '349', arrives_at: '2027-02-01T09:00:00' } },
    { remark: 'Remarkable request', pickup_later: false },
    { extras: [{ extra_id: 'CSI', quantity: 1 }], coverages: ['PAI'] },
  ])('%j changes nothing', (body) => {
    expect(kinds(body)).toEqual([]);
  });

  it('with the same extras and coverages in another order changes nothing', () => {
    const [seat, sat] = [
      { code: 'CSI', quantity: 1 },
      { code: 'GPS', quantity: 1 },
    ];
    const two = reservationIn('confirmed', {
      rental: { ...sampleRental, extras: [seat, sat], coverages: ['PAI', 'CDW'] },
    });
    const extras = [sat, seat].map(({ code, quantity }) => ({ extra_id: code, quantity }));
    expect(kindsOf(two, patched({ extras, coverages: ['CDW', 'PAI'] }, two))).toEqual([]);
  });

  it('null removes the member instead of emptying it', () => {
    const { personal } = patched({ driver: { phone: null, address: null }, arrival: null, remark: null });
    expect([
      'arrival' in personal,
      'remark' in personal,
      'phone' in personal.driver,
      'address' in personal.driver,
    ]).toEqual([false, false, false, false]);
    expect(samplePersonal.driver.phone).toBeDefined();
  });

  it.each([{}, { accepted_total: undefined }])('%j is rejected: it changes nothing', (body) => {
    expect(refused(() => patched(body))).toMatchObject({ reason: 'invalid_request' });
  });

  it('cannot remove the arrival of a later pickup', () => {
    const later = reservationIn('confirmed', { rental: { ...sampleRental, pickupLater: true } });
    expect(refused(() => patched({ arrival: null }, later))).toMatchObject({ field: 'arrival' });
    expect(refused(() => patched({ arrival: null, pickup_later: false }, later))).toBeUndefined();
    expect(refused(() => patched({ arrival }, later))).toBeUndefined();
  });
});

describe('a PUT', () => {
  it('keeps the renter, arrival and remark and replaces the choices', () => {
    expect(put({})).toEqual({
      personal: samplePersonal,
      age: sampleRental.age,
      extras: undefined,
      coverages: undefined,
      pickupLater: false,
    });
    expect(
      put({
        arrival,
        remark: 'new',
        extras: [{ extra_id: 'GPS', quantity: 1 }],
        coverages: ['CDW'],
        pickup_later: true,
      }),
    ).toEqual({
      personal: { ...samplePersonal, arrival: { carrierCode: 'LH', flightNumber: '422' }, remark: 'new' },
      age: sampleRental.age,
      extras: [{ code: 'GPS', quantity: 1 }],
      coverages: ['CDW'],
      pickupLater: true,
    });
  });

  it('with a later pickup requires an arrival, given now or before', () => {
    expect(refused(() => put({ pickup_later: true }))).toBeUndefined();
    const { arrival: _arrival, ...personal } = samplePersonal;
    const without = { ...reservation, personal };
    expect(refused(() => changeOfPut(without, putBody.parse({ offer_id: 'off_x', pickup_later: true })))).toMatchObject(
      {
        field: 'arrival',
      },
    );
  });
});

it('a reservation cannot be changed after its personal data was erased', () => {
  const { personal: _erased, ...erased } = reservation;
  for (const run of [() => patched({ remark: 'x' }, erased), () => put({}, erased)]) {
    expect(refused(run)).toMatchObject({ cause: 'not_changeable' });
  }
});

describe('pricing a reservation again', () => {
  it('never expires and starts from the agreed price and choices', () => {
    expect(pricedAgain(reservation)).toMatchObject({
      application: 'app_a',
      supplier: 'uno',
      brand: 'Uno',
      ref: sampleRental.ref,
      total: sampleRental.total,
      extras: sampleRental.extras,
      coverages: ['PAI'],
      search: ['BOS', 'JFK', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 36],
    });
    expect(pricedAgain(reservation).expiresAt * 1_000).toBeGreaterThan(Date.now());
    expect(pricedAgain(reservation)).not.toHaveProperty('display');
  });

  it('knows which choices are paid besides the total', () => {
    expect(pricedAgain(reservation).besides).toEqual([]);
    const [{ extra_id: code } = { extra_id: '' }] = reservation.view.selected_extras;
    const item = {
      ...{ kind: 'equipment' as const, code, description: 'Seat', amount: { amount: '20.00', currency: 'USD' } },
      ...{ unit: 'rental' as const, quantity: 1, mandatory: false, included_in_total: false },
      payable: 'counter' as const,
    };
    const view = { ...reservation.view, price: { ...reservation.view.price, items: [item] } };
    expect(pricedAgain({ ...reservation, view }).besides).toEqual([code]);
  });

  it.each([
    [
      'converted',
      { rate: '0.5', as_of: '2026-12-01', source: 'ECB' },
      { rate: '0.5', asOf: '2026-12-01', source: 'ECB' },
    ],
    [
      'converted at a stale rate',
      { rate: '2', as_of: '2026-12-01', source: 'ECB', stale: true },
      { rate: '2', asOf: '2026-12-01', source: 'ECB', stale: true },
    ],
  ])('keeps the rate of a price that was %s', (_how, shown, locked) => {
    const view = { ...reservation.view, price: { ...reservation.view.price, display: displayed(shown) } };
    expect(pricedAgain({ ...reservation, view }).display).toEqual({
      currency: 'EUR',
      locked: { from: sampleRental.total.currency, to: 'EUR', ...locked },
    });
  });

  it('keeps only the currency of a price that its supplier converted', () => {
    const view = {
      ...reservation.view,
      price: { ...reservation.view.price, display: displayed({ source: 'supplier' }) },
    };
    expect(pricedAgain({ ...reservation, view }).display).toEqual({ currency: 'EUR' });
  });
});
