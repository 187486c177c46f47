/**
 * The baseline for the gateway: the same availability search as a good engineer would write it by hand with Fastify and
 * undici `request`, for this one dialect only. It does the same work: one EVALSHA for token and limit, checks of the
 * query, three calls with their own deadlines, the same normalized response with signed offer ids, one log line and one
 * histogram per request.
 *
 * Environment: REDIS_URL, BENCH_TOKEN, FORECOURT_SECRET, SUPPLIER_ONE_URL … (as many as there are suppliers). Sends {port} over IPC.
 */
import { createHash, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { pino } from 'pino';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Pool } from 'undici';
import { decodeSipp } from '../build/model/acriss.js';
import { airportByIata, toLocal, toUtc } from '../build/places/places.js';
import { BRANDS } from './brands.mjs';

const DEADLINE_MS = 800;
const DAY_MS = 86_400_000;
// A KeyObject: an HMAC from bytes costs six times as much.
const OFFER_KEY = createSecretKey(
  Buffer.from(hkdfSync('sha256', process.env.FORECOURT_SECRET, 'forecourt', 'sandbox:offer_id', 32)),
);
const APPLICATION = {
  id: 'app_demo',
  clientId: 'demo-client',
  products: ['car_availability'],
  perMinute: 6_000_000,
  burst: 1_000_000,
};

const ADMIT = `
local application = redis.call('GET', KEYS[1])
if not application then return false end
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local interval = 60000000 / ARGV[1]
local before = math.max(now, tonumber(redis.call('GET', KEYS[2]) or 0))
local after = before + interval
local wait = after - ARGV[2] * interval - now
if wait > 0 then return {0, application, string.format('%.0f', before - now), string.format('%.0f', wait)} end
redis.call('SET', KEYS[2], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
return {1, application, string.format('%.0f', after - now), '0'}
`;

const redis = new Redis(process.env.REDIS_URL, { enableAutoPipelining: true });
const admitSha = await redis.script('LOAD', ADMIT);
await redis.set(`floor:{demo}:token:${sha256(process.env.BENCH_TOKEN)}`, JSON.stringify(APPLICATION));
const applications = new Map();

const registry = new Registry();
collectDefaultMetrics({ register: registry });
const seconds = new Histogram({
  name: 'floor_request_seconds',
  help: 'Time of a request.',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
  registers: [registry],
});
const logger = pino(
  { level: 'info', base: { service: 'floor' }, timestamp: pino.stdTimeFunctions.isoTime },
  pino.destination({ fd: 1, sync: false, minLength: 4_096 }),
);

const suppliers = BRANDS.flatMap((brand) => {
  const url = process.env[`SUPPLIER_${brand.toUpperCase()}_URL`];
  if (url === undefined) return [];
  return {
    id: brand.toLowerCase(),
    name: `Supplier ${brand}`,
    brand,
    pool: new Pool(url, { connections: 256, headersTimeout: 0, bodyTimeout: 0 }),
    token: undefined,
  };
});

for (const supplier of suppliers) {
  const { body } = await supplier.pool.request({
    method: 'GET',
    path: '/oauth/token/v2',
    headers: { client_id: 'bench', client_secret: 'bench' },
  });
  supplier.token = (await body.json()).access_token;
}

function sha256(text) {
  return createHash('sha256').update(text).digest('base64url');
}

function seal(prefix, text) {
  return `${prefix}${Buffer.from(text).toString('base64url')}${createHmac('sha256', OFFER_KEY)
    .update(prefix + text)
    .digest('base64url')
    .slice(0, 22)}`;
}

async function admit(token) {
  if (!/^fc_s_[a-z0-9]{1,40}_[A-Za-z0-9-_]{43}$/.test(token)) return undefined;
  const reply = await redis.evalsha(
    admitSha,
    2,
    `floor:{demo}:token:${sha256(token)}`,
    'floor:{demo}:limit',
    APPLICATION.perMinute,
    APPLICATION.burst,
  );
  if (reply === null) return undefined;
  let application = applications.get(reply[1]);
  if (!application) {
    application = JSON.parse(reply[1]);
    applications.set(reply[1], application);
  }
  const interval = 60_000_000 / application.perMinute;
  return {
    application,
    allowed: reply[0] === 1,
    remaining: Math.floor(application.burst - Number(reply[2]) / interval),
    reset: Math.ceil(Number(reply[2]) / 1e6),
  };
}

