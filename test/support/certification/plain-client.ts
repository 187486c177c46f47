import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Reservation } from '../booking.js';
import type { AnyBody } from '../client.js';
import { type CarClient, type Credentials, type Found, OPEN, POLL_MS } from './car-client.js';
import type { Wire } from './wire.js';

/** An answer as it arrived. */
interface Arrived {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnyBody;
}

interface Sent {
  readonly body?: object;
  readonly key?: string | undefined;
}

const RESERVATIONS = '/cars/reservation/v1';
const SHORT_MS = 300;
const LOST: Pick<Arrived, 'status'> = { status: 0 };

/**
 * A client in 200 lines of fetch. `flaws` are the ids of the behaviors (portal/applications/certification/behaviors.ts)
 * that it gets wrong; without any, it is correct.
 */
export class PlainClient implements CarClient {
  #token: string | undefined;

  constructor(
    protected readonly wire: Wire,
    protected readonly credentials: Credentials,
    private readonly flaws: readonly string[] = [],
  ) {}

  async locations(keyword: string): Promise<void> {
    if (this.flaws.includes('token_reused')) this.#token = undefined;
    if (this.flaws.includes('below_limit') && keyword === 'chicago')
      await Promise.all(Array.from({ length: 40 }, () => this.#locations(keyword)));
    else await this.#locations(keyword);
  }

  #locations(keyword: string): Promise<Arrived> {
    return this.send('GET', `/cars/locations/v1?keyword=${keyword}`);
  }

  async search(query: Readonly<Record<string, string>>): Promise<Found | undefined> {
    const again = this.flaws.includes('partial_used') ? 3 : 1;
    let found: Found | undefined;
    for (let times = 0; times < again; times += 1) {
      found = await this.find(query);
      if (!found?.isPartial) break;
      await wait(SHORT_MS);
    }
    return this.flaws.includes('partial_used') && found?.isPartial ? undefined : found;
  }

  protected async find(query: Readonly<Record<string, string>>): Promise<Found | undefined> {
    return foundIn(await this.send('GET', `/cars/catalog/v1/vehicles?${new URLSearchParams({ ...query })}`));
  }

  async page(path: string): Promise<Found | undefined> {
    return foundIn(
      await this.send('GET', this.flaws.includes('pages_followed') ? path.replace(/cursor=.*/, 'cursor=2') : path),
    );
  }

  async price(offerId: string): Promise<void> {
    const id = this.flaws.includes('ids_opaque') ? offerId.slice(0, 60) : offerId;
    await this.send('POST', '/cars/catalog/v1/vehicles/rates', { body: { offer_id: id } });
  }

  async book(body: Readonly<Record<string, unknown>>, key = this.newKey()): Promise<Reservation | undefined> {
    const answer = await this.send('POST', RESERVATIONS, { body, key });
    if (answer.status === 201 || answer.status === 202) {
      if (answer.status === 202 && this.flaws.includes('not_booked_again'))
        await this.send('POST', RESERVATIONS, { body, key: randomUUID() });
      return answer.body.reservation;
    }
    const [entry] = answer.body?.status.errors ?? [];
    if (entry?.cause === 'price_changed' && entry.total) {
      if (!this.flaws.includes('price_change_accepted'))
        return await this.book({ ...body, accepted_total: entry.total }, key);
      await this.send('POST', RESERVATIONS, { body, key });
    }
    if (answer.headers?.get('idempotent-retry') === 'new-key' && this.flaws.includes('new_key_after_refusal'))
      await this.send('POST', RESERVATIONS, { body, key });
    return undefined;
  }

  async follow(id: string): Promise<void> {
    if (!this.flaws.includes('outcome_followed')) await this.#untilClear(id);
  }

  async #untilClear(id: string): Promise<void> {
    // However soon the outcome is known, a client in a hurry has read often.
    const [pause, least] = this.flaws.includes('polls_gently') ? [50, 8] : [POLL_MS, 0];
    for (let reads = 1; OPEN.includes((await this.stateOf(id)) ?? '') || reads < least; reads += 1) await wait(pause);
    // A customer looks again.
    await this.stateOf(id);
  }

