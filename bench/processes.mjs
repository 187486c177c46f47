/**
 * Starts and stops the processes of a run, each pinned to its core: the servers under test to core 0, everything else
 * to core 1.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BRANDS } from './brands.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const children = new Set();
const stopping = new WeakSet();
const stopSignals = new WeakMap();
/** How many times this run has started the suppliers: each time has a log of its own. */
let supplierRuns = 0;
/** Scratch folder of this run, deleted when the run ends. */
export const scratch = mkdtempSync(join(tmpdir(), 'forecourt-bench-'));
/** The flags of `npm start`: every Node server under test runs with them. */
const productionFlags =
  JSON.parse(readFileSync(join(here, '../package.json'), 'utf8')).scripts.start.match(/--\S+/g) ?? [];
const canPin = spawnable('taskset');

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Whether a program is on the path. */
export function spawnable(program) {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error.status === undefined) throw error;
    return false;
  }
}

/**
 * Starts a program on a core; `ipc` adds a message channel, `spawn` are further options of Node's spawn, `stopSignal`
 * asks it to exit. Its output goes to a file in the scratch folder.
 */
export function start(
  name,
  core,
  command,
  args,
  { env = {}, ipc = false, spawn: more = {}, stopSignal = 'SIGTERM' } = {},
) {
  const out = openSync(join(scratch, `${name}.log`), 'a');
  const [program, rest] = canPin ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];
  const child = spawn(program, rest, {
    ...more,
    env: { ...process.env, ...env },
    stdio: ['ignore', out, out, ...(ipc ? ['ipc'] : [])],
  });
  children.add(child);
  stopSignals.set(child, stopSignal);
  child.once('exit', (code, signal) => {
    children.delete(child);
    if (!stopping.has(child)) console.error(`${name} exited unexpectedly: ${signal ?? code}`);
  });
  return child;
}

/** Lets a gateway and its workers use all cores. */
export function onAllCores(pid) {
  if (!canPin) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  for (const one of [pid, ...children])
    execFileSync('taskset', ['-a', '-p', '-c', `0-${availableParallelism() - 1}`, String(one)], { stdio: 'ignore' });
}

function startNode(name, core, file, args, options) {
  const more = `${process.env.BENCH_NODE_FLAGS ?? ''} ${name === 'gateway-b' ? (process.env.BENCH_FLAGS_B ?? '') : ''}`
    .split(' ')
    .filter((flag) => flag !== '');
  return start(
    name,
    core,
    process.execPath,
    [...(core === SERVER_CORE ? [...productionFlags, ...more] : []), ...args, file],
    options,
  );
}

function inspectFlags(port) {
  return port === undefined ? [] : [`--inspect=127.0.0.1:${port}`];
}

/** Resolves with the result of `look` once there is one; throws after 30 seconds. */
export async function until(what, look) {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await wait(25);
  }
  throw new Error(`${what} did not start; its output is in ${scratch}`);
}

function message(child, what) {
  return new Promise((done, fail) => {
    child.once('message', done);
    child.once('exit', (code) => fail(new Error(`${what} exited with ${code}; its output is in ${scratch}`)));
  });
}

/** A port that is free now. */
export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** A Redis without persistence; returns its URL. */
export async function startRedis(answers) {
  const port = await freePort();
  start('redis', LOAD_CORE, 'redis-server', [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    scratch,
  ]);
  const url = `redis://127.0.0.1:${port}`;
  await until('redis-server', async () => ((await answers(url)) ? url : undefined));
  return { url, port };
}

/**
 * bench/suppliers.mjs with `count` suppliers, at most eight; returns the environment variables with their addresses, their
 * `ports`, `set(query)` of the control port, and `delays()`.
 */
