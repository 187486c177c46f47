import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { booking, change, key, rental } from '../../src/adapters/abg/fixtures/setting.js';
import { codeFiles } from '../../src/cli/adapter-new-code.js';
import { leftIn } from '../../src/privacy/scrub.js';
import { plainEnvironment, startChild } from '../support/child.js';
import { configFolder } from '../support/config-folder.js';
import { reply, startFakeSupplier } from '../support/fake-supplier.js';
import { GW, gw, gwInThread } from '../support/gw.js';
import { PROJECT } from '../support/project.js';

const ABG = join(PROJECT, 'src', 'adapters', 'abg', 'fixtures');
const SUPPLIERS = join(PROJECT, 'config', 'suppliers');
const folder = mkdtempSync(join(tmpdir(), 'forecourt-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('gw adapter try', () => {
  test.each([
    [
      'priceCheck',
      rental,
      'rates-chosen.200.json',
      [],
      { vehicles: [{ supplier: 'abg', price: { total: { currency: 'GBP' } } }] },
    ],
    [
      'book',
      booking,
      'reservation.201.json',
      ['--status', '201'],
      { booking: { status: 'confirmed', confirmationNumber: '09449519GB3' } },
    ],
    ['retrieve', key, 'reservation.201.json', [], { bookings: [{ confirmationNumber: '09449519GB3' }] }],
    [
      'modify',
      change,
      'status-only.200.json',
      [],
      { booking: { status: 'confirmed', confirmationNumber: '09449519GB3' } },
    ],
    ['cancel', key, 'status-only.200.json', [], { cancellation: {} }],
  ])('maps %s offline, with the model on stdout and the count on stderr', (operation, request, answer, more, model) => {
    const words = [
      'adapter',
      'try',
      'abg',
      operation,
      '--request',
      file(`${operation}.json`, request),
      '--response',
      join(ABG, answer),
      ...more,
    ];
    const { status, stdout, stderr } = gwInThread(words);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^1 item, 0 warnings$/m)]);
    expect(JSON.parse(stdout)).toMatchObject(model);
  });

  test('reports a refusal with its cause, exit code 2 and nothing on stdout', () => {
    const words = [
      'adapter',
      'try',
      'abg',
      'book',
      '--request',
      file('refused.json', booking),
      '--response',
      join(ABG, 'wrapped-sold-out.404.json'),
    ];
    const { status, stdout, stderr } = gw([...words, '--status', '404']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^the supplier failed: rejected sold_out: /);
  });

  test('names the fields of a request that does not fit', () => {
    const request = file('faulty.json', { ...booking, reference: 'x', age: 'old' });
    const { status, stderr } = gwInThread([
      'adapter',
      'try',
      'abg',
      'book',
      '--request',
      request,
      '--response',
      join(ABG, 'reservation.201.json'),
    ]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/faulty\.json: .*"?age"?.*reference|faulty\.json: .*reference.*age/);
  });

  test.each(['abc', '99', '200.5', ''])('rejects an invalid status: "%s"', (code) => {
    const words = [
      'adapter',
      'try',
      'abg',
      'retrieve',
      '--request',
      file('key.json', key),
      '--response',
      join(ABG, 'reservation.201.json'),
    ];
    expect(gwInThread([...words, '--status', code])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('--status must be'),
    });
  });

  test('accepts a brand in any case, and rejects one that the supplier does not have', () => {
    const search = { keyword: 'boston', country_code: 'US' };
    const answer = join(PROJECT, 'src/adapters/rest/fixtures/dune/stations.200.json');
    const found = (brand: string) =>
      gwInThread([
        'adapter',
        'try',
        'dune',
        'searchLocations',
        '--request',
        file('brand.json', { ...search, brand }),
        '--response',
        answer,
      ]);
    expect(found('dune')).toMatchObject({ status: 0, stdout: expect.stringContaining('"brand": "Dune"') });
    expect(found('Mars')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('"Mars" is not a known brand. Use one of Dune'),
    });
  });

  test('makes a real booking only if explicitly requested', () => {
    const { status, stderr } = gwInThread(['adapter', 'try', 'abg', 'book', '--request', file('real.json', booking)], {
      SUPPLIER_ABG_URL: 'http://127.0.0.1:1',
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining('--for-real')]);
  });
});

