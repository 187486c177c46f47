// Prints a run of the SDK's own client against a sandbox, as docs/agents.md shows it: BASE and TOKEN as in
// docs/getting-started.md. TRIES (default 1000) is how often the same booking is tried.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { BASE, TOKEN, TRIES = '1000' } = process.env;
const client = new Client({ name: 'recorder', version: '1.0.0' });
const headers = { authorization: `Bearer ${TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', BASE), { requestInit: { headers } }));

async function call(name, args, isPrinted = true) {
  const result = await client.callTool({ name, arguments: args });
  if (isPrinted) console.log(`${name}\n  ${result.content[0].text}`);
  return result.structuredContent;
}

const day = (days) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T10:00:00`;
const { tools } = await client.listTools();
console.log(`tools/list\n  ${tools.map(({ name }) => name).join(', ')}`);
await call('find_place', { keyword: 'Boston Logan' });
let found = await call('search', { pickup_location: 'BOS', pickup_date: day(30), dropoff_date: day(33) });
const fits = ({ payment, status }) => payment === 'pay_later' && status === 'available';
while (!found.offers.some(fits)) found = await call('search', { more: found.more });
const { quote } = await call('price', { offer_id: found.offers.find(fits).offer_id });
const { amount, currency } = quote.offer.price.total;
const driver = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com', phone: '+1 617 555 0100' };
const booking = { quote_id: quote.quote_id, total: amount, currency, driver };
await call('book', { ...booking, total: '1.00' });
const ids = new Set();
const waits = { refused: 0 };
for (let done = 0; done < Number(TRIES); done += 1) {
  const { reservation } = await call('book', booking, done === 0);
  if (reservation) ids.add(reservation.reservation_id);
  else waits.refused += 1;
}
console.log(`book, tried ${TRIES} times\n  ${ids.size} reservation, ${waits.refused} refused`);
const [reservation_id] = ids;
await call('read_reservation', { reservation_id });
await call('cancel_reservation', { reservation_id });
await client.close();
