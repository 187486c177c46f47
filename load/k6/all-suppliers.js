/** Every supplier responds: 200. `k6 run -e BASE_URL=… -e CLIENT_ID=… -e CLIENT_SECRET=… load/k6/all-suppliers.js` */
import { arrivalRate, search } from './search.js';

export { setup } from './search.js';
export const options = arrivalRate({
  http_req_failed: ['rate<0.001'],
  'http_req_duration{name:vehicles}': ['p(95)<600', 'p(99)<1200'],
});

export default function ({ token }) {
  search(token, '', 200);
}
