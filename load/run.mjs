/**
 * `npm run load -- --scenario 206 --rate 100 --seconds 20`: sends requests at a fixed rate to a running gateway, regardless of responses.
 * Latency is measured from the time a request was due, so a stalling gateway can't hide it.
 *
 * Address and credentials: BASE_URL, CLIENT_ID, CLIENT_SECRET, or what the gateway wrote to
 * `${DATA_DIR:-./data}/first-steps.json`. Scenarios: 200 (every supplier responds), 206 (one fails), hanging (one never
 * responds). Exits with 1 after an unexpected status.
 *
 * The demo application allows 600 calls per minute: faster runs get 429, which is counted as its own status. Give an
 * application a larger tier (config/tiers.yaml) to measure more.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nextQuestion, openLoop } from '../bench/load-generator.mjs';

const SCENARIOS = {
  200: { headers: {}, expected: [200] },
  206: { orders: 'error(503)', expected: [206] },
  hanging: { orders: 'timeout', expected: [206] },
};

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '15' },
    scenario: { type: 'string', default: '200' },
    supplier: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const scenario = SCENARIOS[values.scenario];
const rate = Number(values.rate);
const seconds = Number(values.seconds);
if (values.help || !scenario || !(rate > 0) || !(seconds > 0)) {
  console.log(
    'npm run load -- [--scenario 200|206|hanging] [--rate <requests per second>] [--seconds <duration>] [--supplier <id that fails>]',
  );
  process.exit(values.help ? 0 : 2);
}

const { baseUrl, clientId, clientSecret } = readAddress();
const token = await getToken();
const url = new URL(baseUrl);
if (url.protocol !== 'http:') throw new Error(`${baseUrl}: this generator speaks plain HTTP; use load/k6 for HTTPS`);
const headers = { authorization: `Bearer ${token}` };
const supplier = values.supplier ?? (scenario.orders ? await lastSupplier() : undefined);
if (scenario.orders) headers['x-sandbox-scenario'] = `${supplier}=${scenario.orders}; *=ok`;

const target = { host: url.hostname, port: Number(url.port || 80), path: '/cars/catalog/v1/vehicles', headers };
const clock = { second: 0, answers: 0, worst: 0, statuses: new Map() };
const ticker = setInterval(report, 1_000);
console.log(
  `${values.scenario}: ${rate} requests/s for ${seconds} s against ${baseUrl}${scenario.orders ? ` (${headers['x-sandbox-scenario']})` : ''}`,
);
const figures = await openLoop({ target, rate, seconds, each });
clearInterval(ticker);
report();
const { p50, p95, p99, max, requests, statuses } = figures;
const mix = Object.entries(statuses).map(
  ([status, count]) => `${status === '0' ? 'connection lost' : status}: ${count}`,
);
console.log(`\n${requests} responses   ${mix.join(', ')}`);
console.log(
  `latency from the due time   p50 ${p50.toFixed(1)} ms   p95 ${p95.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms   max ${max.toFixed(1)} ms`,
);
const unexpected = Object.keys(statuses).filter((status) => !scenario.expected.includes(Number(status)));
console.log(
  unexpected.length === 0
    ? 'errors: none'
    : `errors: unexpected status ${unexpected.join(', ')}${unexpected.includes('429') ? ' (429: the application’s rate limit; lower --rate)' : ''}`,
);
process.exitCode = unexpected.length === 0 ? 0 : 1;

function each(status, ms) {
  clock.answers += 1;
  clock.worst = Math.max(clock.worst, ms);
  clock.statuses.set(status, (clock.statuses.get(status) ?? 0) + 1);
}

function report() {
  if (clock.answers > 0) {
    const parts = [...clock.statuses].map(([status, count]) => `${status}×${count}`);
    console.log(
      `  ${String(clock.second + 1).padStart(4)} s  ${parts.join(' ')}  slowest ${clock.worst.toFixed(0)} ms`,
    );
  }
  clock.second += 1;
  clock.answers = 0;
  clock.worst = 0;
  clock.statuses.clear();
}

function readAddress() {
  const { BASE_URL, CLIENT_ID, CLIENT_SECRET, DATA_DIR = './data' } = process.env;
  if (BASE_URL && CLIENT_ID && CLIENT_SECRET)
    return { baseUrl: BASE_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
  const file = join(DATA_DIR, 'first-steps.json');
  let steps;
  try {
    steps = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(
      `cannot read ${file} (${error.code ?? error.message}). Start the gateway (npm start), or set BASE_URL, CLIENT_ID and CLIENT_SECRET.`,
    );
    process.exit(2);
  }
  const [demo] = steps.applications;
  return {
    baseUrl: BASE_URL ?? steps.base_url,
    clientId: CLIENT_ID ?? demo.client_id,
    clientSecret: CLIENT_SECRET ?? demo.client_secret,
  };
}

async function getToken() {
  const answer = await fetch(`${baseUrl}/oauth/token/v1`, {
    headers: { client_id: clientId, client_secret: clientSecret },
  });
  const body = await answer.json();
  if (!answer.ok)
    throw new Error(
      `the token operation returned ${answer.status}: ${body.status?.errors?.[0]?.details ?? 'no details'}`,
    );
  return body.access_token;
}

/** The last supplier of a response: the one that the scenario makes fail. */
async function lastSupplier() {
  const answer = await fetch(`${baseUrl}/cars/catalog/v1/vehicles?${nextQuestion().query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { suppliers } = await answer.json();
  if (!suppliers?.length)
    throw new Error(`the first search returned ${answer.status}; name the supplier that should fail with --supplier`);
  return suppliers.at(-1).supplier;
}
