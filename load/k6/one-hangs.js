/**
 * One supplier (SUPPLIER, default bravo) never responds: 206 after its timeout (TIMEOUT_MS, default 4000).
 * `k6 run -e BASE_URL=… -e CLIENT_ID=… -e CLIENT_SECRET=… load/k6/one-hangs.js`
 */
import { arrivalRate, search } from './search.js';

const timeoutMs = Number(__ENV.TIMEOUT_MS || 4000);

export { setup } from './search.js';
export const options = arrivalRate({ 'http_req_duration{name:vehicles}': [`p(99)<${timeoutMs + 200}`] });

export default function ({ token }) {
  search(token, `${__ENV.SUPPLIER || 'bravo'}=timeout; *=ok`, 206);
}