export async function startSuppliers(count = 3) {
  supplierRuns += 1;
  const name = `suppliers-${supplierRuns}`;
  const child = startNode(name, LOAD_CORE, join(here, 'suppliers.mjs'), []);
  const file = join(scratch, `${name}.log`);
  const { ports, control } = await until('the suppliers', () => {
    const [line] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return line?.startsWith('{') && line.endsWith('}') ? JSON.parse(line) : undefined;
  });
  const env = Object.fromEntries(
    Object.entries(ports)
      .slice(0, count)
      .map(([id, port]) => [`SUPPLIER_${id.toUpperCase()}_URL`, `http://127.0.0.1:${port}`]),
  );
  const ask = async (path) => (await fetch(`http://127.0.0.1:${control}${path}`)).json();
  return { child, env, ports, set: (query) => ask(`/?${query}`), delays: () => ask('/delays') };
}

/**
 * The project's simulated suppliers without latency; returns the environment variables with their addresses, and
 * `calls()`: the number of calls that they have received in total, and the bookings in their ledgers.
 */
export async function startSimulators(dist) {
  const child = startNode('simulators', LOAD_CORE, resolve(dist, 'simulators.js'), [], {
    env: { SIMULATORS_LATENCY_SCALE: '0' },
  });
  const text = await until('the simulators', () => {
    const printed = readFileSync(join(scratch, 'simulators.log'), 'utf8');
    return printed.includes('Simulators are ready.') ? printed : undefined;
  });
  const env = Object.fromEntries([...text.matchAll(/(SUPPLIER_\w+_URL)=(\S+)/g)].map(([, name, url]) => [name, url]));
  const calls = async () => {
    const all = await Promise.all(Object.values(env).map(async (url) => (await fetch(`${url}/__sim/stats`)).json()));
    const sum = (key) => all.reduce((total, stats) => total + stats[key], 0);
    return { requests: sum('requests'), bookings: sum('bookings') };
  };
  return { child, pid: child.pid, env: { ...env, SIMULATORS_EMBEDDED: 'false' }, calls };
}

/**
 * The load generator; `run(options)` returns the figures of one run, `onSent` is called when all requests of a flood
 * are sent.
 */
export async function startGenerator() {
  const child = startNode('generator', LOAD_CORE, join(here, 'load-generator.mjs'), [], { ipc: true });
  await message(child, 'the load generator');
  let id = 0;
  return {
    run(options, onSent = () => undefined) {
      id += 1;
      const own = id;
      return new Promise((done) => {
        const listener = (reply) => {
          if (reply.id !== own) return;
          if (reply.step === 'sent') onSent();
          if (!reply.result) return;
          child.off('message', listener);
          done(reply.result);
        };
        child.on('message', listener);
        child.send({ id: own, ...options });
      });
    },
  };
}

/**
 * The built gateway from `dist`, with the benchmark configuration, or with the default one and the benchmark's limits;
 * `timeoutMs` replaces the suppliers' deadline, `settings` is YAML added to default.yaml, `ofSuppliers` to each
 * supplier's file. `suppliers` is their number if it isn't that of the configuration. `target` is its availability search with a token,
 * `client` the credentials of its application.
 */
