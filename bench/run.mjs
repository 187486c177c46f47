/**
 * `npm run bench`: how fast the gateway is compared with handwritten servers that do the same work, what it adds to its suppliers, and what a booking costs.
 *
 * A real Redis, the suppliers, PostgreSQL and the load generator share one core; the server under test has the other.
 * Rounds alternate between the servers within one run; figures are medians over the rounds, and ratios medians of the
 * ratios of each round. A different answer or an unexpected status ends the run with an error.
 *
 * Environment: BENCH_SECONDS (8, per run) and BENCH_ROUNDS (3) of throughput; BENCH_WARM_UP (5000, requests to each server
 * before its first round); BENCH_CONNECTIONS (48); BENCH_RATE (200 per second, of added and hanging);
 * BENCH_ONLY=throughput,vehicles,added,hanging,overload,memory,store,records,bookings,workers,profile (profile only if named);
 * BENCH_SERVERS=gateway,fastify,nginx; BENCH_DIST (dist) and BENCH_DIST_B (a second build to compare with);
 * BENCH_VEHICLES (10, per supplier) and BENCH_QUERY (such as &max_results=10) of a profile; BENCH_NODE_FLAGS.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { measureBookings } from './bookings.mjs';
import { differences } from './compare.mjs';
import { nginxNames, whyNoNginx } from './floor-nginx/available.mjs';
import { Line, nextQuestion, percentile, requestText } from './load-generator.mjs';
import { busyUs, cpuParts, cpuUsOfAll, inspect, liveHeapBytes, median, profile, rssBytes } from './measures.mjs';
import { measureOverload } from './overload.mjs';
import { startPostgres, whyNoPostgres } from './postgres.mjs';
import {
  freePort,
  onAllCores,
  startFastifyFloor,
  startGateway,
  startGenerator,
  startNginxFloor,
  startRedis,
  startSuppliers,
  stop,
  stopAll,
} from './processes.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const RATE = Number(process.env.BENCH_RATE ?? 200);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 48);
/** With large answers, 48 would wait longer for the processor than for the suppliers. */
const FEW_CONNECTIONS = 12;
const DIST = resolve(process.env.BENCH_DIST ?? fileURLToPath(new URL('../dist', import.meta.url)));
const only = process.env.BENCH_ONLY?.split(',');
const servers = (process.env.BENCH_SERVERS ?? 'gateway,fastify,nginx').split(',');
const WARM_UP_REQUESTS = Number(process.env.BENCH_WARM_UP ?? 5_000);
const SUPPLIER_TIMEOUT_MS = 800;
const SECRET = 'a-secret-of-the-benchmark-and-nothing-else';
/** All 2,000 calls are sent and wait, which queue and breaker would normally prevent. */
const ALL_MAY_WAIT = 'resilience: { bulkhead: { queue: 4096, waitShare: 1 }, breaker: { minCalls: 1000000 } }\n';
const SEARCH_PARTS = ['throughput', 'vehicles', 'profile', 'store', 'added', 'hanging', 'overload', 'memory'];
const wants = (part) => only?.includes(part) ?? part !== 'profile';
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
  if (wants('records')) await records(redis, generator);
  if (wants('bookings')) await bookings(redis, generator);
  if (wants('workers')) await workers(redis, generator);
  const file = process.env.BENCH_RESULTS ?? fileURLToPath(new URL('results.json', import.meta.url));
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  for (const line of results.skipped) console.log(`skipped: ${line}`);
  console.log(`\nAll figures: ${file}`);
}

async function bookings(redis, generator) {
  const why = whyNoPostgres();
  if (why) {
    results.skipped.push(`bookings: ${why}`);
    return;
  }
  const env = { REDIS_URL: redis.url, FORECOURT_SECRET: SECRET };
  results.bookings = await measureBookings({ dist: DIST, env, generator, seconds: SECONDS });
  table('Bookings on PostgreSQL, each figure a request', results.bookings);
}

