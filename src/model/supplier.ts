import type {
  BookingKey,
  BookRequest,
  CancelResult,
  ChangeKind,
  ModifyRequest,
  RentalRequest,
  SupplierBooking,
} from './bookings.js';
import type { LocationSearch, SupplierLocation } from './locations.js';
import type { SupplierOffer, VehicleSearch } from './offers.js';

/**
 * The port between the engine and a supplier dialect (docs/glossary.md). An adapter is pure knowledge of one dialect: it turns a request of
 * our model into HTTP calls of the supplier's and the answers back. The engine owns everything that can fail: sockets, deadlines,
 * authentication caching, size caps, cancellation.
 */

export type Operation = 'searchLocations' | 'searchVehicles' | 'priceCheck' | 'book' | 'retrieve' | 'modify' | 'cancel';

/** `cancelled` and `circuit_open` are the engine's: nobody waits any more; it was not asked, for it failed too often. */
export type Fault =
  | 'timeout'
  | 'unavailable'
  | 'throttled'
  | 'rejected'
  | 'bad_payload'
  | 'auth'
  | 'cancelled'
  | 'circuit_open';

/** Why a supplier clearly refused, in the words of ruling 24. `not_found`: it knows no such booking. Absent = it gave no reason we know. */
export type Refusal =
  | 'sold_out'
  | 'rate_expired'
  | 'price_changed'
  | 'card_declined'
  | 'not_changeable'
  | 'unsupported_by_supplier'
  | 'location_closed'
  | 'invalid_location'
  | 'invalid_rate'
  | 'invalid_discount'
  | 'not_eligible'
  | 'extra_not_available'
  | 'not_found';

/**
 * A supplier did not do what it was asked. `sent` tells whether the request may have reached the supplier (decides what may be repeated).
 * `message` is for our logs: it may quote the supplier and is never shown to a caller.
 *
 * For `book`, `modify` and `cancel` the faults `rejected`, `throttled` and `auth` mean that the supplier clearly said no: certainly nothing was
 * done. Everything doubtful (5xx, its codes for backend trouble, a success without a booking in it, half an answer) must be `unavailable` or
 * `bad_payload`: then the outcome is unknown (ruling 15).
 */
export class SupplierError extends Error {
  readonly refusal: Refusal | undefined;

  constructor(
    readonly fault: Fault,
    message: string,
    readonly sent: boolean = true,
    options?: ErrorOptions & { readonly refusal?: Refusal | undefined },
  ) {
    super(message, options);
    this.name = 'SupplierError';
    this.refusal = options?.refusal;
  }
}

/** One call on the supplier's base URL. `path` begins with `/` and holds the query. `body` is sent as it is. */
export interface SupplierHttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends the body compressed, with its Content-Encoding. */
  readonly gzip?: boolean;
}

/** The whole answer, body within the size cap and already decompressed. Header names are lower case. */
export interface SupplierHttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Sends calls to one supplier within one operation. Rejects with `SupplierError` only (timeout, unavailable, cancelled, bad_payload for
 * a body over the cap); any HTTP status is an answer. `send` adds the headers of `authenticate`, and on a 401 refreshes them once and
 * repeats the call once when `repeatable`.
 */
export interface SupplierHttp {
  send(call: SupplierHttpCall, repeatable?: boolean): Promise<SupplierHttpAnswer>;
}

export interface SupplierContext {
  readonly http: SupplierHttp;
  /** `req_…`; goes to the supplier as transaction_id, EchoToken. */
  readonly requestId: string;
  readonly environment: 'sandbox' | 'production';
  /** Now, epoch milliseconds (so that an adapter is testable). */
  readonly now: number;
}

/** What an operation found. Empty `items` = the supplier answered and has nothing. Warnings are for logs and adapter authors. */
export interface SupplierAnswer<T> {
  readonly items: readonly T[];
  readonly warnings: readonly string[];
}

/** Headers that authenticate calls, and for how long (seconds, by the supplier's word). */
export interface SupplierSession {
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresInSeconds: number;
}

export interface SupplierAdapter {
  /**
   * Whether one availability call serves a single brand (`one`) or several (`many`); the engine makes a call a brand for `one`.
   * Locations are always asked in one call of the operation; an adapter may send several HTTP calls for it.
   */
  readonly brandsPerCall: 'one' | 'many';
  /** Obtains a session; the engine caches it, refreshes it once for all callers and adds its headers to every call. */
  authenticate?(context: SupplierContext): Promise<SupplierSession>;
  searchLocations?(request: LocationSearch, context: SupplierContext): Promise<SupplierAnswer<SupplierLocation>>;
  searchVehicles?(request: VehicleSearch, context: SupplierContext): Promise<SupplierAnswer<SupplierOffer>>;
  /**
   * Prices one offer again, with extras and coverages; creates nothing. One item: the offer as it is now, its `price.total` with what was
   * chosen, its `supplierRef` ready to book. No items: the car is not to be had any more. Refusals are SupplierError `rejected` with `refusal`.
   */
  priceCheck?(request: RentalRequest, context: SupplierContext): Promise<SupplierAnswer<SupplierOffer>>;
  /** Books. Sent once, never repeated by anybody. An adapter that books also has priceCheck, retrieve, cancel and `booking`. */
  book?(request: BookRequest, context: SupplierContext): Promise<SupplierBooking>;
  /** Finds a booking: by its confirmation number, or without one by our reference where `findsByReference`. No items = the supplier knows none. */
  retrieve?(key: BookingKey, context: SupplierContext): Promise<SupplierAnswer<SupplierBooking>>;
  /** Changes a booking to what the request says in whole; `request.changes` names what differs. Never asked for a kind outside `booking.changes`. */
  modify?(request: ModifyRequest, context: SupplierContext): Promise<SupplierBooking>;
  /** Cancels (a hold: releases). Already cancelled is a success. `rejected` with not_found: no such booking. */
  cancel?(key: BookingKey, context: SupplierContext): Promise<CancelResult>;
  /** What booking with this dialect is like; present when `book` is. */
  readonly booking?: BookingTraits;
}

/** What the engine must know before it books (docs/model.md#supplier). */
export interface BookingTraits {
  /** `retrieve` works without a confirmation number, so that a lost booking can be found. */
  readonly findsByReference: boolean;
  readonly takesCards: boolean;
  readonly takesVouchers: boolean;
  readonly takesExtras: boolean;
  readonly takesCoverages: boolean;
  /** What `modify` can change; empty = nothing. */
  readonly changes: readonly ChangeKind[];
}

/** What an adapter is built from: one block of `config/suppliers/<id>.yaml`. */
export interface SupplierSettings {
  readonly id: string;
  readonly name: string;
  /** In the spelling shown to callers, in order of preference. */
  readonly brands: readonly string[];
  /** Secrets by name, already read from the environment. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The dialect's own settings; each adapter validates them with its own schema and throws a ZodError. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** How an adapter kind is known to the registry: `src/adapters/index.ts` lists them, one line each. */
export type CreateAdapter = (settings: SupplierSettings) => SupplierAdapter;
