/**
 * `npm run load -- --scenario 206 --rate 100 --seconds 20`: sends requests at a fixed rate to a running gateway, regardless
 * of responses. Latency is measured from the time a request was due, so a stalling gateway can't hide it. The scenarios are
 * in scenarios.mjs.
 *
 * Applications: those in `--applications FILE`, which has the output of `gw apps create NAME --tier load`, once or several
 * times; without it, CLIENT_ID and CLIENT_SECRET, or the demo application in `${DATA_DIR:-./data}/first-steps.json`. The demo
 * application's limits (600 calls and 60 bookings per minute) end most runs early with 429. Address: BASE_URL, otherwise as in
 * first-steps.json.
 *
 * Exits with 1 after an unexpected status, a p99 above the limit, or what the scenario finds wrong; with 2 if it can't start.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closedLoop, nextQuestion, openLoop } from '../bench/load-generator.mjs';
import { SCENARIOS } from './scenarios.mjs';

const CAPACITY_SECONDS = 3;
const CAPACITY_CONNECTIONS = 16;
/** A gateway that was overloaded must answer again within so long. */
const RECOVERY_MS = 5_000;

/** Something the person who starts it can put right. */
class StartError extends Error {}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main() {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '15' },
      scenario: { type: 'string', default: '200' },
      supplier: { type: 'string' },
      applications: { type: 'string' },
      p99: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const scenario = SCENARIOS[values.scenario];
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
  const p99Ms = Number(values.p99 ?? scenario?.p99Ms);
  if (values.help || !scenario || !(rate > 0) || !(seconds > 0) || !(p99Ms > 0)) {
    console.log(usage());
    return values.help ? 0 : 2;
  }
  const { baseUrl, applications } = addressOf(values.applications);
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:') throw new StartError(`${baseUrl}: the generator speaks plain HTTP`);
  const target = { host: url.hostname, port: Number(url.port || 80) };
  const tokens = await Promise.all(applications.map((application) => tokenOf(baseUrl, application)));
  const orders = scenario.orders
    ? `${values.supplier ?? (await lastSupplier(baseUrl, tokens[0]))}=${scenario.orders}; *=ok`
    : undefined;
  const facts = {
    run: Date.now().toString(36),
    offers: scenario.needsOffers ? await offersOf(baseUrl, tokens) : [],
  };
  const textOf = (number) => {
    // Pairs, so that a booking and its repetition are of one application.
    const at = Math.floor(number / 2) % tokens.length;
    const { method, path, headers, body } = scenario.next(number, { ...facts, offers: facts.offers[at] ?? [] });
    return requestText(target, method, path, body, {
      authorization: `Bearer ${tokens[at]}`,
      ...(orders ? { 'x-sandbox-scenario': orders } : {}),
      ...headers,
    });
  };
  const capacity = scenario.overload ? await capacityOf(target, textOf) : undefined;
  const wanted = capacity ? Math.ceil(capacity * scenario.overload) : rate;
  console.log(
    `${values.scenario}: ${wanted} requests/s for ${seconds} s against ${baseUrl}, ${applications.length} ${applications.length === 1 ? 'application' : 'applications'}${orders ? ` (${orders})` : ''}`,
  );
  const { figures, answers } = await play({ scenario, target, rate: wanted, seconds, textOf });
  const wrong = [
    ...unexpected(figures.statuses, scenario.expected),
    ...(figures.p99 > p99Ms ? [`the p99 is ${figures.p99.toFixed(0)} ms; the limit is ${p99Ms} ms`] : []),
    ...scenario.problems({ answers, statuses: figures.statuses, seconds, capacity, applications: applications.length }),
    ...(capacity ? await notRecovered(baseUrl, tokens[0]) : []),
  ];
  console.log(summary(figures));
  console.log(wrong.length === 0 ? 'errors: none' : wrong.map((problem) => `error: ${problem}`).join('\n'));
  return wrong.length === 0 ? 0 : 1;
}

/** Sends the requests of a scenario and prints a line per second. */
async function play({ scenario, target, rate, seconds, textOf }) {
  const answers = [];
  const clock = { second: 0, worst: 0, statuses: new Map() };
  const report = () => {
    clock.second += 1;
    if (clock.statuses.size === 0) return;
    const parts = [...clock.statuses].map(([status, count]) => `${status}×${count}`);
    console.log(`  ${String(clock.second).padStart(4)} s  ${parts.join(' ')}  slowest ${clock.worst.toFixed(0)} ms`);
    clock.worst = 0;
    clock.statuses.clear();
  };
  const each = ({ status, ms, number, head, body }) => {
    clock.worst = Math.max(clock.worst, ms);
    clock.statuses.set(status, (clock.statuses.get(status) ?? 0) + 1);
    if (scenario.keeps?.(number, status)) answers.push({ number, status, headers: head ?? '', body });
  };
  const ticker = setInterval(report, 1_000);
  const next = (number) => ({ key: number, text: textOf(number) });
  const figures = await openLoop({ target, rate, seconds, next, keep: scenario.keeps !== undefined, each });
  clearInterval(ticker);
  report();
  return { figures, answers };
}

