import { createSecretKey } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { type Config, configSchema } from '../config/config.schema.js';
import { createLogger } from '../config/logger.js';
import { OperatorReads } from '../database/operator-reads.js';
import { Outbox } from '../mail/outbox.js';
import { sampleReservation, TRACES } from '../reservations/fixtures/sample-reservation.js';
import { type Move, moved, type Reservation } from '../reservations/reservation.js';
import { ReservationRepository } from '../reservations/reservation.repository.js';
import { DeliveryLog } from './delivery-log.js';
import { DeliveryQueue } from './delivery-queue.js';
import { EndpointStore } from './endpoint-store.js';
import { accept, type Behavior, type Receiver, refuse, startReceiver } from './fixtures/receiver.js';
import { SuspensionNotices } from './suspension-notices.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookWorker } from './webhook-worker.js';

jest.setTimeout(60_000);

const OWNER = { applicationId: 'app_a', accountId: 'acc_a' };
const keys = () => createSecretKey(Buffer.alloc(32, 5));
const database = migratedDatabase(
  ...['webhook_deliveries', 'webhook_endpoints', 'notices_sent', 'outbox', 'reservation_events', 'reservations'],
  ...['applications', 'accounts'],
);
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, email, verified_at) values
    ('acc_a', 'sandbox', 'Ada', 'demo', 'ada@example.com', now()), ('acc_b', 'sandbox', 'Bob', 'demo', null, null)`);
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier) values
    ('app_a', 'acc_a', 'Shop', 'client_a', 'sandbox', 'demo'), ('app_b', 'acc_b', 'Other', 'client_b', 'sandbox', 'demo')`);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function setUp(changes: Partial<Config> = {}) {
  const config = { ...configSchema.parse({}), ...changes };
  const logger = createLogger('silent');
  const secrets = new WebhookSecrets(config, keys);
  const queue = new DeliveryQueue(database(), config);
  const outbox = new Outbox(database(), config, keys, logger);
  const site = { url: (path: string) => `http://forecourt.example${path}` };
  const notices = new SuspensionNotices(database(), config, outbox, { wake: () => undefined } as never, site);
  const endpoints = new EndpointStore(database(), config, secrets);
  const start = () => {
    const sender = new WebhookSender(config);
    const reads = new OperatorReads(database(), 50, logger);
    const worker = new WebhookWorker(queue, sender, secrets, notices, config, database(), logger, reads);
    void reads.start();
    worker.onApplicationBootstrap();
    cleanups.push(async () => {
      reads.stop();
      await worker.beforeApplicationShutdown();
    });
  };
  return {
    start,
    endpoints,
    outbox,
    notices,
    log: new DeliveryLog(database()),
    repository: new ReservationRepository(database(), config, keys),
  };
}

async function receiver(...behavior: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...behavior);
  cleanups.push(() => started.stop());
  return started;
}

async function addEndpoint(
  { endpoints }: ReturnType<typeof setUp>,
  url: string,
  events: string[] | null = null,
  owner = OWNER,
) {
  const settings = { url, events, description: '', state: 'active' as const };
  const made = await endpoints.create(owner, settings, 'test');
  if (typeof made === 'string') throw new Error(made);
  return made;
}

type World = ReturnType<typeof setUp>;

async function book({ repository }: World, changes: Partial<Reservation> = {}): Promise<Reservation> {
  const reservation = sampleReservation(changes);
  await repository.insert(reservation, undefined);
  return reservation;
}

async function move({ repository }: World, before: Reservation, to: Move['to'], more: Partial<Move> = {}) {
  const after = moved(before, { to, actor: 'gateway', reason: 'x', at: before.updatedAt + 1_000, ...more });
  if (!(await repository.update(after, more.patch ?? {}))) throw new Error('not stored');
  return after;
}

/** Waits for something that happens soon, and fails if it doesn't within a multiple of what it takes. */
async function until(what: string, is: () => boolean | Promise<boolean>, mostMs = 20_000): Promise<void> {
  for (const end = performance.now() + mostMs; !(await is()); await wait(20))
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
}

/** Everything that waits for its next attempt is due, as if its pause had passed. */
async function passPauses(): Promise<void> {
  await database().rows(sql`update webhook_endpoints set resume_at = now() where resume_at > now()`);
  await database().rows(sql`update webhook_deliveries set next_at = now() where state = 'pending' and next_at > now()`);
}

