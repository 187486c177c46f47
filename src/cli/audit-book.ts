import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { BookingKey, SupplierBooking } from '../model/bookings.js';
import { SupplierError } from '../model/supplier.js';
import { maskedText } from '../privacy/masked-text.js';
import type { Found, Intent } from '../reservations/audit-rules.js';
import { bookingKey, type Reservation } from '../reservations/reservation.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { isGuarded } from '../suppliers/resilience/address-guard.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';

/** Reads the bookings of one supplier for an audit; it changes nothing there. */
export class SupplierBook {
  readonly #connection: SupplierConnection | undefined;
  readonly #why: string;

  /** `config`: undefined if the supplier is no longer configured. */
  constructor(
    config: SupplierConfig | undefined,
    private readonly environment: 'sandbox' | 'production',
  ) {
    const url = config?.url;
    this.#why = config ? 'the supplier has no url: its simulator runs inside a gateway' : 'it is not configured';
    if (!config || url === undefined) return;
    const publicOnly = isGuarded(config, url, environment);
    this.#connection = new SupplierConnection(config, createAdapter(config), url, { publicOnly });
  }

  /** What the supplier has for a reservation, or for an entry of the journal without one; `asked` if it was called. */
  async find(here: Reservation | undefined, intent: Intent | undefined): Promise<Found & { readonly asked: boolean }> {
    const questions = this.#questions(here, intent);
    if ('why' in questions) return { ...questions, asked: false };
    let found: Found = { bookings: [] };
    for (const key of questions.keys) {
      found = await this.#ask(key);
      // What has the number doesn't say whether there is another one with the reference.
      if ('why' in found || found.bookings.length > 0) break;
    }
    return { ...found, asked: true };
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** By reference first, which also finds a duplicate; by number if there is none. */
  #questions(
    here: Reservation | undefined,
    intent: Intent | undefined,
  ): { readonly keys: readonly BookingKey[] } | { readonly why: string } {
    const adapter = this.#connection?.adapter;
    if (!adapter) return { why: this.#why };
    const { findsByReference = false, findsByReferenceAlone = false } = adapter.booking ?? {};
    if (!here?.personal) {
      const key = here ? bookingKey(here) : intent && lostKey(intent);
      if (key && findsByReferenceAlone) return { keys: [withoutNumber(key)] };
      const number = here?.confirmationNumber ?? intent?.number;
      const known = number === undefined ? '' : `; ask it about ${number}`;
      return { why: `the supplier finds it only with the renter's name, which is not known${known}` };
    }
    const key = bookingKey(here);
    const number = key.confirmationNumber ?? intent?.number;
    const keys = [
      ...(findsByReference ? [withoutNumber(key)] : []),
      ...(number === undefined ? [] : [{ ...key, confirmationNumber: number }]),
    ];
    return keys.length > 0 ? { keys } : { why: 'the supplier finds bookings only by number, which is not known' };
  }

  async #ask(key: BookingKey): Promise<Found> {
    const connection = this.#connection;
    if (!connection) return { why: this.#why };
    const timeoutMs = connection.config.timeoutMs.retrieve;
    const call = connection.open('req_audit', this.environment, {});
    const timer = setTimeout(
      () => call.abort(new SupplierError('timeout', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const answer = await call.run(async () => connection.adapter.retrieve?.(key, call.context));
      return { bookings: answer?.items ?? [] } satisfies { bookings: readonly SupplierBooking[] };
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      const renter = [key.firstName, key.lastName];
      return { why: `the supplier failed: ${error.fault}: ${maskedText(error.message, 100, renter)}` };
    } finally {
      clearTimeout(timer);
    }
  }
}

function withoutNumber({ confirmationNumber: _number, ...key }: BookingKey): BookingKey {
  return key;
}

/** The key of a booking of which only the journal is left; used only if the supplier needs no more. */
function lostKey({ reference, brand, pickup }: Intent): BookingKey {
  const place = { countryCode: '' };
  return { brand, reference, ref: {}, firstName: '', lastName: '', pickup: place, pickupDate: pickup.date };
}
