import { booked, driver, faults, fresh, offerOf, on, type Reservation } from '../support/booking.js';
import type { HttpAnswer } from '../support/client.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const client = () => running().client;
const LIST = '/cars/reservation/v1/reservations';

interface Page {
  readonly reservations: readonly { readonly reservation_id: string; readonly state: string }[];
  readonly links: { readonly next?: string };
}

const pageOf = (answer: HttpAnswer): Page => JSON.parse(answer.text) as Page;
const idsOf = (answer: HttpAnswer): string[] => pageOf(answer).reservations.map(({ reservation_id }) => reservation_id);

const RUN = fresh('list');
const ONE = `${RUN}-one`;
/** In the order of booking; the first two with the same reference. */
const made: Reservation[] = [];
beforeAll(async () => {
  for (const [supplier, client_reference] of [
    ['alpine', ONE],
    ['bravo', ONE],
    ['alpine', `${RUN}-two`],
  ] as const) {
    const { offer_id } = await offerOf(client(), supplier);
    made.push(await booked(client(), { offer_id, driver: driver(fresh()), client_reference }));
  }
  await on(client(), 'DELETE', made[2]?.reservation_id ?? '');
});

test('reservations are listed newest first, without the renter', async () => {
  const answer = await client().get(`${LIST}?client_reference=${ONE}`);
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(idsOf(answer)).toEqual([made[1]?.reservation_id, made[0]?.reservation_id]);
  const { reservation_id, confirmation_number, vehicle, pickup, dropoff, brand, price } = made[1] as Reservation;
  expect(pageOf(answer).reservations[0]).toMatchObject({
    ...{ reservation_id, confirmation_number, vehicle, pickup, dropoff, brand, total: price.total },
    ...{ client_reference: ONE, state: 'confirmed', supplier: 'bravo' },
  });
  expect(answer.text).not.toContain(made[1]?.driver?.last_name ?? 'a name');
  expect(pageOf(answer).links).toEqual({});
});

test.each([
  ['state=cancelled&client_reference={run}-two', [2]],
  ['state=confirmed&client_reference={run}-two', []],
  ['state=confirmed,cancelled&client_reference={run}-two', [2]],
  ['supplier=alpine&client_reference={run}-one', [0]],
  ['created_from={second}&client_reference={run}-one', [1]],
  ['created_before={second}&client_reference={run}-one', [0]],
  ['pickup_from={day}&pickup_until={day}&client_reference={run}-one', [1, 0]],
  ['pickup_until=2020-01-01&client_reference={run}-one', []],
  ['client_reference={run}', []],
] as const)('?%s lists %j', async (query, expected) => {
  const [, second] = made;
  const filled = query
    .replaceAll('{run}', RUN)
    .replaceAll('{second}', second?.created_at ?? '')
    .replaceAll('{day}', second?.pickup.date.slice(0, 10) ?? '');
  const answer = await client().get(`${LIST}?${filled}`);
  expect([answer.status, idsOf(answer)]).toEqual([200, expected.map((at) => made[at]?.reservation_id)]);
});

test('links.next leads to the next page', async () => {
  const first = await client().get(`${LIST}?limit=1&client_reference=${ONE}`);
  const second = await client().get(pageOf(first).links.next ?? '');
  expect([idsOf(first), idsOf(second)]).toEqual([[made[1]?.reservation_id], [made[0]?.reservation_id]]);
  expect(pageOf(second).links.next).toBeUndefined();
});

test('another application sees none of them, and its cursor is as unknown as one that never existed', async () => {
  const token = await client().token('demo-throttled');
  expect(idsOf(await client().get(`${LIST}?client_reference=${ONE}`, { token }))).toEqual([]);
  const next = pageOf(await client().get(`${LIST}?limit=1&client_reference=${ONE}`)).links.next ?? '';
  const [foreign, invented] = [
    await client().get(next, { token }),
    await client().get(`${LIST}?cursor=cur_${'A'.repeat(80)}`, { token }),
  ];
  expect(faults(foreign)).toEqual(['invalid_range cursor']);
  expect([foreign.status, foreign.errors]).toEqual([invented.status, invented.errors]);
});

test.each([
  ['state=booked', 'invalid_range state'],
  ['state=', 'invalid_range state'],
  ["supplier='--", 'invalid_format supplier'],
  ['limit=0', 'invalid_range limit'],
  ['limit=101', 'invalid_range limit'],
  ['limit=1&limit=2', 'invalid_request limit'],
  ['created_from=yesterday', 'invalid_format created_from'],
  ['created_from=2027-05-01T00:00:00', 'invalid_format created_from'],
  ['created_from=2027-05-02T00:00:00Z&created_before=2027-05-01T00:00:00Z', 'invalid_range created_before'],
  ['created_from=9999-12-31T23:59:59Z', 'invalid_range created_from'],
  ['created_before=1969-12-31T23:59:59Z', 'invalid_range created_before'],
  ['pickup_from=2027-02-30', 'invalid_format pickup_from'],
  ['pickup_from=2027-05-02&pickup_until=2027-05-01', 'invalid_range pickup_until'],
  ['client_reference=a%20b', 'invalid_format client_reference'],
  ['confirmation_number=AL1', 'invalid_request confirmation_number'],
  ['cursor=cur_1', 'invalid_range cursor'],
])('?%s: 400 that names the field', async (query, fault) => {
  const answer = await client().get(`${LIST}?${query}`);
  expect([answer.status, faults(answer)]).toEqual([400, [fault]]);
  expect(answer.errors[0]?.details).toContain(`"${fault.split(' ')[1]}"`);
});

test('without a token: 401; without a subscription: 403', async () => {
  const none = await client().get(LIST, { token: null });
  const unsubscribed = await client().get(LIST, { token: await client().token('demo-unsubscribed') });
  expect([none.status, unsubscribed.status]).toEqual([401, 403]);
});
