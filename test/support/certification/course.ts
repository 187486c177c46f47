import { dayAhead } from '../rental.js';
import type { CarClient, Credentials } from './car-client.js';
import type { Wire } from './wire.js';

const DATES = { pickup_date: dayAhead(40), dropoff_date: dayAhead(43) };
const DRIVER = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com', age: 35 };
const RESERVATIONS = '/cars/reservation/v1';
const LOCATIONS = { method: 'GET', path: '/cars/locations/v1' } as const;
const BOOKING = { method: 'POST', path: RESERVATIONS } as const;

/** Gives a client the occasion to show each of the 20 behaviors, as a developer would do it in the sandbox. */
export async function runCourse(client: CarClient, wire: Wire, credentials: Credentials): Promise<void> {
  for (let times = 0; times < 12; times += 1) await client.locations('boston');
  await client.locations('chicago');
  await revoke(wire, credentials);
  await client.locations('boston');
  for (const scenario of ['fault=429(1)', 'fault=503(1)']) {
    wire.inject({ ...LOCATIONS, scenario });
    await client.locations('miami');
  }
  wire.inject({ ...LOCATIONS, scenario: 'fault=500', times: 6 });
  await client.locations('denver');
  wire.clear();
  await client.search({ pickup_location: 'BOS', pickup_date: 'tomorrow', dropoff_date: 'later' });

  for (const method of ['GET', 'POST'])
    wire.inject({ method, path: '/cars/catalog/v1/vehicles', scenario: 'bravo=reset', times: 3 });
  const partial = await client.search({ pickup_location: 'BOS', ...DATES, max_results: '20' });
  wire.clear();
  for (const { id } of partial?.offers.slice(0, 1) ?? []) await client.price(id);
  const paged = await client.search({ pickup_location: 'BOS', ...DATES, page_size: '10' });
  if (paged?.next !== undefined) await client.page(paged.next);

  const [one, two, three, four] = await offers(client, 'Alpine');
  const [five] = await offers(client, 'Dune');
  const booked: (string | undefined)[] = [];
  const book = async (offerId: string | undefined, more: object = {}): Promise<string | undefined> => {
    const made = await client.book({ offer_id: offerId, driver: DRIVER, ...more });
    wire.clear();
    booked.push(made?.reservation_id);
    return made?.reservation_id;
  };
  wire.inject({ ...BOOKING, scenario: 'alpine=slow(800)', dropAfterMs: 400 });
  await book(one);
  const card = { credit_card_number: '4000000000000002', card_expiry: '12/30', card_holder: 'ADA SAMPLE' };
  await book(two, { payment: { type: 'card', ...card } });
  wire.inject({ ...BOOKING, scenario: 'alpine=price(+10%)' });
  const changed = await book(three);
  const plain = await book(four);
  wire.inject({ ...BOOKING, scenario: 'dune=lost_then_found' });
  const open = await book(five);
  if (open !== undefined) await client.follow(open);
  const id = changed ?? plain;
  if (id !== undefined) {
    wire.inject({ method: 'PATCH', path: RESERVATIONS, scenario: 'alpine=lost_then_found' });
    await client.change(id, { arrival: { carrier_code: 'BA', flight_number: '349' } });
    wire.clear();
  }
  for (const one of booked) if (one !== undefined) await client.cancel(one);
}

/** Ids of offers of a brand that are available immediately. */
async function offers(client: CarClient, brand: string): Promise<readonly string[]> {
  const found = await client.search({ pickup_location: 'BOS', ...DATES, brand, max_results: '20' });
  return (found?.offers ?? []).map(({ id }) => id);
}

async function revoke(wire: Wire, { clientId, clientSecret }: Credentials): Promise<void> {
  const { status } = await fetch(`${wire.baseUrl}/oauth/revoke/v1`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ token: wire.token }),
  });
  if (status !== 200) throw new Error(`the token was not revoked: ${status}`);
}
