import { type KeyObject, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import type { Config } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { readPriced } from '../../src/offers/priced-key.js';
import type { OfferOrigin } from '../../src/representations/offer-id.js';
import { seal, unseal } from '../../src/representations/sealed-id.js';
import type { reservationWire } from '../../src/reservations/reservation.wire.js';
import type { SimulatedBooking } from '../../src/simulators/bookings.js';
import type { SimulatorStats } from '../../src/simulators/saturation.js';
import { type Program, plainEnvironment, startChild } from './child.js';
import type { AnyBody, CallOptions, Client, HttpAnswer, Offer } from './client.js';
import { type ConfigChanges, ROOMY } from './config-folder.js';
import { PROJECT } from './project.js';
import { vehiclesPath } from './rental.js';
import type { DemoName } from './start-gateway.js';

export type Reservation = z.infer<typeof reservationWire>;
export type Quote = AnyBody['quote'];

/** A brand of each simulated supplier; each supplier speaks its own dialect. */
export const BRANDS = { abg: 'Avis', alpine: 'Alpine', bravo: 'Bravo', dune: 'Dune' } as const;
export type SupplierId = keyof typeof BRANDS;
export const SUPPLIERS = Object.keys(BRANDS) as SupplierId[];

export const RESERVATIONS = '/cars/reservation/v1/';
export const RATES = '/cars/catalog/v1/vehicles/rates';

/** The master secret of a run's gateways, known to the tests that create their own ids. Generated (shared-servers.mjs), as production requires. */
export const SECRET = process.env.TEST_SECRET ?? randomBytes(32).toString('base64url');

const timeoutMs = { priceCheck: 2_000, book: 2_500, retrieve: 1_000, modify: 2_500, cancel: 2_500 };

/** No client is throttled, and uncertain bookings are resolved within seconds. */
export const QUICK = {
  settings: {
    reservations: {
      settleSeconds: 1,
      reviewAfterSeconds: 4,
      checkEveryMs: 200,
      firstCheckMs: 100,
      // A later call to a supplier would disturb the tests that count them.
      secondCheckSeconds: 3_600,
    },
  },
  tiers: { ...ROOMY, demo_throttled: ROOMY.demo },
  suppliers: Object.fromEntries(SUPPLIERS.map((id) => [id, { timeoutMs }])),
} as const satisfies ConfigChanges;

/** The simulated suppliers in a separate process: their books can be read and outlast every gateway. */
export interface Simulators {
  /** Variables that point a gateway to them. */
  readonly env: Readonly<Record<string, string>>;
  readonly urls: Readonly<Record<SupplierId, string>>;
  /** Bookings of a renter or with our reference, without holds. */
  bookings(supplier: SupplierId, lastNameOrReference: string): Promise<SimulatedBooking[]>;
  /** Holds that neither became a booking nor were released. */
  holds(supplier: SupplierId): Promise<SimulatedBooking[]>;
  stats(supplier: SupplierId): Promise<SimulatorStats>;
  /** HTTP calls that all suppliers together have received. */
  calls(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts them on free ports, with quick answers. */
export async function startSimulators(): Promise<Simulators> {
  const ledgers = join(tmpdir(), `forecourt-ledgers-${process.pid}-${Date.now()}`);
  const { command, words, options } = simulatorsProgram(ledgers);
  const child = startChild(command, words, options);
  await child.printed(SIMULATORS_READY);
  return simulatorsOf(child.output(), async () => {
    await child.stop();
    rmSync(ledgers, { recursive: true, force: true });
  });
}

export const SIMULATORS_READY = 'Simulators are ready.';

/** How to start them; their books are kept in the folder `ledgers`. */
export function simulatorsProgram(ledgers: string): Program {
  const env = {
    ...plainEnvironment(),
    SIMULATORS_LATENCY_SCALE: '0.1',
    SIMULATORS_CARS_PER_LOCATION: '10',
    SIMULATOR_LEDGER_DIR: ledgers,
  };
  return {
    command: process.execPath,
    words: [join(PROJECT, 'dist', 'simulators.js')],
    options: { cwd: PROJECT, env },
  };
}

/** The simulators that have printed this. */
export function simulatorsOf(printed: string, stop: () => Promise<void>): Simulators {
  const variables = Object.fromEntries(
    [...printed.matchAll(/(SUPPLIER_\w+_URL)=(\S+)/g)].map(([, name = '', url = '']) => [name, url]),
  );
  const urls = Object.fromEntries(
    SUPPLIERS.map((id) => [id, variables[`SUPPLIER_${id.toUpperCase()}_URL`] ?? '']),
  ) as Record<SupplierId, string>;
  const read = async <T>(supplier: SupplierId, path: string): Promise<T> =>
    (await fetch(`${urls[supplier]}${path}`)).json() as Promise<T>;
  const book = async (supplier: SupplierId) =>
    (await read<{ bookings: SimulatedBooking[] }>(supplier, '/__sim/bookings')).bookings;
  const stats = (supplier: SupplierId) => read<SimulatorStats>(supplier, '/__sim/stats');
  return {
    env: { SIMULATORS_EMBEDDED: 'false', ...variables },
    urls,
    bookings: async (supplier, name) =>
      (await book(supplier)).filter(
        ({ status, lastName, reference }) =>
          status !== 'held' &&
          status !== 'released' &&
          (lastName.toLowerCase() === name.toLowerCase() || reference === name),
      ),
    holds: async (supplier) => (await book(supplier)).filter(({ status }) => status === 'held'),
    stats,
    calls: async () => (await Promise.all(SUPPLIERS.map(stats))).reduce((sum, { requests }) => sum + requests, 0),
    stop,
  };
}

/** Runs them around all tests of the surrounding describe (or file). */
export function runSimulators(): () => Simulators {
  let simulators: Simulators | undefined;
  beforeAll(async () => {
    simulators = await startSimulators();
  });
  afterAll(() => simulators?.stop());
  return () => {
    if (!simulators) throw new Error('the simulators run only inside tests');
    return simulators;
  };
}

/** An offer that is available immediately and paid at the counter; `changes` are query parameters of the search. */
export async function offerOf(
  client: Client,
  supplier: SupplierId,
  changes: Record<string, string> = {},
  fits: (offer: Offer) => boolean = ({ status, rate }) => status === 'available' && rate.payment === 'pay_later',
): Promise<Offer> {
  const answer = await client.get(vehiclesPath({ brand: BRANDS[supplier], max_results: '60', ...changes }));
  const offer = answer.status === 200 ? answer.body.vehicles.find(fits) : undefined;
  if (!offer) throw new Error(`${supplier} has no such offer: ${answer.text.slice(0, 300)}`);
  return offer;
}

/** Prices what the body names. */
export async function quoteOf(client: Client, body: object): Promise<Quote> {
  const answer = await client.post(RATES, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.quote;
}

/** A renter; bookings of the simulated book are distinguished by the last name. */
export function driver<T extends object = object>(lastName: string, more: T = {} as T) {
  return { first_name: 'Ada', last_name: lastName, email: 'ada@example.com', phone: '+1 617 555 0100', ...more };
}

const spec = randomBytes(4).toString('hex');
let count = 0;
/** A last name (or key) that is unique, also among specs with one gateway. */
export function fresh(word = 'Sample'): string {
  count += 1;
  return `${word}${spec}x${count}`;
}

export interface CreateOptions {
  readonly key?: string;
  readonly scenario?: string;
  readonly application?: DemoName;
  readonly headers?: Readonly<Record<string, string>>;
}

/** POST /cars/reservation/v1/. */
export async function create(client: Client, body: string | object, options: CreateOptions = {}): Promise<HttpAnswer> {
  return client.post(RESERVATIONS, body, { ...(await optionsOf(client, options)) });
}

/** A reservation that is booked. */
export async function booked(client: Client, body: object, options: CreateOptions = {}): Promise<Reservation> {
  const answer = await create(client, body, options);
  if (answer.status !== 201) throw new Error(answer.text);
  return reservationOf(answer);
}

/** Any operation on one reservation. */
export async function on(
  client: Client,
  method: 'GET' | 'PATCH' | 'PUT' | 'DELETE',
  id: string,
  body?: string | object,
  options: CreateOptions = {},
): Promise<HttpAnswer> {
  return client.call(method, `${RESERVATIONS}${id}`, {
    ...(await optionsOf(client, options)),
    ...(body === undefined ? {} : { body }),
  });
}

async function optionsOf(client: Client, { key, scenario, application, headers }: CreateOptions): Promise<CallOptions> {
  return {
    headers: {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }),
      ...headers,
    },
    ...(application === undefined ? {} : { token: await client.token(application) }),
  };
}

/** The reservation that an answer shows. Throws if it shows none. */
export function reservationOf(answer: HttpAnswer): Reservation {
  const { reservation } = JSON.parse(answer.text) as { reservation?: Reservation };
  if (!reservation) throw new Error(`${answer.status} without a reservation: ${answer.text}`);
  return reservation;
}

/** The current state of the reservation. */
export async function read(client: Client, id: string): Promise<Reservation> {
  return reservationOf(await on(client, 'GET', id));
}

/** The reservation once it is in one of the states. Rejects after `timeoutMs`. */
export async function settled(client: Client, id: string, states: readonly Reservation['state'][], timeoutMs = 15_000) {
  return eventually(
    () => read(client, id),
    ({ state }) => states.includes(state),
    timeoutMs,
  );
}

/** Shortest and longest pause of `eventually`, in milliseconds. */
const [SHORTEST, LONGEST] = [30, 400];

/**
 * Repeats a request until the answer is the expected one. Rejects with the last answer after `timeoutMs`. The longer it
 * takes, the longer the pauses (a tenth of the time so far), so that what is waited for gets the processor.
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  fits: (value: T) => boolean,
  timeoutMs = 15_000,
): Promise<T> {
  for (const begin = Date.now(); ; ) {
    const value = await ask();
    if (fits(value)) return value;
    const ms = Date.now() - begin;
    if (ms > timeoutMs)
      throw new Error(`not within ${timeoutMs} ms; in the end: ${JSON.stringify(value).slice(0, 2_000)}`);
    await wait(Math.min(LONGEST, Math.max(SHORTEST, ms / 10)));
  }
}

/** `from→to` of each row of the history, in order. */
export function path({ history }: Reservation): string {
  return history.map(({ to }) => to).join(' ');
}

/** Minor units of an amount in a currency with two digits. */
export function cents(money: { readonly amount: string } | undefined): number {
  return Math.round(Number(money?.amount ?? Number.NaN) * 100);
}

/** `reason field` of each entry, in order. */
export function faults({ errors }: HttpAnswer): string[] {
  return errors.map(({ reason, field }) => (field === undefined ? reason : `${reason} ${field}`));
}

/** Where the offer with this id comes from, if not from its supplier. */
export function originIn(id: string): OfferOrigin | undefined {
  return readPriced(id, offerKey())?.origin;
}

/** The id of an offer or quote that expired in 1970, sealed as a gateway with `SECRET` seals it. */
export function expired(id: string): string {
  const key = offerKey();
  const prefix = id.slice(0, 4);
  const members = JSON.parse(unseal(prefix, id, key) ?? '[]') as unknown[];
  return seal(prefix, JSON.stringify(members.with(8, 1)), key);
}

function offerKey(): KeyObject {
  return loadKeys({ environment: 'sandbox', secret: SECRET } as Config)('offer_id');
}
