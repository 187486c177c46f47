import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import {
  type Behaviour,
  ENTITY_BOMB,
  type FakeSupplier,
  hang,
  reply,
  replyOta,
  startFakeSupplier,
} from '../support/fake-supplier.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { slowed } from '../support/slowness.js';

const TIMEOUT_MS = 300;
/** Longer than 20 searches take on a slow machine. */
const OPEN_MS = 1_500;
const FAIR_TIMEOUT_MS = 2_000;
let sick: FakeSupplier;
let well: FakeSupplier;
let fair: FakeSupplier;
let one: FakeSupplier;
let two: FakeSupplier;

const EMPTY = replyOta('OTA_VehAvailRateRS', '<Success/>');
const DOWN = reply('', 'text/plain', '503 Busy');

beforeAll(async () => {
  [sick, well, fair, one, two] = await Promise.all([
    startFakeSupplier(),
    startFakeSupplier(),
    startFakeSupplier(),
    startFakeSupplier(),
    startFakeSupplier(),
  ]);
  well.behave(EMPTY);
});
afterAll(() => Promise.all([sick, well, fair, one, two].map((supplier) => supplier.close())));

const ota = (name: string, url: string, breaker: object, timeoutMs = TIMEOUT_MS) => ({
  name,
  adapter: 'ota-xml',
  url,
  brands: [name],
  timeoutMs: { searchVehicles: timeoutMs },
  resilience: { breaker },
});
/** For the effect of a single call, not of many. */
const unbreakable = { minCalls: 1_000_000 };
const running = runGateway(() => ({
  config: {
    tiers: { ...ROOMY, demo_throttled: ROOMY.demo },
    onlyTheseSuppliers: true,
    suppliers: {
      fair: ota('Fair', fair.url, { openMs: OPEN_MS }, FAIR_TIMEOUT_MS),
      sick: ota('Sick', sick.url, { minCalls: 5, openMs: OPEN_MS, probes: 2 }),
      well: ota('Well', well.url, {}),
      uno: ota('Uno', one.url, unbreakable),
      due: ota('Due', two.url, unbreakable),
    },
  },
}));

const ask = (brand: string, day = 0) =>
  running().client.get(vehiclesPath({ brand, pickup_location: ['BOS', 'JFK', 'LAX', 'ORD'][day % 4] }));
const metrics = (): Promise<string> => running().gateway.metrics();
const metric = async (line: string): Promise<number> =>
  Number(
    (await metrics())
      .split('\n')
      .find((text) => text.startsWith(`${line} `))
      ?.split(' ')[1] ?? Number.NaN,
  );

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

describe('a supplier that hangs', () => {
  const STATE = 'forecourt_supplier_breaker_state{supplier="sick",operation="searchVehicles"}';
  const both = () => ask('Sick,Well');

  test('costs its timeout until its breaker opens; then nothing, and the answer says why it is missing', async () => {
    sick.behave(hang);
    expect(await metric(STATE)).toBe(0);
    const waited: number[] = [];
    // A timeout during which the gateway itself was late doesn't count: on a busy machine, more than five are needed.
    while (waited.length < 5 || ((await metric(STATE)) === 0 && waited.length < 10)) {
      const answer = await both();
      expect([answer.status, answer.missing]).toEqual([206, ['500 sick timeout', '404 well']]);
      waited.push(answer.ms);
    }
    const asked = sick.requests();
    const spared: number[] = [];
    for (let call = 0; call < 20; call += 1) {
      const answer = await both();
      expect([answer.status, answer.missing]).toEqual([206, ['500 sick circuit_open', '404 well']]);
      spared.push(answer.ms);
    }
    console.log(
      `a supplier hangs: median ${Math.round(median(waited))} ms before its breaker opened, ${median(spared).toFixed(1)} ms after`,
    );
    expect(median(waited)).toBeGreaterThanOrEqual(TIMEOUT_MS - 2);
    expect(median(spared)).toBeLessThan(TIMEOUT_MS / 3);
    expect([sick.requests(), await metric(STATE)]).toEqual([asked, 2]);
  });

  test('is called again once it recovers, and stays available', async () => {
    sick.behave(EMPTY);
    const deadline = performance.now() + 5 * OPEN_MS;
    while ((await metric(STATE)) !== 0 && performance.now() < deadline) {
      await both();
      await wait(50);
    }
    const before = sick.requests();
    const answers = await Promise.all(Array.from({ length: 4 }, (_, day) => ask('Sick', day)));
    expect(answers.map(({ reasons }) => reasons)).toEqual(Array.from({ length: 4 }, () => ['no_results']));
    expect([sick.requests() - before, await metric(STATE)]).toEqual([4, 0]);
  });

  test('logs one line for each change of its breaker', async () => {
    await running().gateway.child.printed('"state":"closed","reason":"probe"');
    const lines = running()
      .gateway.child.output()
      .split('\n')
      .filter((line) => line.includes('supplier breaker changed state'))
      .map((line) => {
        const { supplier, operation, state, reason } = JSON.parse(line) as Record<string, string>;
        return `${supplier} ${operation} ${state} ${reason}`;
      });
    expect(lines[0]).toBe('sick searchVehicles open failures');
    expect(lines.at(-1)).toBe('sick searchVehicles closed probe');
    expect(lines.length).toBeLessThan(10);
    expect(
      await metric('forecourt_supplier_refused_total{supplier="sick",operation="searchVehicles",why="circuit_open"}'),
    ).toBeGreaterThanOrEqual(20);
  });
});