  protected async stateOf(id: string): Promise<string | undefined> {
    return (await this.send('GET', `${RESERVATIONS}/${id}`)).body?.reservation.state;
  }

  async change(id: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = await this.send('PATCH', `${RESERVATIONS}/${id}`, { body });
    if (answer.status !== 500) return;
    if (this.flaws.includes('unknown_change_read')) await this.send('PATCH', `${RESERVATIONS}/${id}`, { body });
    await this.#untilClear(id);
  }

  async cancel(id: string): Promise<void> {
    if (!this.flaws.includes('bookings_cancelled')) await this.send('DELETE', `${RESERVATIONS}/${id}`);
  }

  /** Sends with the token, and again after what passes: 401 once, 429 and 503 after Retry-After, lost ones twice. */
  protected async send(method: string, path: string, sent: Sent = {}): Promise<Arrived> {
    let pause = 250;
    for (let attempt = 1; ; attempt += 1) {
      const again = attempt > 1 && this.flaws.includes('key_repeated') && sent.key !== undefined;
      const answer = await this.#once(method, path, again ? { ...sent, key: randomUUID() } : sent);
      if (attempt === 10) return answer;
      const { status } = answer;
      const seconds = Number(answer.headers?.get('retry-after') ?? 0);
      if (status === 401) {
        if (attempt > 3) return answer;
        if (!this.flaws.includes('token_renewed')) this.#token = undefined;
      } else if (status === 429) await wait(this.flaws.includes('waits_after_429') ? SHORT_MS : seconds * 1_000);
      else if (status === 503) await wait(this.flaws.includes('waits_after_503') ? SHORT_MS : seconds * 1_000);
      else if ([0, 408, 500].includes(status) && this.#mayRepeat(method, answer)) {
        if (attempt === 4 && !this.flaws.includes('failures_backed_off')) return answer;
        await wait(this.flaws.includes('failures_backed_off') ? 20 : pause);
        pause *= 2;
      } else if (status === 400 && this.flaws.includes('refusals_accepted') && !sent.key && attempt < 3)
        await wait(SHORT_MS);
      else return answer;
    }
  }

  #mayRepeat(method: string, { headers }: Arrived): boolean {
    return method !== 'PATCH' && headers?.get('idempotent-retry') !== 'new-key';
  }

  async #once(method: string, path: string, { body, key }: Sent): Promise<Arrived> {
    this.#token ??= await this.newToken();
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    return this.exchange(method, path, { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  protected async newToken(): Promise<string> {
    const { clientId: client_id, clientSecret: client_secret } = this.credentials;
    return (await this.exchange('GET', '/oauth/token/v1', { headers: { client_id, client_secret } })).body.access_token;
  }

  /** Status 0 if no answer arrived. */
  protected async exchange(method: string, path: string, init: RequestInit): Promise<Arrived> {
    try {
      const response = await this.wire.fetch(`${this.wire.baseUrl}${path}`, { ...init, method });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      return LOST as Arrived;
    }
  }

  private newKey(): string | undefined {
    if (this.flaws.includes('key_sent')) return undefined;
    return this.flaws.includes('key_per_booking') ? `always-${this.credentials.applicationId}` : randomUUID();
  }
}

/** Undefined if it isn't a result. */
export function foundIn({ status, body }: Pick<Arrived, 'status' | 'body'>): Found | undefined {
  if (status !== 200 && status !== 206) return undefined;
  const offers = body.vehicles.map(({ offer_id: id, price: { total } }) => ({
    ...{ id, total: total.amount, currency: total.currency },
  }));
  const { links } = body as { links?: { next?: string } };
  return { offers, isPartial: (body.status.errors ?? []).length > 0, next: links?.next };
}
