import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../support/binaries.js';
import {
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  QUICK,
  read,
  reservationOf,
  runSimulators,
  SECRET,
} from '../support/booking.js';
import { Client, type HttpAnswer, type Offer } from '../support/client.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const MINUTES_MS = 140_000;
const HOUR_MS = 3_600_000;
const simulators = runSimulators();

describeWith('initdb')('two gateways, of which one has a clock that is wrong', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-clock-'));
  const file = join(folder, 'skew');
  const stepTo = (ms: number) => writeFileSync(file, String(ms));
  let postgres: PostgresServer;
  let gateways: readonly Gateway[] = [];
  let right: Client;
  let wrong: Client;
  let offer: Offer;
  beforeAll(async () => {
    stepTo(0);
    postgres = await startPostgres();
    const env = { ...simulators().env, DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET };
    const skewed = {
      ...env,
      CLOCK_SKEW_FILE: file,
      NODE_OPTIONS: `--import ${new URL('../support/skewed-clock.mjs', import.meta.url).href}`,
    };
    gateways = await Promise.all([startGateway({ env, config: QUICK }), startGateway({ env: skewed, config: QUICK })]);
    [right, wrong] = (await Promise.all(gateways.map((gateway) => Client.of(gateway)))) as [Client, Client];
    offer = await offerOf(right, 'dune');
    await wrong.token();
  });
  afterAll(async () => {
    right.close();
    wrong.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await postgres.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const slowBooking = (client: Client, lastName: string): Promise<HttpAnswer> =>
    create(client, { offer_id: offer.offer_id, driver: driver(lastName) }, { scenario: 'dune=slow(700)' });

  test.each([MINUTES_MS, HOUR_MS, -MINUTES_MS, -HOUR_MS])(
    'off by %i ms, it leaves a booking in progress alone',
    async (skewMs) => {
      const lastName = fresh();
      const booking = slowBooking(right, lastName);
      await eventually(
        () => simulators().bookings('dune', lastName),
        () => true,
      );
      stepTo(skewMs);
      const answer = await booking;
      stepTo(0);
      expect(answer.status).toBe(201);
      expect(reservationOf(answer).history.map(({ to }) => to)).toEqual(['pending', 'confirmed']);
    },
  );

  test('stepped back by two minutes while it books, its own booking is left alone, and its times are those of the database', async () => {
    const booking = slowBooking(wrong, fresh());
    stepTo(-MINUTES_MS);
    const answer = await booking;
    stepTo(0);
    expect(answer.status).toBe(201);
    const { history, reservation_id } = reservationOf(answer);
    expect(history.map(({ to }) => to)).toEqual(['pending', 'confirmed']);
    for (const { at } of history) expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(30_000);
    expect((await read(right, reservation_id)).history).toEqual(history);
  });

  test('it is not ready, says by how much its clock is off, and is ready again once the clock is right', async () => {
    const ready = () => wrong.get('/health/ready', { token: null });
    await eventually(ready, ({ body }) => JSON.stringify(body).includes('"clock":"right"'));
    stepTo(MINUTES_MS);
    const off = await eventually(ready, ({ status }) => status === 503);
    expect(off.body).toMatchObject({ state: 'not_ready', clock: '140 s ahead of the database' });
    expect((await right.get('/health/ready', { token: null })).status).toBe(200);
    stepTo(-HOUR_MS);
    await eventually(ready, ({ body }) => JSON.stringify(body).includes('3600 s behind the database'));
    stepTo(0);
    await eventually(ready, ({ status }) => status === 200);
  });
});