/** How many requests per second the gateway answers if each waits for the one before it on its connection. */
async function capacityOf(target, textOf) {
  let number = 0;
  const next = () => textOf(number++);
  const { perSecond } = await closedLoop({
    target,
    connections: CAPACITY_CONNECTIONS,
    seconds: CAPACITY_SECONDS,
    next,
  });
  console.log(`without overload: ${perSecond.toFixed(0)} requests/s`);
  return perSecond;
}

async function notRecovered(baseUrl, token) {
  const startedAt = performance.now();
  for (;;) {
    const { status } = await searchOnce(baseUrl, token);
    const ms = performance.now() - startedAt;
    if (status === 200 || status === 206) {
      console.log(`answered again ${ms.toFixed(0)} ms after the overload`);
      return [];
    }
    if (ms > RECOVERY_MS) return [`a search got ${status} ${ms.toFixed(0)} ms after the overload`];
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function unexpected(statuses, expected) {
  return Object.keys(statuses)
    .filter((status) => !expected.includes(Number(status)))
    .map((status) => {
      if (status === '0') return `${statuses[0]} connections were lost`;
      const why = status === '429' ? ' (the limit of the application: lower --rate, or use --applications)' : '';
      return `unexpected status ${status}, ${statuses[status]} times${why}`;
    });
}

function summary({ requests, statuses, p50, p95, p99, max }) {
  const mix = Object.entries(statuses).map(
    ([status, count]) => `${status === '0' ? 'connection lost' : status}: ${count}`,
  );
  const ms = (value) => `${value.toFixed(1)} ms`;
  return (
    `\n${requests} responses   ${mix.join(', ')}\n` +
    `latency from the due time   p50 ${ms(p50)}   p95 ${ms(p95)}   p99 ${ms(p99)}   max ${ms(max)}`
  );
}

function usage() {
  const lines = Object.entries(SCENARIOS).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`);
  return [
    'npm run load -- [--scenario NAME] [--rate REQUESTS_PER_SECOND] [--seconds DURATION] [--supplier ID_THAT_FAILS]',
    '               [--applications FILE] [--p99 MILLISECONDS]',
    'Scenarios:',
    ...lines,
  ].join('\n');
}

/** The address of the gateway and the credentials of at least one application. */
function addressOf(file) {
  const { BASE_URL, CLIENT_ID, CLIENT_SECRET, DATA_DIR = './data' } = process.env;
  const own = file === undefined ? undefined : credentialsIn(readText(file, 'Create it with gw apps create.'));
  if (own?.length === 0) throw new StartError(`${file} has no client_id and client_secret`);
  const given = CLIENT_ID && CLIENT_SECRET ? [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET }] : undefined;
  if (BASE_URL && (own ?? given)) return { baseUrl: BASE_URL, applications: own ?? given };
  const steps = JSON.parse(
    readText(
      join(DATA_DIR, 'first-steps.json'),
      'Start the gateway (npm start), or set BASE_URL, CLIENT_ID and CLIENT_SECRET.',
    ),
  );
  return { baseUrl: BASE_URL ?? steps.base_url, applications: own ?? given ?? [steps.applications[0]] };
}

/** The credentials in one or several JSON objects that follow each other. */
function credentialsIn(text) {
  return [...text.matchAll(/"client_id": *"([^"]+)"[^}]*"client_secret": *"([^"]+)"/g)].map(
    ([, client_id, client_secret]) => ({ client_id, client_secret }),
  );
}

function readText(file, advice) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`cannot read ${file} (${error.code ?? error.message}). ${advice}`);
  }
}

async function tokenOf(baseUrl, { client_id, client_secret }) {
  const answer = await fetch(`${baseUrl}/oauth/token/v1`, { headers: { client_id, client_secret } });
  const body = await answer.json();
  if (answer.ok) return body.access_token;
  const details = body.status?.errors?.[0]?.details ?? 'no details';
  throw new StartError(`the token operation returned ${answer.status} for ${client_id}: ${details}`);
}

async function searchOnce(baseUrl, token) {
  const answer = await fetch(`${baseUrl}/cars/catalog/v1/vehicles?${nextQuestion().query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, body: await answer.json() };
}

/** The last supplier of a response: the one that the scenario makes fail. */
async function lastSupplier(baseUrl, token) {
  const { status, body } = await searchOnce(baseUrl, token);
  if (!body.suppliers?.length)
    throw new StartError(`the first search returned ${status}; name the supplier that should fail with --supplier`);
  return body.suppliers.at(-1).supplier;
}

/** Ids of offers that can be booked, of a search of each application: an offer belongs to the application that got it. */
async function offersOf(baseUrl, tokens) {
  return Promise.all(
    tokens.map(async (token) => {
      const { status, body } = await searchOnce(baseUrl, token);
      if (!body.vehicles?.length) throw new StartError(`the search for offers returned ${status} without offers`);
      return body.vehicles.map(({ offer_id }) => offer_id);
    }),
  );
}

function requestText({ host, port }, method, path, body, headers) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\naccept: application/json\r\n${lines.join('')}${length}\r\n${body ?? ''}`;
}
