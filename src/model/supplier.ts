import type {
  BookingKey,
  BookRequest,
  CancelResult,
  ChangeKind,
  ModifyRequest,
  RentalRequest,
  SupplierBooking,
} from './bookings.js';
import type { LocationDetails, LocationDetailsRequest } from './location-details.js';
import type { LocationSearch, SupplierLocation } from './locations.js';
import type { SupplierOffer, VehicleSearch } from './offers.js';
import type { Warning } from './warnings.js';

/**
 * The port between the engine and a supplier adapter (docs/glossary.md). An adapter knows one dialect and nothing else:
 * it turns a request of the model into HTTP calls to the supplier and maps the responses back. The engine handles
 * everything around the calls: connections, timeouts, retries, cancellation, size limits and cached sessions.
 */

export const OPERATIONS = [
  'searchLocations',
  'searchVehicles',
  'priceCheck',
  'book',
  'retrieve',
  'modify',
  'cancel',
  'locationDetails',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/**
 * How a call failed. Only the engine uses `cancelled` (the caller no longer needs the answer) and `circuit_open` (the
 * supplier wasn't called because it failed too often); adapters use the others.
 */
export type Fault =
  | 'timeout'
  | 'unavailable'
  | 'throttled'
  | 'rejected'
  | 'bad_payload'
  | 'auth'
  | 'cancelled'
  | 'circuit_open';

/** Why a supplier clearly refused (ruling 24). `not_found`: it has no such booking. */
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
 * The only error that an adapter throws on purpose; the engine treats any other as a bug in the adapter.
 *
 * For `book`, `modify` and `cancel`, throw `rejected`, `throttled` or `auth` only if the supplier clearly refused, so
 * that nothing was changed. In every doubtful case (a 5xx status, an error code for backend trouble, a success without
 * a booking, a truncated response), throw `unavailable` or `bad_payload`: the gateway then treats the outcome as
 * unknown and finds out later (ruling 15).
 */
export class SupplierError extends Error {
  /** Undefined if the supplier gave no reason, or one that isn't listed. */
  readonly refusal: Refusal | undefined;
  /** What the answer shows as booked, although it isn't what was requested. */
  readonly booked: SupplierBooking | undefined;

  /**
   * `message` is for the logs only. It may quote the supplier and is never shown to a caller.
   * `sent` is true if the request may have reached the supplier; it decides what may be retried.
   */
  constructor(
    readonly fault: Fault,
    message: string,
    readonly sent: boolean = true,
    options?: ErrorOptions & { readonly refusal?: Refusal | undefined; readonly booked?: SupplierBooking | undefined },
  ) {
    super(message, options);
    this.name = 'SupplierError';
    this.refusal = options?.refusal;
    this.booked = options?.booked;
  }
}

/** Faults by which a supplier clearly refuses what was sent. */
const CLEAR: readonly Fault[] = ['rejected', 'throttled', 'auth'];

/** Whether a call that books, changes or cancels certainly did nothing: it wasn't sent, or was clearly refused. */
export function isClearRefusal({ fault, sent }: SupplierError): boolean {
  return !sent || CLEAR.includes(fault);
}

/** One HTTP request, relative to the supplier's base URL. */
export interface SupplierHttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/` and includes the query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged. */
  readonly body?: string;
  /** Compresses the body with gzip and sets Content-Encoding. */
  readonly gzip?: boolean;
}

/** A complete HTTP response. Header names are lower case; the body is decompressed. */
export interface SupplierHttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends the HTTP calls of one operation to one supplier. */
export interface SupplierHttp {
  /**
   * Resolves with any HTTP response, whatever its status. Rejects only with `SupplierError`: `timeout`, `unavailable`,
   * `cancelled`, or `bad_payload` for a response that exceeds the size limit.
   *
   * Adds the headers from `authenticate`. Set `repeatable` only for calls that change nothing at the supplier: if the
   * operation then fails with `auth`, the engine renews the session and starts the operation over once, provided that
   * all its calls so far were repeatable.
   */
  send(call: SupplierHttpCall, repeatable?: boolean): Promise<SupplierHttpAnswer>;
}

/** What the engine provides for one operation. */
export interface SupplierContext {
  readonly http: SupplierHttp;
  /** The id of the gateway's request (`req_…`). Send it if the dialect has a field for it, such as EchoToken. */
  readonly requestId: string;
  readonly environment: 'sandbox' | 'production';
  /** The current time in epoch milliseconds. Use it instead of the system clock, so that tests can set it. */
  readonly now: number;
  /**
   * Random text of this attempt, the same if the operation starts over with recorded answers: for values that must be
   * sent once, such as a nonce. Absent = none, for tests.
   */
  readonly salt?: string;
}

/** The mapped result of an operation. */
export interface SupplierAnswer<T> {
  /** Empty if the supplier answered and has no results. */
  readonly items: readonly T[];
  /** What was odd about the answer, such as rows that were left out; callers never see it. */
  readonly warnings: readonly Warning[];
}

/** What `authenticate` obtained from the supplier. */
export interface SupplierSession {
  /** Added to every call: printable ASCII, together at most 8,192 characters, otherwise the login is a `bad_payload`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * As stated by the supplier; the engine renews the session before it expires, but not in the first five seconds, and
   * at the latest after a day.
   */
  readonly expiresInSeconds: number;
}

/**
 * An operation depends only on its request, its context and the supplier's answers, and makes the same HTTP calls for
 * the same ones: the engine starts an operation with a large answer over in another thread, with the answers so far.
 *
 * Implement the operations that the supplier supports and leave the others out. An adapter with `book` also needs
 * `priceCheck`, `retrieve`, `cancel` and `booking`.
 */
export interface SupplierAdapter {
  /**
   * How many brands one `searchVehicles` call covers. With `one`, the engine makes one call per brand.
   * `searchLocations` is always called once for all brands; an adapter may send several HTTP calls for it.
   */
  readonly brandsPerCall: 'one' | 'many';
  /**
   * Obtains a session. The engine caches it, shares it among all calls, renews it, and replaces it if an operation fails
   * with `auth`. Throws `auth` if the supplier refuses the credentials.
   */
  authenticate?(context: SupplierContext): Promise<SupplierSession>;
  searchLocations?(request: LocationSearch, context: SupplierContext): Promise<SupplierAnswer<SupplierLocation>>;
  searchVehicles?(request: VehicleSearch, context: SupplierContext): Promise<SupplierAnswer<SupplierOffer>>;
  /**
   * Prices one offer with the chosen extras and coverages, without creating a booking. Returns one item: the current
   * offer, whose `price.total` includes what was chosen and whose `supplierRef` can be booked. Returns no items if the
   * car is no longer available. Throws `rejected` with a `refusal` if the supplier refuses.
   */
  priceCheck?(request: RentalRequest, context: SupplierContext): Promise<SupplierAnswer<SupplierOffer>>;
  /** Makes a booking. Called once per booking; neither the engine nor the adapter may retry it. */
  book?(request: BookRequest, context: SupplierContext): Promise<SupplierBooking>;
  /**
   * Finds a booking by its confirmation number. Without one, finds it by the gateway's reference if
   * `booking.findsByReference` is true. Returns no items if the supplier has no such booking.
   */
  retrieve?(key: BookingKey, context: SupplierContext): Promise<SupplierAnswer<SupplierBooking>>;
  /**
   * Changes a booking to match the request, which describes the complete booking; `request.changes` lists what is
   * different. Called only for the kinds of change in `booking.changes`.
   */
  modify?(request: ModifyRequest, context: SupplierContext): Promise<SupplierBooking>;
  /**
   * Cancels a booking, or releases a hold. Succeeds if the booking is already canceled. Throws `rejected` with the
   * refusal `not_found` if the supplier has no such booking.
   */
  cancel?(key: BookingKey, context: SupplierContext): Promise<CancelResult>;
  /**
   * Everything the supplier says about one location. Returns no items if it has no such location. A request for one location uses it,
   * and `searchLocations` of suppliers that don't have it; `gw adapter try` shows all of it.
   */
  locationDetails?(request: LocationDetailsRequest, context: SupplierContext): Promise<SupplierAnswer<LocationDetails>>;
  /** What this dialect supports when booking. */
  readonly booking?: BookingTraits;
}

/** What the engine checks before it books (docs/model.md#supplier). */
export interface BookingTraits {
  /** Whether `retrieve` works without a confirmation number, so that a booking whose response was lost can be found. */
  readonly findsByReference: boolean;
  /**
   * Whether `retrieve` then needs nothing but brand and reference, so that a booking can be found that the gateway knows
   * nothing else of. Absent = no.
   */
  readonly findsByReferenceAlone?: boolean;
  readonly takesCards: boolean;
  readonly takesVouchers: boolean;
  readonly takesExtras: boolean;
  readonly takesCoverages: boolean;
  /** Whether bookings and changes carry the names of additional drivers, not only a number of them. */
  readonly takesAdditionalDrivers: boolean;
  /** Whether they say that the renter collects after the booked time. */
  readonly takesLatePickup: boolean;
  /** What `modify` can change; empty if nothing. */
  readonly changes: readonly ChangeKind[];
  /** Whether `retrieve` for a change returns a `rateGuarantee`, which the price of the change needs. Absent = no. */
  readonly guaranteesRate?: boolean;
  /** Whether a change also sets the dates, places or car, though it isn't about them. Absent = every change does. */
  restates?(change: Pick<ModifyRequest, 'changes' | 'arrival'>): boolean;
}

/** What an adapter is created from: the settings in `config/suppliers/<id>.yaml`. */
export interface SupplierSettings {
  readonly id: string;
  readonly name: string;
  /** As shown to callers, in order of preference. */
  readonly brands: readonly string[];
  /** Secrets by name, already read from the environment. */
  readonly credentials: Readonly<Record<string, string>>;
  /**
   * Settings of the dialect. Each adapter validates them with its own schema and throws a ZodError if they are invalid.
   */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Creates an adapter of one kind. `src/adapters/index.ts` lists all kinds. */
export type CreateAdapter = (settings: SupplierSettings) => SupplierAdapter;
