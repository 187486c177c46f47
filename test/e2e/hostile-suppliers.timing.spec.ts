import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXCESSES } from '../../src/contract-kit/excess-cases.js';
import { instead, PLAYS } from '../../src/contract-kit/failure-cases.js';
import { type FaultServer, type Play, pass, startFaultServer } from '../../src/contract-kit/fault-server.js';
import { type Child, plainEnvironment, startChild } from '../support/child.js';
import { ROOMY } from '../support/config-folder.js';
import { PROJECT } from '../support/project.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { SUPPLIERS } from '../support/suppliers.js';

const LIMIT_MS = 50;
/** The machine may be busy with something else: what never holds up the gateway in one of several rounds doesn't. */
const ROUNDS = 5;
/** One supplier of each dialect. */
const NAMES = ['abg', 'alpine', 'dune'];
const TESTED = SUPPLIERS.filter(({ id }) => NAMES.includes(id));

let simulators: Child;
const doors = new Map<string, FaultServer>();

beforeAll(async () => {
  simulators = startChild(process.execPath, [join(PROJECT, 'dist', 'simulators.js')], {
    cwd: PROJECT,
    env: { ...plainEnvironment(), SIMULATORS_LATENCY_SCALE: '0' },
  });
  await simulators.printed('Simulators are ready.');
  for (const { id } of TESTED) {
    const [, url = ''] = new RegExp(`SUPPLIER_${id.toUpperCase()}_URL=(\\S+)`).exec(simulators.output()) ?? [];
    doors.set(id, await startFaultServer(url));
  }
});
afterAll(async () => {
  for (const door of doors.values()) await door.close();
  await simulators.stop();
});

const running = runGateway(() => ({
  env: {
    SIMULATORS_EMBEDDED: 'false',
    NODE_OPTIONS: `--import=${fileURLToPath(new URL('../support/loop-delay.mjs', import.meta.url))}`,
    ...Object.fromEntries([...doors].map(([id, { url }]) => [`SUPPLIER_${id.toUpperCase()}_URL`, url])),
  },
  config: {
    tiers: ROOMY,
    suppliers: Object.fromEntries(
      SUPPLIERS.map(({ id }) => [
        id,
        NAMES.includes(id) ? { resilience: { breaker: { minCalls: 1_000_000 } } } : { state: 'off' },
      ]),
    ),
  },
}));

let reports = 0;
/** The longest delay of the gateway's event loop since the last call, in milliseconds. */
async function longestDelay(): Promise<number> {
  const { child } = running().gateway;
  reports += 1;
  child.process.kill('SIGUSR2');
  await child.printed(` END ${reports}\n`);
  return Number(new RegExp(`DELAY ${reports} (\\S+) END`).exec(child.output())?.[1]);
}

/** Plays an answer for a search at one supplier until it holds up the gateway for less than the limit. */
async function bestDelay(supplier: string, play: Play, path: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && best >= LIMIT_MS; round += 1) {
    doors.get(supplier)?.play(play);
    await longestDelay();
    await running().client.get(path);
    best = Math.min(best, await longestDelay());
  }
  doors.get(supplier)?.play(pass);
  return best;
}

const searches = (brand = ''): readonly (readonly [string, string])[] => [
  ['searchLocations', locationsPath('BOS', { brand })],
  ['searchVehicles', vehiclesPath({ brand, max_results: '1000' })],
];

test.each(TESTED.map(({ id, brands }) => [id, brands[0]] as const))(
  'no answer of the contract kit holds up the gateway for more than 50 ms: %s',
  async (id, brand) => {
    const plays = new Map([['normal', pass], ...PLAYS, ...EXCESSES.map(({ id: name, play }) => [name, play] as const)]);
    const slow: string[] = [];
    const delays: [string, number][] = [];
    for (const [operation, path] of searches(brand)) {
      for (const [name, play] of plays) {
        const delay = await bestDelay(id, play, path);
        delays.push([`${name}.${operation}`, delay]);
        if (delay >= LIMIT_MS) slow.push(`${name}.${operation}: ${delay} ms`);
      }
    }
    delays.sort(([, one], [, other]) => other - one);
    console.log(`${id}: longest delays ${delays.slice(0, 5).map(([name, ms]) => `${name} ${ms} ms`).join(', ')}`);
    expect(slow).toEqual([]);
  },
  120_000,
);