/** Environment variables of a server that searches. */
function searchEnv(redis, suppliers) {
  return {
    ...suppliers.env,
    REDIS_URL: redis.url,
    FORECOURT_SECRET: SECRET,
    BENCH_CLIENT_ID: 'bench',
    BENCH_CLIENT_SECRET: 'bench',
  };
}

/**
 * Searches on PostgreSQL with requests recorded as by default, with counters only, and, with BENCH_DIST_B, by another
 * build.
 */
async function records(redis, generator) {
  const why = whyNoPostgres();
  if (why) {
    results.skipped.push(`records: ${why}`);
    return;
  }
  const suppliers = await startSuppliers();
  const postgres = await startPostgres('on');
  const env = { ...searchEnv(redis, suppliers), DATABASE_URL: postgres.url, SMTP_URL: 'smtp://127.0.0.1:9' };
  const under = [
    await startGateway('recorded', DIST, env),
    await startGateway('counted-only', DIST, env, { settings: 'records:\n  perSecond: 0\n' }),
  ];
  if (process.env.BENCH_DIST_B) under.push(await startGateway('other-build', resolve(process.env.BENCH_DIST_B), env));
  results.records = await throughput(under, generator);
  for (const server of under) await stop(server.child);
  await postgres.dispose();
  await stop(suppliers.child);
}

/** A row for each server; `more` is added to each query. Both cores are for everything, so the row says what the rest used. */
async function compareWorkers(under, generator, answer, more) {
  const rounds = new Map(under.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const server of under) {
      const before = { own: cpuUsOfAll(server.child.pid), all: busyUs() };
      const figures = await generator.run({
        ...{ kind: 'closed', target: server.target, connections: CONNECTIONS, seconds: SECONDS, more },
      });
      onlyStatus(200, server, figures);
      const own = cpuUsOfAll(server.child.pid) - before.own;
      const all = busyUs() - before.all;
      const perSecond = 1e6 * SECONDS;
      rounds
        .get(server.name)
        .push({ ...figures, own: own / perSecond, others: (all - own) / perSecond, us: own / figures.requests });
    }
  return under.map(({ name }) => {
    const middle = (key) => median(rounds.get(name).map((one) => one[key]));
    return {
      server: name,
      answer,
      'req/s': middle('perSecond'),
      '× one worker': ratio(rounds, name, under[0].name, 'perSecond'),
      'cores used': middle('own'),
      'cores used by the rest': middle('others'),
      'CPU µs/req': middle('us'),
    };
  });
}

/** Searches of one worker and of two on all cores, which they share with the load, the suppliers, Redis and PostgreSQL. */
async function workers(redis, generator) {
  const why = whyNoPostgres();
  if (why) {
    results.skipped.push(`workers: ${why}`);
    return;
  }
  const suppliers = await startSuppliers();
  const postgres = await startPostgres('on');
  const env = { ...searchEnv(redis, suppliers), DATABASE_URL: postgres.url, SMTP_URL: 'smtp://127.0.0.1:9' };
  const under = [];
  for (const [name, count] of [
    ['one-worker', 1],
    ['two-workers', 2],
  ])
    under.push(await startGateway(name, DIST, { ...env, WORKERS: String(count) }));
  for (const server of under) {
    onAllCores(server.child.pid);
    await warmUp(server, generator);
  }
  results.workers = [];
  for (const [answer, more] of [
    ['complete', ''],
    ['max_results=10', '&max_results=10'],
  ])
    results.workers.push(...(await compareWorkers(under, generator, answer, more)));
  table(`One worker and two, ${CONNECTIONS} connections, ${ROUNDS} × ${SECONDS} s each, medians`, results.workers);
  for (const server of under) await stop(server.child);
  await postgres.dispose();
  await stop(suppliers.child);
}

