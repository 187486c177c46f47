import { describe, expect, it } from '@jest/globals';
import type { RentalView } from '../representations/rental-view.js';
import { ApiError } from '../status/api-error.js';
import { sampleView } from './fixtures/sample-reservation.js';
import { refuseOtherRental } from './same-rental.js';

type Vehicle = Partial<RentalView['vehicle']>;
const supplier = { id: 'uno', name: 'Uno Cars' };
const booked: RentalView = { ...sampleView, vehicle: { ...sampleView.vehicle, sipp_code: 'ECAR' } };
const withVehicle = (vehicle: Vehicle): RentalView => ({ ...booked, vehicle: { ...booked.vehicle, ...vehicle } });
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

  it.each<[string, Vehicle]>([
    ['class_code', { sipp_code: undefined, class_code: 'B' }],
    ['class_name', { sipp_code: undefined, class_name: 'B' }],
  ])('compares %s if the supplier gives no SIPP code', (form, vehicle) => {
    const before = withVehicle(vehicle);
    expect(refusal(before, before)).toBeUndefined();
    expect(refusal(withVehicle({ ...vehicle, [form]: 'C' }), before)?.[0]?.details).toContain('from B to C');
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

function withLocationId(locationId: string): RentalView {
  return { ...booked, pickup: { ...booked.pickup, location: { ...booked.pickup.location, location_id: locationId } } };
}