const KNOWN = new Set([
  'pickup_location',
  'dropoff_location',
  'pickup_date',
  'dropoff_date',
  'country_code',
  'age',
  'sort_by',
  'max_results',
]);
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;
const SECRETS = /token|secret|password|card|birth|surname|email|phone|passport|licen[cs]e|loyalty|membership/i;
const CARD = /\d(?:[ -]?\d){12,18}/;

/** Handwritten checks; throws a list of {field, details}. */
function readQuery(query, now) {
  const problems = [];
  for (const name in query) {
    if (SECRETS.test(name) || CARD.test(query[name]))
      problems.push({ field: name, details: 'must not be sent in a URL' });
    else if (!KNOWN.has(name)) problems.push({ field: name, details: 'is not a known field' });
    else if (typeof query[name] !== 'string') problems.push({ field: name, details: 'must be given once' });
  }
  const {
    pickup_location: pickup,
    dropoff_location: dropoff = pickup,
    pickup_date: from,
    dropoff_date: to,
    country_code: country = 'US',
    age = '35',
    sort_by: sortBy = 'price_total',
    max_results: max = '200',
  } = query;
  const at = airportByIata(String(pickup).toUpperCase());
  const back = airportByIata(String(dropoff).toUpperCase());
  if (!at) problems.push({ field: 'pickup_location', details: 'is not a location' });
  if (!back) problems.push({ field: 'dropoff_location', details: 'is not a location' });
  if (!realDate(from)) problems.push({ field: 'pickup_date', details: 'is not a date' });
  if (!realDate(to)) problems.push({ field: 'dropoff_date', details: 'is not a date' });
  if (!/^[A-Z]{2}$/.test(country)) problems.push({ field: 'country_code', details: 'is not a country' });
  if (!/^\d{2}$/.test(age) || Number(age) < 16) problems.push({ field: 'age', details: 'must be between 16 and 99' });
  if (sortBy !== 'price_total') problems.push({ field: 'sort_by', details: 'must be price_total' });
  if (!/^\d{1,3}$/.test(max)) problems.push({ field: 'max_results', details: 'must be an integer' });
  if (problems.length === 0) {
    if (from < toLocal(now, at.timeZone)) problems.push({ field: 'pickup_date', details: 'is in the past' });
    const length = Date.parse(`${to}Z`) - Date.parse(`${from}Z`);
    if (length < 3_600_000 || length > 330 * DAY_MS)
      problems.push({ field: 'dropoff_date', details: 'a rental lasts 1 hour to 330 days' });
  }
  if (problems.length > 0) throw problems;
  return { at, back, from, to, country, age: Number(age), sortBy, max: Number(max) };
}