describe('a tenant whose questions a supplier fails', () => {
  /** A search that no other one equals; the supplier fails those for JFK. */
  const search = (airport: string, number: number, token: string) =>
    running().client.get(
      vehiclesPath({
        ...{ brand: 'Fair', pickup_location: airport },
        ...{ pickup_date: dayAhead(30 + (number % 150)), dropoff_date: dayAhead(190 + Math.floor(number / 150)) },
      }),
      { token },
    );
  const tokens = async () => [await running().client.token(), await running().client.token('demo-throttled')] as const;
  /** 20 searches of the other tenant, one after the other. */
  const asked = async (token: string, first: number) => {
    const answers: HttpAnswer[] = [];
    for (let number = 0; number < 20; number += 1) answers.push(await search('BOS', first + number, token));
    return { missing: new Set(answers.flatMap(({ missing }) => missing)), ms: answers.map(({ ms }) => ms) };
  };
  /** Random ids of a request may contain the three letters as well. */
  const failJfk =
    (failure: Behaviour): Behaviour =>
    (socket, request) =>
      (request.includes('"JFK"') ? failure : EMPTY)(socket, request);

  claim('API4', '30 failing searches of one tenant change nothing for another tenant.', async () => {
    fair.behave(failJfk(DOWN));
    const [greedy, modest] = await tokens();
    const failed: string[] = [];
    for (let number = 0; number < 30; number += 1) failed.push(...(await search('JFK', number, greedy)).missing);
    expect([failed.at(0), failed.at(-1)]).toEqual(['500 fair unavailable', '500 fair circuit_open']);
    expect((await asked(modest, 0)).missing).toEqual(new Set(['404']));
    expect((await search('BOS', 99, greedy)).missing).toEqual(['500 fair circuit_open']);
    expect(await metric('forecourt_supplier_breaker_applications{supplier="fair",operation="searchVehicles"}')).toBe(1);
  });

  claim('API4', '170 hanging searches of one tenant change nothing for another tenant.', async () => {
    fair.behave(failJfk(hang));
    const [greedy, modest] = await tokens();
    await eventually(
      async () => (await search('BOS', 100, greedy)).missing.join(),
      (missing) => missing === '404',
    );
    const alone = await asked(modest, 200);
    const hanging = Promise.all(Array.from({ length: 170 }, (_, number) => search('JFK', number, greedy)));
    await fair.nextRequest();
    const meanwhile = await asked(modest, 300);
    console.log(
      `another tenant, median: ${median(alone.ms).toFixed(1)} ms alone, ${median(meanwhile.ms).toFixed(1)} ms beside 170 hanging searches`,
    );
    expect([alone.missing, meanwhile.missing]).toEqual([new Set(['404']), new Set(['404'])]);
    expect(Math.max(...meanwhile.ms)).toBeLessThan(FAIR_TIMEOUT_MS / 4);
    await hanging;
    expect((await asked(modest, 400)).missing).toEqual(new Set(['404']));
  });
});

describe('deadlines', () => {
  test('if all suppliers hang → 500 with every supplier timed out, at most 50 ms after the deadline (median of 5)', async () => {
    one.behave(hang);
    two.behave(hang);
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const answer = await ask('Uno,Due');
      expect([answer.status, new Set(answer.missing)]).toEqual([500, new Set(['500 uno timeout', '500 due timeout'])]);
      times.push(answer.ms);
    }
    console.log(`all suppliers hanging, deadline ${TIMEOUT_MS} ms: ${times.map(Math.round).join(', ')} ms`);
    expect(median(times)).toBeGreaterThanOrEqual(TIMEOUT_MS - 2);
    expect(median(times)).toBeLessThanOrEqual(TIMEOUT_MS + slowed(50));
  });

  test('a slow trickle of bytes does not extend the deadline, and its socket is closed', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    one.behave((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\ncontent-length: 100000\r\n\r\n');
      const timer = setInterval(() => socket.write('<'), 20);
      closed = new Promise((resolve) => socket.on('close', resolve)).then(() => clearInterval(timer));
    });
    const answer = await ask('Uno');
    expect([answer.status, answer.missing]).toEqual([500, ['500 uno timeout']]);
    expect(answer.ms).toBeLessThan(TIMEOUT_MS + slowed(150));
    await closed;
  });

  test('when the caller disconnects, the supplier’s socket is closed immediately', async () => {
    one.behave(hang);
    const { client, gateway } = running();
    const token = await client.token();
    const arrived = one.nextRequest();
    const caller = connect(gateway.port, '127.0.0.1');
    await once(caller, 'connect');
    caller.write(
      `GET ${vehiclesPath({ brand: 'Uno', pickup_location: 'JFK' })} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    const socket = await arrived;
    const leftAt = performance.now();
    caller.destroy();
    await once(socket, 'close');
    expect(performance.now() - leftAt).toBeLessThan(slowed(200));
  });
});

claim(['API10', 'suppliers'], 'A search whose supplier answers with an entity bomb fails within 50 ms.', async () => {
  one.behave(EMPTY);
  await ask('Uno');
  one.behave(reply(ENTITY_BOMB));
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) times.push((await ask('Uno')).ms);
  expect(Math.min(...times)).toBeLessThan(slowed(50));
});