export async function startGateway(
  name,
  dist,
  env,
  { timeoutMs, inspect, settings, ofSuppliers, suppliers, shipped = false } = {},
) {
  const data = join(scratch, `${name}-data`);
  mkdirSync(data, { mode: 0o700 });
  const config = join(scratch, `${name}-config`);
  cpSync(join(here, shipped ? '../config' : 'config'), config, { recursive: true });
  cpSync(join(here, 'config/tiers.yaml'), join(config, 'tiers.yaml'));
  if (settings !== undefined) appendFileSync(join(config, 'default.yaml'), settings);
  if (suppliers !== undefined) addSuppliers(join(config, 'suppliers'), suppliers);
  for (const file of readdirSync(join(config, 'suppliers'), { withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )) {
    const path = join(config, 'suppliers', file.name);
    const text = readFileSync(path, 'utf8');
    const timed =
      timeoutMs === undefined ? text : text.replaceAll(/(searchLocations|searchVehicles): \d+/g, `$1: ${timeoutMs}`);
    writeFileSync(path, timed + (ofSuppliers ?? ''));
  }
  const child = startNode(name, SERVER_CORE, resolve(dist, 'main.js'), inspectFlags(inspect), {
    env: { ...env, CONFIG_DIR: config, DATA_DIR: data, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info' },
  });
  // The file is complete when the block is printed.
  await until('the gateway', () =>
    readFileSync(join(scratch, `${name}.log`), 'utf8').includes('is ready at') ? true : undefined,
  );
  const steps = JSON.parse(readFileSync(join(data, 'first-steps.json'), 'utf8'));
  const { port } = new URL(steps.base_url);
  const demo = steps.applications[0];
  const answer = await fetch(`${steps.base_url}/oauth/token/v1`, {
    headers: { client_id: demo.client_id, client_secret: demo.client_secret },
  });
  const { access_token: token } = await answer.json();
  return {
    name,
    child,
    inspect,
    client: { id: demo.client_id, secret: demo.client_secret },
    target: {
      host: '127.0.0.1',
      port: Number(port),
      path: '/cars/catalog/v1/vehicles',
      headers: { authorization: `Bearer ${token}` },
      metricsUrl: steps.urls.metrics,
    },
  };
}

/** Writes the files of suppliers like One into a folder until it has `count`. */
function addSuppliers(folder, count) {
  const one = readFileSync(join(folder, 'one.yaml'), 'utf8');
  for (const [index, brand] of BRANDS.slice(0, count).entries()) {
    const id = brand.toLowerCase();
    const text = one
      .replaceAll('One', brand)
      .replaceAll('ONE', brand.toUpperCase())
      .replace('id: one', `id: ${id}`)
      .replace('order: 10', `order: ${10 * (index + 1)}`);
    writeFileSync(join(folder, `${id}.yaml`), text);
  }
}

/** The handwritten Fastify aggregator, for the suppliers whose addresses are in `env`. */
export async function startFastifyFloor(env, token, { inspect, name = 'fastify floor' } = {}) {
  const child = startNode(name.replace(' ', '-'), SERVER_CORE, join(here, 'floor-fastify.mjs'), inspectFlags(inspect), {
    env,
    ipc: true,
  });
  const { port } = await message(child, 'the Fastify floor');
  return {
    name,
    child,
    inspect,
    target: {
      host: '127.0.0.1',
      port,
      path: '/cars/catalog/v1/vehicles',
      headers: { authorization: `Bearer ${token}` },
    },
  };
}

/** nginx with Lua from bench/floor-nginx, one worker. Fills in the @NAMES@ of `nginx.conf`. */
export async function startNginxFloor(names, token) {
  const port = await freePort();
  const folder = join(scratch, 'nginx');
  mkdirSync(folder);
  let text = readFileSync(join(here, 'floor-nginx/nginx.conf'), 'utf8');
  for (const [name, value] of Object.entries({ ...names, PORT: port, FOLDER: folder, LUA: join(here, 'floor-nginx') }))
    text = text.replaceAll(`@${name}@`, String(value));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, text);
  const child = start('floor-nginx', SERVER_CORE, 'nginx', ['-c', file, '-p', folder, '-e', join(folder, 'error.log')]);
  const target = {
    host: '127.0.0.1',
    port,
    path: '/cars/catalog/v1/vehicles',
    headers: { authorization: `Bearer ${token}` },
  };
  await until('nginx', () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      () => true,
      () => undefined,
    ),
  );
  const [worker] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  return { name: 'nginx + Lua floor', child, pid: Number(worker || child.pid), target };
}

/** Stops one child and waits for it. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  stopping.add(child);
  const gone = new Promise((done) => child.once('exit', done));
  child.kill(stopSignals.get(child));
  const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
  await gone;
  clearTimeout(late);
}

/** Stops everything that was started; keeps the scratch folder with its logs if the run failed. */
export async function stopAll(keepScratch) {
  await Promise.all([...children].map(stop));
  if (!keepScratch) rmSync(scratch, { recursive: true, force: true });
}
