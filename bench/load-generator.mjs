/**
 * Generates load on bare keep-alive sockets, to use as little of its core as possible. Runs as a child process with an
 * IPC channel (run.mjs starts it on the second core): each message {kind, target, …} is one run, and the reply contains
 * its figures. Also used by load/run.mjs.
 */
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';

const AIRPORTS = ['BOS', 'JFK', 'LAX', 'ORD', 'MIA', 'SEA', 'DEN', 'ATL'];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An open loop waits this long for the last responses. */
const LATEST_MS = 90_000;
let asked = Math.floor(Math.random() * 1e7);

/**
 * A search that was never sent before, so that no cache or single-flight can serve it: dates to the second within the
 * next ten months, at hours when locations are open.
 */
export function nextQuestion() {
  asked += 1;
  const midnight = Math.floor(Date.now() / DAY_MS + 3 + ((asked * 7_919) % 300)) * DAY_MS;
  const from = midnight + 10 * HOUR_MS + ((asked * 37) % 21_600) * 1_000;
  const pickupDate = new Date(from).toISOString().slice(0, 19);
  const dropoffDate = new Date(from + (1 + (asked % 14)) * DAY_MS).toISOString().slice(0, 19);
  const airport = AIRPORTS[asked % AIRPORTS.length];
  const query = `pickup_location=${airport}&pickup_date=${pickupDate}&dropoff_date=${dropoffDate}&country_code=US&age=${25 + (asked % 40)}`;
  return { key: pickupDate + dropoffDate, query };
}

/**
 * One keep-alive connection with one request in progress; reconnects automatically. `send` resolves {status, head?,
 * body?}: its lines and its text if they are to be kept. Status 0 = connection lost.
 */
export class Line {
  #socket;
  #resolve;
  #head = '';
  #status = 0;
  #missing = -1;
  #body;
  #keptHead;
  #closing = false;

  constructor(host, port) {
    this.host = host;
    this.port = port;
  }

