import { describe, expect, it } from '@jest/globals';
import type { ModifyRequest, SupplierBooking } from './bookings.js';
import { showsChange } from './contradicted-refusal.js';

const stated: SupplierBooking = { status: 'confirmed', ref: {} };
const change = {
  confirmationNumber: 'AL1',
  pickupDate: '2031-05-01T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  extras: [{ code: 'CSI', quantity: 1 }],
  before: { pickupDate: '2031-05-01T10:00:00', dropoffDate: '2031-05-04T10:00:00', extras: [] },
} as unknown as ModifyRequest;

describe('a booking shows a change', () => {
  it('by its extras, in any capitals', () => {
    for (const code of ['CSI', 'csi'])
      expect(showsChange({ ...stated, extras: [{ code, quantity: 1 }] }, change)).toBe(true);
    expect(showsChange({ ...stated, extras: [{ code: 'CSI' }] }, change)).toBe(true);
    for (const extras of [[], [{ code: 'CSI', quantity: 2 }], [{ code: 'CSI' }, { code: 'GPS' }]])
      expect(showsChange({ ...stated, extras }, change)).toBe(false);
  });
});
