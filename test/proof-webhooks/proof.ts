import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { State } from '../../src/reservations/states.js';
import { judge, quantile, type Verdict } from './judge.js';
import type { ApplicationName, EndpointName, WebhookWorld } from './world.js';

/** How much of everything. */
export interface WebhookPlan {
  /** Events of the quick endpoint; the others have a tenth. */
  readonly events: number;
  /** SIGKILLs of gateways while events are made. */
  readonly kills: number;
  /** How long events are made while no gateway is killed, in milliseconds. */
  readonly calmMs: number;
  readonly tell: (line: string) => void;
}

/** What was found. */
export interface WebhookReport {
  readonly isProven: boolean;
  readonly lines: readonly string[];
}

/** The moves of a reservation after its creation, with the types of their events. */
const LIVES: readonly (readonly (readonly [State, string, string?])[])[] = [
  [
    ['confirmed', 'confirmed'],
    ['cancel_pending', ''],
    ['cancelled', 'cancelled'],
  ],
  [
    ['unknown', ''],
    ['manual_review', 'review_opened'],
    ['confirmed', 'review_resolved confirmed'],
  ],
  [
    ['confirmed', 'confirmed'],
    ['modify_pending', ''],
    ['confirmed', 'changed', 'changed: dates'],
  ],
  [
    ['on_request', 'on_request'],
    ['rejected', 'rejected'],
  ],
  [
    ['failed', 'failed'],
    ['manual_review', 'late_booking_found review_opened'],
    ['confirmed', 'review_resolved confirmed'],
  ],
];
/** Events of a reservation, on average. */
const EVENTS_OF_LIFE = 4;
/** About how long a kill and the start after it take: events are made all the time. */
const KILL_MS = 4_000;
/** Reservations that are changed at a time. */
const CONCURRENT = 4;
/** The share of the events that are made afterwards, while no gateway is killed, for the time until they arrive. */
const CALM = 0.2;
const MOST_P95_MS = 2_000;
/** A killed gateway leaves leases of 30 s; then everything must arrive. */
const DRAIN_MS = 180_000;

/**
 * Makes events while gateways are killed and most endpoints fail, then some in calm, repairs the endpoints, and judges what
 * arrived at each against the changes that the reservations were given, not against the outbox.
 */
export async function runWebhooks(world: WebhookWorld, plan: WebhookPlan): Promise<WebhookReport> {
  const { events, kills, calmMs, tell } = plan;
  const expected: Expected = { quick: new Map(), mixed: new Map() };
  const make = (share: number, lastsMs: number) => {
    const count = Math.round(events * share);
    return makeEvents(world, expected, { count, pauseMs: (lastsMs * CONCURRENT * EVENTS_OF_LIFE) / count });
  };
  const killing = killGateways(world, kills, tell);
  await make(1 - CALM, kills * KILL_MS);
  await killing;
  tell('waiting until the quick endpoint has everything');
  await untilQuiet(world, expected.quick, 'quick');
  const calmSince = Date.now();
  await make(CALM, calmMs);
  await untilQuiet(world, expected.quick, 'quick');
  const latencies = world.endpoints
    .filter(({ name }) => name === 'quick')
    .flatMap(({ receiver }) => receiver.received)
    .map(({ at, body }) => ({ at, since: Date.parse((body as unknown as { timestamp: string }).timestamp) }))
    .flatMap(({ at, since }) => (since >= calmSince ? [at - since] : []));
  tell('repairing the endpoints');
  await world.repair();
  for (const end = Date.now() + DRAIN_MS; (await world.waiting()) > 0 && Date.now() < end; ) await wait(500);
  const verdicts = world.endpoints.map((endpoint) => {
    const due = expected[endpoint.application];
    const { arrivals, forged } = endpoint.arrivals();
    const total = [...due.values()].flat().length;
    return { name: endpoint.name, tries: endpoint.receiver.received.length, total, forged, ...judge(due, arrivals) };
  });
  return reportOf(verdicts, latencies, kills);
}

type Named = Verdict & {
  readonly name: EndpointName;
  readonly tries: number;
  readonly total: number;
  readonly forged: number;
};

