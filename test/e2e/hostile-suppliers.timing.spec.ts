import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXCESSES } from '../../src/contract-kit/excess-cases.js';
import { PLAYS } from '../../src/contract-kit/failure-cases.js';
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

/** What the caller got, and the longest delay of the event loop meanwhile, in the best of several rounds. */
interface Played {
  readonly outcome: string;
  readonly ms: number;
}

/** Plays an answer for a search at one supplier until it holds up the gateway for less than the limit. */
async function played(supplier: string, play: Play, path: string): Promise<Played> {
  let best: Played = { outcome: 'not played', ms: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS && best.ms >= LIMIT_MS; round += 1) {
    doors.get(supplier)?.play(play);
    await longestDelay();
    const { status, errors } = await running().client.get(path);
    const ms = await longestDelay();
    if (ms < best.ms) best = { outcome: errors[0]?.cause ?? String(status), ms };
  }
  return best;
}

const searches = (brand = ''): readonly (readonly [string, string])[] => [
  ['locations', locationsPath('BOS', { brand })],
  ['vehicles', vehiclesPath({ brand, max_results: '1000' })],
];

/** Answers that the gateway reads before it rejects them, or serves. */
const OUTCOMES: Readonly<Record<string, string>> = {
  normal: '200',
  cut_short: 'bad_payload',
  nesting: 'bad_payload',
  large: 'bad_payload',
  zip_bomb: 'bad_payload',
  costly: 'bad_payload',
};

const PLAYED = new Map([['normal', pass], ...PLAYS, ...EXCESSES.map(({ id, play }) => [id, play] as const)]);
// Last, because nothing is sent to the supplier for a while after it.
const TOO_MANY = PLAYED.get('http_429') ?? pass;
PLAYED.delete('http_429');
PLAYED.set('http_429', TOO_MANY);

test.each(TESTED.map(({ id, brands }) => [id, brands[0]] as const))(
  'no answer of the contract kit holds up the gateway for more than 50 ms: %s',
  async (id, brand) => {
    const all: (Played & { readonly name: string; readonly play: string })[] = [];
    for (const [play, behave] of PLAYED)
      for (const [search, path] of searches(brand)) all.push({ ...(await played(id, behave, path)), name: `${play} of ${search}`, play });
    all.sort((one, other) => other.ms - one.ms);
    console.log(`${id}, longest delays: ${all.slice(0, 5).map(({ name, ms }) => `${name} ${ms} ms`).join(', ')}`);
    expect(all.filter(({ ms }) => ms >= LIMIT_MS)).toEqual([]);
    expect(all.filter(({ play, outcome }) => (OUTCOMES[play] ?? outcome) !== outcome)).toEqual([]);
  },
  120_000,
);
