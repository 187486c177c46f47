import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { gwInThread } from '../support/gw.js';
import { PROJECT } from '../support/project.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** Runs `npm run load` with the script of package.json, and resolves with its exit code and output. */
function load(
  gateway: Gateway,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> {
  const env = { ...process.env, DATA_DIR: gateway.dataFolder };
  return new Promise((resolve) => {
    execFile(process.execPath, [join('load', 'run.mjs'), ...words], { cwd: PROJECT, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: `${stdout}${stderr}` }),
    );
  });
}

/** A busy machine takes long; what is tested here is what the command makes of the responses. */
const PATIENT = ['--p99', '30000'];
const IDS = ['abg', 'alpine', 'bravo', 'cobalt', 'dune', 'ember'];
const SLOW = Object.fromEntries(
  IDS.map((id) => [id, { timeoutMs: { searchVehicles: 15_000, searchLocations: 15_000 } }]),
);

describe('npm run load', () => {
  let gateway: Gateway;
  let applications: readonly string[];
  let throttled: readonly string[];
  beforeAll(async () => {
    gateway = await startGateway({ embedded: true, env: { REQUEST_BUDGET_MS: '20000' }, config: { suppliers: SLOW } });
    /** Words that name a file of new applications, one per tier. */
    const create = (name: string, ...tiers: readonly string[]): readonly string[] => {
      const file = join(gateway.dataFolder, `${name}.json`);
      const credentials = tiers.map(
        (tier) => gwInThread(['apps', 'create', name, '--tier', tier], { DATA_DIR: gateway.dataFolder }).stdout,
      );
      writeFileSync(file, credentials.join(''));
      return ['--applications', file, ...PATIENT];
    };
    applications = create('load', 'load', 'load');
    throttled = create('throttled', 'demo_throttled');
  });
  afterAll(() => gateway.stop());

  test.each([
    ['200', '5', '10 responses   200: 10'],
    ['206', '5', '10 responses   206: 10'],
    ['locations', '5', '10 responses   200: 10'],
    ['bookings', '20', '40 responses   20'],
  ])('%s: every response is the expected one', async (scenario, rate, responses) => {
    const { code, text } = await load(
      gateway,
      '--scenario',
      scenario,
      '--rate',
      rate,
      '--seconds',
      '2',
      ...applications,
    );
    expect(text).toContain('2 applications');
    expect(text).toContain(responses);
    expect([code, text.includes('errors: none')]).toEqual([0, true]);
  });

  test('throttled: calls beyond the limit of the application get 429, and no more are admitted than it allows', async () => {
    const { code, text } = await load(
      gateway,
      '--scenario',
      'throttled',
      '--rate',
      '10',
      '--seconds',
      '2',
      ...throttled,
    );
    expect(text).toMatch(/20 responses {3}.*429: 19/);
    expect([code, text.includes('errors: none')]).toEqual([0, true]);
  });

  test.each([
    [
      'an unexpected status',
      ['--scenario', '206', '--supplier', 'none', 'APPLICATIONS'],
      /error: unexpected status 400, 5 times/,
    ],
    [
      'a p99 above the limit',
      ['--scenario', 'locations', 'APPLICATIONS', '--p99', '0.001'],
      /error: the p99 is \d+ ms/,
    ],
    [
      'a supplier that does not fail by itself',
      ['--scenario', 'chaos', 'APPLICATIONS'],
      /error: no search was partial/,
    ],
    ['a limit that is not reached', ['--scenario', 'throttled', 'APPLICATIONS'], /error: no call was throttled/],
  ])('%s fails the run', async (_what, words, problem) => {
    const own = words.flatMap((word) => (word === 'APPLICATIONS' ? applications : [word]));
    const { code, text } = await load(gateway, '--rate', '5', '--seconds', '1', ...own);
    expect(text).toMatch(problem);
    expect(code).toBe(1);
  });

  test.each([
    [['--scenario', 'none'], /Scenarios:/],
    [['--applications', 'nowhere.json'], /cannot read nowhere.json \(ENOENT\). Create it with gw apps create/],
  ])('%s ends with a hint', async (words, hint) => {
    const { code, text } = await load(gateway, ...words);
    expect(text).toMatch(hint);
    expect(code).toBe(2);
  });
});

test('chaos: a supplier that fails by itself makes searches partial', async () => {
  const chaos = { errorRate: 0.5 };
  const gateway = await startGateway({ config: { suppliers: { bravo: { simulator: { chaos } } } } });
  const { code, text } = await load(gateway, '--scenario', 'chaos', '--rate', '5', '--seconds', '4', ...PATIENT);
  await gateway.stop();
  expect(text).toMatch(/20 responses {3}.*206: \d+/);
  expect(code).toBe(0);
});

test('the containers run the same generator, and know the address of every simulator', () => {
  const { services, 'x-gateway-environment': gateway } = parse(
    readFileSync(join(PROJECT, 'docker-compose.yml'), 'utf8'),
    {
      merge: true,
    },
  );
  expect(services.load.entrypoint).toEqual(['node', 'load/run.mjs']);
  const urls = Object.entries<string>(gateway).filter(([name]) => /^SUPPLIER_\w+_URL$/.test(name));
  expect(urls.map(([, url]) => url)).toEqual(urls.map((_, at) => `http://simulators:${4_101 + at}`));
  expect(urls.length).toBe(6);
});
