import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import {
  type Behaviour,
  type FakeSupplier,
  hang,
  reply,
  replyOta,
  startFakeSupplier,
} from '../support/fake-supplier.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

const TIMEOUT_MS = 300;
/** Longer than 20 searches take on a slow machine. */
const OPEN_MS = 3_000;
const FAIR_TIMEOUT_MS = 2_000;
let sick: FakeSupplier;
let well: FakeSupplier;
let half: FakeSupplier;
let metered: FakeSupplier;
let deep: FakeSupplier;
let fair: FakeSupplier;

const EMPTY = replyOta('OTA_VehAvailRateRS', '<Success/>');
const DOWN = reply('', 'text/plain', '503 Busy');

beforeAll(async () => {
  [sick, well, half, metered, deep, fair] = await Promise.all([
    startFakeSupplier(),
    startFakeSupplier(),
    startFakeSupplier(),
    startFakeSupplier(),
    startFakeSupplier(),
    startFakeSupplier(),
  ]);
  for (const supplier of [well, half, metered]) supplier.behave(EMPTY);
});
afterAll(async () => {
  await Promise.all([sick, well, half, metered, deep, fair].map((supplier) => supplier.close()));
});

const ota = (name: string, url: string, more: object = {}) => ({
  name,
  adapter: 'ota-xml',
  url,
  brands: [name],
  timeoutMs: { searchVehicles: TIMEOUT_MS },
  ...more,
});
const unbreakable = { resilience: { breaker: { minCalls: 1_000_000 } } };
const running = runGateway(() => ({
  config: {
    tiers: { ...ROOMY, demo_throttled: ROOMY.demo },
    onlyTheseSuppliers: true,
    suppliers: {
      fair: ota('Fair', fair.url, {
        timeoutMs: { searchVehicles: FAIR_TIMEOUT_MS },
        resilience: { breaker: { openMs: OPEN_MS } },
      }),
      sick: ota('Sick', sick.url, { resilience: { breaker: { minCalls: 5, openMs: OPEN_MS, probes: 2 } } }),
      well: ota('Well', well.url),
      half: ota('Half', half.url, unbreakable),
      metered: ota('Metered', metered.url, { quota: { perSecond: 20 } }),
      deep: {
        name: 'Deep',
        adapter: 'abg',
        url: deep.url,
        brands: ['Deep'],
        credentials: { clientId: '${DEEP_ID}', clientSecret: '${DEEP_SECRET}' },
      },
      inside: ota('Inside', `http://0.0.0.0:${new URL(well.url).port}`),
      metadata: ota('Metadata', 'http://169.254.169.254'),
    },
  },
  env: { DEEP_ID: 'id', DEEP_SECRET: 'secret' },
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

describe('a supplier that fails every second call', () => {
  test('gets at most a quarter more calls than there are searches, and fewer searches fail than calls', async () => {
    let count = 0;
    half.behave((socket, request) => {
      count += 1;
      (count % 2 === 0 ? DOWN : EMPTY)(socket, request);
    });
    const searches = 100;
    const before = half.requests();
    let failed = 0;
    for (let search = 0; search < searches; search += 1) if ((await ask('Half')).status === 500) failed += 1;
    const calls = half.requests() - before;
    console.log(`${searches} searches, ${calls} calls, ${failed} searches failed`);
    expect(calls).toBeGreaterThan(searches);
    expect(calls).toBeLessThanOrEqual(searches * 1.25);
    expect(failed).toBeLessThan(calls / 2);
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
  const failJfk =
    (failure: Behaviour): Behaviour =>
    (socket, request) =>
      (request.includes('JFK') ? failure : EMPTY)(socket, request);

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

describe('a supplier with a quota', () => {
  test('gets no more calls than its quota over five seconds; the rest is reported as throttled', async () => {
    let isOver = false;
    let serial = 0;
    const seen: string[] = [];
    const asking = async (): Promise<void> => {
      while (!isOver) {
        serial += 1;
        const day = 30 + (serial % 100);
        const path = vehiclesPath({ brand: 'Metered', pickup_date: dayAhead(day), dropoff_date: dayAhead(day + 3) });
        seen.push(...(await running().client.get(path)).missing);
        await wait(50);
      }
    };
    const before = metered.requests();
    const startedAt = performance.now();
    const askers = Array.from({ length: 12 }, asking);
    await wait(5_000);
    isOver = true;
    const calls = metered.requests() - before;
    const seconds = (performance.now() - startedAt) / 1000;
    await Promise.all(askers);
    console.log(`quota of 20 calls a second: ${calls} calls in ${seconds.toFixed(1)} s, ${seen.length} searches`);
    expect(calls).toBeLessThanOrEqual(20 * seconds + 2);
    expect(calls).toBeGreaterThan(20 * 5 * 0.8);
    expect(new Set(seen)).toEqual(new Set(['404', '500 metered throttled']));
    // One line for each throttled search would bury the log; they are counted.
    expect(running().gateway.child.output()).not.toMatch(/became free in time|allows no call in time/);
    const refused = async (why: string) =>
      metric(`forecourt_supplier_refused_total{supplier="metered",operation="searchVehicles",why="${why}"}`);
    expect(await refused('quota')).toBeGreaterThan(0);
  });
});

describe('protection from suppliers', () => {
  test.each([
    ['Inside', '0.0.0.0'],
    ['Metadata', '169.254.169.254'],
  ])('does not connect to an address in a private network: %s, %s', async (brand, host) => {
    const before = well.requests();
    const answer = await ask(brand);
    expect([answer.status, answer.missing]).toEqual([500, [`500 ${brand.toLowerCase()} unavailable`]]);
    await running().gateway.child.printed(`${host} is in a private network`);
    expect(well.requests()).toBe(before);
  });

  test('JSON nested a million levels deep is bad_payload, and the gateway keeps serving', async () => {
    const nested: Behaviour = reply(
      `{"vehicles":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
      'application/json',
    );
    const token: Behaviour = reply(
      JSON.stringify({ access_token: 't', token_type: 'bearer', expires_in: 7_199 }),
      'application/json',
    );
    deep.behave((socket, request) => (request.includes('/token') ? token : nested)(socket, request));
    const answer = await ask('Deep');
    expect([answer.status, answer.missing]).toEqual([500, ['500 deep bad_payload']]);
    expect((await ask('Well')).reasons).toEqual(['no_results']);
  });
});

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
