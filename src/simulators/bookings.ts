import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hashText } from './random.js';

/** A booking in a simulated supplier's book: neutral, the dialect writes it in its own words. Amounts are minor units of `currency`. */
export interface SimulatedBooking {
  /** The supplier's number; of a hold, the hold's id until it is confirmed. */
  readonly confirmation: string;
  /** The reference the gateway gave; '' when the dialect carried none. */
  readonly reference: string;
  readonly status: 'held' | 'confirmed' | 'on_request' | 'cancelled' | 'rejected' | 'released';
  readonly brand: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email?: string;
  readonly phone?: string;
  readonly pickupCode: string;
  readonly dropoffCode: string;
  /** Wall clock, `YYYY-MM-DDTHH:mm:ss`. */
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly sippCode: string;
  readonly rateCode: string;
  readonly prepaid: boolean;
  readonly age: number;
  readonly countryCode: string;
  readonly currency: string;
  readonly total: number;
  readonly extras: readonly { readonly code: string; readonly quantity: number }[];
  readonly coverages: readonly string[];
  readonly flight?: string;
  readonly remark?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Of a hold: when it falls away. */
  readonly expiresAt?: number;
}

/** After so many numbers that are taken: a form may have few, or (no digit in it) one only. */
const TRIES_OF_A_FORM = 100;

/** How long a supplier of the simulated world takes to accept a request by hand. */
const ON_REQUEST_MS = 5_000;

/** Last name of a renter whom no supplier of the simulated world accepts on request. */
export const REJECTED_LAST_NAME = 'rejected';

/** The one card that simulated suppliers decline. */
export const DECLINED_CARD = '4000000000000002';

/**
 * The book of one simulated supplier: bookings are really kept, so that a double one can be counted. With `file` every change is appended to
 * it (a JSON line) before the call returns, and read back at the start: the book survives its process.
 */
export class BookingLedger {
  readonly #byConfirmation = new Map<string, SimulatedBooking>();

  constructor(
    private readonly now: () => number,
    private readonly file?: string,
  ) {
    if (file === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      // A process killed in the middle of a line leaves half of it.
      const booking = parsed(line);
      if (booking) this.#byConfirmation.set(booking.confirmation, booking);
    }
  }

  /** A number that no booking of this book has; `form` makes it from 10 digits. They stand behind it where the form has hardly a number left. */
  freshNumber(form: (digits: string) => string): string {
    for (let attempt = 0; ; attempt += 1) {
      const digits = String(hashText(this.#byConfirmation.size + attempt, `booking ${this.now()}`)).padStart(10, '0');
      const number = attempt < TRIES_OF_A_FORM ? form(digits) : form(digits) + digits;
      if (!this.#byConfirmation.has(number)) return number;
    }
  }

  /** Enters a booking, or replaces the one with its confirmation. */
  put(booking: SimulatedBooking): SimulatedBooking {
    this.#byConfirmation.set(booking.confirmation, booking);
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(booking)}\n`);
    return booking;
  }

  /** The booking as it is now: a hold whose time is over is released, a request is accepted (or not) after a while. */
  byConfirmation(confirmation: string): SimulatedBooking | undefined {
    const booking = this.#byConfirmation.get(confirmation);
    return booking && this.#aged(booking);
  }

  /** All bookings with our reference, in the order they were made, holds and cancelled ones included. */
  byReference(reference: string): readonly SimulatedBooking[] {
    return this.all().filter((booking) => booking.reference === reference);
  }

  /** By renter and pickup, as OTA_VehRetResRQ asks; last name in any case. */
  byRenter(lastName: string, pickupDate: string, pickupCode: string): readonly SimulatedBooking[] {
    const name = lastName.toLowerCase();
    return this.all().filter(
      (booking) =>
        booking.lastName.toLowerCase() === name &&
        booking.pickupDate === pickupDate &&
        booking.pickupCode === pickupCode,
    );
  }

  /** Everything ever booked, in the order it was made. */
  all(): readonly SimulatedBooking[] {
    return [...this.#byConfirmation.values()].map((booking) => this.#aged(booking));
  }

  /** How many bookings were made; a hold that was never confirmed is none. */
  get size(): number {
    let count = 0;
    for (const { status } of this.#byConfirmation.values()) if (status !== 'held' && status !== 'released') count += 1;
    return count;
  }

  #aged(booking: SimulatedBooking): SimulatedBooking {
    const { status, expiresAt, createdAt, lastName } = booking;
    if (status === 'held' && expiresAt !== undefined && expiresAt <= this.now())
      return this.put({ ...booking, status: 'released' });
    if (status === 'on_request' && createdAt + ON_REQUEST_MS <= this.now()) {
      return this.put({ ...booking, status: lastName.toLowerCase() === REJECTED_LAST_NAME ? 'rejected' : 'confirmed' });
    }
    return booking;
  }
}

function parsed(line: string): SimulatedBooking | undefined {
  if (line === '') return undefined;
  try {
    return JSON.parse(line) as SimulatedBooking;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