function reportOf(verdicts: readonly Named[], latencies: readonly number[], kills: number): WebhookReport {
  const p95 = quantile(latencies, 0.95);
  const count = (kind: string) =>
    verdicts.flatMap(({ faults }) => faults).filter((fault) => fault.kind === kind).length;
  const forged = verdicts.reduce((sum, one) => sum + one.forged, 0);
  const isComplete = verdicts.every(({ events, total }) => events === total && total > 0);
  const isProven =
    isComplete && verdicts.every(({ faults }) => faults.length === 0) && forged === 0 && p95 <= MOST_P95_MS;
  const lines = [
    ...verdicts.map(
      ({ name, events, total, tries, duplicates }) =>
        `${name}: ${events} of ${total} events, ${tries} requests, ${duplicates} duplicates`,
    ),
    ...verdicts.flatMap(({ name, faults }) =>
      faults.slice(0, 5).map(({ kind, reservation, types }) => `${name}: ${kind} ${reservation} ${types.join(', ')}`),
    ),
    `SIGKILLs: ${kills}; lost: ${count('lost')}; out of order: ${count('swapped')}; unexpected: ${count('unexpected')}; wrong signatures: ${forged}`,
    `in calm, from the change to the arrival (${latencies.length} events): p50 ${quantile(latencies, 0.5)} ms, p95 ${p95} ms, max ${quantile(latencies, 1)} ms`,
  ];
  return { isProven: isProven && latencies.length > 0, lines };
}

/** Reservation → the types that it must have, in order. */
type Expected = Readonly<Record<ApplicationName, Map<string, readonly string[]>>>;

/** Makes about this many events for the quick endpoint, and a tenth for each of the others. */
async function makeEvents(
  world: WebhookWorld,
  expected: Expected,
  { count, pauseMs }: { readonly count: number; readonly pauseMs: number },
): Promise<void> {
  let made = 0;
  let number = 0;
  const work = async (): Promise<void> => {
    while (made < count) {
      number += 1;
      const application = number % 11 === 0 ? 'mixed' : 'quick';
      const life = LIVES[number % LIVES.length] ?? [];
      const words = ['created', ...life.flatMap(([, text]) => text.split(' ').filter((word) => word !== ''))];
      if (application === 'quick') made += words.length;
      const id = `res_${randomBytes(10).toString('hex')}`;
      expected[application].set(
        id,
        words.map((word) => `reservation.${word}`),
      );
      await liveThrough(world, application, id, life);
      await wait(pauseMs * 2 * Math.random());
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
}

const RENTAL = {
  pickupDate: '2027-02-01T10:00:00',
  dropoffDate: '2027-02-04T10:00:00',
  total: { amountMinor: 13_500, currency: 'USD' },
};

/** Each change is a transaction, as those of the gateways (reservation.repository.ts). */
async function liveThrough(
  { database, applications }: WebhookWorld,
  application: ApplicationName,
  id: string,
  life: (typeof LIVES)[number],
): Promise<void> {
  const now = sql`clock_timestamp()`;
  await database.rows(sql`
    insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version, rental, view, payment,
      sent_until, created_at, updated_at)
    values (${id}, 'sandbox', ${applications[application]}, 'alpine', 'pending', 'accepted', 'application', 1, ${JSON.stringify(RENTAL)}::json,
      '{}', '{}', ${now}, ${now}, ${now})`);
  for (const [to, , reason = 'x'] of life)
    await database.rows(sql`update reservations set state = ${to}, state_reason = ${reason}, state_actor = 'gateway', version = version + 1,
      updated_at = ${now} where id = ${id}`);
}

async function killGateways({ gateways }: WebhookWorld, kills: number, tell: (line: string) => void): Promise<void> {
  for (let kill = 1; kill <= kills; kill += 1) {
    await wait(500 + Math.random() * 1_500);
    const gateway = gateways[kill % gateways.length];
    await gateway?.kill();
    await gateway?.start();
    tell(`kill ${kill} of ${kills}: gateway ${gateway?.name}`);
  }
}

async function untilQuiet(
  { endpoints }: WebhookWorld,
  due: ReadonlyMap<string, readonly string[]>,
  name: EndpointName,
): Promise<void> {
  const receiver = endpoints.find((endpoint) => endpoint.name === name)?.receiver;
  const total = [...due.values()].flat().length;
  for (const end = Date.now() + DRAIN_MS; Date.now() < end; await wait(200))
    if (new Set(receiver?.received.map(({ id }) => id)).size >= total) return;
}
