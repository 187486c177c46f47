/**
 * The scenarios of `npm run load`, the only place where they are written down. Each has:
 * - `about`: what it shows, for `--help`.
 * - `expected`: the statuses that aren't errors.
 * - `p99Ms`: the p99 that a run may reach below the gateway's capacity, with a margin. `--p99` replaces it.
 * - `orders`: what `--supplier` does, as in X-Sandbox-Scenario; absent = nothing.
 * - `next(number, offers)`: the request with this number: {method, path, headers, body}. `body` is JSON text, or absent.
 * - `needsOffers`: whether `next` gets offers of a search before the run.
 * - `overload`: how many times as many requests as the gateway answers; absent = the rate of the command.
 * - `keeps(number, status)`: whether `problems` needs this response; absent = none.
 * - `problems(run)`: what is wrong with a complete run, a sentence each; empty = nothing. `run` has `answers` [{number, status,
 *   headers, body}] that were kept, `seconds`, `statuses` {status: count}, `applications` (their number) and `capacity`
 *   (responses per second before the overload).
 */
import { nextQuestion } from '../bench/load-generator.mjs';

const KEYWORDS = ['boston', 'new york', 'JFK', 'LAX', 'chicago', 'miami', 'denver', 'seattle'];
/** How often a booking repeats the one before it, with its key. */
const REPEAT_EVERY = 20;

const search = () => ({ method: 'GET', path: `/cars/catalog/v1/vehicles?${nextQuestion().query}` });
const nothing = () => [];

const SEARCH = { next: search, problems: nothing };

/** The number of a booking, or of the one that it repeats. */
function firstOf(number) {
  return number % REPEAT_EVERY === REPEAT_EVERY - 1 ? number - 1 : number;
}

/** The rate that a `RateLimit-Policy` states for one application, in calls per second, and its burst. */
function policyOf(text = '') {
  const [, quota, window] = /"application";q=(\d+);w=(\d+)/.exec(text) ?? [];
  return quota === undefined ? undefined : { burst: Number(quota), perSecond: Number(quota) / Number(window) };
}

export const SCENARIOS = {
  200: { ...SEARCH, about: 'searches for cars; every supplier responds', expected: [200], p99Ms: 1_500 },
  206: {
    ...SEARCH,
    about: 'searches for cars; one supplier (--supplier) returns 503',
    expected: [206],
    p99Ms: 1_500,
    orders: 'error(503)',
  },
  hanging: {
    ...SEARCH,
    about: 'searches for cars; one supplier (--supplier) never responds',
    expected: [206],
    // The supplier's time limit, 4 s as shipped, and the rest.
    p99Ms: 5_500,
    orders: 'timeout',
  },
  chaos: {
    ...SEARCH,
    about: 'searches for cars; a supplier fails by itself (SIMULATOR_CHAOS), so that breakers and quotas apply to it',
    expected: [200, 206],
    p99Ms: 5_500,
    problems: ({ statuses }) =>
      statuses[206] ? [] : ['no search was partial: set SIMULATOR_CHAOS or simulator.chaos of a supplier'],
  },
  locations: {
    about: 'searches for locations by keyword',
    expected: [200],
    p99Ms: 1_500,
    next: (number) => ({
      method: 'GET',
      path: `/cars/locations/v1?keyword=${encodeURIComponent(KEYWORDS[number % KEYWORDS.length])}`,
    }),
    problems: nothing,
  },
  bookings: {
    about: 'bookings with a key each; every twentieth repeats the one before it and must get the same reservation',
    expected: [201, 202],
    p99Ms: 3_000,
    needsOffers: true,
    next: (number, { offers, run }) => ({
      method: 'POST',
      path: '/cars/reservation/v1/',
      headers: { 'idempotency-key': `load-${run}-${firstOf(number)}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        offer_id: offers[firstOf(number) % offers.length],
        driver: { first_name: 'Load', last_name: 'Sample', email: 'load@example.com' },
      }),
    }),
    keeps: (number) => number % REPEAT_EVERY >= REPEAT_EVERY - 2,
    problems: ({ answers }) => {
      const ids = new Map();
      for (const { number, body } of answers) ids.set(number, JSON.parse(body || '{}').reservation?.reservation_id);
      return [...ids]
        .filter(([number, id]) => id === undefined || id !== ids.get(firstOf(number)))
        .map(([number]) => `booking ${number} repeated booking ${firstOf(number)} and got another reservation`);
    },
  },
  throttled: {
    about: 'more searches than the limit of the application admits: the rest is 429 with Retry-After',
    expected: [200, 206, 429],
    p99Ms: 1_500,
    ...{ next: search, keeps: (_number, status) => status === 429 },
    problems: ({ answers, statuses, seconds, applications }) => {
      const [first] = answers;
      if (!first) return ['no call was throttled: raise --rate or --seconds'];
      const silent = answers.filter(({ headers }) => !/\r\nretry-after: *[1-9]/i.test(headers)).length;
      const policy = policyOf(/\r\nratelimit-policy: *([^\r]*)/i.exec(first.headers)?.[1]);
      const admitted = (statuses[200] ?? 0) + (statuses[206] ?? 0);
      // A second more, because calls arrive later than they are due.
      const most = policy ? applications * (policy.burst + policy.perSecond * (seconds + 1)) : 0;
      return [
        ...(silent > 0 ? [`${silent} responses with 429 have no Retry-After`] : []),
        ...(admitted > most ? [`${admitted} calls were admitted; the limit admits ${Math.floor(most)}`] : []),
      ];
    },
  },
  overload: {
    ...SEARCH,
    about: 'twice as many searches as the gateway answers: the rest is refused with 503, quickly, and it recovers',
    expected: [200, 206, 429, 503],
    p99Ms: 12_000,
    overload: 2,
    problems: ({ statuses, seconds, capacity }) => {
      const served = ((statuses[200] ?? 0) + (statuses[206] ?? 0)) / seconds;
      // The generator takes part of the machine, more of it under overload.
      return served < capacity * 0.3
        ? [`${served.toFixed(0)} searches per second were served, of ${capacity.toFixed(0)} without overload`]
        : [];
    },
  },
};
