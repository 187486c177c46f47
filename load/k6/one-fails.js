/**
 * One supplier (SUPPLIER, default bravo) returns 503: 206 with the others' offers. `k6 run -e BASE_URL=… -e CLIENT_ID=…
 * -e CLIENT_SECRET=… load/k6/one-fails.js`
 */
import { arrivalRate, search } from './search.js';

export { setup } from './search.js';
export const options = arrivalRate({ 'http_req_duration{name:vehicles}': ['p(95)<600', 'p(99)<1200'] });

export default function ({ token }) {
  search(token, `${__ENV.SUPPLIER || 'bravo'}=error(503); *=ok`, 206);
}
