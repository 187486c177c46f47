import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { parseDirective } from '../sandbox/directive.js';
import type { SimulatedCaller } from './bookings.js';
import { play } from './fault-play.js';
import { behaviorOf, type CallBehavior, type Chaos, type Latency } from './latency.js';
import { hashText } from './random.js';
import { Saturation, type SimulatorStats } from './saturation.js';
import type { DialectSimulator, Directive } from './world.js';

const MAX_BODY_BYTES = 1_000_000;
const MAX_SEEDS = 1_000;
const STATS_PATH = '/__sim/stats';
const BOOKINGS_PATH = '/__sim/bookings';

export interface SimulatorServerOptions {
  readonly dialect: DialectSimulator;
  /** Absent = 127.0.0.1. */
  readonly host?: string;
  /** Absent or 0 = a free one. */
  readonly port?: number;
  readonly seed: number;
  readonly latency: Latency;
  /** Random faults of calls without a directive. Absent = none. */
  readonly chaos?: Chaos;
}

export interface SimulatorServer {
  readonly port: number;
  /** `http://127.0.0.1:4711`, without a trailing slash. */
  readonly url: string;
  /** Closes all connections without waiting for unanswered calls. May be called again. */
  close(): Promise<void>;
  stats(): SimulatorStats;
}

interface CallPlan {
  readonly directive: Directive;
  readonly delayMs: number;
  readonly caller: SimulatedCaller;
}

/**
 * Serves one simulated supplier on a real socket. Header `x-sim-directive` names a failure to simulate (see
 * directive.ts; invalid → 400). Header `x-sim-seed` (a whole number) gives the caller its own sequence of latencies and
 * faults, starting at its first call. Header `x-sim-clock` (epoch milliseconds) is the time of a caller's test clock, by which a
 * booking was decided or costs a fee to cancel. Header `x-sim-account` names the account whose bookings it makes, so that the account
 * with most of them makes room (bookings.ts). `GET /__sim/stats` returns the load of the simulator, `GET /__sim/bookings` all
 * bookings {bookings: SimulatedBooking[]}. Rejects if the port is unavailable.
 */
export async function startSimulatorServer(options: SimulatorServerOptions): Promise<SimulatorServer> {
  const saturation = new Saturation();
  const behaviors = createBehaviors(options);
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 66_000 }, (request, response) => {
    if (request.url === STATS_PATH) {
      sendJson(response, 200, saturation.read(options.dialect.ledger.size));
      return;
    }
    if (request.url === BOOKINGS_PATH) {
      sendJson(response, 200, { bookings: options.dialect.ledger.all() });
      return;
    }
    const plan = planOf(request, behaviors);
    if (typeof plan === 'string') {
      request.resume();
      sendJson(response, 400, { error: plan });
      return;
    }
    saturation.opened(plan.directive.verb);
    response.once('close', () => saturation.closed());
    answer(request, response, plan, options.dialect).catch((error: unknown) => {
      saturation.failed();
      if (response.headersSent || response.destroyed) response.destroy();
      else
        sendJson(response, 500, {
          error: `the simulated dialect failed: ${error instanceof Error ? error.message : String(error)}`,
        });
    });
  });
  const host = options.host ?? '127.0.0.1';
  try {
    await listen(server, host, options.port ?? 0);
  } catch (error) {
    saturation.stop();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stats: () => saturation.read(options.dialect.ledger.size),
    close: () => {
      saturation.stop();
      return close(server);
    },
  };
}

let turn: Promise<unknown> = Promise.resolve();

/** All simulators together make one answer per turn of the event loop, so that embedded ones don't delay the gateway. */
function nextTurn(): Promise<unknown> {
  turn = turn.then(() => immediate());
  return turn;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { directive, delayMs, caller }: CallPlan,
  dialect: DialectSimulator,
): Promise<void> {
  const body = await readBody(request);
  if (!request.complete) return;
  if (body === undefined) {
    sendJson(response, 413, { error: `the body exceeds ${MAX_BODY_BYTES} bytes` });
    return;
  }
  if (delayMs > 0) await delay(delayMs, undefined, { ref: false });
  await nextTurn();
  const url = new URL(request.url ?? '/', 'http://simulator');
  const { method = 'GET', headers } = request;
  const asked = { method, path: url.pathname, query: url.searchParams, headers, body, directive };
  // A real supplier also books a complete request if the client disconnected in the meantime. Searches that no caller waits
  // for would keep those of other clients waiting.
  if (response.destroyed && !dialect.changesBookings(asked)) return;
  dialect.ledger.during(caller, () => play(response, asked, dialect));
}

/**
 * The body as text; undefined if it exceeds the limit; incomplete if the client disconnected (see `request.complete`).
 */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch (error) {
    if (request.complete) throw error;
  }
  if (bytes > MAX_BODY_BYTES) return undefined;
  const body = Buffer.concat(chunks);
  const isPacked = request.complete && request.headers['content-encoding'] === 'gzip';
  return (isPacked ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body).toString('utf8');
}

/**
 * The directive and delay of a call, or the error in its headers. A directive disables chaos; slow(ms) adds to the
 * latency.
 */
function planOf(request: IncomingMessage, behaviors: (seed: string | undefined) => CallBehavior): CallPlan | string {
  const directiveText = single(request.headers['x-sim-directive']);
  const seed = single(request.headers['x-sim-seed']);
  if (seed !== undefined && !/^\d{1,10}$/.test(seed)) return 'x-sim-seed must be a whole number of at most 10 digits';
  const clock = single(request.headers['x-sim-clock']);
  if (clock !== undefined && !/^\d{1,15}$/.test(clock)) return 'x-sim-clock must be a time in epoch milliseconds';
  const account = single(request.headers['x-sim-account']);
  if (account !== undefined && !/^[\w.:-]{1,64}$/.test(account))
    return 'x-sim-account must be an id of at most 64 characters';
  const asked = directiveText === undefined ? undefined : parseDirective(directiveText);
  if (directiveText !== undefined && !asked) return 'x-sim-directive must be a known verb (docs/sandbox.md)';
  const behavior = behaviors(seed);
  const directive = asked ?? directiveOf(behavior);
  return {
    directive,
    delayMs: behavior.delayMs + (directive.verb === 'slow' ? directive.ms : 0),
    caller: {
      ...(clock === undefined ? {} : { time: Number(clock) }),
      ...(account === undefined ? {} : { account }),
    },
  };
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}

function directiveOf({ fault }: CallBehavior): Directive {
  if (fault === undefined) return { verb: 'ok' };
  return fault === 'error' ? { verb: 'error', status: 503 } : { verb: fault };
}

/**
 * Returns the next behavior of a seed. Keeps the counts of at most `MAX_SEEDS` seeds; an evicted seed starts again at
 * its first call.
 */
function createBehaviors({
  seed,
  latency,
  chaos,
}: SimulatorServerOptions): (callerSeed: string | undefined) => CallBehavior {
  const counts = new Map<string, number>();
  let count = 0;
  return (callerSeed) => {
    if (callerSeed === undefined) {
      count += 1;
      return behaviorOf(seed, count - 1, latency, chaos);
    }
    const mine = counts.get(callerSeed) ?? 0;
    if (mine === 0 && counts.size >= MAX_SEEDS) counts.delete(counts.keys().next().value ?? '');
    counts.set(callerSeed, mine + 1);
    return behaviorOf(hashText(seed, `caller ${callerSeed}`), mine, latency, chaos);
  };
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
