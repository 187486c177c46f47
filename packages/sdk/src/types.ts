import type { components, paths } from './generated/api.js';

type Schemas = components['schemas'];
/** The JSON that an operation takes as its body. */
type BodyOf<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

/** One entry of a status container: a supplier without results, or what is wrong with the request. */
export type StatusEntry = NonNullable<Schemas['Status']['errors']>[number];
export type Offer = Schemas['Offer'];
export type Reservation = Schemas['Reservation'];
export type ListedReservation = Schemas['ListedReservation'];
export type Quote = Schemas['Quote'];
export type VehiclesAnswer = Schemas['VehiclesAnswer'];
export type LocationsAnswer = Schemas['LocationsAnswer'];
/** What a search for vehicles takes. */
export type VehicleSearch = BodyOf<paths['/cars/catalog/v1/vehicles']['post']>;
export type LocationSearch = NonNullable<paths['/cars/locations/v1']['get']['parameters']['query']>;
export type PriceRequest = BodyOf<paths['/cars/catalog/v1/vehicles/rates']['post']>;
export type Booking = BodyOf<paths['/cars/reservation/v1']['post']>;
/** Which reservations to list; `cursor` is the iterator's own. */
export type ReservationFilter = Omit<ListQuery, 'cursor'>;
type ListQuery = NonNullable<paths['/cars/reservation/v1/reservations']['get']['parameters']['query']>;

/**
 * What a search returned. `data` is readable only after `complete` was checked: while suppliers are missing, the answer
 * is in `partial`, and `missing` has one entry for each of them, with the reason (`supplier_failure`, or
 * `no_supplier_results`: it answered and has none).
 */
export type Found<T> =
  | { readonly complete: true; readonly data: T }
  | { readonly complete: false; readonly missing: readonly StatusEntry[]; readonly partial: T };

/** One line of a streamed search, in the order of arrival: first `search`, then `supplier` lines, last `end`. */
export type SearchLine =
  | { readonly type: 'search'; readonly search_id: string; readonly request: VehiclesAnswer['request'] }
  | ({ readonly type: 'supplier'; readonly brand?: string; readonly vehicles: readonly Offer[] } & SupplierRow)
  | { readonly type: 'end'; readonly complete: boolean; readonly missing: readonly StatusEntry[] };
type SupplierRow = VehiclesAnswer['suppliers'][number];

/** How a single call is made; all members are optional. */
export interface CallOptions {
  /** Ends the call: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the call with all attempts, waits and tokens. Default: that of the client. */
  readonly budgetMs?: number;
  /** Further request headers, such as X-Request-Id or X-Sandbox-Scenario. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface BookingOptions extends CallOptions {
  /**
   * The key of this booking, 1–255 visible ASCII characters. Default: a random UUID. Store your own before the call if
   * you want to continue after a crash of your program.
   */
  readonly idempotencyKey?: string;
}

/** An access token and the seconds that it is still valid. */
export interface Token {
  readonly access_token: string;
  readonly expires_in: number;
}

/** Settings of a client; times in milliseconds. */
export interface ForecourtOptions {
  /** The gateway, such as https://cars.example.com; may have a path. */
  readonly baseUrl: string;
  /** Credentials of the application: only on servers, never in a page. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Instead of credentials: where tokens come from, such as your own server (docs/browsers.md). */
  readonly token?: () => Promise<Token>;
  /** For a call with all its attempts. Default: 60000. */
  readonly budgetMs?: number;
  /** For one attempt. Default: 30000. */
  readonly attemptMs?: number;
  /** The longest Retry-After that is waited for; a longer one ends the call with its ApiError. Default: 20000. */
  readonly maxWaitMs?: number;
  /** Attempts per call, including the first. Default: 4. */
  readonly attempts?: number;
  /** Default: the global fetch. */
  readonly fetch?: typeof fetch;
}