async function searches(redis, generator) {
  const suppliers = await startSuppliers();
  // Each server has its own database of Redis.
  const envOf = (database) => ({ ...searchEnv(redis, suppliers), REDIS_URL: `${redis.url}/${database}` });
  const env = envOf(0);
  const token = `fc_s_demo_${randomBytes(32).toString('base64url')}`;
  const inspectable = async () => (wants('profile') ? { inspect: await freePort() } : {});
  const gateway = await startGateway('gateway', DIST, env, await inspectable());
  const under = [gateway];
  if (process.env.BENCH_DIST_B)
    under.push(await startGateway('gateway-b', resolve(process.env.BENCH_DIST_B), envOf(1), await inspectable()));
  if (servers.includes('fastify'))
    under.push(await startFastifyFloor({ ...envOf(2), BENCH_TOKEN: token }, token, await inspectable()));
  if (servers.includes('nginx')) {
    const why = whyNoNginx();
    if (why) results.skipped.push(`nginx + Lua floor: ${why}`);
    else under.push(await startNginxFloor(await nginxNames(redis, suppliers.ports, token, Redis), token));
  }
  for (const server of under.slice(1)) results[`same answer: ${server.name}`] = await sameAnswer(gateway, server);
  if (wants('throughput')) results.throughput = await throughput(under, generator);
  if (wants('vehicles')) await manyVehicles(under, generator, suppliers);
  if (wants('profile')) await profiles(under, generator, suppliers);
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
  if (wants('memory')) await memory(env, generator, suppliers);
  await stop(suppliers.child);
}

/** 50 vehicles per supplier: the complete answer, and its ten cheapest offers. */
async function manyVehicles(under, generator, suppliers) {
  await suppliers.set('vehicles=50');
  for (const server of under.slice(1)) {
    await sameAnswer(under[0], server);
    await sameAnswer(under[0], server, '&max_results=10');
  }
  results.vehicles = {
    complete: await throughput(under, generator, {
      title: '50 vehicles per supplier, complete answer',
      more: '&max_results=500',
      connections: FEW_CONNECTIONS,
    }),
    ten: await throughput(under, generator, {
      title: '50 vehicles per supplier, max_results=10',
      more: '&max_results=10',
      connections: FEW_CONNECTIONS,
    }),
  };
  await suppliers.set('');
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

async function sameAnswer(one, other, more = '') {
  const query = nextQuestion().query + more;
  const bodies = [];
  for (const { target } of [one, other]) {
    const line = new Line(target.host, target.port);
    // A server that has just started may be late once.
    await line.send(requestText(target, nextQuestion().query + more));
    const { status, body } = await line.send(requestText(target, query), true);
    line.close();
    if (status !== 200) throw new Error(`${target.port} returned ${status}: ${body}`);
    bodies.push(JSON.parse(body));
  }
  const found = differences(bodies[0], bodies[1]);
  if (found.length > 0)
    throw new Error(`${one.name} and ${other.name} answer differently:\n  ${found.slice(0, 12).join('\n  ')}`);
  console.log(`same response, ${other.name}: yes`);
  return { equal: true, bytes: bodies.map((body) => JSON.stringify(body).length) };
}

/** `title` is of the table; `more` is added to each query. */
async function throughput(under, generator, { title = 'Throughput', more = '', connections = CONNECTIONS } = {}) {
  for (const server of under) await warmUp(server, generator, more);
  const rounds = new Map(under.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const server of under) {
      const pid = server.pid ?? server.child.pid;
      const before = cpuParts(pid);
      const figures = await generator.run({
        kind: 'closed',
        target: server.target,
        connections,
        seconds: SECONDS,
        more,
      });
      onlyStatus(200, server, figures);
      const after = cpuParts(pid);
      const perRequest = (part) => (after[part] - before[part]) / figures.requests;
      const [mainUs, helperUs, kernelUs] = ['main', 'helpers', 'kernel'].map(perRequest);
      rounds.get(server.name).push({
        ...figures,
        mainUs,
        helperUs,
        kernelUs,
        cpuUsPerRequest: mainUs + helperUs + kernelUs,
        rssMb: rssBytes(pid) / 1e6,
      });
    }
  }
  const rows = under.map(({ name }) => {
    const all = rounds.get(name);
    const middle = (key) => median(all.map((round) => round[key]));
    return {
      server: name,
      'req/s': middle('perSecond'),
      'CPU µs/req': middle('cpuUsPerRequest'),
      main: middle('mainUs'),
      helpers: middle('helperUs'),
      kernel: middle('kernelUs'),
      'p50 ms': middle('p50'),
      'p99 ms': middle('p99'),
      'RSS MB': middle('rssMb'),
      statuses: all[0].statuses,
    };
  });
  for (const row of rows)
    row[`${rows[0].server} is × its req/s`] = ratio(rounds, rows[0].server, row.server, 'perSecond');
  // Fewer microseconds are better, so that the ratio is the other way round.
  for (const row of rows) row['… per CPU second'] = ratio(rounds, row.server, rows[0].server, 'cpuUsPerRequest');
  table(`${title}, ${connections} connections, ${ROUNDS} × ${SECONDS} s each, medians`, rows);
  return { rows, rounds: Object.fromEntries(rounds) };
}

