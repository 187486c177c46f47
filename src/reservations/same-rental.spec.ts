import { describe, expect, it } from '@jest/globals';
import type { ChargeKind, SupplierOffer } from '../model/offers.js';
import { sampleOffer, usd } from '../representations/fixtures/sample-offer.js';
import type { RentalView } from '../representations/rental-view.js';
import { ApiError } from '../status/api-error.js';
import { sampleRental, sampleView } from './fixtures/sample-reservation.js';
import type { Reservation } from './reservation.js';
import { refuseOtherRental, worseThanBooked } from './same-rental.js';

type Vehicle = Partial<RentalView['vehicle']>;
const paid = {
  ...{ code: undefined, description: 'Fees', amount: { amount: '5.00', currency: 'USD' }, unit: 'rental' as const },
  ...{ quantity: 1, mandatory: true, payable: 'counter' as const },
};
type Charged = readonly [kind: ChargeKind, minor: number];
const [YOUNG, AIRPORT, FEE]: readonly [Charged, Charged, Charged] = [
  ['young_driver', 500],
  ['airport', 6_000],
  ['fee', 6_000],
];
const besides = (amount: string) => [`${amount} USD must be paid besides the total`];
const BESIDES = besides('60.00');
const supplier = { id: 'uno', name: 'Uno Cars' };
const payment = { type: 'counter' as const };
const card: Reservation['payment'] = { type: 'card', lastFour: '1111' };
const booked: RentalView = { ...sampleView, vehicle: { ...sampleView.vehicle, sipp_code: 'ECAR' } };
const withVehicle = (vehicle: Vehicle): RentalView => ({ ...booked, vehicle: { ...booked.vehicle, ...vehicle } });
type Payment = RentalView['rate']['payment'];
const prepaid = (payment: Payment, due: string, currency = 'USD'): RentalView => ({
  ...booked,
  rate: { ...booked.rate, payment },
  price: { ...booked.price, due_now: { amount: due, currency } },
});
const at = (stay: RentalView['pickup'], code: string) => ({ ...stay, location: { ...stay.location, code } });

function refusal(priced: RentalView, before = booked) {
  try {
    refuseOtherRental(before, priced, supplier);
  } catch (error) {
    if (error instanceof ApiError) return error.problems;
    throw error;
  }
  return undefined;
}

describe('a PATCH of a rental that the supplier now prices as another one', () => {
  it.each<[string, RentalView]>([
    ['the vehicle class would change from ECAR to CDAR', withVehicle({ sipp_code: 'CDAR' })],
    ['the pickup location would change from BOST01 to BOST02', { ...booked, pickup: at(booked.pickup, 'BOST02') }],
    ['the dropoff location would change from BOST01 to JFKT01', { ...booked, dropoff: at(booked.dropoff, 'JFKT01') }],
    ['the payment would change from pay_later to pay_now', { ...booked, rate: { ...booked.rate, payment: 'pay_now' } }],
  ])('is a 400 offer_changed: %s', (difference, priced) => {
    expect(refusal(priced)).toEqual([
      {
        reason: 'invalid_request',
        cause: 'offer_changed',
        supplier: 'uno',
        details: `Uno Cars no longer offers this change for the booked rental: ${difference}. Nothing was changed. Keep the reservation as it is, or cancel it and create a new one.`,
      },
    ]);
  });

  it('names all differences', () => {
    const priced = { ...withVehicle({ sipp_code: 'CDAR' }), pickup: at(booked.pickup, 'BOST02') };
    expect(refusal(priced)?.[0]?.details).toContain('from ECAR to CDAR, the pickup location would change from BOST01');
  });

  it('names worse terms as well', () => {
    expect(() => refuseOtherRental(booked, booked, supplier, ['the deposit is 1.00 USD'])).toThrow(ApiError);
  });

  it('compares the class code if the supplier gives no SIPP code', () => {
    const before = withVehicle({ sipp_code: undefined, class_code: 'B' });
    expect(refusal(before, before)).toBeUndefined();
    expect(refusal(withVehicle({ sipp_code: undefined, class_code: 'C' }), before)?.[0]?.details).toContain(
      'from B to C',
    );
  });

  it('never compares names of classes', () => {
    const before = withVehicle({ sipp_code: undefined, class_name: 'Economy' });
    expect(refusal(withVehicle({ sipp_code: undefined, class_name: 'Economy or similar' }), before)).toBeUndefined();
  });
});

