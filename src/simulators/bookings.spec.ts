import { createSecretKey, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { BookingLedger, type SimulatedBooking } from './bookings.js';
import { LedgerFile } from './ledger-file.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEY = createSecretKey(randomBytes(32));
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
    const ledger = () => new BookingLedger(() => 0, new LedgerFile(file, [KEY]));
    const first = ledger();
    first.put(booking);
    first.put({ ...booking, status: 'cancelled' });
    appendFileSync(file, 'aGFsZiBhIGxpbmU');
    expect([ledger().all(), ledger().all()]).toEqual([
      [{ ...booking, status: 'cancelled' }],
      [{ ...booking, status: 'cancelled' }],
    ]);
  });

  it('keeps at most 20,000 bookings by default, and forgets the oldest completed one, or the oldest if there is none', () => {
    const now = Date.parse('2027-05-02T00:00:00Z');
    const few = new BookingLedger(() => now, undefined, 3);
    const put = (confirmation: string, more: Partial<SimulatedBooking> = {}) =>
      few.put({ ...booking, confirmation, ...more });
    const kept = () => few.all().map(({ confirmation }) => confirmation);
    put('A');
    put('B', { dropoffDate: '2027-05-01T10:00:00' });
    put('C', { status: 'cancelled' });
    put('D');
    expect(kept()).toEqual(['A', 'C', 'D']);
    put('E');
    expect(kept()).toEqual(['A', 'D', 'E']);
    put('A', { total: 1 });
    put('F');
    expect(kept()).toEqual(['D', 'E', 'F']);
    const many = new BookingLedger(() => now);
    for (let count = 0; count < 20_005; count += 1) many.put({ ...booking, confirmation: `N${count}` });
    expect(many.size).toBe(20_000);
  });

  it('takes room from the account that has most bookings, so that others keep theirs', () => {
    const file = join(folder, 'books', 'shared.jsonl');
    const ledger = () => new BookingLedger(() => 0, new LedgerFile(file, [KEY]), 4);
    const few = ledger();
    const put = (account: string, ...confirmations: string[]) => {
      for (const confirmation of confirmations)
        few.during({ account }, () => few.put({ ...booking, confirmation, status: 'confirmed' }));
    };
    const kept = () => few.all().map(({ confirmation }) => confirmation);
    put('acc_small', 'S1', 'S2');
    put('acc_large', 'L1', 'L2', 'L3', 'L4', 'L5');
    expect(kept()).toEqual(['S1', 'S2', 'L4', 'L5']);
    // A booking belongs to the account that made it, even if another one changes it.
    put('acc_large', 'S2');
    put('acc_small', 'S3');
    expect(kept()).toEqual(['S2', 'L4', 'L5', 'S3']);
    expect(ledger().all()).toEqual(few.all());
  });

  it('never reuses the number of a forgotten booking at the same instant', () => {
    const ledger = new BookingLedger(() => 0, undefined, 2);
    const numbers = Array.from(
      { length: 50 },
      () => ledger.put({ ...booking, confirmation: ledger.freshNumber((digits) => digits) }).confirmation,
    );
    expect(new Set(numbers).size).toBe(50);
  });

  it('rewrites its file when most of it is replaced, and restores no more than it keeps', () => {
    const file = join(folder, 'bounded', 'alpine.jsonl');
    const ledger = (most: number) => new BookingLedger(() => 0, new LedgerFile(file, [KEY]), most);
    const first = ledger(3);
    for (let count = 0; count < 50; count += 1) {
      first.put({ ...booking, confirmation: `N${count}` });
      expect(readFileSync(file, 'utf8').split('\n').length - 1).toBeLessThanOrEqual(9);
    }
    expect(
      ledger(3)
        .all()
        .map(({ confirmation }) => confirmation),
    ).toEqual(['N47', 'N48', 'N49']);
    expect(ledger(1).all()).toHaveLength(1);
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

  it('decides by the time of a call only what the call reads, and never for Undecided', () => {
    const ledger = new BookingLedger(() => 0);
    for (const [confirmation, lastName] of [
      ['AL1', 'Sample'],
      ['AL2', 'Sample'],
      ['AL3', 'Undecided'],
    ] as const)
      ledger.put({ ...booking, confirmation, reference: confirmation, lastName, status: 'on_request' });
    const statuses = (reference: string) => ledger.byReference(reference).map(({ status }) => status);
    expect(ledger.during({ time: 5_000 }, () => [ledger.now(), statuses('AL1'), statuses('AL3')])).toEqual([
      5_000,
      ['confirmed'],
      ['on_request'],
    ]);
    expect([ledger.now(), statuses('AL1'), statuses('AL2')]).toEqual([0, ['confirmed'], ['on_request']]);
    expect(() =>
      ledger.during({ time: 5_000 }, () => {
        throw new Error('a call that fails');
      }),
    ).toThrow('a call that fails');
    expect(ledger.now()).toBe(0);
  });
});

