import { Budget } from './budget.js';
import { ConnectionError, ForecourtError, PagesNotKeptError } from './errors.js';
import type { components, paths } from './generated/api.js';
import { searchLines } from './lines.js';
import { type AnswerOf, type InputOf, type MethodOf, type OpenPath, pathWith } from './operations.js';
import { Tokens } from './tokens.js';
import { type Call, type Reader, Transport } from './transport.js';
import type * as t from './types.js';

type Schemas = components['schemas'];

const SEARCH = '/cars/catalog/v1/vehicles';
const RESERVATION = '/cars/reservation/v1';

/** A client of one application at one gateway. Keep it: its calls share an access token. */
export class Forecourt {
  private readonly transport: Transport;
  private readonly tokens: Tokens;
  private readonly budgetMs: number;

  /** Throws TypeError if neither credentials nor `token` are given, or both. */
  constructor(options: t.ForecourtOptions) {
    const { clientId, clientSecret, token } = options;
    const hasCredentials = clientId !== undefined && clientSecret !== undefined;
    if (hasCredentials === (token !== undefined)) throw new TypeError('Give clientId and clientSecret, or token.');
    this.transport = new Transport(options);
    this.budgetMs = options.budgetMs ?? 60_000;
    this.tokens = new Tokens(token ?? (() => this.newToken(clientId ?? '', clientSecret ?? '')));
  }

  /** The offers of all suppliers. Throws ApiError, with reason `no_results` if every supplier answered and none has any. */
  async searchVehicles(search: t.VehicleSearch, options?: t.CallOptions): Promise<t.Found<t.VehiclesAnswer>> {
    return this.call(
      { method: 'POST', path: SEARCH, body: search, repeat: 'always' },
      options,
      found<t.VehiclesAnswer>,
    );
  }

  /**
   * All pages of a search, from the first to the last; `budgetMs` is per page. No supplier is called for the later ones.
   * Throws PagesNotKeptError after the first page if the gateway could not keep the others.
   */
  async *vehiclePages(
    search: t.VehicleSearch & { readonly page_size: number },
    options?: t.CallOptions,
  ): AsyncGenerator<t.Found<t.VehiclesAnswer>, void, undefined> {
    let result = await this.searchVehicles(search, options);
    for (;;) {
      yield result;
      const { page, links } = result.complete ? result.data : result.partial;
      if (links?.next === undefined) {
        if (page && page.number < page.count)
          throw new PagesNotKeptError('The gateway could not keep the further pages of this search.');
        return;
      }
      result = await this.call(this.linked(links.next), options, found<t.VehiclesAnswer>);
    }
  }

  /**
   * The same search as lines, as soon as each supplier answers. Only the `end` line says whether suppliers are missing;
   * throws ConnectionError if the stream ends before it. Attempts are repeated only until the first line.
   */
  async *streamVehicles(
    search: t.VehicleSearch,
    options: t.CallOptions = {},
  ): AsyncGenerator<t.SearchLine, void, undefined> {
    const headers = { ...options.headers, accept: 'application/x-ndjson' };
    const call: Call = { method: 'POST', path: SEARCH, body: search, headers, repeat: 'always' };
    const budget = new Budget(options.budgetMs ?? this.budgetMs, options.signal);
    try {
      const { body } = await this.transport.send(call, budget, async (answer) => answer, this.tokens);
      if (!body) throw new ConnectionError('The answer has no body.');
      yield* searchLines(body);
    } catch (error) {
      budget.check(error);
      if (error instanceof ForecourtError) throw error;
      throw new ConnectionError('The stream was interrupted.', { cause: error });
    } finally {
      budget.end();
    }
  }

  /** Rental locations. Throws as searchVehicles. */
  async searchLocations(query: t.LocationSearch, options?: t.CallOptions): Promise<t.Found<t.LocationsAnswer>> {
    const path = pathWith('/cars/locations/v1', {}, query);
    return this.call({ method: 'GET', path, repeat: 'always' }, options, found<t.LocationsAnswer>);
  }

  /** What an offer costs now, with extras and coverages. */
  async priceOffer(request: t.PriceRequest, options?: t.CallOptions): Promise<t.Quote> {
    const call: Call = { method: 'POST', path: `${SEARCH}/rates`, body: request, repeat: 'always' };
    return (await this.call(call, options, json<Schemas['RatesAnswer']>)).quote;
  }

  /**
   * Books once: every attempt has the same Idempotency-Key. The reservation is `confirmed`, or in a state to read again
   * until it is final (`on_request`, `unknown`, `pending`). What it throws has the key as `idempotencyKey`, except the
   * reason of your signal.
   */
  async book(booking: t.Booking, options: t.BookingOptions = {}): Promise<t.Reservation> {
    const key = options.idempotencyKey ?? crypto.randomUUID();
    const headers = { 'idempotency-key': key };
    const call: Call = { method: 'POST', path: RESERVATION, body: booking, headers, repeat: 'always' };
    try {
      return await this.call(call, options, reservationOf);
    } catch (error) {
      if (error instanceof ForecourtError) error.idempotencyKey = key;
      throw error;
    }
  }

