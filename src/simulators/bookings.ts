import { hashText } from './random.js';

/** A booking kept by a simulated supplier, independent of any dialect. Amounts are minor units of `currency`. */
export interface SimulatedBooking {
  /** The supplier's number; for a hold, the hold's id until it is confirmed. */
  readonly confirmation: string;
  /** The gateway's reference; '' if the dialect does not carry one. */
  readonly reference: string;
  readonly status: 'held' | 'confirmed' | 'on_request' | 'cancelled' | 'rejected' | 'released';
  readonly brand: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email?: string;
  readonly phone?: string;
  readonly pickupCode: string;
  readonly dropoffCode: string;
  /** Local time, `YYYY-MM-DDTHH:mm:ss`. */
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly sippCode: string;
  readonly rateCode: string;
  /** By how much its base price differs from the usual one, in percent. Absent = unknown. */
  readonly ratePercents?: { readonly pricePercent: number; readonly discountPercent: number };
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
  /** When a hold expires. */
  readonly expiresAt?: number;
  /** The gateway's account that made it (`x-sim-account`); absent if the call named none. */
  readonly account?: string;
}

/** What the headers of a call say beyond its dialect. */
export interface SimulatedCaller {
  /** The time by its test clock in epoch milliseconds; absent = real time. */
  readonly time?: number;
  readonly account?: string;
}

const ENDED: ReadonlySet<SimulatedBooking['status']> = new Set(['cancelled', 'rejected', 'released']);

/** Attempts before giving up on a number format, which may have few numbers left, or (without digits) only one. */
const TRIES_OF_A_FORM = 100;

/** The most bookings that a simulated supplier keeps: some 20 MB. */
const MOST_BOOKINGS = 20_000;

/** How long a simulated supplier takes to decide on-request bookings. */
const ON_REQUEST_MS = 5_000;

/** Last name of a renter whose on-request bookings every simulated supplier rejects. */
export const REJECTED_LAST_NAME = 'rejected';

/** Last name of a renter whose on-request bookings no simulated supplier decides. */
export const UNDECIDED_LAST_NAME = 'undecided';

/** Last name of a renter whose extras the simulated suppliers that can say so have only on request at first. */
export const REQUESTED_LAST_NAME = 'requested';

/** The card number that simulated suppliers decline. */
export const DECLINED_CARD = '4000000000000002';

/** Keeps bookings while the process doesn't run. */
export interface BookingFile {
  /** Changes that it has, including replaced ones. */
  readonly length: number;
  /** The last state of each booking, in order of creation, except those that ended long before `now` (epoch ms). */
  restore(now: number): readonly SimulatedBooking[];
  /** Keeps the new state of a booking before it returns. */
  append(booking: SimulatedBooking): void;
  /** Keeps these bookings and nothing else. */
  replace(bookings: Iterable<SimulatedBooking>): void;
  /** The same in parts, between which other work runs. What is appended meanwhile is kept as well. */
  rewrite(bookings: () => Iterable<SimulatedBooking>): Promise<void>;
}

/** What identifies a booking that has a renter. */
export type RentedBooking = Pick<SimulatedBooking, 'confirmation' | 'reference' | 'createdAt'>;

/** How long a booking is kept after the return of the car. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Whether a booking is no longer kept at `now` (epoch ms). */
export function isOutdated({ dropoffDate }: SimulatedBooking, now: number): boolean {
  return dropoffDate < new Date(now - KEPT_DAYS * DAY_MS).toISOString();
}

/**
 * The bookings of one simulated supplier, kept so that tests can detect a duplicate. With `file`, every change is
 * appended to it before the call returns, and the file is read at the start, so that bookings survive a restart. Beyond
 * 20,000 bookings (`most`), the account that has most of them loses one: its oldest completed one (cancelled, rejected,
 * released, or returned), or its oldest if there is none.
 */
export class BookingLedger {
  readonly #byConfirmation = new Map<string, SimulatedBooking>();
  /** Bookings that were ever added: numbers of forgotten ones aren't used again soon. */
  #added: number;
  /** How many bookings each account has; '' = no account. */
  readonly #counts = new Map<string, number>();
  /** Whose call `during` runs. */
  #caller: SimulatedCaller = {};
  /** Whether the file has something that was forgotten. */
  #isStale = false;