describe('the payment of a rental that is changed', () => {
  it.each<[string, RentalView, RentalView, string | undefined]>([
    ['all of what was a part', prepaid('pay_partial', '100.00'), prepaid('pay_now', '100.00'), undefined],
    ['a part of what was all', prepaid('pay_now', '100.00'), prepaid('pay_partial', '99.00'), undefined],
    ['a guarantee that is dropped', prepaid('guarantee', '0.00'), prepaid('pay_later', '0.00'), undefined],
    ['more now', prepaid('pay_partial', '99.00'), prepaid('pay_now', '100.00'), 'from pay_partial to pay_now'],
    ['another currency', prepaid('pay_now', '9.00'), prepaid('pay_partial', '9.00', 'EUR'), 'from pay_now'],
    ['a voucher', prepaid('pay_now', '9.00'), prepaid('voucher', '9.00'), 'from pay_now to voucher'],
  ])('may be called otherwise unless it is another one: %s', (_what, before, priced, difference) => {
    expect(refusal(priced, before)?.[0]?.details).toEqual(difference && expect.stringContaining(difference));
  });
});

describe('a PATCH of the same rental goes on', () => {
  it.each<[string, RentalView]>([
    ['unchanged', booked],
    ['another car of the class', withVehicle({ name: 'Another car', model: 'Other' })],
    ['a class that is left out', withVehicle({ sipp_code: undefined })],
    ['a location_id of other keys', withLocationId('loc_other')],
    ['another price', { ...booked, price: { ...booked.price, total: { amount: '999.00', currency: 'USD' } } }],
  ])('%s', (_case, priced) => {
    expect(refusal(priced)).toBeUndefined();
  });
});