describe('gw adapter record', () => {
  const personal = { ...key, firstName: 'Grace', lastName: 'Sampleton' };

  async function record(body: string | Buffer, out: string, status = '200 OK') {
    const fake = await startFakeSupplier();
    fake.behave((socket, request) =>
      request.includes('/oauth/token')
        ? reply(readFileSync(join(ABG, 'token.200.json')), 'application/json')(socket, request)
        : reply(body, 'application/json', status)(socket, request),
    );
    const words = ['adapter', 'record', 'abg', 'retrieve', '--request', file('record.json', personal), '--out', out];
    const child = startChild(process.execPath, [GW, ...words], {
      cwd: PROJECT,
      env: { ...plainEnvironment(), SUPPLIER_ABG_URL: fake.url },
    });
    const code = await child.exited;
    await fake.close();
    return { code, output: child.output() };
  }
  const answer = readFileSync(join(ABG, 'reservation.201.json'), 'utf8').trimEnd().slice(0, -1);
  const withCustomer = `${answer}, "customer": {"contact": {"first_name": "Grace", "last_name": "Sampleton", "email": "grace@navy.test", "telephone": "617 555 0143"},
    "card_number": "4012888888881881", "licence_number": "S98-765", "note": "Mrs SAMPLETON, simulated-secret"}}`;

  test('keeps the answer without the renter and secrets, reports the replacements, and the file still works as the answer', async () => {
    const out = join(folder, 'kept', 'retrieve.200.json');
    const { code, output } = await record(withCustomer, out);
    expect([code, output]).toEqual([0, expect.stringContaining('HTTP 200')]);
    for (const kind of ['first name', 'last name × 2', 'email', 'phone', 'card', 'licence', 'secret'])
      expect(output).toContain(kind);
    const kept = readFileSync(out, 'utf8');
    for (const text of ['Grace', 'ampleton', 'navy', '0143', '4012888888881881', 'S98', 'simulated-secret'])
      expect(kept.toLowerCase()).not.toContain(text.toLowerCase());
    const tried = gwInThread([
      'adapter',
      'try',
      'abg',
      'retrieve',
      '--request',
      file('again.json', key),
      '--response',
      out,
    ]);
    expect(JSON.parse(tried.stdout)).toMatchObject({ bookings: [{ confirmationNumber: '09449519GB3' }] });
  }, 60_000);

  test('writes nothing if personal data remains or the file exists', async () => {
    const out = join(folder, 'never-written.json');
    const hidden = await record(withCustomer.replace('Mrs SAMPLETON', 'Mrs S&#97;mpleton'), out);
    expect([hidden.code, hidden.output]).toEqual([
      2,
      expect.stringMatching(/nothing was written: answer 1 still holds last name/),
    ]);
    expect(existsSync(out)).toBe(false);
    const latin = await record(Buffer.from(withCustomer.replace('Grace', 'Zo\u00e9'), 'latin1'), out);
    expect([latin.code, latin.output]).toEqual([
      2,
      expect.stringMatching(/nothing was written: answer 1 is not UTF-8/),
    ]);
    expect(existsSync(out)).toBe(false);
    writeFileSync(out, 'mine');
    expect((await record(withCustomer, out)).output).toContain('already exists');
    expect(readFileSync(out, 'utf8')).toBe('mine');
  }, 60_000);
});