/** Searches until the server has answered enough of them for its hot functions to be compiled. */
async function warmUp({ name, target }, generator, more = '') {
  for (let answered = 0; answered < WARM_UP_REQUESTS; ) {
    const { requests } = await generator.run({ kind: 'closed', target, connections: CONNECTIONS, seconds: 2, more });
    answered += requests;
    console.log(`warming up ${name}: ${Math.min(answered, WARM_UP_REQUESTS)} of ${WARM_UP_REQUESTS} requests`);
  }
}

/** Throws if a round has another status: its figures would be those of other work. */
function onlyStatus(expected, { name }, { statuses }) {
  const others = Object.keys(statuses).filter((status) => status !== String(expected));
  if (others.length > 0) throw new Error(`${name} answered ${JSON.stringify(statuses)}, expected only ${expected}`);
}

/** The median over the rounds of one server's figure divided by the other's in the same round. */
function ratio(rounds, one, other, key) {
  const others = rounds.get(other);
  return median(rounds.get(one).map((round, index) => round[key] / others[index][key]));
}

async function profiles(under, generator, suppliers) {
  await suppliers.set(`vehicles=${process.env.BENCH_VEHICLES ?? 10}`);
  for (const server of under) if (server.inspect !== undefined) await takeProfile(server, generator);
  await suppliers.set('');
}

