import type { SupplierConfig } from '../../src/config/supplier-config.schema.js';
import { SupplierMemory } from '../../src/suppliers/memory/supplier-memory.js';

/** Simulated traffic of one application to one supplier. Times in seconds. */
export interface Traffic {
  readonly seed: number;
  readonly hours: number;
  readonly searchesPerSecond: number;
  /** Routes, of which the one of rank i is searched in proportion to 1/i (Zipf, s = 1.0). */
  readonly routes: number;
  /** Mean time between two changes of a route's price. */
  readonly priceLasts: number;
  /** Share of the searches after which an offer's price is checked, and the mean time until then. */
  readonly checkedShare: number;
  readonly thinks: number;
  /** Maximum age of an answer; undefined = no memory. */
  readonly ttl: number | undefined;
}

/** What happened. */
export interface TrafficResult {
  readonly searches: number;
  readonly supplierCalls: number;
  /** Share of price checks that showed another price than the search. */
  readonly changedShare: number;
  /** The lifetime of answers at the end as a share of `ttl`. */
  readonly lifetimeShare: number;
}

const CALLER = { applicationId: 'app_1', accountId: 'acc_1' };
const MEASURE = { bytesOf: () => 180_000, expiryOf: () => undefined };

/** Plays the traffic on a simulated clock against the gateway's own memory. The same seed gives the same result. */
export function play(traffic: Traffic): TrafficResult {
  const random = randomFrom(traffic.seed);
  const wait = (mean: number): number => -Math.log(1 - random()) * mean;
  const clock = { seconds: 0 };
  const cache = traffic.ttl === undefined ? {} : { searchVehicles: { ttlSeconds: traffic.ttl, maxBytes: 1e9 } };
  const memory = new SupplierMemory({ id: 'proof', cache } as SupplierConfig, undefined, () => clock.seconds * 1_000);
  const prices = Array.from({ length: traffic.routes }, () => ({ version: 0, nextAt: wait(traffic.priceLasts) }));
  const priceOf = (route: number): number => {
    const price = prices[route];
    if (!price) throw new RangeError(`no route ${route}`);
    for (; price.nextAt <= clock.seconds; price.nextAt += wait(traffic.priceLasts)) price.version += 1;
    return price.version;
  };
  const cumulated = weights(traffic.routes);
  const checks: { at: number; route: number; price: number; fromMemory: boolean }[] = [];
  const seen = { searches: 0, supplierCalls: 0, checks: 0, changed: 0 };
  const check = (): void => {
    while (checks[0] && checks[0].at <= clock.seconds) {
      const { at, route, price, fromMemory } = checks[0];
      checks.shift();
      const now = clock.seconds;
      clock.seconds = at;
      const changed = priceOf(route) !== price;
      clock.seconds = now;
      seen.checks += 1;
      seen.changed += Number(changed);
      memory.drift.checked({ offer: seen.checks, account: CALLER.accountId, fromMemory, changed });
    }
  };
  while (clock.seconds < traffic.hours * 3_600) {
    clock.seconds += wait(1 / traffic.searchesPerSecond);
    if (checks.length > 0) check();
    const route = rankOf(cumulated, random());
    seen.searches += 1;
    const call = memory.forCall<number>('searchVehicles', CALLER, String(route), false, MEASURE);
    const found = call?.find();
    if (!found) seen.supplierCalls += 1;
    const price = found?.items[0] ?? priceOf(route);
    if (!found) call?.begin()([price], []);
    if (random() < traffic.checkedShare) {
      checks.push({ at: clock.seconds + wait(traffic.thinks), route, price, fromMemory: found !== undefined });
      checks.sort((one, other) => one.at - other.at);
    }
  }
  return {
    searches: seen.searches,
    supplierCalls: seen.supplierCalls,
    changedShare: seen.changed / Math.max(1, seen.checks),
    lifetimeShare: memory.drift.lifetimeShareOf(CALLER.accountId),
  };
}

function weights(routes: number): Float64Array {
  const cumulated = new Float64Array(routes);
  let sum = 0;
  for (let at = 0; at < routes; at += 1) {
    sum += 1 / (at + 1);
    cumulated[at] = sum;
  }
  return cumulated.map((weight) => weight / sum);
}

/** The index of the first weight above `at`. */
function rankOf(cumulated: Float64Array, at: number): number {
  let [low, high] = [0, cumulated.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulated[middle] ?? 1) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
