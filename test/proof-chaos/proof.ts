import { setTimeout as wait } from 'node:timers/promises';
import { create, driver, fresh, offerOf, read } from '../support/booking.js';
import type { HttpAnswer } from '../support/client.js';
import { vehiclesPath } from '../support/rental.js';
import { beginsLate, type Cell, FAULTY, type Operation, recoveryMs } from './cells.js';
import type { Observed } from './judge.js';
import type { ChaosWorld } from './world.js';

/** How long a recovery is watched beyond its bound, so that the report has the figure. */
const PATIENCE_MS = 15_000;
const POLL_MS = 50;
/** The message that books. The proxy sees it before the supplier does. */
const BOOKING = 'OTA_VehResRQ';
const SEARCH = vehiclesPath({ max_results: '5' });

/** What the client sends: the same again is the same booking. */
interface Renter {
  readonly lastName: string;
  readonly key: string;
}

/** Plays cells on one gateway, one after the other. */
export class ChaosPlay {
  #offerId = '';

  private constructor(private readonly world: ChaosWorld) {}

  /** Rejects if the gateway doesn't work without faults. */
  static async of(world: ChaosWorld): Promise<ChaosPlay> {
    const play = new ChaosPlay(world);
    await world.client.token();
    play.#offerId = (await offerOf(world.client, FAULTY)).offer_id;
    if (!Number.isFinite(await play.#recovered(PATIENCE_MS))) throw new Error('the gateway does not work');
    return play;
  }

  /** Begins the fault, asks, ends the fault, and waits until everything works again. */
  async play(cell: Cell): Promise<Observed> {
    const { proxies } = this.world;
    const renter = { lastName: fresh(), key: fresh('key') };
    let hasBegun = false;
    const begin = (): void => {
      hasBegun = true;
      proxies[cell.part].begin(cell.fault);
    };
    if (beginsLate(cell)) proxies.supplier.beforeSending(BOOKING, begin);
    else begin();
    const answer = await this.#ask(cell.operation, renter);
    proxies[cell.part].end();
    const recoveredMs = await this.#recovered(recoveryMs(cell) + PATIENCE_MS);
    return {
      answer: hasBegun ? textOf(answer) : 'the fault did not begin',
      ms: answer.ms,
      recoveredMs,
      ...(cell.operation === 'book' ? { aftermath: await this.#aftermath(answer, renter) } : {}),
    };
  }

  #ask(operation: Operation, renter: Renter): Promise<HttpAnswer> {
    const { client } = this.world;
    switch (operation) {
      case 'token': {
        const { client_id, client_secret } = client.gateway.credentials();
        return client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
      }
      case 'search':
        return client.get(SEARCH);
      case 'book':
        return this.#book(renter);
    }
  }

  #book({ lastName, key }: Renter): Promise<HttpAnswer> {
    return create(this.world.client, { offer_id: this.#offerId, driver: driver(lastName) }, { key });
  }

  /** How long it takes until a token, a complete search and a booking succeed, in this order, and the gateway is ready. */
  async #recovered(withinMs: number): Promise<number> {
    const begunAt = performance.now();
    const steps = [
      () => this.#ask('token', NONE),
      () => this.#ask('search', NONE),
      () => this.#book({ lastName: fresh(), key: fresh('key') }),
      () => this.world.client.get('/health/ready', { token: null }),
    ];
    for (const step of steps) {
      while (!SUCCESS.includes((await step()).status)) {
        if (performance.now() - begunAt > withinMs) return Number.POSITIVE_INFINITY;
        await wait(POLL_MS);
      }
    }
    return performance.now() - begunAt;
  }

  async #aftermath(answer: HttpAnswer, renter: Renter): Promise<Observed['aftermath']> {
    const id = /\/(res_\w+)$/.exec(String(answer.headers.location))?.[1];
    const state = id === undefined ? 'none' : await this.#finalState(id);
    const bookings = await this.#bookings(renter);
    const again = textOf(await this.#book(renter));
    return { bookings, state, again, total: await this.#bookings(renter) };
  }

  async #finalState(id: string): Promise<string> {
    for (const end = performance.now() + PATIENCE_MS; ; await wait(POLL_MS)) {
      const { state } = await read(this.world.client, id);
      if (!OPEN.includes(state) || performance.now() > end) return state;
    }
  }

  async #bookings({ lastName }: Renter): Promise<number> {
    const all = await this.world.simulators.bookings(FAULTY, lastName);
    return all.filter(({ status }) => status === 'confirmed').length;
  }
}

const NONE: Renter = { lastName: '', key: '' };
const SUCCESS: readonly number[] = [200, 201];
const OPEN: readonly string[] = ['pending', 'unknown'];

/** An answer as cells describe it. */
function textOf(answer: HttpAnswer): string {
  const { status, errors, text } = answer;
  if (status === 201 || status === 202) return `${status} ${answer.body.reservation.state}`;
  const missing = errors.map(({ supplier, cause, reason }) =>
    [supplier, cause ?? reason].filter((word) => word !== undefined).join(' '),
  );
  return text === '' || missing.length === 0 ? String(status) : `${status} ${missing.join(', ')}`;
}