function realDate(text) {
  if (!LOCAL.test(text)) return false;
  const at = new Date(`${text}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 19) === text;
}

/**
 * One supplier call with its own deadline; settles as {kind, offers | cause, ms}. Aborting with an emitter is cheaper
 * than with an AbortSignal.
 */
async function ask(supplier, search, requestId) {
  const startedAt = performance.now();
  const elapsed = () => Math.round((performance.now() - startedAt) * 10) / 10;
  const signal = new EventEmitter();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    signal.emit('abort');
  }, DEADLINE_MS);
  try {
    const offers = await call(supplier, search, requestId, signal);
    return { supplier, kind: offers.length > 0 ? 'answered' : 'empty', offers, ms: elapsed() };
  } catch (error) {
    logger.warn({ supplier: supplier.id, why: error.message }, 'supplier failed');
    return { supplier, kind: 'failed', cause: late ? 'timeout' : 'unavailable', offers: [], ms: elapsed() };
  } finally {
    clearTimeout(timer);
  }
}

async function call(supplier, { at, back, from, to, country, age }, requestId, signal) {
  const path =
    `/cars/catalog/v2/vehicles?brand=${supplier.brand}&pickup_date=${encodeURIComponent(from)}&pickup_location=${at.iataCode}&dropoff_date=${encodeURIComponent(to)}` +
    `&dropoff_location=${back.iataCode}&country_code=${country}&age=${age}&transaction_id=${requestId}`;
  const { statusCode, body } = await supplier.pool.request({
    method: 'GET',
    path,
    headers: { accept: 'application/json', authorization: `Bearer ${supplier.token}`, client_id: 'bench' },
    signal,
  });
  const answer = await body.json();
  if (statusCode !== 200 || !Array.isArray(answer.vehicles)) throw new Error('bad answer');
  const frame = frameOf(answer, supplier, from, to);
  return answer.vehicles.flatMap((row) => offersOf(row, supplier, frame, country));
}

const phones = new Map();

function dialable(text, country) {
  const key = text + country;
  let number = phones.get(key);
  if (number === undefined) {
    number = parsePhoneNumberFromString(text.replace(/^\((\d{1,3})\)\s*0?/, '+$1 '), country)?.number ?? text;
    phones.set(key, number);
  }
  return number;
}

function placeOf(wire, supplier) {
  const { location, address } = wire;
  const latitude = Number(address.lat);
  const longitude = Number(address.long);
  return {
    location_id: seal(
      'loc_',
      JSON.stringify([
        supplier.id,
        supplier.brand,
        location.code,
        location.code,
        address.country_code,
        latitude,
        longitude,
      ]),
    ),
    supplier: supplier.id,
    brand: supplier.brand,
    code: location.code,
    code_context: 'supplier',
    iata_code: location.code,
    place_id: `plc_${location.code.toLowerCase()}`,
    name: location.name,
    type: 'airport',
    address: {
      lines: [address.address_line_1],
      city: address.city,
      region: address.state_name,
      postal_code: address.postal_code,
      country_code: address.country_code,
    },
    latitude,
    longitude,
    time_zone: airportByIata(location.code).timeZone,
    phone: dialable(location.telephone, address.country_code),
  };
}

function stayOf(wire, supplier, date) {
  const location = placeOf(wire, supplier);
  return { location, date, date_utc: toUtc(date, location.time_zone) };
}

const amount = (value, currency) => ({ amount: Number(value).toFixed(2), currency });
const cents = (value) => Math.round(value * 100);
const number = (text) => (text === undefined ? undefined : Number(text));
const item = (kind, description, value, currency, payable, included = true) => ({
  kind,
  description,
  amount: amount(value, currency),
  unit: 'rental',
  quantity: 1,
  mandatory: true,
  included_in_total: included,
  payable,
});
const sipps = new Map();

function sippOf(code) {
  let view = sipps.get(code);
  if (view === undefined) {
    const { airConditioning, ...decoded } = decodeSipp(code);
    view = { ...decoded, air_conditioning: airConditioning };
    sipps.set(code, view);
  }
  return view;
}

/** What the offers of a response share; its JSON is written once and not once per offer. */
function frameOf({ reservation }, supplier, from, to) {
  const pickup = stayOf(reservation.pickup_location, supplier, from);
  const dropoff = stayOf(reservation.dropoff_location, supplier, to);
  const terms = [
    ...reservation.terms.map(({ type, endpoint }) => ({ kind: type, url: endpoint })),
    ...reservation.disclaimers.map(({ type, description }) => ({
      kind: type.toLowerCase().replaceAll(' ', '_'),
      text: description,
    })),
  ];
  return {
    pickupCode: pickup.location.code,
    dropoffCode: dropoff.location.code,
    json: `"pickup":${JSON.stringify(pickup)},"dropoff":${JSON.stringify(dropoff)},"terms":${JSON.stringify(terms)}`,
    fuelPolicy: reservation.disclaimers.some(({ description }) => description.includes('FULL TO FULL'))
      ? 'full_to_full'
      : 'unknown',
  };
}

/** The items of a price: the rate's taxes and fees if they add up to the totals of this payment, else the totals. */
function itemsOf(pay, taxes, fees, currency, payable) {
  const items = [item('rental', 'Vehicle rental', pay.vehicle_total, currency, payable)];
  let sum = 0;
  for (const tax of taxes) if (tax.included_in_total) sum += cents(tax.amount);
  for (const fee of fees) if (fee.included_in_total) sum += cents(fee.amount);
  if (sum === cents(pay.taxes_fees_total)) {
    for (const tax of taxes)
      if (tax.included_in_total) items.push(item('tax', tax.type, tax.amount, currency, payable));
    for (const fee of fees)
      if (fee.included_in_total) items.push(item(feeKind(fee), fee.name, fee.amount, currency, payable));
  } else {
    items.push(item('tax', 'Taxes', pay.taxes_total, currency, payable));
    items.push(item('fee', 'Fees', pay.fees_total, currency, payable));
  }
  for (const tax of taxes)
    if (!tax.included_in_total) items.push(item('tax', tax.type, tax.amount, currency, 'counter', false));
  for (const fee of fees)
    if (!fee.included_in_total) items.push(item(feeKind(fee), fee.name, fee.amount, currency, 'counter', false));
  return items;
}

const feeKind = ({ name }) => (/airport/i.test(name) ? 'airport' : 'fee');

/** The offers of a vehicle, one per way to pay: `{ref, cents, frame, view}`. */
function offersOf(row, supplier, frame, country) {
  const { category, capacity, features, rate_totals: totals, distance } = row;
  const { rate } = totals;
  if (typeof rate.currency !== 'string') return [];
  const { currency } = rate;
  const { taxes, fees } = rate.taxes_fees;
  const label = category.name.replace(`Group ${category.vehicle_class_code} - `, '');
  const name = label.replace(/\s*or similar.*$/i, '');
  const vehicle = {
    sipp_code: category.sipp_code,
    sipp: sippOf(category.sipp_code),
    name,
    make: category.make,
    model: category.model,
    or_similar: /or similar/i.test(label),
    class_code: category.vehicle_class_code,
    class_name: category.vehicle_class_name,
    seats: number(capacity.seats),
    doors: number(capacity.doors),
    bags_large: number(capacity.luggage_capacity?.large_suitcase),
    bags_small: number(capacity.luggage_capacity?.small_suitcase),
    image_url: category.image_url,
    transmission: category.vehicle_transmission.toLowerCase(),
    air_conditioning: features.air_conditioned,
    fuel: capacity.fuel_type.toLowerCase(),
  };
  const offers = [];
  for (const payment of ['pay_later', 'pay_now']) {
    const pay = totals[payment];
    if (typeof pay?.reservation_total !== 'number') continue;
    const isNow = payment === 'pay_now';
    const total = amount(pay.reservation_total, currency);
    const none = amount(0, currency);
    offers.push({
      ref: {
        brand: supplier.brand,
        pickupCode: frame.pickupCode,
        dropoffCode: frame.dropoffCode,
        countryCode: country,
        payment,
        rateCode: pay.rate_code,
        sippCode: category.sipp_code,
        classCode: category.vehicle_class_code,
        quoteId: rate.quote_id,
        vehicleName: name,
      },
      cents: cents(pay.reservation_total),
      frame,
      view: {
        offer_id: undefined,
        expires_at: undefined,
        supplier: supplier.id,
        brand: supplier.brand,
        status: category.vehicle_status === 'OnRequest' ? 'on_request' : 'available',
        vehicle,
        rate: {
          code: pay.rate_code,
          type: rate.rate_type.toLowerCase(),
          payment,
          inclusive: false,
          discounts_applied: [],
        },
        price: {
          total,
          base: amount(pay.vehicle_total, currency),
          taxes: amount(pay.taxes_total, currency),
          fees: amount(pay.fees_total, currency),
          due_now: isNow ? total : none,
          due_at_counter: isNow ? none : total,
          items: itemsOf(pay, taxes, fees, currency, isNow ? 'now' : 'counter'),
        },
        rental_days: Math.max(1, rate.days),
        distance_policy: [{ unlimited: distance.unlimited_distance }],
        fuel_policy: frame.fuelPolicy,
        coverages: [],
        extras: [],
        cancellation: { source: 'unknown', rules: [] },
        requirements: {},
        dedupe_group: `${frame.pickupCode}:${category.sipp_code}:${payment}:`,
      },
    });
  }
  return offers;
}

function problem(reply, code, message, reason, details) {
  reply.code(code).header('cache-control', 'no-store');
  return {
    status: {
      request_time: new Date().toISOString(),
      request_errors: 1,
      errors: [{ code: String(code), message, reason, details }],
    },
  };
}

const app = Fastify({ logger: false, http: { maxHeaderSize: 16_384 } });

app.addHook('onRequest', (request, reply, done) => {
  const given = request.headers['x-request-id'];
  request.requestId = given ?? `req_${randomBytes(12).toString('base64url')}`;
  reply.header('x-request-id', request.requestId);
  done();
});

app.addHook('onResponse', (request, reply, done) => {
  const route = request.routeOptions.url;
  seconds.observe({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1_000);
  logger.info({
    requestId: request.requestId,
    method: request.method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    application: request.applicationId,
  });
  done();
});

app.get('/cars/catalog/v1/vehicles', async (request, reply) => {
  const now = Date.now();
  const header = request.headers.authorization ?? '';
  if (!header.startsWith('Bearer '))
    return problem(reply, 401, 'Unauthorized', 'authentication_failure', 'No access token.');
  const admission = await admit(header.slice(7));
  if (!admission) return problem(reply, 401, 'Unauthorized', 'authentication_failure', 'The access token is invalid.');
  const { application, allowed, remaining, reset } = admission;
  request.applicationId = application.id;
  reply.header('ratelimit-policy', `"application";q=${application.burst};w=10`);
  reply.header('ratelimit', `"application";r=${remaining};t=${reset}`);
  reply.header('x-ratelimit-limit', application.burst);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', reset);
  if (!allowed) return problem(reply, 429, 'Not Found', 'throttled', 'The rate limit is exceeded.');
  if (!application.products.includes('car_availability'))
    return problem(reply, 403, 'Forbidden', 'permissions_failure', 'Not subscribed.');
  let search;
  try {
    search = readQuery(request.query, now);
  } catch (problems) {
    if (!Array.isArray(problems)) throw problems;
    return problem(
      reply,
      400,
      'Bad Request',
      'invalid_format',
      problems.map(({ field, details }) => `${field} ${details}`).join('; '),
    );
  }
  const outcomes = await Promise.all(suppliers.map((supplier) => ask(supplier, search, request.requestId)));
  const failed = outcomes.filter(({ kind }) => kind !== 'answered');
  if (failed.length === outcomes.length)
    return problem(reply, 500, 'Internal Server Error', 'supplier_failure', 'All suppliers failed.');
  const expires = now + 900_000;
  const shared = JSON.stringify([
    search.at.iataCode,
    search.back.iataCode,
    search.from,
    search.to,
    search.country,
    search.age,
  ]);
  const expiresAt = new Date(expires).toISOString();
  const found = outcomes.flatMap(({ offers }) => offers).sort((a, b) => a.cents - b.cents);
  const vehicles = found.slice(0, search.max).map(({ ref, view, frame }) => {
    const { total } = view.price;
    const text = `["${application.id}","${view.supplier}","${view.brand}",${shared},${JSON.stringify(ref)},"${ref.payment} ${ref.sippCode}","${total.amount}","${total.currency}",${Math.floor(expires / 1_000)}]`;
    view.offer_id = seal('off_', text);
    view.expires_at = expiresAt;
    return `${JSON.stringify(view).slice(0, -1)},${frame.json}}`;
  });
  const code = failed.length > 0 ? 206 : 200;
  reply.code(code).header('cache-control', 'no-store').header('content-type', 'application/json; charset=utf-8');
  const head = JSON.stringify({
    status: {
      request_time: new Date(now).toISOString(),
      success: [
        {
          code: String(code),
          message: code === 200 ? 'OK' : 'Partial Content',
          details: 'The resource was successfully retrieved.',
        },
      ],
      ...(failed.length > 0 && {
        request_errors: failed.length,
        errors: failed.map(({ supplier, kind, cause }) => ({
          code: kind === 'empty' ? '404' : '500',
          message: kind === 'empty' ? 'Not Found' : 'Internal Server Error',
          reason: kind === 'empty' ? 'no_supplier_results' : 'supplier_failure',
          details: `${supplier.name} failed to fulfill the request.`,
          supplier: supplier.id,
          cause,
        })),
      }),
    },
    search_id: `sea_${randomBytes(12).toString('base64url')}`,
    request: {
      pickup_location: search.at.iataCode,
      dropoff_location: search.back.iataCode,
      pickup_date: search.from,
      dropoff_date: search.to,
      country_code: search.country,
      age: search.age,
      sort_by: search.sortBy,
      max_results: search.max,
    },
    vehicles_found: found.length,
    suppliers: outcomes.map(({ supplier, kind, cause, offers, ms }) => ({
      supplier: supplier.id,
      outcome: kind,
      cause,
      offers: offers.length,
      duration_ms: ms,
    })),
  });
  return Buffer.from(`${head.slice(0, -1)},"vehicles":[${vehicles.join(',')}]}`);
});

await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ port: app.server.address().port });
