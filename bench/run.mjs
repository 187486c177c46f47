/**
 * `npm run bench`: how fast the gateway is compared with handwritten servers that do the same work, what it adds to its suppliers, and what a booking costs.
 *
 * A real Redis, the suppliers, PostgreSQL and the load generator share one core; the server under test has the other.
 * Rounds alternate between the servers within one run; figures are medians over the rounds, and ratios medians of the
 * ratios of each round. A different answer or an unexpected status ends the run with an error.
 *
 * Environment: BENCH_SECONDS (8, per run) and BENCH_ROUNDS (3) of throughput; BENCH_WARM_UP (5000, requests to each server
 * before its first round); BENCH_CONNECTIONS (48); BENCH_RATE (200 per second, of added and hanging);
 * BENCH_ONLY=throughput,builds (if there is BENCH_DIST_B),vehicles,suppliers,locations,tokens,added,hanging,overload,memory,store,records,bookings,workers,
 * profile,booking-profile (these two only if named); BENCH_SERVERS=gateway,fastify,nginx; BENCH_DIST (dist) and BENCH_DIST_B (a second build to compare with);
 * BENCH_VEHICLES (10, per supplier) and BENCH_QUERY (such as &max_results=10) of a profile; BENCH_NODE_FLAGS.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { sameAnswer } from './compare.mjs';
import { nginxNames, whyNoNginx } from './floor-nginx/available.mjs';
import { Line, nextQuestion, requestText } from './load-generator.mjs';
import { measureBookings, profileBookings } from './parts/bookings.mjs';
import { measureBuilds } from './parts/builds.mjs';
import { measureSuppliers, measureVehicles } from './parts/growth.mjs';
import { addedLatency, hanging } from './parts/latency.mjs';
import { measureLocations } from './parts/locations.mjs';
import { measureMemory } from './parts/memory.mjs';
import { measureOverload } from './parts/overload.mjs';
import { measureProfiles } from './parts/profile.mjs';
import { measureRecords } from './parts/records.mjs';
import { measureTokens } from './parts/tokens.mjs';
import { measureWorkers } from './parts/workers.mjs';
import { startPostgres, whyNoPostgres } from './postgres.mjs';
import {
  freePort,
  startFastifyFloor,
  startGateway,
  startGenerator,
  startNginxFloor,
  startRedis,
  startSuppliers,
  stop,
  stopAll,
} from './processes.mjs';
import {
  ALL_MAY_WAIT,
  CONNECTIONS,
  DIST,
  DIST_B,
  gatewayEnv,
  RATE,
  ROUNDS,
  SECONDS,
  SUPPLIER_TIMEOUT_MS,
  wants,
  wantsServer,
} from './settings.mjs';
import { table } from './table.mjs';
import { throughput } from './throughput.mjs';

const SEARCH_PARTS = ['throughput', 'builds', 'vehicles', 'profile', 'store', 'added', 'hanging', 'overload', 'memory'];
const results = {
  settings: { seconds: SECONDS, rounds: ROUNDS, connections: CONNECTIONS, node: process.version },
  skipped: [],
};
let failed = true;

try {
  await run();
  failed = false;
} finally {
  await stopAll(failed);
}

async function run() {
  const redis = await startRedis(redisAnswers);
  const generator = await startGenerator();
  if (SEARCH_PARTS.some(wants)) await searches(redis, generator);
  if (wants('suppliers')) results.suppliers = await measureSuppliers(redis, generator);
  if (wants('locations')) results.locations = await measureLocations(redis, generator);
  await onPostgres('tokens', (postgres) => measureTokens(redis, generator, postgres));
  await onPostgres('records', (postgres) => measureRecords(redis, generator, postgres));
  if (wants('bookings')) await bookings(redis, generator);
  if (wantsPostgres('booking-profile'))
    results.bookingProfile = await profileBookings(bookingOptions(redis, generator));
  await onPostgres('workers', (postgres) => measureWorkers(redis, generator, postgres));
  if (results.workers)
    table(`One worker and two, ${CONNECTIONS} connections, ${ROUNDS} × ${SECONDS} s each, medians`, results.workers);
  const file = process.env.BENCH_RESULTS ?? fileURLToPath(new URL('results.json', import.meta.url));
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  for (const line of results.skipped) console.log(`skipped: ${line}`);
  console.log(`\nAll figures: ${file}`);
}

/** Whether a part that needs PostgreSQL is measured. Notes it if PostgreSQL is missing. */
function wantsPostgres(part) {
  if (!wants(part)) return false;
  const why = whyNoPostgres();
  if (why) results.skipped.push(`${part}: ${why}`);
  return why === undefined;
}

