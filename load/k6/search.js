/**
 * Shared by the three scenarios: a token for the entire run, and a search with dates that were never requested before.
 * Environment: BASE_URL, CLIENT_ID, CLIENT_SECRET; RATE (requests per second, 8) and DURATION (30s).
 */
import { check } from 'k6';
import http from 'k6/http';

const AIRPORTS = ['BOS', 'JFK', 'LAX', 'ORD', 'MIA', 'SEA', 'DEN', 'ATL'];
const DAY_MS = 86400000;

/** Fixed arrival rate: k6 starts a search when it is due, whether or not earlier ones have finished. */
export function arrivalRate(thresholds) {
  return {
    scenarios: {
      search: {
        executor: 'constant-arrival-rate',
        rate: Number(__ENV.RATE || 8),
        timeUnit: '1s',
        duration: __ENV.DURATION || '30s',
        preAllocatedVUs: 50,
        maxVUs: 2000,
      },
    },
    thresholds: { checks: ['rate>0.999'], dropped_iterations: ['count==0'], ...thresholds },
  };
}

/** Runs once; its return value is passed to every search. */
export function setup() {
  const answer = http.get(`${__ENV.BASE_URL}/oauth/token/v1`, {
    headers: { client_id: __ENV.CLIENT_ID, client_secret: __ENV.CLIENT_SECRET },
  });
  if (answer.status !== 200) throw new Error(`the token operation returned ${answer.status}: ${answer.body}`);
  return { token: answer.json('access_token') };
}

/** One search; `scenario` is the value of X-Sandbox-Scenario, '' for none. */
export function search(token, scenario, expected) {
  const number = __VU * 100000 + __ITER;
  const day = Math.floor(Date.now() / DAY_MS) + 3 + ((number * 7919) % 300);
  const from = day * DAY_MS + 10 * 3600000 + ((number * 37) % 21600) * 1000;
  const local = (at) => new Date(at).toISOString().slice(0, 19);
  const query = `pickup_location=${AIRPORTS[number % AIRPORTS.length]}&pickup_date=${local(from)}&dropoff_date=${local(from + 3 * DAY_MS)}&country_code=US`;
  const headers = { Authorization: `Bearer ${token}` };
  if (scenario !== '') headers['X-Sandbox-Scenario'] = scenario;
  const answer = http.get(`${__ENV.BASE_URL}/cars/catalog/v1/vehicles?${query}`, {
    headers,
    tags: { name: 'vehicles' },
  });
  check(answer, {
    [`status is ${expected}`]: ({ status }) => status === expected,
    'offers came': (got) => got.status !== expected || got.json('vehicles').length > 0,
  });
}
