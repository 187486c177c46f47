// The server of a search page for rental cars. It serves the page, calls Forecourt for it, and receives
// webhooks. Node.js only: no dependencies.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { forecourt } from './forecourt.mjs';

const EVENTS = [
  'on_request',
  'confirmed',
  'rejected',
  'expired',
  'failed',
  'cancelled',
  'review_opened',
  'review_resolved',
];
/** What a visitor may ask for; everything else in a search is set here. */
const SEARCH_PARAMETERS = [
  ...['pickup_location', 'pickup_date', 'dropoff_date', 'group_by'],
  ...['brand', 'category', 'transmission', 'fuel', 'payment', 'free_cancellation'],
];
const FACETS = 'price,brand,category,transmission,fuel,payment,free_cancellation';
const MOST_BODY_BYTES = 65_536;
const MOST_RESERVATIONS = 1_000;
const SIGNATURE_SECONDS = 300;

// ---- Reservations: what the API answered and what webhooks reported, whichever is newer ---------------------------

/** @typedef {{ state: string, version: number, source: string, confirmation_number?: string }} Known */
/** @type {Map<string, { known: Known, isOurs: boolean, watchers: Set<(known: Known) => void> }>} */
const reservations = new Map();

/**
 * Keeps the newest version. An event may arrive before the answer of the booking, and twice.
 * @param {string} id
 * @param {Known} known
 * @param {boolean} isOurs whether a visitor of this server booked it
 */
function keep(id, known, isOurs) {
  const kept = reservations.get(id) ?? { known, isOurs, watchers: new Set() };
  const isNewer = known.version > kept.known.version;
  // The older one may have what the newer one lacks: events have no confirmation number.
  kept.known = isNewer ? { ...kept.known, ...known } : { ...known, ...kept.known };
  kept.isOurs ||= isOurs;
  reservations.set(id, kept);
  for (const oldest of reservations.keys()) {
    if (reservations.size <= MOST_RESERVATIONS) break;
    reservations.delete(oldest);
  }
  if (isNewer) for (const watch of kept.watchers) watch(kept.known);
}

// ---- Webhooks ------------------------------------------------------------------------------------------------------

let secret = '';

/**
 * Adds this server's endpoint. A secret is shown only once, so an endpoint of an earlier run gets a new one.
 * @param {string} url
 */
async function addEndpoint(url) {
  const path = '/cars/webhooks/v1/endpoints';
  const { endpoints } = await (await forecourt(path)).json();
  const old = endpoints.find((/** @type {{ url: string }} */ endpoint) => endpoint.url === url);
  const answer = old
    ? await forecourt(`${path}/${old.endpoint_id}/secret`, { method: 'POST', body: { overlap_hours: 0 } })
    : await forecourt(path, { method: 'POST', body: { url, events: EVENTS.map((name) => `reservation.${name}`) } });
  if (!answer.ok) throw new Error(`no webhook endpoint: ${answer.status} ${await answer.text()}`);
  const added = await answer.json();
  secret = added.secret ?? added.endpoint.secret;
  if (old && old.state !== 'active')
    await forecourt(`${path}/${old.endpoint_id}`, { method: 'PATCH', body: { state: 'active' } });
}

/**
 * Whether Forecourt signed this body in the last five minutes (Standard Webhooks).
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} text the body as it arrived
 */
function isGenuine(headers, text) {
  const time = Number(headers['webhook-timestamp']);
  if (!secret || !(Math.abs(Date.now() / 1000 - time) <= SIGNATURE_SECONDS)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const signatures = String(headers['webhook-signature'])
    .split(' ')
    .map((one) => Buffer.from(one));
  return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

/** @type {Handler} */
async function receive({ request, response }) {
  const text = await bodyOf(request);
  if (!isGenuine(request.headers, text)) return void response.writeHead(400).end();
  response.writeHead(204).end();
  const { type, timestamp, data } = JSON.parse(text);
  if (!EVENTS.includes(String(type).replace('reservation.', ''))) return;
  const source = `webhook ${type} of ${timestamp}`;
  keep(data.reservation_id, { state: data.state, version: data.version, source }, false);
}

// ---- What the page calls -------------------------------------------------------------------------------------------

/** @typedef {{ request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, url: URL, id: string }} Call */
/** @typedef {(call: Call) => Promise<void>} Handler */

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The sandbox's scenario, which production refuses.
 * @param {import('node:http').IncomingMessage} request
 * @returns {Record<string, string>}
 */
function scenarioOf({ headers }) {
  const scenario = headers['x-sandbox-scenario'];
  return scenario ? { 'x-sandbox-scenario': String(scenario) } : {};
}

/**
 * Answers with what Forecourt answered: its status (200, 206, 404, …) and its body.
 * @param {import('node:http').ServerResponse} response
 * @param {Response} answer
 * @param {string} [text] the body, if it was read already
 */
async function pass(response, answer, text) {
  const retry = answer.headers.get('idempotent-retry');
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...(retry && { 'idempotent-retry': retry }),
  });
  response.end(text ?? (await answer.text()));
}