async function onPostgres(part, measure) {
  if (!wantsPostgres(part)) return;
  const postgres = await startPostgres('on');
  results[part] = await measure(postgres);
  await postgres.dispose();
}

async function bookings(redis, generator) {
  if (!wantsPostgres('bookings')) return;
  results.bookings = await measureBookings(bookingOptions(redis, generator));
  table('Bookings on PostgreSQL, each figure a request', results.bookings);
}

function bookingOptions(redis, generator) {
  return { dist: DIST, env: gatewayEnv(redis), generator, seconds: SECONDS };
}

async function searches(redis, generator) {
  const suppliers = await startSuppliers();
  // Each server has its own database of Redis.
  const envOf = (database) => ({ ...suppliers.env, ...gatewayEnv(redis, database) });
  const token = `fc_s_demo_${randomBytes(32).toString('base64url')}`;
  const inspectable = async () => (wants('profile') ? { inspect: await freePort() } : {});
  const gateway = await startGateway('gateway', DIST, envOf(0), await inspectable());
  const under = [gateway];
  if (DIST_B) under.push(await startGateway('gateway-b', DIST_B, envOf(1), await inspectable()));
  if (wantsServer('fastify'))
    under.push(await startFastifyFloor({ ...envOf(2), BENCH_TOKEN: token }, token, await inspectable()));
  if (wantsServer('nginx')) {
    const why = whyNoNginx();
    if (why) results.skipped.push(`nginx + Lua floor: ${why}`);
    else under.push(await startNginxFloor(await nginxNames(redis, suppliers.ports, token, Redis), token));
  }
  for (const server of under.slice(1)) results[`same answer: ${server.name}`] = await sameAnswer(gateway, server);
  if (wants('throughput')) results.throughput = await throughput(under, generator);
  if (wants('builds') && DIST_B) results.builds = await measureBuilds(under, generator);
  if (wants('vehicles')) results.vehicles = await measureVehicles(under, generator, suppliers);
  if (wants('profile')) results.profile = await measureProfiles(under, generator, suppliers);
  if (wants('store')) await storeCommands(gateway, redis);
  if (wants('added')) {
    results.added = await forEach(under, (server) => addedLatency(server, generator, suppliers));
    table(`Added to the slowest supplier, ${RATE} requests/s, log-normal suppliers (median 40 ms)`, results.added);
  }
  if (wants('hanging')) {
    // With breakers, most requests don't wait for the supplier that hangs; the floors have none.
    const waiting = await startGateway('gateway-without-breakers', DIST, envOf(3), { ofSuppliers: ALL_MAY_WAIT });
    results.hanging = await forEach([...under, waiting], (server) => hanging(server, generator, suppliers));
    await stop(waiting.child);
    table(`One of three suppliers hangs (timeout ${SUPPLIER_TIMEOUT_MS} ms), ${RATE} requests/s`, results.hanging);
  }
  if (wants('overload')) {
    const options = { connections: CONNECTIONS, seconds: Math.max(4, SECONDS) };
    results.overload = (await forEach(under, (server) => measureOverload(server, generator, options))).flat();
    table('Overload: more requests per second than the server can process', results.overload);
  }
  for (const server of under) await stop(server.child);
  if (wants('memory')) {
    results.memory = await measureMemory(envOf(0), generator, suppliers);
    table('Memory of a waiting request', results.memory);
  }
  await stop(suppliers.child);
}

/** One after another. */
async function forEach(items, measure) {
  const rows = [];
  for (const item of items) rows.push(await measure(item));
  return rows;
}

async function redisAnswers(url) {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  client.on('error', () => undefined);
  const up = await client.connect().then(
    () => true,
    () => false,
  );
  client.disconnect();
  return up;
}

async function storeCommands(gateway, redis) {
  const client = new Redis(redis.url);
  const monitor = await client.monitor();
  let commands = 0;
  // Commands run by a script inside the store don't count as client commands: their source is lua.
  monitor.on('monitor', (_time, _args, source) => {
    if (source !== 'lua') commands += 1;
  });
  const requests = 100;
  const line = new Line(gateway.target.host, gateway.target.port);
  for (let i = 0; i < requests; i += 1) await line.send(requestText(gateway.target, nextQuestion().query));
  await wait(100);
  line.close();
  monitor.disconnect();
  client.disconnect();
  results.storeCommandsPerRequest = commands / requests;
  console.log(`\nStore commands per request: ${results.storeCommandsPerRequest}`);
}
