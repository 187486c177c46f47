/**
 * `npm run bench:tracing`: what tracing costs the thread that answers requests, in microseconds of its processor time per request.
 *
 * Everything that tracing adds to a search with three supplier calls, at a fixed rate, in rounds that alternate between
 * off, the default share, and keeping every trace: the ids, the answer's header, the member of the log line, the headers of
 * three calls, the decision, the line for the worker thread, and its messages. The collector runs in a thread of its own. The figures
 * are those of the round minus those of the round without tracing before it; the medians count. Not included: sending
 * the headers over sockets. Exit code 1 if a span was lost or the goal isn't met.
 *
 * Environment: BENCH_ROUNDS (7), BENCH_REQUESTS (20000 per round), BENCH_RATE (4000 per second).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';

const MOST_MICROSECONDS = 6;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 20_000);
const RATE = Number(process.env.BENCH_RATE ?? 4_000);
const TICK_MS = 100;
/** The machine may have no time for the exporting thread, which is not what is measured. */
const ROOM = 100_000_000;
const SUPPLIERS = ['alpine', 'bravo', 'dune'];
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

const module = (path) => import(fileURLToPath(new URL(`../build/${path}.js`, import.meta.url)));
const { Tracer } = await module('tracing/tracer');
const { callSpan } = await module('tracing/trace-context');
const { addedHeaders } = await module('suppliers/added-headers');
const { RequestTrace } = await module('metrics/request-trace');
const { configSchema } = await module('config/config.schema');
const { metrics } = await module('metrics/metrics');

const COLLECTOR = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
const collector = new Worker(COLLECTOR, { eval: true });
const port = await new Promise((resolve) => collector.once('message', resolve));

const written = { characters: 0 };
const logger = pino(
  { base: { service: 'forecourt' } },
  {
    write: (line) => {
      written.characters += line.length;
    },
  },
);
const newTracer = (tracing) => new Tracer(configSchema.parse({ tracing }), pino({ level: 'warn' }));
const endpoint = `http://127.0.0.1:${port}`;
const tracers = {
  off: newTracer({}),
  'default share': newTracer({ endpoint, bufferBytes: ROOM }),
  'every trace': newTracer({ endpoint, bufferBytes: ROOM, share: 1 }),
};

/** What the gateway does for a request that has to do with tracing; the same without a span. */
function request(tracer, number) {
  const headers = new Map();
  const span = tracer.begin(number % 2 === 0 ? TRACEPARENT : undefined);
  if (span) headers.set('x-trace-id', span.traceId);
  const startedAt = performance.now();
  const trace = new RequestTrace();
  trace.admittedAt = startedAt + 1;
  for (const supplier of SUPPLIERS) {
    const own = span && callSpan(span, '127.0.0.1:4001');
    const sent = { accept: 'application/json', ...addedHeaders({}, own) };
    const exchange = { queuedAt: startedAt + 2.1, sentAt: startedAt + 2.2 };
    const exchanges = [{ ...exchange, firstByteAt: startedAt + 63.4, endedAt: startedAt + 64 }];
    const call = {
      supplier,
      brand: undefined,
      operation: 'searchVehicles',
      timeoutMs: 1_500,
      startedAt: startedAt + 2,
    };
    trace.begin({ ...call, exchanges, warnings: { list: [] }, shared: false, span: own });
    const end = { outcome: 'answered', cause: undefined, items: 10, durationMs: 62.5 };
    trace.end({ supplier, brand: undefined, ...end });
    headers.set(supplier, sent);
  }
  trace.answeredAt = startedAt + 70;
  logger.info({ requestId: 'req_0123456789abcdef', traceId: span?.traceId, method: 'GET', status: 200, ms: 70.1 });
  if (span)
    tracer.ended({
      ...{ span, method: 'GET', route: '/cars/catalog/v1/vehicles', status: 200, at: Date.now(), startedAt },
      ...{ durationMs: 71.3, applicationId: 'app_demo', version: 'v1', requestId: 'req_0123456789abcdef', trace },
    });
  return headers;
}

/** Microseconds of this thread per request, at RATE. */
async function round(tracer) {
  const perTick = Math.ceil((RATE * TICK_MS) / 1_000);
  const before = process.threadCpuUsage();
  const startedAt = performance.now();
  for (let done = 0; done < REQUESTS; ) {
    for (let n = 0; n < perTick; n += 1) request(tracer, done + n);
    done += perTick;
    await wait(Math.max(0, startedAt + (done / RATE) * 1_000 - performance.now()));
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / REQUESTS;
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

for (const tracer of Object.values(tracers)) await round(tracer);
const added = { 'default share': [], 'every trace': [] };
const off = [];
for (let n = 0; n < ROUNDS; n += 1) {
  for (const name of Object.keys(added)) {
    const without = await round(tracers.off);
    off.push(without);
    added[name].push((await round(tracers[name])) - without);
  }
}
const count = async (name) =>
  ((await metrics.getSingleMetric(name)?.get())?.values ?? []).reduce((sum, { value }) => sum + value, 0);
// The exporting thread may be behind: it is done when nothing has changed for longer than a batch waits.
for (let before = -1, now = 0; now > before; await wait(4_000)) [before, now] = [now, await exportedSpans()];
for (const tracer of Object.values(tracers)) await tracer.onApplicationShutdown();
await collector.terminate();

function exportedSpans() {
  return count('forecourt_spans_exported_total');
}
const [exported, lost] = [await exportedSpans(), await count('forecourt_spans_lost_total')];
console.log(
  `Without tracing, the same loop: ${median(off).toFixed(1)} µs per request (${written.characters} characters logged).`,
);
for (const [name, values] of Object.entries(added)) {
  const range = `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)}`;
  console.log(`${name}: ${median(values).toFixed(1)} µs more (${range} over ${ROUNDS} rounds)`);
}
console.log(`${exported} spans were exported, ${lost} lost.`);
process.exitCode = lost === 0 && Object.values(added).every((values) => median(values) <= MOST_MICROSECONDS) ? 0 : 1;