  async readReservation(id: string, options?: t.CallOptions): Promise<t.Reservation> {
    const call: Call = { method: 'GET', path: reservationPath(id), repeat: 'always' };
    return this.call(call, options, reservationOf);
  }

  /** Cancels; a reservation that is already cancelled stays so. Its `cancellation_result` has the fee, if known. */
  async cancelReservation(id: string, options?: t.CallOptions): Promise<t.Reservation> {
    const headers = { prefer: 'return=representation' };
    const call: Call = { method: 'DELETE', path: reservationPath(id), headers, repeat: 'always' };
    return this.call(call, options, reservationOf);
  }

  /** The application's reservations, newest first; reads further pages as you go, each with its own budget. */
  async *reservations(
    filter: t.ReservationFilter = {},
    options?: t.CallOptions,
  ): AsyncGenerator<t.ListedReservation, void, undefined> {
    const read = json<Schemas['ReservationListAnswer']>;
    let call: Call = { method: 'GET', path: pathWith(`${RESERVATION}/reservations`, {}, filter), repeat: 'always' };
    const pages = new Set<string>();
    for (;;) {
      const { reservations, links } = await this.call(call, options, read);
      yield* reservations;
      if (links.next === undefined) return;
      // A filter may leave any number of pages empty, each with another cursor; a broken gateway would send the same forever.
      pages.add(call.path);
      call = this.linked(links.next);
      if (pages.has(call.path))
        throw new ForecourtError('The gateway linked a page of reservations that was read before.');
    }
  }

  /**
   * Any other operation of the API: `request('get', '/cars/places/v1', { query: { keyword: 'Boston' } })`. Reads are
   * repeated as above; changes only if they were certainly refused (429, maintenance).
   */
  async request<P extends OpenPath, M extends MethodOf<P>>(
    method: M,
    path: P,
    input: InputOf<paths[P][M]>,
    options?: t.CallOptions,
  ): Promise<AnswerOf<paths[P][M]>> {
    const {
      path: values,
      query,
      body,
    } = input as Record<'path' | 'query', Record<string, unknown>> & { body?: unknown };
    const call = { method: method.toUpperCase(), path: pathWith(path, values, query), body };
    return this.call(
      { ...call, repeat: method === 'get' ? 'always' : 'refused' },
      options,
      json<AnswerOf<paths[P][M]>>,
    );
  }

  private async call<T>(call: Call, options: t.CallOptions = {}, read: Reader<T>): Promise<T> {
    const budget = new Budget(options.budgetMs ?? this.budgetMs, options.signal);
    try {
      const headers = { ...options.headers, ...call.headers };
      return await this.transport.send({ ...call, headers }, budget, read, this.tokens);
    } finally {
      budget.end();
    }
  }

  /** A call of a link in an answer. Throws ForecourtError for one to elsewhere, which must not get the token. */
  private linked(path: string): Call {
    if (!/^\/(?!\/)/.test(path)) throw new ForecourtError('A link in the answer is not a path.');
    return { method: 'GET', path, repeat: 'always' };
  }

  private async newToken(clientId: string, clientSecret: string): Promise<t.Token> {
    const headers = { client_id: clientId, client_secret: clientSecret };
    const budget = new Budget(this.budgetMs, undefined);
    try {
      const call: Call = { method: 'GET', path: '/oauth/token/v1', headers, repeat: 'always' };
      return await this.transport.send(call, budget, json<t.Token>);
    } finally {
      budget.end();
    }
  }
}

const reservationPath = (id: string): string => pathWith(`${RESERVATION}/{id}`, { id });

async function json<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** Throws ConnectionError for an answer without a reservation: a proxy made it, or lost the gateway's. */
async function reservationOf(answer: Response): Promise<t.Reservation> {
  const { reservation } = (await json<Partial<Schemas['ReservationAnswer']> | undefined>(answer)) ?? {};
  if (typeof reservation?.reservation_id === 'string') return reservation;
  throw new ConnectionError('The answer has no reservation: it is not what the gateway sent.');
}

/** A POST has no 206 (docs/errors.md): its status container says what is missing, as that of a 206 does. */
async function found<T extends { readonly status: Schemas['Status'] }>(answer: Response): Promise<t.Found<T>> {
  const data = await json<T>(answer);
  const missing = data.status.errors ?? [];
  if (answer.status !== 206 && missing.length === 0) return { complete: true, data };
  return { complete: false, missing, partial: data };
}