describe('gw adapter test', () => {
  test('prints the verdict as JSON with a badge, and exits with 0 if the level is reached', () => {
    const badge = join(folder, 'badge.svg');
    const { status, stdout } = gwInThread([
      'adapter',
      'test',
      'alpine',
      '--level',
      'bronze',
      '--json',
      '--badge',
      badge,
    ]);
    const verdict = JSON.parse(stdout) as {
      level: string;
      badge: object;
      checks: { operation: string; result: string }[];
    };
    expect({ status, level: verdict.level, badge: verdict.badge }).toEqual({
      status: 0,
      level: 'bronze',
      badge: { schemaVersion: 1, label: 'alpine', message: 'bronze (simulator)', color: 'cd7f32' },
    });
    expect(new Set(verdict.checks.map(({ operation }) => operation))).toEqual(
      new Set(['searchLocations', 'searchVehicles', 'locationDetails']),
    );
    expect(readFileSync(badge, 'utf8')).toContain('alpine: contract bronze');
  }, 60_000);

  test('exits with 1 and names case, guarantee and breach if the contract is broken', () => {
    // A wrong mapping of the supplier's sold-out code: it becomes an outage.
    const CONFIG_DIR = configFolder({ suppliers: { alpine: { options: { errorCodes: { 301: 'unavailable' } } } } });
    const { status, stdout } = gwInThread(['adapter', 'test', 'alpine', '--level', 'bronze'], { CONFIG_DIR });
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /sold_out +✗ vehicles.*\n +guarantee: sold out is an empty search result, not a failure[^\n]*\n +searchVehicles: sold out failed: unavailable/,
    );
    expect(stdout).toContain('alpine: level none');
  }, 60_000);

  test.each([
    [['adapter', 'test', 'nobody'], /there is no supplier "nobody"/],
    [['adapter', 'test', 'alpine', '--level', 'platinum'], /--level must be one of bronze, silver, gold/],
  ])('reports what is wrong: %j', (words, message) => {
    const { status, stderr } = gwInThread(words);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

test('gw adapter validate reports the faults of every file with their lines, and the valid files', () => {
  const pages = { by: 'number', next: 'page <' };
  const CONFIG_DIR = configFolder({
    suppliers: { ember: { options: { searchLocations: { pages } } }, bravo: { options: { envelope: 'soap13' } } },
  });
  const { status, stdout, stderr } = gwInThread(['adapter', 'validate'], { CONFIG_DIR });
  expect(status).toBe(2);
  expect(stderr).toMatch(/bravo\.yaml:\d+ options\.envelope: /);
  expect(stderr).toMatch(/ember\.yaml:\d+ options\.searchLocations\.pages\.next: Syntax error/);
  expect(stdout).toContain('dune: valid (rest, live)');
});

describe('gw adapter new', () => {
  test('ota-xml: creates a valid file, names the next steps, and never overwrites a file', () => {
    const CONFIG_DIR = configFolder({});
    const made = gwInThread(['adapter', 'new', 'city_cars', '--kind', 'ota-xml'], { CONFIG_DIR });
    expect([made.status, made.stdout]).toEqual([
      0,
      expect.stringMatching(/created: .*city_cars\.yaml[\s\S]*adapter validate city_cars[\s\S]*adapter test city_cars/),
    ]);
    expect(gwInThread(['adapter', 'validate', 'city_cars'], { CONFIG_DIR }).stdout).toBe(
      'city_cars: valid (ota-xml, off)\n',
    );
    const text = readFileSync(join(CONFIG_DIR, 'suppliers', 'city_cars.yaml'), 'utf8');
    expect(gwInThread(['adapter', 'new', 'city_cars', '--kind', 'ota-xml'], { CONFIG_DIR })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('already exists'),
    });
    expect(readFileSync(join(CONFIG_DIR, 'suppliers', 'city_cars.yaml'), 'utf8')).toBe(text);
  });

  test('rest: creates a file that reports the missing secret, and is valid once its variable is set', () => {
    const CONFIG_DIR = configFolder({});
    expect(gwInThread(['adapter', 'new', 'city_cars', '--kind', 'rest'], { CONFIG_DIR }).status).toBe(0);
    expect(gwInThread(['adapter', 'validate', 'city_cars'], { CONFIG_DIR })).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /city_cars\.yaml:\d+ options\.auth\.headers\.x-api-key: there is no "apiKey" here; .*variable is not set/,
      ),
    });
    const set = { CONFIG_DIR, CITY_CARS_API_KEY: 'key' };
    expect(gwInThread(['adapter', 'validate', 'city_cars'], set).stdout).toBe('city_cars: valid (rest, off)\n');
  });

  test.each([
    [['adapter', 'new', 'Big-Id', '--kind', 'ota-xml'], /is not a valid id/],
    [['adapter', 'new', 'fine', '--kind', 'soap'], /--kind must be one of ota-xml, rest, code/],
  ])('rejects %j', (words, message) => {
    expect(gwInThread(words)).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
  });

  test("code: creates an adapter that type-checks against the port, follows the project's style and has its own spec", () => {
    const root = join(folder, 'checkout');
    const adapters = join(root, 'src', 'adapters', 'city-cars');
    mkdirSync(join(adapters, 'fixtures'), { recursive: true });
    const isSpec = (path: string): boolean => path.endsWith('.spec.ts');
    cpSync(join(PROJECT, 'src', 'model'), join(root, 'src', 'model'), {
      recursive: true,
      filter: (path) => !isSpec(path),
    });
    for (const [name, text] of codeFiles('city_cars')) writeFileSync(join(adapters, name), text);
    // What jest needs before and after all tests: it finds the shared database by its migrations, and searches for card numbers.
    const needed = ['src/database/migrations', 'src/privacy/fixtures'];
    for (const name of ['tsconfig.json', 'package.json', 'jest.config.mjs', 'biome.json', 'test', ...needed])
      cpSync(join(PROJECT, name), join(root, name), { recursive: true, filter: (path) => !path.includes('e2e/') });
    symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(
      join(root, 'tsconfig.city.json'),
      JSON.stringify({ extends: './tsconfig.json', include: ['src'], compilerOptions: { noEmit: true } }),
    );
    execFileSync(
      process.execPath,
      [join(PROJECT, 'node_modules/typescript-7/bin/tsc'), '-p', join(root, 'tsconfig.city.json')],
      {
        stdio: 'pipe',
      },
    );
    execFileSync(join(PROJECT, 'node_modules/.bin/biome'), ['check', '--vcs-enabled=false', 'src/adapters'], {
      cwd: root,
      stdio: 'pipe',
    });
    const spec = spawnSync(
      process.execPath,
      [
        '--experimental-vm-modules',
        join(PROJECT, 'node_modules/jest/bin/jest.js'),
        '--rootDir',
        root,
        '--selectProjects',
        'unit',
        '--testPathPatterns',
        './src/adapters/',
      ],
      { cwd: root, encoding: 'utf8', env: { ...process.env, TMPDIR: process.env.TEST_KEPT_FOLDER } },
    );
    expect([spec.status, spec.stderr]).toEqual([0, expect.stringContaining('6 passed')]);
  }, 120_000);
});

