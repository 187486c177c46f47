import { Webhook } from 'standardwebhooks';
import { type Receiver, startReceiver } from '../../src/webhooks/fixtures/receiver.js';
import { rawAsk } from '../compat/raw-ask.js';
import {
  booked,
  cents,
  create,
  driver,
  eventually,
  faults,
  fresh,
  offerOf,
  on,
  path,
  QUICK,
  type Reservation,
  read,
  reservationOf,
  type SupplierId,
  settled,
} from '../support/booking.js';
import type { Offer } from '../support/client.js';
import { gwInThread } from '../support/gw.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import type { DemoName } from '../support/start-gateway.js';

const CLOCK = '/sandbox/clock/v1';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Another application than the one whose clock moves. */
const OTHER: DemoName = 'demo-throttled';

interface Clock {
  readonly now: string;
  readonly real_now: string;
  readonly ahead_seconds: number;
  readonly outcome: string;
}

describe('the test clock of a sandbox application', () => {
  const running = runGateway({ embedded: true, config: QUICK });
  const client = () => running().client;
  const call = async (method: string, body?: object, application?: DemoName) =>
    client().call(method, CLOCK, {
      ...(body === undefined ? {} : { body }),
      ...(application === undefined ? {} : { token: await client().token(application) }),
    });
  const clockIn = ({ text }: { readonly text: string }) => (JSON.parse(text) as { clock: Clock }).clock;
  /** Moves the clock of `demo` to an instant. */
  const moveTo = async (at: number | string, outcome?: 'completed' | 'no_show'): Promise<Clock> => {
    const answer = await call('PUT', { now: new Date(at).toISOString(), ...(outcome && { outcome }) });
    if (answer.status !== 200) throw new Error(answer.text);
    return clockIn(answer);
  };
  /** Until when cancelling an offer is free, in epoch milliseconds; Boston's zone is that of its pickup. */
  const freeUntil = ({ cancellation, pickup }: Pick<Reservation, 'cancellation' | 'pickup'>): number =>
    Date.parse(`${cancellation.free_until}Z`) + Date.parse(pickup.date_utc) - Date.parse(`${pickup.date}Z`);
  const isFreeFor = ({ status, rate, cancellation }: Offer): boolean =>
    status === 'available' && rate.payment === 'pay_later' && cancellation.free_until !== undefined;
  const book = async (supplier: SupplierId, dates: Record<string, string> = {}): Promise<Reservation> => {
    const { offer_id } = await offerOf(client(), supplier, dates, isFreeFor);
    return await booked(client(), { offer_id, driver: driver(fresh()) });
  };
  /** A reservation of the other application. */
  const bookElsewhere = async (token: string): Promise<Reservation> => {
    const { vehicles } = (await client().get(vehiclesPath({ brand: 'Alpine' }), { token })).body;
    const body = { offer_id: vehicles.find(isFreeFor)?.offer_id, driver: driver(fresh()) };
    return await booked(client(), body, { application: OTHER });
  };

  let receiver: Receiver;
  let secret: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    const made = await client().post('/cars/webhooks/v1/endpoints', { url: receiver.url });
    ({ secret } = (JSON.parse(made.text) as { endpoint: { secret: string } }).endpoint);
  });
  afterAll(() => receiver.stop());
  afterEach(async () => {
    expect((await call('DELETE')).status).toBe(204);
  });

  /** The types of the events of a reservation once there are `count`; their signatures are verified. */
  const eventsOf = async (id: string, count: number): Promise<string[]> => {
    const own = () => receiver.received.filter(({ body }) => body.data.reservation_id === id);
    const types = () => [...new Set(own().map(({ body }) => body.type.replace('reservation.', '')))];
    await eventually(
      async () => types(),
      (seen) => seen.length >= count,
      20_000,
    );
    for (const { text, headers } of own()) new Webhook(secret).verify(text, headers as Record<string, string>);
    return types();
  };

  test('a request is decided immediately, or expires after the pickup if the supplier never decides', async () => {
    const { offer_id } = await offerOf(client(), 'alpine');
    const request = async (lastName: string) =>
      reservationOf(await create(client(), { offer_id, driver: driver(lastName) }, { scenario: 'alpine=on_request' }));
    const [decided, undecided] = [await request(fresh()), await request('Undecided')];
    expect([decided.state, undecided.state]).toEqual(['on_request', 'on_request']);
    const startedAt = performance.now();
    await moveTo(Date.now() + HOUR_MS);
    expect(path(await settled(client(), decided.reservation_id, ['confirmed']))).toBe('pending on_request confirmed');
    // A simulated supplier takes five seconds of real time.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect((await read(client(), undecided.reservation_id)).state).toBe('on_request');
    await moveTo(Date.parse(undecided.pickup.date_utc) + HOUR_MS);
    // The supplier cancels nothing any more.
    expect((await settled(client(), undecided.reservation_id, ['expired'])).state_reason).toBe(
      "not accepted before the pickup; the supplier doesn't cancel it any more",
    );
    expect(await eventsOf(decided.reservation_id, 3)).toEqual(['created', 'on_request', 'confirmed']);
    expect(await eventsOf(undecided.reservation_id, 3)).toEqual(['created', 'on_request', 'expired']);
  });

  test.each<SupplierId>(['alpine', 'bravo', 'dune'])(
    '%s: cancelling is free until the deadline and costs the fee after it',
    async (supplier) => {
      const [early, late] = [await book(supplier), await book(supplier)];
      const cancel = async ({ reservation_id: id }: Reservation) =>
        reservationOf(await on(client(), 'DELETE', id, undefined, { headers: { prefer: 'return=representation' } }));
      await moveTo(freeUntil(early) - 60_000);
      expect(cents((await cancel(early)).cancellation_result?.fee)).toBe(0);
      await moveTo(freeUntil(late) + 60_000);
      const { fee } = (await cancel(late)).cancellation_result ?? {};
      expect(cents(fee)).toBeGreaterThan(0);
      expect(fee).toEqual(late.cancellation.rules.find(({ fee: due }) => cents(due) > 0)?.fee ?? fee);
    },
  );

  test('a rental is completed at its dropoff, or a no-show at its pickup; events are sent, and time is real in both', async () => {
    const [soon, later] = [
      await book('alpine', { pickup_date: dayAhead(20), dropoff_date: dayAhead(22) }),
      await book('bravo', { pickup_date: dayAhead(40), dropoff_date: dayAhead(45) }),
    ];
    await moveTo(Date.parse(soon.pickup.date_utc) + HOUR_MS);
    await moveTo(Date.parse(soon.dropoff.date_utc) - HOUR_MS);
    expect((await read(client(), soon.reservation_id)).state).toBe('confirmed');
    await moveTo(soon.dropoff.date_utc);
    const completed = await settled(client(), soon.reservation_id, ['completed']);
    expect([completed.state_reason, completed.history.at(-1)?.actor]).toEqual([
      'the dropoff time passed on the test clock',
      'gateway',
    ]);
    expect(Math.abs(Date.parse(completed.updated_at) - Date.now())).toBeLessThan(10_000);
    await moveTo(Date.parse(later.pickup.date_utc) - 1_000, 'no_show');
    // The clock runs on, so that the pickup comes a second later.
    expect((await settled(client(), later.reservation_id, ['no_show'])).state_reason).toContain('no_show');
    expect(await eventsOf(soon.reservation_id, 3)).toEqual(['created', 'confirmed', 'completed']);
    expect(await eventsOf(later.reservation_id, 3)).toEqual(['created', 'confirmed', 'no_show']);
    const refused = await on(client(), 'DELETE', later.reservation_id);
    expect([refused.status, refused.errors[0]?.cause]).toEqual([400, 'not_changeable']);
  });

  test('a rental whose pickup passed becomes a no-show with the outcome alone', async () => {
    const { reservation_id: id, pickup } = await book('dune');
    await moveTo(Date.parse(pickup.date_utc) + HOUR_MS);
    const before = clockIn(await call('GET'));
    expect((await call('PUT', { outcome: 'no_show' })).status).toBe(200);
    await settled(client(), id, ['no_show']);
    expect(clockIn(await call('GET'))).toMatchObject({ ahead_seconds: before.ahead_seconds, outcome: 'no_show' });
  });

  test('a version is retired at its sunset by the clock of one application, and served to the others', async () => {
    const sunset = new Date(Date.now() + 60 * DAY_MS).toISOString().slice(0, 10);
    const words = ['products', 'deprecate', 'car_location_keyword_search', '--version', 'v1.0.1', '--sunset', sunset];
    const said = gwInThread([...words, '--yes'], { DATA_DIR: running().gateway.dataFolder });
    expect([said.status, said.stderr]).toEqual([0, expect.anything()]);
    const pinned = locationsPath('boston').replace('/v1/', '/v1.0.1/');
    const ask = async (application: DemoName = 'demo', url = pinned) =>
      rawAsk(client(), url, await client().token(application));
    const headers = { deprecation: expect.stringMatching(/^@\d+$/), sunset: new Date(sunset).toUTCString() };
    await eventually(
      () => ask(),
      (answer) => answer.headers.sunset !== undefined,
    );
    await moveTo(Date.parse(sunset) - HOUR_MS);
    const before = await ask();
    expect([before.status, before.headers]).toEqual([200, expect.objectContaining(headers)]);
    expect(before.headers['x-sandbox-clock']).toMatch(new RegExp(`^${sunset.slice(0, 4)}-.*Z$`));
    await moveTo(sunset);
    const after = await ask();
    expect([after.status, after.reasons, after.headers.sunset]).toEqual([404, ['resource_failure'], undefined]);
    expect((await ask(undefined, locationsPath('boston'))).headers['x-api-version']).toBe('v1.2');
    const elsewhere = await ask(OTHER);
    expect([elsewhere.status, elsewhere.headers]).toEqual([200, expect.objectContaining(headers)]);
    expect(elsewhere.headers).not.toHaveProperty('x-sandbox-clock');
  });

  test("another application's rentals and time don't move", async () => {
    const token = await client().token(OTHER);
    const { reservation_id: id } = await bookElsewhere(token);
    await moveTo(Date.now() + 300 * DAY_MS);
    const own = await book('alpine');
    await settled(client(), own.reservation_id, ['completed']);
    const there = await client().get(`/cars/reservation/v1/${id}`, { token });
    expect(reservationOf(there).state).toBe('confirmed');
    expect(clockIn(await call('GET', undefined, OTHER))).toMatchObject({ ahead_seconds: 0, outcome: 'completed' });
    expect((await client().call('DELETE', `/cars/reservation/v1/${id}`, { token })).status).toBe(204);
  });

  test('tokens, offers and idempotency keys use real time', async () => {
    const { offer_id } = await offerOf(client(), 'alpine');
    const [body, key] = [{ offer_id, driver: driver(fresh()) }, fresh('key')];
    await moveTo(Date.now() + 20 * DAY_MS);
    const first = await create(client(), body, { key });
    await moveTo(Date.now() + 27 * DAY_MS);
    const again = await create(client(), body, { key });
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
  });

  test('gw shows it, moves it for the gateway that runs, and resets it', async () => {
    const id = 'app_demo';
    const clock = (...words: string[]) => gwInThread(['clock', ...words], { DATA_DIR: running().gateway.dataFolder });
    const { reservation_id: rental, dropoff } = await book('alpine');
    expect(clock('show', id)).toMatchObject({ status: 0, stdout: expect.stringContaining(', real time, completed\n') });
    const to = `${dropoff.date_utc.slice(0, 19)}Z`;
    expect(clock('move', id, '--to', to, '--reason', 'asked by phone').stdout).toMatch(
      / s ahead of real time, completed\n$/,
    );
    await settled(client(), rental, ['completed']);
    const seen = clockIn(await call('GET'));
    expect(JSON.parse(clock('show', id, '--json').stdout)).toMatchObject({
      ahead_seconds: seen.ahead_seconds,
      outcome: 'completed',
    });
    expect(clock('move', id, '--outcome', 'no_show').stdout).toContain('no_show');
    for (const [words, problem] of [
      [['move', id, '--to', new Date(Date.now() + HOUR_MS).toISOString().replace(/\.\d+/, '')], 'only moves forward'],
      [['move', id, '--to', 'tomorrow'], '--to must be a UTC time'],
      [['move', id, '--outcome', 'lost'], '--outcome must be completed or no_show'],
      [['move', id], 'give --to, --outcome, or both'],
      [['show', 'app_unknown'], 'there is no application app_unknown in the sandbox'],
    ] as const)
      expect(clock(...words)).toMatchObject({ status: 2, stderr: expect.stringContaining(problem) });
    expect(clock('reset', id).stdout).toBe(`${id}: real time\n`);
    await eventually(
      () => call('GET'),
      (answer) => clockIn(answer).ahead_seconds === 0,
    );
  });

  test('it moves only forward, at most two years, and to the same time again without an error', async () => {
    expect(clockIn(await call('GET'))).toMatchObject({ ahead_seconds: 0, outcome: 'completed' });
    const to = new Date(Date.now() + DAY_MS).toISOString();
    const moved = clockIn(await call('PUT', { now: to }));
    expect(moved.ahead_seconds).toBeGreaterThan(86_390);
    expect(Date.parse(moved.now)).toBeGreaterThanOrEqual(Date.parse(to));
    expect(clockIn(await call('PUT', { now: to })).ahead_seconds).toBe(moved.ahead_seconds);
    for (const [body, fault] of [
      [{ now: new Date(Date.now() + HOUR_MS).toISOString() }, 'invalid_range now'],
      [{ now: new Date(Date.now() + 732 * DAY_MS).toISOString() }, 'invalid_range now'],
      [{ now: '2027-05-01T10:00:00' }, 'invalid_format now'],
      [{ now: to, outcome: 'lost' }, 'invalid_range outcome'],
      [{ now: to, speed: 2 }, 'invalid_request speed'],
    ] as const) {
      const refused = await call('PUT', body);
      expect([body, refused.status, faults(refused)]).toEqual([body, 400, [fault]]);
    }
    expect((await call('DELETE')).status).toBe(204);
    expect(clockIn(await call('GET'))).toMatchObject({ ahead_seconds: 0 });
    expect((await client().call('GET', CLOCK, { token: null })).status).toBe(401);
  });
});