  constructor(
    private readonly clock: () => number,
    private readonly file?: BookingFile,
    private readonly most = MOST_BOOKINGS,
  ) {
    for (const booking of file?.restore(clock()) ?? []) this.#set(booking);
    this.#added = this.#byConfirmation.size;
    this.#forgetOldest();
    if (file && file.length !== this.#byConfirmation.size) file.replace(this.#byConfirmation.values());
  }

  /**
   * An unused booking number; `form` makes it from 10 digits, which are appended if the format has hardly any number
   * left.
   */
  freshNumber(form: (digits: string) => string): string {
    for (let attempt = 0; ; attempt += 1) {
      const digits = String(hashText(this.#added + attempt, `booking ${this.clock()}`)).padStart(10, '0');
      const number = attempt < TRIES_OF_A_FORM ? form(digits) : form(digits) + digits;
      if (!this.#byConfirmation.has(number)) return number;
    }
  }

  /** Epoch milliseconds: real time, or that of the call in `during`. */
  now(): number {
    return this.#caller.time ?? this.clock();
  }

  /** The extras of a booking that aren't confirmed yet. */
  openExtras({ extras, lastName, createdAt }: SimulatedBooking): SimulatedBooking['extras'] {
    const isOpen = lastName.toLowerCase() === REQUESTED_LAST_NAME && createdAt + ON_REQUEST_MS > this.now();
    return isOpen ? extras : [];
  }

  /** Runs a caller's synchronous call. Only the bookings that it reads feel its time; those that it adds belong to its account. */
  during<T>(caller: SimulatedCaller, call: () => T): T {
    this.#caller = caller;
    try {
      return call();
    } finally {
      this.#caller = {};
    }
  }

  /** Adds a booking, or replaces the one with the same confirmation, whose account keeps it. */
  put(given: SimulatedBooking): SimulatedBooking {
    const previous = this.#byConfirmation.get(given.confirmation);
    const account = previous ? previous.account : this.#caller.account;
    const booking = account === undefined ? given : { ...given, account };
    if (!previous) this.#added += 1;
    this.#set(booking);
    this.file?.append(booking);
    this.#forgetOldest();
    // Rarely, because it takes a tenth of a second.
    if (this.file && this.file.length > 3 * this.most) this.file.replace(this.#byConfirmation.values());
    return booking;
  }

  #set(booking: SimulatedBooking): void {
    if (!this.#byConfirmation.has(booking.confirmation)) this.#count(booking, 1);
    this.#byConfirmation.set(booking.confirmation, booking);
  }

  #count({ account = '' }: SimulatedBooking, change: 1 | -1): void {
    const count = (this.#counts.get(account) ?? 0) + change;
    if (count > 0) this.#counts.set(account, count);
    else this.#counts.delete(account);
  }

  /** The booking in its current state: expired holds are released, on-request bookings decided after a while. */
  byConfirmation(confirmation: string): SimulatedBooking | undefined {
    const booking = this.#byConfirmation.get(confirmation);
    return booking && this.#aged(booking);
  }

  /** All bookings with a reference in order of creation, including holds and cancelled ones. */
  byReference(reference: string): readonly SimulatedBooking[] {
    return this.#aging((booking) => booking.reference === reference);
  }

  /** Bookings of a renter by pickup, as in OTA_VehRetResRQ; ignores the case of the last name. */
  byRenter(lastName: string, pickupDate: string, pickupCode: string): readonly SimulatedBooking[] {
    const name = lastName.toLowerCase();
    return this.#aging(
      (booking) =>
        booking.lastName.toLowerCase() === name &&
        booking.pickupDate === pickupDate &&
        booking.pickupCode === pickupCode,
    );
  }

  /** All bookings in order of creation. */
  all(): readonly SimulatedBooking[] {
    return this.#aging(() => true);
  }

  /** Those that fit, in their current states. The others don't age: the time of a call is that of one application. */
  #aging(fits: (booking: SimulatedBooking) => boolean): readonly SimulatedBooking[] {
    return [...this.#byConfirmation.values()].filter(fits).map((booking) => this.#aged(booking));
  }

  /** The bookings whose renter is known, including those that ended. */
  rented(): readonly RentedBooking[] {
    return [...this.#byConfirmation.values()].filter(hasRenter);
  }

  /**
   * Forgets the renters of the bookings with these numbers, and bookings that are no longer kept. Then neither is in the file, which
   * keeps earlier states of a booking otherwise. Rejects if the file can't be written: it is tried again with the next call.
   */
  async forget(renters: readonly string[] = []): Promise<void> {
    const now = this.clock();
    for (const number of renters) {
      const booking = this.#byConfirmation.get(number);
      if (!booking || !hasRenter(booking)) continue;
      const { email: _email, phone: _phone, flight: _flight, remark: _remark, ...rest } = booking;
      this.#byConfirmation.set(number, { ...rest, firstName: '', lastName: '' });
      this.#isStale = true;
    }
    for (const booking of this.#byConfirmation.values()) if (isOutdated(booking, now)) this.#drop(booking);
    if (!this.file || (!this.#isStale && this.file.length === this.#byConfirmation.size)) return;
    await this.file
      .rewrite(() => {
        this.#isStale = false;
        return this.#byConfirmation.values();
      })
      .catch((error: unknown) => {
        this.#isStale = true;
        throw error;
      });
  }

  /** The number of bookings, without holds that were never confirmed. */
  get size(): number {
    let count = 0;
    for (const { status } of this.#byConfirmation.values()) if (status !== 'held' && status !== 'released') count += 1;
    return count;
  }

  #forgetOldest(): void {
    const today = new Date(this.clock()).toISOString();
    while (this.#byConfirmation.size > this.most) {
      const [most] = [...this.#counts].reduce((top, one) => (one[1] > top[1] ? one : top));
      let forgotten: SimulatedBooking | undefined;
      for (const booking of this.#byConfirmation.values()) {
        if ((booking.account ?? '') !== most) continue;
        forgotten ??= booking;
        if (!ENDED.has(booking.status) && booking.dropoffDate >= today) continue;
        forgotten = booking;
        break;
      }
      if (!forgotten) return;
      this.#drop(forgotten);
    }
  }

  #drop(booking: SimulatedBooking): void {
    this.#byConfirmation.delete(booking.confirmation);
    this.#count(booking, -1);
  }

  #aged(booking: SimulatedBooking): SimulatedBooking {
    const { status, expiresAt, createdAt, lastName } = booking;
    if (status === 'held' && expiresAt !== undefined && expiresAt <= this.now())
      return this.put({ ...booking, status: 'released' });
    const name = lastName.toLowerCase();
    const isDecided = createdAt + ON_REQUEST_MS <= this.now() && name !== UNDECIDED_LAST_NAME;
    if (status === 'on_request' && isDecided)
      return this.put({ ...booking, status: name === REJECTED_LAST_NAME ? 'rejected' : 'confirmed' });
    return booking;
  }
}

function hasRenter({ firstName, lastName, email, phone, flight, remark }: SimulatedBooking): boolean {
  return [firstName, lastName, email, phone, flight, remark].some((text) => text !== undefined && text !== '');
}