/**
 * A handler that reads from Forecourt.
 * @param {(call: Call) => string} pathOf
 * @returns {Handler}
 */
function reading(pathOf) {
  return async (call) => pass(call.response, await forecourt(pathOf(call), { headers: scenarioOf(call.request) }));
}

/** @param {Call} call */
function searchPath({ url }) {
  const query = new URLSearchParams({ currency: 'EUR', facets: FACETS, page_size: '10' });
  for (const name of SEARCH_PARAMETERS) {
    const value = url.searchParams.get(name);
    if (value) query.set(name, value);
  }
  return `/cars/catalog/v1/vehicles?${query}`;
}

/** @type {Handler} */
async function checkPrice({ request, response }) {
  const { offer_id } = JSON.parse(await bodyOf(request));
  const body = { offer_id, currency: 'EUR' };
  await pass(
    response,
    await forecourt('/cars/catalog/v1/vehicles/rates', { method: 'POST', headers: scenarioOf(request), body }),
  );
}

/** @type {Handler} */
async function book({ request, response }) {
  const { quote_id, driver, key } = JSON.parse(await bodyOf(request));
  const { first_name, last_name, email } = driver;
  const answer = await forecourt('/cars/reservation/v1/', {
    method: 'POST',
    headers: { ...scenarioOf(request), 'idempotency-key': String(key) },
    body: { quote_id, driver: { first_name, last_name, email } },
  });
  const text = await answer.text();
  if (answer.ok) {
    const { reservation_id, state, version, confirmation_number } = JSON.parse(text).reservation;
    keep(reservation_id, { state, version, source: 'answer of the booking', confirmation_number }, true);
  }
  await pass(response, answer, text);
}

/**
 * Streams the states of a reservation as server-sent events.
 * @type {Handler}
 */
async function watch({ request, response, id }) {
  const found = reservations.get(id);
  if (!found?.isOurs) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  /** @param {Known} known */
  const send = (known) => response.write(`data: ${JSON.stringify(known)}\n\n`);
  found.watchers.add(send);
  request.on('close', () => found.watchers.delete(send));
  send(found.known);
}

/**
 * @param {string} name
 * @param {string} type
 * @returns {Handler}
 */
function file(name, type) {
  return async ({ response }) => {
    response.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy':
        "default-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    });
    response.end(readFileSync(join(import.meta.dirname, name)));
  };
}

/**
 * @param {string} name
 * @returns {[string, RegExp, Handler]}
 */
const script = (name) => ['GET', new RegExp(`^/${name}$`), file(name, 'text/javascript')];

/** @type {[string, RegExp, Handler][]} */
const ROUTES = [
  ['GET', /^\/$/, file('index.html', 'text/html')],
  ...['page.js', 'places.js', 'booking.js', 'dom.js'].map(script),
  ['GET', /^\/page\.css$/, file('page.css', 'text/css')],
  ['GET', /^\/api\/names$/, reading(() => '/cars/vehicles/v1')],
  ['GET', /^\/api\/places$/, reading(({ url }) => `/cars/places/v1${url.search}`)],
  ['GET', /^\/api\/search$/, reading(searchPath)],
  ['GET', /^\/api\/searches\/(sea_[\w-]+)$/, reading(({ id, url }) => `/cars/catalog/v1/searches/${id}${url.search}`)],
  ['GET', /^\/api\/locations\/(loc_[\w-]+)$/, reading(({ id }) => `/cars/locations/v1/${id}`)],
  ['POST', /^\/api\/quotes$/, checkPrice],
  ['POST', /^\/api\/bookings$/, book],
  ['GET', /^\/api\/bookings\/(res_[\w-]+)\/events$/, watch],
  ['POST', /^\/webhooks$/, receive],
];

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://page');
  const route = ROUTES.find(([method, path]) => method === request.method && path.test(url.pathname));
  // A form of another site can't send JSON.
  const isForeign = request.method === 'POST' && !request.headers['content-type']?.startsWith('application/json');
  if (!route || isForeign) return void response.writeHead(route ? 415 : 404).end();
  try {
    await route[2]({ request, response, url, id: route[1].exec(url.pathname)?.[1] ?? '' });
  } catch (error) {
    console.error(error);
    if (response.headersSent) return void response.end();
    const details = 'The search service could not be reached. Try again.';
    response
      .writeHead(502, { 'content-type': 'application/json' })
      .end(JSON.stringify({ status: { errors: [{ details }] } }));
  }
});

server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', async () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const own = `http://127.0.0.1:${address.port}`;
  await addEndpoint(process.env.WEBHOOK_URL ?? `${own}/webhooks`);
  console.log(`The search page is at ${own}`);
});