describe('the price of other extras', () => {
  const view: RentalView = {
    ...booked,
    cancellation: { ...booked.cancellation, source: 'structured', refundable: true, free_until: '2027-01-30T10:00:00' },
    distance_policy: [{ unlimited: true, included: undefined, per: undefined, overage: undefined }],
    deposit: { amount: { amount: '200.00', currency: 'USD' }, taken_at: undefined },
  };
  const reservation = { payment, rental: sampleRental, view: { ...sampleView, ...view } };
  const offer: SupplierOffer = {
    ...sampleOffer,
    cancellation: { refundable: false, rules: [], source: 'structured' },
    distancePolicy: [{ unlimited: false, included: { value: 50, unit: 'km' }, per: 'day' }],
    deposit: { amount: usd(500_000) },
  };
  const request = { ...sampleRental, extras: [] };
  const deadline = Date.parse('2027-01-30T15:00:00Z');
  const limited = 'the distance is no longer unlimited';
  const secured = 'the deposit is 5000.00 USD';

  it.each<[string, readonly string[], number, Partial<SupplierOffer>, readonly string[]]>([
    ['worse', ['PAI'], deadline - 1, {}, ['cancelling is no longer free', limited, secured]],
    ['worse, after the free cancellation', ['PAI'], deadline, {}, [limited, secured]],
    ['a deposit for other coverages', [], deadline, {}, [limited]],
    ['nothing that is no longer stated', ['PAI'], 0, { ...sampleOffer, deposit: undefined as never }, []],
  ])('has terms: %s', (_what, coverages, now, stated, worse) => {
    expect(
      worseThanBooked(reservation, { offer: { ...offer, ...stated }, request: { ...request, coverages } }, now),
    ).toEqual(worse);
  });

  it('may raise a deposit that is a share of the total', () => {
    const deposit = { amount: { amount: '90.00', currency: 'USD' }, taken_at: undefined };
    const before = { payment, rental: { ...sampleRental, total: usd(30_000) }, view: { ...sampleView, deposit } };
    const seat = { ...sampleOffer, price: { ...sampleOffer.price, total: usd(32_000) } };
    const worse = (amount: number) =>
      worseThanBooked(before, { offer: { ...seat, deposit: { amount: usd(amount) } }, request: sampleRental }, 0);
    expect(worse(9_600)).toEqual([]);
    expect(worse(11_001)).toEqual(['the deposit is 110.01 USD']);
  });

  it('may be paid at the counter besides the total', () => {
    const item = { ...paid, kind: 'fee' as const, included_in_total: true };
    const bare = { ...sampleRental, extras: [] };
    const listed = {
      ...{ payment, rental: bare },
      view: { ...sampleView, price: { ...sampleView.price, items: [item] } },
    };
    const charge = { kind: 'other' as const, description: 'Child seat', unit: 'rental' as const, quantity: 1 };
    const items = [
      { ...charge, amount: usd(2_000), mandatory: true, includedInTotal: false, payable: 'counter' as const },
    ];
    const seat = { ...sampleOffer, price: { ...sampleOffer.price, items } };
    expect(worseThanBooked(listed, { offer: seat, request: sampleRental }, 0)).toEqual([]);
    const more = { ...seat, price: { ...seat.price, items: items.map((one) => ({ ...one, amount: usd(2_001) })) } };
    expect(worseThanBooked(listed, { offer: more, request: sampleRental }, 0)).toEqual([
      '20.01 USD must be paid besides the total',
    ]);
  });

  it.each<[string, string, number, number, readonly string[]]>([
    ['if an extra is added', 'GPS', 3_000, 3_300, []],
    ['but no more than ten percent', 'GPS', 3_000, 3_301, ['33.01 USD must be paid besides the total']],
    ['without limit if an extra is removed', '', 3_000, 9_000, []],
    ['but not be new, if an extra is removed', '', 0, 1, ['0.01 USD must be paid besides the total']],
  ])('may have risen since the booking: %s', (_what, extra, before, now, worse) => {
    const fee = { ...paid, kind: 'airport' as const, included_in_total: false };
    const price = { ...sampleView.price, items: [{ ...fee, amount: { amount: `${before / 100}`, currency: 'USD' } }] };
    const charge = { kind: 'airport' as const, description: 'Airport', unit: 'rental' as const, quantity: 1 };
    const item = { ...charge, amount: usd(now), mandatory: true, includedInTotal: false, payable: 'counter' as const };
    const extras = extra === '' ? [] : [...sampleRental.extras, { code: extra, quantity: 1 }];
    const booking = { payment, rental: sampleRental, view: { ...sampleView, price } };
    const offered = { ...sampleOffer, price: { ...sampleOffer.price, items: [item] } };
    expect(worseThanBooked(booking, { offer: offered, request: { ...sampleRental, extras } }, 0)).toEqual(worse);
  });

  it.each<[string, string, readonly Charged[], readonly Charged[], readonly string[], number?]>([
    ['a charge of the airport, beside another one', '', [YOUNG], [YOUNG, AIRPORT], BESIDES],
    ['and if an extra without a price is added', 'SNO', [YOUNG], [YOUNG, AIRPORT], BESIDES],
    ['and if it was free', '', [YOUNG, ['airport', 0]], [YOUNG, AIRPORT], BESIDES],
    ['one for a return elsewhere, beside the airport’s', '', [AIRPORT], [AIRPORT, ['one_way', 6_000]], BESIDES],
    ['no charge that was booked', '', [YOUNG, AIRPORT], [YOUNG, ['airport', 9_000]], []],
    ['none that was booked under another kind', '', [FEE], [AIRPORT], []],
    ['only what is more than that', '', [['fee', 3_000]], [['airport', 9_000]], BESIDES],
    ['one beside what was booked, however much the total rose', 'SNO', [FEE], [FEE, AIRPORT], BESIDES, 3],
    ['one beside most of what was booked', 'SNO', [FEE], [['fee', 5_990], AIRPORT], besides('59.90'), 3],
    ['one of a few percent', '', [YOUNG], [YOUNG, ['airport', 1]], besides('0.01')],
    ['none that was booked under another kind and rose with the total', 'SNO', [['fee', 3_000]], [AIRPORT], [], 3],
    ['no other kind of charge', '', [YOUNG], [YOUNG, ['fee', 6_000]], []],
  ])('refuses a new charge that no choice causes: %s', (_what, extra, before, now, worse, times = 1) => {
    const charge = { description: 'Charge', unit: 'rental' as const, quantity: 1, mandatory: true };
    const items = before.map(([kind, minor]) => ({
      ...{ ...paid, kind, included_in_total: false },
      amount: { amount: `${minor / 100}`, currency: 'USD' },
    }));
    const priced = now.map(([kind, minor]) => ({
      ...{ ...charge, kind, amount: usd(minor) },
      ...{ includedInTotal: false, payable: 'counter' as const },
    }));
    const extras = extra === '' ? [] : [...sampleRental.extras, { code: extra, quantity: 1 }];
    const booking = { payment, rental: sampleRental, view: { ...sampleView, price: { ...sampleView.price, items } } };
    const total = usd(sampleOffer.price.total.amountMinor * times);
    const offered = { ...sampleOffer, price: { ...sampleOffer.price, total, items: priced } };
    expect(worseThanBooked(booking, { offer: offered, request: { ...sampleRental, extras } }, 0)).toEqual(worse);
  });

  it('may list local charges, which earlier versions left out of what they stored', () => {
    const fee = { ...paid, kind: 'fee' as const, included_in_total: true };
    const local = { ...fee, amount: { amount: '1.00', currency: 'GBP' }, included_in_total: false };
    const charge = { kind: 'one_way' as const, description: 'One way', unit: 'rental' as const, quantity: 1 };
    const oneWay = { ...charge, mandatory: true, includedInTotal: false, payable: 'counter' as const };
    const worse = (booked: readonly (typeof fee)[], currency: string, lists?: true) => {
      const items = [{ ...oneWay, amount: { amountMinor: 2_500, currency } }];
      const before = {
        ...{ payment, rental: sampleRental },
        view: { ...sampleView, price: { ...sampleView.price, items: [...booked] }, lists_local: lists },
      };
      return worseThanBooked(
        before,
        { offer: { ...sampleOffer, price: { ...sampleOffer.price, items } }, request: sampleRental },
        0,
      );
    };
    expect(worse([fee], 'GBP')).toEqual([]);
    expect(worse([fee], 'GBP', true)).toEqual(['25.00 GBP must be paid besides the total']);
    expect(worse([fee], 'USD')).toEqual(['25.00 USD must be paid besides the total']);
    expect(worse([fee, local], 'CHF')).toEqual(['25.00 CHF must be paid besides the total']);
  });

  it.each<[string, Reservation['payment'], string, number, number, readonly string[]]>([
    ['the price of an extra', payment, '0.00', 12_000, 2_000, []],
    ['but no more than that', payment, '0.00', 12_000, 2_001, ['20.01 USD is due now']],
    ['with a card as guarantee', card, '0.00', 12_000, 2_001, ['20.01 USD is due now']],
    // After an extra was added, whose price is due at the counter.
    ['with a card, by which no more is paid', card, '80.00', 10_000, 10_000, []],
  ])('may be due now: %s', (_what, paying, before, total, now, worse) => {
    const price = { ...sampleView.price, due_now: { amount: before, currency: 'USD' } };
    const was = { payment: paying, rental: { ...sampleRental, total: usd(10_000) }, view: { ...sampleView, price } };
    const offered = { ...sampleOffer, price: { ...sampleOffer.price, total: usd(total), dueNow: usd(now) } };
    expect(worseThanBooked(was, { offer: offered, request: sampleRental }, 0)).toEqual(worse);
  });

  it('is compared with nothing that was not shown', () => {
    const bare = { payment, rental: sampleRental, view: sampleView };
    expect(worseThanBooked(bare, { offer, request }, 0)).toEqual([]);
  });
});

function withLocationId(locationId: string): RentalView {
  return { ...booked, pickup: { ...booked.pickup, location: { ...booked.pickup.location, location_id: locationId } } };
}