describe('gw sim serve', () => {
  test('plays one supplier until it is stopped, and says how to use it', async () => {
    const child = startChild(process.execPath, [GW, 'sim', 'serve', 'alpine', '--latency-scale', '0'], {
      cwd: PROJECT,
    });
    await child.printed('x-sim-seed');
    const url = /SUPPLIER_ALPINE_URL=(\S+)/.exec(child.output())?.[1] ?? '';
    expect(await (await fetch(`${url}/__sim/bookings`)).json()).toEqual({ bookings: [] });
    expect(child.output()).toContain('lost_then_found');
    await fetch(`${url}/`, { method: 'POST' });
    expect(await (await fetch(`${url}/__sim/stats`)).json()).toMatchObject({
      requests: 1,
      byVerb: { ok: 1 },
      dialectFailures: 0,
    });
    expect(await child.stop('SIGINT')).toBe(0);
    expect(child.output()).toMatch(/saturation: alpine 1 calls, open 0 \(most 1\), queue p99 [\d.]+ ms\n$/);
  }, 60_000);

  test('serves every kind of supplier, and all of them in a separate process that reports its saturation', async () => {
    const child = startChild(process.execPath, [join(PROJECT, 'dist', 'simulators.js')], { cwd: PROJECT });
    await child.printed('Simulators are ready.');
    const urls = [...child.output().matchAll(/^(\w+) +SUPPLIER_\w+_URL=(\S+)$/gm)].map(
      ([, id = '', url = '']) => [id, url] as const,
    );
    expect(urls.map(([id]) => `${id}.yaml`).sort()).toEqual(readdirSync(SUPPLIERS).sort());
    for (const [, url] of urls)
      expect((await fetch(url, { method: 'POST', headers: { 'x-sim-directive': 'html' } })).status).toBe(200);
    expect(await child.stop()).toBe(0);
    for (const [id] of urls) expect(child.output()).toMatch(new RegExp(`saturation: .*${id} 1 calls, open 0`));
  }, 60_000);

  test('rejects a port that is not a number', () => {
    expect(gwInThread(['sim', 'serve', 'alpine', '--port', 'many'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--port must be a number'),
    });
  });
});

describe('config/schema/supplier.schema.json', () => {
  test('is generated from the schema in code (npm run schemas)', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/write-schemas.mjs', '--check'], {
      cwd: PROJECT,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  const files = readdirSync(SUPPLIERS).map((name) => [name, readFileSync(join(SUPPLIERS, name), 'utf8')] as const);
  const schemaIn = (text: string): string => /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
  const validators = new Map(
    [...new Set(files.map(([, text]) => schemaIn(text)))]
      .filter(Boolean)
      .map((path) => [
        path,
        new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(join(SUPPLIERS, path), 'utf8')) as object),
      ]),
  );

  test.each(files)('%s names the schema in its first line and is valid against it', (_name, text) => {
    const validate = validators.get(schemaIn(text));
    expect([validate?.(parse(text)), validate?.errors]).toEqual([true, null]);
  });
});

describe('fixtures of the adapters', () => {
  const adapters = join(PROJECT, 'src', 'adapters');
  const files = readdirSync(adapters, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /fixtures\/.*\.(json|xml|html|txt)$/.test(name),
  );

  test.each(files)('%s holds no personal data', (name) => {
    const left = leftIn(readFileSync(join(adapters, name), 'utf8'), [], false);
    // Tokens of answers that open a session are invented.
    expect(left.filter((kind) => kind !== 'secret')).toEqual([]);
  });
});
