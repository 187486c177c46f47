import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { BookingLedger, type SimulatedBooking } from './bookings.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const booking: SimulatedBooking = {
  confirmation: 'AL1',
  reference: 'res_1',
  status: 'confirmed',
  brand: 'Alpine',
  firstName: 'Ada',
  lastName: 'Sample',
  pickupCode: 'BOS',
  dropoffCode: 'BOS',
  pickupDate: '2027-05-01T10:00:00',
  dropoffDate: '2027-05-04T10:00:00',
  sippCode: 'ECAR',
  rateCode: 'L1',
  prepaid: false,
  age: 35,
  countryCode: 'US',
  currency: 'USD',
  total: 20_000,
  extras: [],
  coverages: [],
  createdAt: 0,
};

describe('BookingLedger', () => {
  it('finds bookings by number, by reference, and by renter and pickup', () => {
    const ledger = new BookingLedger(() => 0);
    ledger.put(booking);
    ledger.put({ ...booking, confirmation: 'AL2', reference: 'res_2', pickupDate: '2027-05-02T10:00:00' });
    expect(ledger.byConfirmation('AL2')?.reference).toBe('res_2');
    expect(ledger.byReference('res_1').map((row) => row.confirmation)).toEqual(['AL1']);
    expect(ledger.byRenter('SAMPLE', '2027-05-01T10:00:00', 'BOS').map((row) => row.confirmation)).toEqual(['AL1']);
    expect(ledger.size).toBe(2);
  });

  it.each<[string, (digits: string) => string]>([
    ['with four digits', (digits) => `AL${digits.slice(-4)}`],
    ['with one digit', (digits) => `AL${digits.slice(-1)}`],
    ['without digits', () => 'XKQJZP'],
  ])('never returns a number twice, even for a format %s', (_title, form) => {
    const ledger = new BookingLedger(() => 0);
    const numbers = new Set<string>();
    for (let count = 0; count < 500; count += 1) {
      const confirmation = ledger.freshNumber(form);
      numbers.add(confirmation);
      ledger.put({ ...booking, confirmation });
    }
    expect(numbers.size).toBe(500);
  });

  it('is restored after a restart, even if the process was killed while writing a line', () => {
    const file = join(folder, 'books', 'alpine.jsonl');
    const first = new BookingLedger(() => 0, file);
    first.put(booking);
    first.put({ ...booking, status: 'cancelled' });
    appendFileSync(file, '{"confirmation":"AL9","ref');
    const second = new BookingLedger(() => 0, file);
    expect(second.all()).toEqual([{ ...booking, status: 'cancelled' }]);
  });

  it('releases expired holds and never counts holds as bookings', () => {
    let now = 0;
    const ledger = new BookingLedger(() => now);
    ledger.put({ ...booking, status: 'held', expiresAt: 600_000 });
    expect(ledger.byConfirmation('AL1')?.status).toBe('held');
    now = 600_000;
    expect(ledger.byConfirmation('AL1')?.status).toBe('released');
    expect(ledger.size).toBe(0);
  });

  it.each([
    ['Sample', 'confirmed'],
    ['Rejected', 'rejected'],
  ])('decides an on-request booking of %s after a while: %s', (lastName, status) => {
    let now = 0;
    const ledger = new BookingLedger(() => now);
    ledger.put({ ...booking, lastName, status: 'on_request' });
    expect(ledger.byConfirmation('AL1')?.status).toBe('on_request');
    now = 5_000;
    expect(ledger.byConfirmation('AL1')?.status).toBe(status);
  });
});
