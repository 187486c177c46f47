import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, Forecourt } from '../../../packages/sdk/src/index.js';
import type { AnyBody } from '../client.js';
import { type CarClient, type Credentials, type Found, OPEN, POLL_MS } from './car-client.js';
import { foundIn, PlainClient } from './plain-client.js';
import type { Wire } from './wire.js';

/** Gets its token by RFC 6749, searches by body, and follows bookings in the list of reservations. */
export class ListingClient extends PlainClient {
  protected override async newToken(): Promise<string> {
    const { clientId, clientSecret } = this.credentials;
    const answer = await this.exchange('POST', '/oauth/token/v1', {
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return answer.body.access_token;
  }

  protected override async find(query: Readonly<Record<string, string>>): Promise<Found | undefined> {
    return foundIn(await this.send('POST', '/cars/catalog/v1/vehicles', { body: bodyOf(query) }));
  }

  protected override async stateOf(id: string): Promise<string | undefined> {
    const { body } = await this.send('GET', '/cars/reservation/v1/reservations?limit=50');
    const { reservations } = body as unknown as { reservations: { reservation_id: string; state: string }[] };
    return reservations.find(({ reservation_id }) => reservation_id === id)?.state;
  }

  override async follow(id: string): Promise<void> {
    await super.follow(id);
    for (let times = 0; times < 2; times += 1) await this.send('GET', `/cars/reservation/v1/${id}`);
  }
}

/** The SDK of the repository, with its own attempts, waits, tokens and keys. */
export class SdkClient implements CarClient {
  readonly #api: Forecourt;
  #pages: ReturnType<Forecourt['vehiclePages']> | undefined;

  constructor(wire: Wire, { clientId, clientSecret }: Credentials) {
    this.#api = new Forecourt({ baseUrl: wire.baseUrl, clientId, clientSecret, fetch: wire.fetch });
  }

  async locations(keyword: string): Promise<void> {
    await orUndefined(this.#api.searchLocations({ keyword }));
  }

  async search(query: Readonly<Record<string, string>>): Promise<Found | undefined> {
    this.#pages = this.#api.vehiclePages(bodyOf(query) as never);
    return await this.page();
  }

  async page(): Promise<Found | undefined> {
    const step = await orUndefined(this.#pages?.next() ?? Promise.resolve(undefined));
    if (!step || step.done) return undefined;
    const body = (step.value.complete ? step.value.data : step.value.partial) as unknown as AnyBody;
    return foundIn({ status: 200, body });
  }

  async price(offerId: string): Promise<void> {
    await orUndefined(this.#api.priceOffer({ offer_id: offerId }));
  }

  async book(body: Readonly<Record<string, unknown>>): Promise<AnyBody['reservation'] | undefined> {
    try {
      return (await this.#api.book(body as never)) as AnyBody['reservation'];
    } catch (error) {
      const total = error instanceof ApiError && error.has('price_changed') ? error.entries[0]?.total : undefined;
      return total && (await this.book({ ...body, accepted_total: total }));
    }
  }

  async follow(id: string): Promise<void> {
    while (OPEN.includes((await this.#api.readReservation(id)).state)) await wait(POLL_MS);
    await this.#api.readReservation(id);
  }

  async change(id: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const input = { path: { reservation_id: id }, body };
    await orUndefined(this.#api.request('patch', '/cars/reservation/v1/{reservation_id}', input as never));
    await this.follow(id);
  }

  async cancel(id: string): Promise<void> {
    await this.#api.cancelReservation(id);
  }
}

/** Undefined for an error that the gateway answered. */
async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The fields of a query as those of a body. */
function bodyOf({ page_size, max_results, brand, ...rest }: Readonly<Record<string, string>>): object {
  const numbers = Object.entries({ page_size, max_results }).filter(([, value]) => value !== undefined);
  const more = Object.fromEntries(numbers.map(([name, value]) => [name, Number(value)]));
  return { ...rest, ...more, ...(brand === undefined ? {} : { brand: [brand] }) };
}