const statesOf = (received: Receiver['received'], id: string) =>
  received.filter(({ body }) => body.data.reservation_id === id).map(({ body }) => body.type);

describe('events of a reservation', () => {
  it('are written in the transaction of the change, only for endpoints that chose them, and none without endpoints', async () => {
    const world = setUp();
    await move(world, await book(world), 'confirmed');
    const all = await addEndpoint(world, 'http://127.0.0.1:1/all');
    const chosen = await addEndpoint(world, 'http://127.0.0.1:1/chosen', ['reservation.confirmed']);
    const off = await addEndpoint(world, 'http://127.0.0.1:1/off');
    await world.endpoints.change('app_a', off.endpoint.id, { state: 'disabled' }, 'test');
    await addEndpoint(world, 'http://127.0.0.1:1/other', null, { applicationId: 'app_b', accountId: 'acc_b' });
    await move(world, await book(world), 'confirmed');
    const rows = await database().rows<{ endpoint_id: string; type: string }>(
      sql`select endpoint_id, type from webhook_deliveries order by endpoint_id = ${chosen.endpoint.id}, id`,
    );
    expect(rows).toEqual([
      { endpoint_id: all.endpoint.id, type: 'reservation.created' },
      { endpoint_id: all.endpoint.id, type: 'reservation.confirmed' },
      { endpoint_id: chosen.endpoint.id, type: 'reservation.confirmed' },
    ]);
    await expect(
      database().tables.transaction(async (tx) => {
        await tx.execute(sql`update reservations set version = version + 1, state = 'cancel_pending'`);
        await tx.execute(sql`update reservations set version = version + 1, state = 'cancelled'`);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await database().rows(sql`select 1 from webhook_deliveries where type = 'reservation.cancelled'`)).toEqual(
      [],
    );
  });

  it('arrive signed, in order, without personal data, and are signed by both secrets during a rotation', async () => {
    const world = setUp();
    const { url, received } = await receiver();
    const { endpoint, secret } = await addEndpoint(world, url);
    const rotated = await world.endpoints.rotate('app_a', endpoint.id, 24, 'test');
    const booked = await book(world, { clientReference: 'ORDER-1' });
    const drift = { accepted: { amountMinor: 100, currency: 'USD' }, actual: { amountMinor: 120, currency: 'USD' } };
    await move(world, booked, 'confirmed', { patch: { priceDrift: drift } });
    world.start();
    await until('three events', () => received.length === 3);
    expect(statesOf(received, booked.id)).toEqual([
      'reservation.created',
      'reservation.confirmed',
      'reservation.price_drift',
    ]);
    for (const { text, headers } of received) {
      for (const known of [secret, rotated?.secret ?? ''])
        expect(new Webhook(known).verify(text, headers as Record<string, string>)).toEqual(JSON.parse(text));
      for (const trace of TRACES) expect(text).not.toContain(trace);
    }
    expect(received[2]?.body.data).toEqual({
      application_id: 'app_a',
      reservation_id: booked.id,
      version: 2,
      supplier: 'uno',
      state: 'confirmed',
      previous_state: 'pending',
      pickup_date: '2027-02-01T10:00:00',
      dropoff_date: '2027-02-04T10:00:00',
      total: { amount: '135.00', currency: 'USD' },
      price_drift: { accepted: { amount: '1.00', currency: 'USD' }, actual: { amount: '1.20', currency: 'USD' } },
    });
    await world.endpoints.rotate('app_a', endpoint.id, 0, 'test');
    await world.endpoints.test(endpoint);
    // Earlier events may arrive again if their answers were slow.
    const sent = () => received.find(({ body }) => body.type === 'webhook.test');
    await until('the test event', () => sent() !== undefined);
    const { text = '', headers } = sent() ?? {};
    expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).toThrow('signature');
  });

  it('wait for earlier ones of the same reservation, and not for those of other reservations', async () => {
    const world = setUp();
    const stuck = await book(world);
    const { url, received, become } = await receiver((event, response) =>
      event.body.data.reservation_id === stuck.id ? refuse(500)(event, response) : accept(event, response),
    );
    await addEndpoint(world, url);
    const cancelling = await move(world, await move(world, stuck, 'confirmed'), 'cancel_pending');
    await move(world, cancelling, 'cancelled');
    const other = await book(world);
    await move(world, other, 'confirmed');
    world.start();
    await until('the other reservation', () => statesOf(received, other.id).length === 2);
    await until('a second attempt', async () => {
      await passPauses();
      return statesOf(received, stuck.id).length >= 2;
    });
    expect(new Set(statesOf(received, stuck.id))).toEqual(new Set(['reservation.confirmed']));
    become(accept);
    await until('the rest', async () => {
      await passPauses();
      return statesOf(received, stuck.id).includes('reservation.cancelled');
    });
    const first = [...new Map(received.map((event) => [event.id, event])).values()];
    expect(statesOf(first, stuck.id)).toEqual(['reservation.confirmed', 'reservation.cancelled']);
  });

  it('are sent by one of several gateways at a time', async () => {
    const world = setUp();
    let sending = 0;
    let most = 0;
    const { url, received } = await receiver((event, response) => {
      sending += 1;
      most = Math.max(most, sending);
      setTimeout(() => {
        sending -= 1;
        accept(event, response);
      }, 20);
    });
    await addEndpoint(world, url);
    for (let count = 0; count < 30; count += 1) await book(world);
    world.start();
    world.start();
    world.start();
    await until('all events', () => received.length >= 30);
    await wait(600);
    expect(received.length).toBe(30);
    // Four at a time is the share of one endpoint, whichever gateway sends them.
    expect(most).toBeLessThanOrEqual(4);
  });
});

describe('an endpoint that fails', () => {
  it('is tried again with growing pauses after an error, a redirect, garbage and a closed connection', async () => {
    const world = setUp();
    const cases: readonly [Behavior, object][] = [
      [refuse(500), { lastStatus: 500, lastError: null }],
      [refuse(307, { location: '/elsewhere' }), { lastStatus: 307, lastError: null }],
      [(_, response) => void response.socket?.end('SPAM\r\n\r\n'), { lastStatus: null, lastError: 'invalid_response' }],
      [(_, response) => void response.destroy(), { lastStatus: null, lastError: 'unreachable' }],
    ];
    const tried = await Promise.all(
      cases.map(async ([behavior, last]) => {
        const started = await receiver(behavior);
        return { ...started, last, id: (await addEndpoint(world, started.url)).endpoint.id };
      }),
    );
    const { id: subject } = await book(world);
    world.start();
    await until('two attempts at each', () => tried.every(({ received }) => received.length === 2));
    await wait(200);
    for (const { id, last, received } of tried) {
      expect((await world.log.list(id, { limit: 9 }))[0]).toMatchObject({
        subject,
        state: 'pending',
        attempts: 2,
        ...last,
      });
      const [first = 0, second = 0] = received.map(({ at }) => at);
      expect(second - first).toBeGreaterThan(1_500);
      expect(received.every(({ path }) => path === '/hook')).toBe(true);
    }
    for (const { become } of tried) become(accept);
    const isDelivered = async (id: string) => (await world.log.list(id, { limit: 1 }))[0]?.state === 'delivered';
    await until('delivery', async () => {
      await passPauses();
      return (await Promise.all(tried.map(({ id }) => isDelivered(id)))).every(Boolean);
    });
  });

  it('is suspended after 72 hours or 410, keeps its events, emails its owner once, and goes on when it is active again', async () => {
    const world = setUp();
    const dead = await receiver(refuse(503));
    const gone = await receiver(refuse(410));
    const first = await addEndpoint(world, dead.url);
    const second = await addEndpoint(world, gone.url);
    const booked = await book(world);
    await database().rows(
      sql`update webhook_endpoints set failures = 9, failing_since = now() - interval '73 hours' where id = ${first.endpoint.id}`,
    );
    world.start();
    world.start();
    const stateOf = async (id: string) => (await world.endpoints.get(id))?.state;
    await until(
      'suspension',
      async () =>
        (await stateOf(first.endpoint.id)) === 'suspended' && (await stateOf(second.endpoint.id)) === 'suspended',
    );
    await until('two emails', async () => (await world.outbox.newest(9)).length === 2);
    await move(world, booked, 'confirmed');
    await wait(700);
    expect(await world.outbox.newest(9)).toHaveLength(2);
    expect((await world.outbox.newest(9))[0]).toMatchObject({
      to: 'ada@example.com',
      subject: 'A webhook endpoint of Shop is suspended',
    });
    expect(dead.received).toHaveLength(1);
    dead.become(accept);
    await world.endpoints.change('app_a', first.endpoint.id, { state: 'active' }, 'test');
    await until('its events', () => dead.received.length === 3);
    expect(statesOf(dead.received.slice(1), booked.id)).toEqual(['reservation.created', 'reservation.confirmed']);
    // Changed while it is suspended, which forgets since when it failed; then suspended again on the same day.
    await world.endpoints.change('app_a', second.endpoint.id, { url: `${gone.url}/changed` }, 'test');
    await world.notices.look();
    await world.endpoints.change('app_a', second.endpoint.id, { state: 'active' }, 'test');
    await until('another suspension', async () => gone.received.length > 1);
    await until('the state', async () => (await stateOf(second.endpoint.id)) === 'suspended');
    await wait(700);
    expect(await world.outbox.newest(9)).toHaveLength(2);
  });

  it('is neither suspended nor loses an event while the gateway cannot sign', async () => {
    const world = setUp();
    const { url, received, become } = await receiver(accept);
    const { endpoint } = await addEndpoint(world, url);
    await book(world);
    const [{ secret } = {}] = await database().rows<{ secret: string }>(sql`select secret from webhook_endpoints`);
    await database().rows(
      sql`update webhook_endpoints set failures = 1, failing_since = now() - interval '73 hours', secret = 'unreadable'`,
    );
    await database().rows(sql`update webhook_deliveries set attempts = 1, due_since = now() - interval '73 hours'`);
    world.start();
    const newest = async () => (await world.log.list(endpoint.id, { limit: 1 }))[0];
    await until('an attempt', async () => (await newest())?.attempts === 2);
    expect(await newest()).toMatchObject({ state: 'pending', lastError: 'not_signed' });
    expect((await world.endpoints.get(endpoint.id))?.state).toBe('active');
    expect([received, await world.outbox.newest(9)]).toEqual([[], []]);
    become(refuse(503));
    await database().rows(sql`update webhook_endpoints set secret = ${secret}, resume_at = null`);
    await database().rows(sql`update webhook_deliveries set next_at = now()`);
    await until('an answer', async () => (await newest())?.attempts === 3);
    expect([received.length, (await newest())?.state]).toEqual([1, 'pending']);
  });

  it('gives up one event after 72 hours if it accepts others, and a replay sends it again with the same id', async () => {
    const world = setUp();
    const { url, received, become } = await receiver(refuse(500));
    const { endpoint } = await addEndpoint(world, url);
    await book(world);
    await database().rows(sql`update webhook_deliveries set attempts = 1, due_since = now() - interval '73 hours'`);
    world.start();
    const newest = async () => (await world.log.list(endpoint.id, { limit: 1 }))[0];
    await until('the end of the attempts', async () => (await newest())?.state === 'failed');
    become(accept);
    expect(await world.log.replay(endpoint.id, (await newest())?.eventId ?? '')).toBe(true);
    await until('the replay', async () => (await newest())?.state === 'delivered');
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
    expect(await world.log.countSince(endpoint.id, 0)).toBe(1);
    expect(await world.log.replaySince(endpoint.id, 0, 0)).toBe(0);
    expect(await world.log.replaySince(endpoint.id, 0)).toBe(1);
    await until('the second replay', () => received.length >= 3);
  });

  it('in a private network is never connected to, whatever its name resolves to', async () => {
    const { url, received } = await receiver();
    const { port } = new URL(url);
    const open = new WebhookSender(configSchema.parse({}));
    const reachable = new WebhookSender(configSchema.parse({ http: { host: '0.0.0.0' } }));
    const production = new WebhookSender(configSchema.parse({ environment: 'production' }));
    cleanups.push(...[open, reachable, production].map((sender) => () => sender.close()));
    const ask = async (sender: WebhookSender, host: string) =>
      (await sender.send(`http://${host}:${port}/hook`, { 'webhook-id': 'x' }, '{"data":{}}')).error;
    expect(await ask(open, '127.0.0.1')).toBeNull();
    expect(await ask(open, 'localhost')).toBeNull();
    expect(received).toHaveLength(2);
    for (const sender of [reachable, production])
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433'])
        expect([host, await ask(sender, host)]).toEqual([host, 'private_address']);
    for (const host of ['10.0.0.1', '169.254.169.254']) expect(await ask(open, host)).toBe('private_address');
    expect(received).toHaveLength(2);
  });
});

describe('places', () => {
  it('are shared between accounts: slow endpoints of one don’t delay those of another that answer quickly', async () => {
    const world = setUp();
    const slow = await receiver(() => undefined);
    const quick = await receiver();
    for (let number = 0; number < 5; number += 1) await addEndpoint(world, `${slow.url}/${number}`);
    const other = { applicationId: 'app_b', accountId: 'acc_b' };
    await addEndpoint(world, quick.url, null, other);
    for (let count = 0; count < 10; count += 1) await book(world);
    world.start();
    await until('attempts at the slow ones', () => slow.received.length > 0);
    // One account has two places, with four attempts each.
    await wait(1_500);
    expect(slow.received.length).toBeLessThanOrEqual(8);
    const madeAt = Date.now();
    for (let count = 0; count < 10; count += 1) await book(world, { applicationId: 'app_b' });
    await until('the other account', () => quick.received.length === 10);
    // Alone, it takes half a second; behind slow ones it would take ten.
    expect(Date.now() - madeAt).toBeLessThan(6_000);
  });

  it('are leased again when the lease of a gateway that stopped ends', async () => {
    const world = setUp();
    await addEndpoint(world, 'http://127.0.0.1:1/x');
    await book(world);
    const queue = new DeliveryQueue(database(), configSchema.parse({}));
    const lease = () => queue.lease({ fast: 9, slow: 9, perAccount: 9, busy: [] });
    expect(await lease()).toHaveLength(1);
    expect(await lease()).toHaveLength(0);
    await database().rows(
      sql`update webhook_endpoints set leased_until = now() - interval '1 second', wakes_at = now() - interval '1 second'`,
    );
    expect(await lease()).toHaveLength(1);
  });
});

it('an application can change its endpoints 300 times an hour; a change to the same settings is none', async () => {
  const world = setUp();
  const { endpoint } = await addEndpoint(world, 'http://127.0.0.1:1/x');
  const change = (number: number) =>
    world.endpoints.change('app_a', endpoint.id, { description: `No. ${number}` }, 'app_a');
  for (let number = 0; number < 300; number += 1) await change(number);
  const [before] = await database().rows(sql`select count(*)::int as count from audit_events`);
  expect(await change(299)).toMatchObject({ id: endpoint.id });
  expect(await database().rows(sql`select count(*)::int as count from audit_events`)).toEqual([before]);
  await expect(change(300)).rejects.toThrow('at most 300 changes per hour');
  expect(await world.endpoints.change('app_a', endpoint.id, { description: 'gw' }, 'gw')).toMatchObject({
    description: 'gw',
  });
  expect(await world.endpoints.remove('app_a', endpoint.id, 'app_a')).toBe(true);
});

it('a slow endpoint does not hold up that of another account at the same origin', async () => {
  const world = setUp();
  const shared = await receiver((event, response) => {
    if (event.path.includes('slow')) setTimeout(() => accept(event, response), 5_000);
    else accept(event, response);
  });
  for (const name of ['slow1', 'slow2']) await addEndpoint(world, `${shared.url}/${name}`);
  await addEndpoint(world, `${shared.url}/quick`, null, { applicationId: 'app_b', accountId: 'acc_b' });
  for (let count = 0; count < 5; count += 1) await book(world);
  world.start();
  const at = (name: string) => shared.received.filter(({ path }) => path.endsWith(name));
  await until('eight attempts', () => at('slow1').length + at('slow2').length === 8);
  const madeAt = Date.now();
  await book(world, { applicationId: 'app_b' });
  await until('the other account', () => at('quick').length === 1);
  // Within the poll; behind the slow ones it would take five seconds.
  expect(Date.now() - madeAt).toBeLessThan(3_500);
});

it('the work for due events does not grow with those that wait: the first of each subject among the oldest 1,000', async () => {
  const world = setUp();
  const { endpoint } = await addEndpoint(world, 'http://127.0.0.1:1/x');
  const queue = new DeliveryQueue(database(), configSchema.parse({}));
  const dueSubjects = async () => {
    await database().rows(sql`update webhook_endpoints set leased_until = null, wakes_at = now()`);
    const [leased] = await queue.lease({ fast: 9, slow: 9, perAccount: 9, busy: [] });
    if (!leased) throw new Error('the endpoint must have due events');
    return (await queue.due(leased)).map(({ eventId }) => eventId);
  };
  const insert = (subject: string, count: number) =>
    database().rows(sql`
      insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data)
      select 'sandbox', 'app_a', ${endpoint.id}, ${subject} || n, 'reservation.changed', ${subject}, now(), '{}'
      from generate_series(1, ${count}::int) n`);
  await insert('a', 500);
  await insert('b', 499);
  await insert('c', 1);
  await insert('d', 1);
  expect(await dueSubjects()).toEqual(['a1', 'b1', 'c1']);
  // An event that isn't due yet holds up the later ones of its subject only.
  await database().rows(sql`update webhook_deliveries set next_at = now() + interval '1 hour' where event_id = 'a1'`);
  expect(await dueSubjects()).toEqual(['b1', 'c1']);
});

it('an endpoint that is active again is tried with all its events, of which few are touched', async () => {
  const world = setUp();
  const { endpoint } = await addEndpoint(world, 'http://127.0.0.1:1/x');
  const queue = new DeliveryQueue(database(), configSchema.parse({}));
  await database().rows(sql`
    insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data, due_since, attempts, next_at)
    select 'sandbox', 'app_a', ${endpoint.id}, 'e' || n, 'reservation.changed', 's' || n, now(), '{}',
      now() - interval '80 hours', case when n <= 3 then 5 else 0 end, now() + case when n <= 3 then interval '1 hour' else interval '0 s' end
    from generate_series(1, 3000) n`);
  await database().rows(sql`update webhook_endpoints set state = 'suspended', failures = 9`);
  const versions = async () =>
    new Map(
      (
        await database().rows<{ id: string; xmin: string }>(
          sql`select event_id as id, xmin::text from webhook_deliveries`,
        )
      ).map(({ id, xmin }) => [id, xmin]),
    );
  const before = await versions();
  await world.endpoints.change('app_a', endpoint.id, { state: 'active' }, 'test');
  const after = await versions();
  expect(
    [...after]
      .filter(([id, xmin]) => before.get(id) !== xmin)
      .map(([id]) => id)
      .sort(),
  ).toEqual(['e1', 'e2', 'e3']);
  const [leased] = await queue.lease({ fast: 9, slow: 9, perAccount: 9, busy: [] });
  if (!leased) throw new Error('the endpoint must have due events');
  const due = await queue.due(leased);
  expect(due.slice(0, 4).map(({ eventId }) => eventId)).toEqual(['e1', 'e2', 'e3', 'e4']);
  // It has waited for 80 hours, but was never attempted.
  const [first, fourth] = [due[0], due[3]];
  if (!first || !fourth) throw new Error('four events must be due');
  for (const event of [first, fourth]) await queue.failed(leased, event, { status: 500, ms: 5, error: null });
  const states = async () =>
    (
      await database().rows<{ state: string }>(
        sql`select state from webhook_deliveries where id in (${first.id}, ${fourth.id})`,
      )
    ).map(({ state }) => state);
  expect(await states()).toEqual(['pending', 'pending']);
  expect(await world.endpoints.remove('app_a', endpoint.id, 'test')).toBe(true);
  expect(await database().rows(sql`select 1 from webhook_deliveries`)).toEqual([]);
});

it('events are deleted after 14 days', async () => {
  const world = setUp();
  const { endpoint } = await addEndpoint(world, 'http://127.0.0.1:1/x');
  await book(world);
  await book(world);
  await database().rows(sql`update webhook_deliveries set at = now() - interval '15 days', state = 'delivered'
    where id = (select min(id) from webhook_deliveries)`);
  await database().rows(sql`update webhook_deliveries set at = now() where state = 'pending'`);
  expect(await new DeliveryQueue(database(), configSchema.parse({})).purge()).toBe(true);
  expect(await world.log.list(endpoint.id, { limit: 9 })).toHaveLength(1);
});

it('the audit log names the origin of an endpoint; path and query may contain a secret', async () => {
  const world = setUp();
  const { endpoint } = await addEndpoint(world, 'http://127.0.0.1:1/x/s3cr3t?key=s3cr3t');
  await world.endpoints.change('app_a', endpoint.id, { url: 'http://127.0.0.1:1/y/s3cr3t' }, 'test');
  const rows = await database().rows(
    sql`select environment, after from audit_events where after ->> 'endpoint' = ${endpoint.id}`,
  );
  const recorded = { environment: 'sandbox', after: expect.objectContaining({ url: 'http://127.0.0.1:1/…' }) };
  expect(rows).toEqual([recorded, recorded]);
});
