import type { BookingKey, BookRequest, SupplierBooking } from '../model/bookings.js';
import { isClearRefusal, type SupplierAdapter } from '../model/supplier.js';
import type { Ended } from './ended.js';
import { type Play, pass } from './fault-server.js';
import type { Findings, Questions } from './operations.js';

/** Calls to the supplier under test. */
interface KitCalls {
  readonly adapter: SupplierAdapter;
  played<O extends 'retrieve' | 'cancel'>(
    operation: O,
    play: Play,
    question: Questions[O],
  ): Promise<Ended<Findings[O]>>;
}

/** The bookings that the kit requested. */
export class KitBookings {
  /** Requests to book that were sent, by reference; with a number if they were answered, without one if their outcome is unknown. */
  readonly #requested = new Map<string, BookingKey>();

  constructor(private readonly bench: KitCalls) {}

  /** Records a request to book, before it is sent and once it is finished, so that clearUp misses none, whatever its case makes of it. */
  requested(request: BookRequest, ended?: Ended<SupplierBooking>): void {
    if (ended?.error && ended.bug === undefined && isClearRefusal(ended.error))
      this.#requested.delete(request.reference);
    else this.#requested.set(request.reference, keyOf(request, ended?.items?.[0]));
  }

  /** Cancels all bookings of the kit. Returns the numbers of those that could not be cancelled, and the references of those that may exist. */
  async clearUp(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const key of this.#requested.values()) {
      const found = key.confirmationNumber === undefined ? await this.#lookUp(key) : [key];
      if (!found) left.push(`${key.reference} (it is not known whether it was booked)`);
      for (const one of found ?? []) {
        const { items } = await this.bench.played('cancel', pass, one);
        if (!items) left.push(one.confirmationNumber ?? one.reference);
      }
    }
    return left;
  }

  /** The active bookings of a reference; undefined if the supplier doesn't find them, or doesn't answer. */
  async #lookUp(key: BookingKey): Promise<readonly BookingKey[] | undefined> {
    const { retrieve, booking: traits } = this.bench.adapter;
    if (!retrieve || !traits?.findsByReference) return undefined;
    const { items } = await this.bench.played('retrieve', pass, key);
    return items
      ?.filter(({ status }) => status === 'confirmed' || status === 'on_request')
      .map(({ confirmationNumber, ref }) => ({
        ...key,
        ref: { ...key.ref, ...ref },
        ...(confirmationNumber === undefined ? {} : { confirmationNumber }),
      }));
  }
}

/** The key of a booking for later calls, built like the engine's. */
export function keyOf(request: BookRequest, booking?: SupplierBooking): BookingKey {
  const { brand, reference, driver, pickup, pickupDate, ref } = request;
  return {
    brand,
    reference,
    firstName: driver.firstName,
    lastName: driver.lastName,
    pickup,
    pickupDate,
    ref: { ...ref, ...booking?.ref },
    ...(booking?.confirmationNumber === undefined ? {} : { confirmationNumber: booking.confirmationNumber }),
  };
}