describe('the file of a ledger', () => {
  const RENTER = { firstName: 'Philippinella', lastName: 'Quixotesample', email: 'p.q@hidden.example', remark: 'ring' };
  let count = 0;
  const fresh = (): string => join(folder, 'files', `supplier${++count}.jsonl`);

  claim(
    ['personal-data'],
    'Ledgers of simulated suppliers are encrypted, and only their owner can read the files.',
    () => {
      const file = fresh();
      new BookingLedger(() => 0, new LedgerFile(file, [KEY])).put({ ...booking, ...RENTER });
      const text = readFileSync(file, 'utf8');
      for (const value of Object.values(RENTER)) expect(text).not.toContain(value);
      expect(text).not.toContain('res_1');
      expect([statSync(file).mode & 0o777, statSync(join(folder, 'files')).mode & 0o777]).toEqual([0o600, 0o700]);
    },
  );

  it('of an earlier version, in plaintext and readable by all, is replaced by an encrypted one', () => {
    const file = fresh();
    new LedgerFile(file, [KEY]).restore(0);
    writeFileSync(file, `${JSON.stringify({ ...booking, ...RENTER })}\n`);
    chmodSync(file, 0o666);
    expect(new LedgerFile(file, [KEY]).restore(0)).toEqual([{ ...booking, ...RENTER }]);
    expect(readFileSync(file, 'utf8')).not.toContain('Quixotesample');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('forgets a booking thirty days after the return of the car', () => {
    const file = fresh();
    const ledger = new LedgerFile(file, [KEY]);
    ledger.restore(0);
    ledger.append(booking);
    expect(ledger.restore(Date.parse('2027-06-02T00:00:00Z'))).toHaveLength(1);
    expect(ledger.restore(Date.parse('2027-06-04T00:00:00Z'))).toEqual([]);
    expect(statSync(file).size).toBe(0);
  });

  it('with the key of the other secret is read, and written again with the own one', () => {
    const file = fresh();
    new LedgerFile(file, [KEY]).append(booking);
    const next = createSecretKey(randomBytes(32));
    expect(new LedgerFile(file, [next, KEY]).restore(0)).toEqual([booking]);
    expect(new LedgerFile(file, [next]).restore(0)).toEqual([booking]);
  });

  it('keeps what is booked while it is rewritten, and is as long as the list of bookings afterwards', async () => {
    const file = fresh();
    const ledger = new BookingLedger(() => 0, new LedgerFile(file, [KEY]));
    for (let count = 0; count < 1_200; count += 1) ledger.put({ ...booking, ...RENTER, confirmation: `N${count}` });
    const numbers = Array.from({ length: 600 }, (_, at) => `N${at}`);
    const forgotten = [ledger.forget(numbers), ledger.forget(['N700'])];
    ledger.put({ ...booking, confirmation: 'LATER' });
    await Promise.all(forgotten);
    expect(ledger.rented()).toHaveLength(1_200 - 601 + 1);
    expect(new BookingLedger(() => 0, new LedgerFile(file, [KEY])).all()).toEqual(ledger.all());
    expect(readFileSync(file, 'utf8').match(/\n/g)).toHaveLength(1_201);
  });

  it('is written again after a failure', async () => {
    const file = fresh();
    const ledger = new BookingLedger(() => 0, new LedgerFile(file, [KEY]));
    ledger.put({ ...booking, ...RENTER });
    mkdirSync(`${file}.new`);
    await expect(ledger.forget(['AL1'])).rejects.toThrow('EISDIR');
    rmSync(`${file}.new`, { recursive: true });
    await ledger.forget();
    expect(new LedgerFile(file, [KEY]).restore(0)).toMatchObject([{ confirmation: 'AL1', lastName: '' }]);
  });

  it('with another key is neither read nor overwritten', () => {
    const file = fresh();
    const ledger = new LedgerFile(file, [KEY]);
    ledger.restore(0);
    ledger.append(booking);
    expect(new LedgerFile(file, [createSecretKey(randomBytes(32))]).restore(0)).toEqual([]);
    expect(ledger.restore(0)).toEqual([booking]);
    expect(existsSync(`${file}.new`)).toBe(false);
    const other = new LedgerFile(file, [createSecretKey(randomBytes(32))]);
    other.restore(0);
    other.append({ ...booking, confirmation: 'AL2' });
    other.replace([]);
    expect(readFileSync(file, 'utf8').match(/\n/g)).toHaveLength(1);
    expect(ledger.restore(0)).toEqual([booking]);
  });
});