  send(text, keepBody = false) {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#head = '';
      this.#missing = -1;
      this.#body = keepBody ? [] : undefined;
      this.#keptHead = undefined;
      if (!this.#socket || this.#socket.destroyed) this.#connect();
      this.#socket.write(text, 'latin1');
    });
  }

  close() {
    this.#socket?.destroy();
  }

  #connect() {
    const socket = connect({ host: this.host, port: this.port, noDelay: true });
    const lost = () => {
      if (this.#socket === socket) this.#settle(0);
    };
    socket.on('error', () => socket.destroy());
    socket.on('close', lost);
    socket.on('data', (chunk) => this.#take(chunk));
    this.#socket = socket;
  }

  #take(chunk) {
    let rest = chunk;
    if (this.#missing === -1) {
      this.#head += chunk.latin1Slice(0, chunk.length);
      const end = this.#head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = this.#head.slice(0, end).toLowerCase();
      if (this.#body) this.#keptHead = head;
      this.#status = Number(head.slice(9, 12));
      this.#missing = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
      this.#closing = head.includes('\r\nconnection: close');
      rest = chunk.subarray(chunk.length - (this.#head.length - end - 4));
    }
    this.#body?.push(rest);
    this.#missing -= rest.length;
    if (this.#missing <= 0) this.#settle(this.#status);
  }

  #settle(status) {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = undefined;
    if (this.#closing || status === 0) {
      const socket = this.#socket;
      this.#socket = undefined;
      this.#closing = false;
      socket.destroy();
    }
    resolve({ status, head: this.#keptHead, body: this.#body && Buffer.concat(this.#body).toString() });
  }
}

/** The request text for a path and query. */
export function requestText(target, query) {
  let headers = '';
  for (const name in target.headers) headers += `${name}: ${target.headers[name]}\r\n`;
  return `GET ${target.path}?${query} HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\n${headers}accept: application/json\r\n\r\n`;
}

/** The value below which the share `p` (0–1) of sorted numbers lies; NaN if there are none. */
export function percentile(sorted, p) {
  return sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * p) - 1)];
}

/**
 * Generates booking requests: each body in turn with a new key, `<prefix>-0` and up; with `repeat`, cycles through the
 * first ones.
 */
function bookings({ target, bodies, prefix, repeat = Number.POSITIVE_INFINITY }) {
  let headers = '';
  for (const name in target.headers) headers += `${name}: ${target.headers[name]}\r\n`;
  let sent = 0;
  return () => {
    const number = sent % repeat;
    sent += 1;
    const body = bodies[number % bodies.length];
    return (
      `POST ${target.path} HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\n${headers}content-type: application/json\r\n` +
      `idempotency-key: ${prefix}-${number}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    );
  };
}

function inTurn(texts) {
  let sent = 0;
  return () => {
    sent += 1;
    return texts[(sent - 1) % texts.length];
  };
}

function figures(latencies, statuses, seconds) {
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1),
    statuses: Object.fromEntries(statuses),
  };
}

/**
 * Sends requests for `seconds`, one after another on each of `connections`; `more` is added to each query, `texts` are sent
 * in turn, or `next` returns the text of each request.
 */
export async function closedLoop({
  target,
  connections,
  seconds,
  more = '',
  texts,
  next = texts ? inTurn(texts) : () => requestText(target, nextQuestion().query + more),
}) {
  const latencies = [];
  const statuses = new Map();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const line = new Line(target.host, target.port);
      for (let before = performance.now(); before < endsAt; before = performance.now()) {
        const { status } = await line.send(next());
        latencies.push(performance.now() - before);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      line.close();
    }),
  );
  return figures(latencies, statuses, (performance.now() - startedAt) / 1_000);
}

/**
 * Sends `rate` requests per second regardless of responses, on as many connections as needed. Latency is measured from
 * the time a request was due, so a stalling server can't hide it (no coordinated omission). A response that is missing a minute
 * and a half after the last request was sent counts as status 0. `next(number)` returns the text
 * of a request and the key under which its latency is listed. `each` is called for every response, which has its lines and
 * its text if `keep`.
 */
export async function openLoop({
  target,
  rate,
  seconds,
  next = () => {
    const { key, query } = nextQuestion();
    return { key, text: requestText(target, query) };
  },
  keep = false,
  each = () => undefined,
}) {
  const latencies = [];
  const statuses = new Map();
  const byKey = [];
  /** Per half second in which requests were due: status → count. */
  const timeline = [];
  const ofStatus = new Map();
  const idle = [];
  const lines = [];
  const under = new Set();
  const total = Math.round(rate * seconds);
  const startedAt = performance.now();
  const one = async (due, number) => {
    const line = idle.pop() ?? new Line(target.host, target.port);
    if (!lines.includes(line)) lines.push(line);
    const { key, text } = next(number);
    const answer = await line.send(text, keep);
    const { status } = answer;
    const ms = performance.now() - due;
    latencies.push(ms);
    byKey.push([key, ms]);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const half = Math.floor((due - startedAt) / 500);
    timeline[half] ??= {};
    timeline[half][status] = (timeline[half][status] ?? 0) + 1;
    if (!ofStatus.has(status)) ofStatus.set(status, []);
    ofStatus.get(status).push(ms);
    idle.push(line);
    each({ ...answer, ms, number });
  };
  for (let sent = 0; sent < total; ) {
    const dueCount = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * rate) + 1);
    for (; sent < dueCount; sent += 1) {
      const run = one(startedAt + (sent / rate) * 1_000, sent);
      under.add(run);
      run.then(() => under.delete(run));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const giveUp = setTimeout(() => {
    for (const line of lines) line.close();
  }, LATEST_MS);
  await Promise.all(under);
  clearTimeout(giveUp);
  for (const line of lines) line.close();
  const took = (performance.now() - startedAt) / 1_000;
  const perStatus = Object.fromEntries(
    [...ofStatus].map(([status, list]) => [status, figures(list, new Map([[status, list.length]]), took)]),
  );
  return { ...figures(latencies, statuses, took), byKey, timeline, perStatus };
}

/**
 * Opens `count` connections and sends one request on each, at most 100 a second so that none is refused; resolves when all are sent, `done` when all
 * have a response.
 */
export async function flood({ target, count }) {
  const statuses = new Map();
  const runs = [];
  for (let sent = 0; sent < count; sent += 1) {
    const line = new Line(target.host, target.port);
    runs.push(
      line.send(requestText(target, nextQuestion().query)).then(({ status }) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        line.close();
      }),
    );
    if (sent % 5 === 4) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { done: Promise.all(runs).then(() => Object.fromEntries(statuses)) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.on('message', async ({ id, kind, ...options }) => {
    if (kind === 'flood') {
      const { done } = await flood(options);
      process.send({ id, step: 'sent' });
      process.send({ id, result: { statuses: await done } });
      return;
    }
    if (kind === 'bookings') options.next = bookings(options);
    process.send({ id, result: await (kind === 'open' ? openLoop(options) : closedLoop(options)) });
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ ready: true });
}
