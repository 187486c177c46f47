/**
 * What a booking costs on PostgreSQL: price check, stored intent, booking, stored outcome, each request with a new
 * Idempotency-Key, across all suppliers of `config/` in turn. They are the project's simulators, without latency, in a
 * separate process; they and PostgreSQL share the core of the load generator.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { nextQuestion } from '../load-generator.mjs';
import { cpuUs, cpuUsOfAll } from '../measures.mjs';
import { startPostgres } from '../postgres.mjs';
import { freePort, startGateway, startSimulators, stop } from '../processes.mjs';
import { takeProfile } from './profile.mjs';

const CONNECTIONS = [1, 8, 32];
const OFFERS_A_SUPPLIER = 5;
const IDLE_MS = 4_000;
const DRIVER = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com' };

/**
 * Table rows: for PostgreSQL with and without fsync, bookings over several numbers of connections, then the same
 * requests again.
 */
export async function measureBookings({ dist, env, generator, seconds }) {
  const simulators = await startSimulators(dist);
  const rows = [];
  for (const fsync of ['on', 'off']) {
    const postgres = await startPostgres(fsync);
    const variables = { ...env, ...simulators.env, DATABASE_URL: postgres.url, SMTP_URL: 'smtp://127.0.0.1:9' };
    const gateway = await startGateway(`gateway-fsync-${fsync}`, dist, variables, { shipped: true });
    const target = { ...gateway.target, path: '/cars/reservation/v1/' };
    const load = { kind: 'bookings', target, bodies: await bodies(gateway.target), seconds };
    await generator.run({ ...load, connections: 16, prefix: 'warm-up', seconds: Math.min(3, seconds) });
    const under = { gateway, postgres, simulators, idlePerSecond: await idleStatements(gateway.target) };
    let made = 0;
    for (const connections of CONNECTIONS) {
      const options = { ...load, connections, prefix: `at-${connections}` };
      const row = await measure(under, () => generator.run(options));
      made = row.requests;
      rows.push({ fsync, what: 'booked', connections, ...row });
    }
    const connections = CONNECTIONS.at(-1);
    const options = { ...load, connections, prefix: `at-${connections}`, repeat: made };
    rows.push({ fsync, what: 'replayed', connections, ...(await measure(under, () => generator.run(options))) });
    await stop(gateway.child);
    await postgres.dispose();
  }
  await stop(simulators.child);
  return rows;
}

/** Where the gateway's main thread spends its time with the most connections and fsync. */
export async function profileBookings({ dist, env, generator, seconds }) {
  const simulators = await startSimulators(dist);
  const postgres = await startPostgres('on');
  const variables = { ...env, ...simulators.env, DATABASE_URL: postgres.url, SMTP_URL: 'smtp://127.0.0.1:9' };
  const options = { shipped: true, inspect: await freePort() };
  const gateway = await startGateway('gateway-bookings', dist, variables, options);
  const target = { ...gateway.target, path: '/cars/reservation/v1/' };
  const load = { kind: 'bookings', target, bodies: await bodies(gateway.target), connections: CONNECTIONS.at(-1) };
  await generator.run({ ...load, prefix: 'warm-up', seconds: 2 * seconds });
  const taken = await takeProfile(gateway, () => generator.run({ ...load, prefix: 'profiled', seconds }));
  await stop(gateway.child);
  await postgres.dispose();
  await stop(simulators.child);
  return taken;
}

/** Requests to book the first offers of each supplier, in turn. */
async function bodies({ host, port, path, headers }) {
  const answer = await fetch(`http://${host}:${port}${path}?${nextQuestion().query}&max_results=500`, { headers });
  const { vehicles } = await answer.json();
  const bookable = vehicles.filter(({ status, rate }) => status === 'available' && rate.payment === 'pay_later');
  const bySupplier = Object.values(Object.groupBy(bookable, ({ supplier }) => supplier));
  const inTurn = Array.from({ length: OFFERS_A_SUPPLIER }, (_, index) =>
    bySupplier.flatMap((offers) => offers[index] ?? []),
  ).flat();
  return inTurn.map(({ offer_id }) => JSON.stringify({ offer_id, driver: DRIVER }));
}

/** Statements per second that the gateway sends while idle: its reconciler looks for work. */
async function idleStatements(target) {
  const before = await statements(target);
  await wait(IDLE_MS);
  return ((await statements(target)) - before) / (IDLE_MS / 1_000);
}

async function statements({ metricsUrl }) {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^forecourt_database_statements_total (\d+)/m.exec(text)[1]);
}

/** A run and the cost of each of its requests. `new in books` counts the suppliers' own bookings per request. */
async function measure(under, run) {
  const before = await counts(under);
  const startedAt = performance.now();
  const { requests, perSecond, p50, p99, statuses } = await run();
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await counts(under);
  const each = (key) => (after[key] - before[key]) / requests;
  return {
    requests,
    'per s': perSecond,
    'p50 ms': p50,
    'p99 ms': p99,
    'gateway CPU µs': each('gatewayUs'),
    'PostgreSQL CPU µs': each('postgresUs'),
    'simulators CPU µs': each('simulatorsUs'),
    statements: each('statements') - (under.idlePerSecond * seconds) / requests,
    'supplier calls': each('calls'),
    'new in books': each('bookings'),
    statuses,
  };
}

async function counts({ gateway, postgres, simulators }) {
  const { requests: calls, bookings } = await simulators.calls();
  return {
    calls,
    bookings,
    statements: await statements(gateway.target),
    gatewayUs: cpuUs(gateway.child.pid),
    postgresUs: cpuUsOfAll(postgres.pid),
    simulatorsUs: cpuUs(simulators.pid),
  };
}