async function takeProfile({ name, target, inspect: port }, generator) {
  const more = process.env.BENCH_QUERY ?? '';
  const inspector = await inspect(port);
  await warmUp({ name, target }, generator, more);
  const load = generator.run({ kind: 'closed', target, connections: CONNECTIONS, seconds: SECONDS, more });
  const { rows, activeUs, taken } = await profile(inspector, SECONDS);
  const { requests } = await load;
  inspector.close();
  const file = fileURLToPath(new URL(`${name.replaceAll(' ', '-')}.cpuprofile`, import.meta.url));
  writeFileSync(file, JSON.stringify(taken));
  const usOf = (share) => (share * activeUs) / requests;
  console.log(
    `\n${name}: ${usOf(1).toFixed(0)} µs of main thread per request; functions by self time (full profile in ${file})`,
  );
  for (const { name: row, share } of rows.slice(0, 40))
    console.log(`  ${(share * 100).toFixed(1).padStart(5)} %  ${usOf(share).toFixed(1).padStart(6)} µs  ${row}`);
  results.profile = { ...results.profile, [name]: { usPerRequest: usOf(1), rows: rows.slice(0, 100) } };
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

async function addedLatency(server, generator, suppliers) {
  await suppliers.set('median=40&sigma=0.4');
  await generator.run({ kind: 'open', target: server.target, rate: RATE, seconds: 3 });
  await suppliers.set('median=40&sigma=0.4&record=1');
  const {
    byKey,
    timeline: _timeline,
    perStatus: _perStatus,
    ...figures
  } = await generator.run({
    kind: 'open',
    target: server.target,
    rate: RATE,
    seconds: Math.max(4, SECONDS),
  });
  const slowest = new Map(await suppliers.delays());
  await suppliers.set('');
  const added = byKey.flatMap(([key, ms]) => (slowest.has(key) ? [ms - slowest.get(key)] : [])).sort((a, b) => a - b);
  return {
    server: server.name,
    'added p50 ms': percentile(added, 0.5),
    'added p99 ms': percentile(added, 0.99),
    'total p50 ms': figures.p50,
    'total p99 ms': figures.p99,
    statuses: figures.statuses,
  };
}

async function hanging(server, generator, suppliers) {
  await suppliers.set('median=40&sigma=0.4&hang=Three');
  await generator.run({ kind: 'open', target: server.target, rate: RATE / 2, seconds: 3 });
  const { byKey: _byKey, ...figures } = await generator.run({
    kind: 'open',
    target: server.target,
    rate: RATE,
    seconds: Math.max(4, SECONDS),
  });
  await suppliers.set('');
  return {
    server: server.name,
    'p50 ms': figures.p50,
    'p99 ms': figures.p99,
    'p99 over timeout ms': figures.p99 - SUPPLIER_TIMEOUT_MS,
    statuses: figures.statuses,
  };
}

/** Heap per waiting request: if all suppliers hang (bare waiting), and if one hangs (with two responses in memory). */
async function memory(env, generator, suppliers) {
  const port = await freePort();
  const gateway = await startGateway('gateway-memory', DIST, env, {
    timeoutMs: 5_500,
    inspect: port,
    settings: 'http: { maxConcurrent: 10000, unreadBytes: 4000000000 }\n',
    ofSuppliers: ALL_MAY_WAIT,
  });
  const { pid } = gateway.child;
  await generator.run({ kind: 'closed', target: gateway.target, connections: 48, seconds: 2 });
  const inspector = await inspect(port);
  const rows = [];
  for (const [name, hang] of [
    ['all three hang', 'One,Two,Three'],
    ['one hangs', 'Three'],
  ]) {
    const [first, count] = [100, 300];
    await suppliers.set(`hang=${hang}`);
    const held = async () => ({ heap: await liveHeapBytes(inspector), rss: rssBytes(pid) });
    const flood = (requests) => {
      const sent = Promise.withResolvers();
      const done = generator.run({ kind: 'flood', target: gateway.target, count: requests }, sent.resolve);
      return { sent: sent.promise, done };
    };
    // What only the first ones cost doesn't count: the source maps, which the stack of an aborted call needs, and connections.
    await disconnected(gateway.target);
    const early = flood(first);
    await early.sent;
    const before = await held();
    const late = flood(count);
    await late.sent;
    const after = await held();
    const [{ statuses }] = await Promise.all([late.done, early.done]);
    await suppliers.set('');
    if (statuses[429] || statuses[503])
      throw new Error(`requests that should wait were refused: ${JSON.stringify(statuses)}`);
    const kb = (key) => (after[key] - before[key]) / count / 1_024;
    rows.push({ waiting: `${count}, ${name}`, 'heap KB/request': kb('heap'), 'RSS KB/request': kb('rss'), statuses });
    await wait(500);
  }
  inspector.close();
  await stop(gateway.child);
  table('Memory of a waiting request', rows);
  results.memory = rows;
}

/** Sends a search and disconnects before it is answered. */
async function disconnected(target) {
  const line = new Line(target.host, target.port);
  void line.send(requestText(target, nextQuestion().query));
  await wait(300);
  line.close();
  await wait(300);
}

function table(title, rows) {
  const shown = (value) =>
    typeof value === 'number'
      ? value >= 100
        ? value.toFixed(0)
        : value.toFixed(2)
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  const names = Object.keys(rows[0]);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => shown(row[name]).length)));
  const line = (cells) => cells.map((cell, i) => cell.padEnd(widths[i])).join('  ');
  console.log(`\n${title}\n${line(names)}\n${line(widths.map((width) => '-'.repeat(width)))}`);
  for (const row of rows) console.log(line(names.map((name) => shown(row[name]))));
}
