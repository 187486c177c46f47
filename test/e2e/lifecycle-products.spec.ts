import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { type RawAnswer, rawAsk } from '../compat/raw-ask.js';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { type Cutter, startCutter } from '../support/cut-connection.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { PROJECT } from '../support/project.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PRODUCT = 'car_location_keyword_search';
const WITHIN_MS = 2_000;

/** The shipped configuration with two more versions, both designed: v1.3 and v2 of the location search. */
function configWithMoreVersions(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-config-'));
  cpSync(join(PROJECT, 'config'), folder, { recursive: true });
  const file = join(folder, 'products.yaml');
  const content = parse(readFileSync(file, 'utf8')) as { products: { id: string; versions: Record<string, string> }[] };
  const product = content.products.find(({ id }) => id === PRODUCT);
  Object.assign(product?.versions ?? {}, { 'v1.3': 'designed', v2: 'designed' });
  writeFileSync(file, stringify(content));
  return folder;
}

describeWith('initdb')('the lifecycle of versions on gateways with one PostgreSQL', () => {
  const config = configWithMoreVersions();
  const env = (url = postgres.url) => ({
    CONFIG_DIR: config,
    DATABASE_URL: url,
    FORECOURT_SECRET: 'a-secret-of-the-end-to-end-tests-0123456789',
  });
  let postgres: TestDatabase;
  /** The way of the gateways to it. */
  let cutter: Cutter;
  const gateways: Gateway[] = [];
  let a: Client;
  /** A client of a gateway that starts once operators have set states. */
  let b: Client;
  const states = () => postgres.query('select * from product_versions order by product_id, major, minor, patch');
  const start = async (): Promise<Client> => {
    const gateway = await startGateway({ env: env(cutter.url) });
    gateways.push(gateway);
    return Client.of(gateway);
  };
  const clients = (): Client[] => (gateways.length === 1 ? [a] : [a, b]);

  beforeAll(async () => {
    postgres = await freshDatabase();
    cutter = await startCutter(postgres.url);
    a = await start();
  });
  afterAll(async () => {
    for (const client of clients()) client.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    cutter.close();
    await postgres.dispose();
    rmSync(config, { recursive: true });
  });

  const ask = async (client: Client, version: string, token?: string): Promise<RawAnswer> =>
    rawAsk(client, `/cars/locations/${version}${version === '' ? '' : '/'}?keyword=boston`, token);
  const told = ({ status, headers }: RawAnswer): string => `${status} ${headers['x-api-version'] ?? ''}`.trim();

  /**
   * Waits until all gateways answer the application `demo` this way; fails if they still don't after the time that a
   * change may take.
   */
  const becomes = async (expected: Readonly<Record<string, string>>): Promise<void> => {
    const deadline = performance.now() + WITHIN_MS;
    for (;;) {
      const askedAt = performance.now();
      const seen = await Promise.all(
        clients().map(async (client) =>
          Object.fromEntries(
            await Promise.all(
              Object.keys(expected).map(async (version) => [version, told(await ask(client, version))]),
            ),
          ),
        ),
      );
      if (seen.every((one) => JSON.stringify(one) === JSON.stringify(expected))) return;
      if (askedAt > deadline) expect(seen).toEqual(seen.map(() => expected));
      await wait(100);
    }
  };

  const commands = [
    ...(
      /<!-- test:lifecycle -->\s*```sh\n([\s\S]*?)```/.exec(
        readFileSync(join(PROJECT, 'docs', 'versions.md'), 'utf8'),
      )?.[1] ?? ''
    )
      .trim()
      .split('\n'),
  ];
  const [firstCommand] = commands;
  /**
   * Runs the next command of docs/versions.md, which must contain `words`: the first as it is printed, the others without
   * npm and a process, which take longer than what they run.
   */
  const nextCommand = (words: string): { stdout: string; stderr: string } => {
    const command = commands.shift() ?? '';
    expect(command).toContain(words);
    const { status, stdout, stderr } =
      command === firstCommand
        ? spawnSync('bash', ['-c', command], { cwd: PROJECT, env: { ...process.env, ...env() }, encoding: 'utf8' })
        : gwInThread(/^npm run -s gw -- (.*)$/.exec(command)?.[1]?.split(' ') ?? [], env());
    expect([status, command]).toEqual([0, command]);
    return { stdout, stderr };
  };
  const products = (...words: string[]) => gwInThread(['products', ...words], env());

  claim('API9', 'A designed version is hidden from every application.', async () => {
    const { stdout } = nextCommand('products list');
    expect(stdout.split('\n').filter((line) => line.startsWith(PRODUCT))).toEqual([
      `${PRODUCT}\tv2\tdesigned\t-\t-`,
      `${PRODUCT}\tv1.3\tdesigned\t-\t-`,
      `${PRODUCT}\tv1.2\tlive\t-\t-`,
      `${PRODUCT}\tv1.1\tlive\t-\t-`,
      `${PRODUCT}\tv1.0.1\tlive\t-\t-`,
    ]);
    await becomes({ v1: '200 v1.2', 'v1.3': '404', v2: '404', '': '200 v1.2' });
  });

  test('Beta: for selected applications only, within two seconds', async () => {
    nextCommand('beta-add');
    await becomes({ 'v1.3': '404' });
    const { stdout, stderr } = nextCommand('promote');
    expect(stdout).toBe(`${PRODUCT} v1.3: designed → beta\n`);
    expect(stderr).toContain('the 1 selected application(s) may call it');
    await becomes({ v1: '200 v1.3', 'v1.3': '200 v1.3', 'v1.1': '200 v1.1' });
    const other = await ask(a, 'v1.3', await a.token('demo-unsubscribed'));
    expect([other.status, ...other.reasons]).toEqual([404, 'resource_failure']);
    nextCommand('beta-remove');
    await becomes({ v1: '200 v1.2', 'v1.3': '404' });
  });

  test('Live: for every subscriber', async () => {
    const { stderr } = nextCommand('promote');
    // demo, demo-throttled, demo-expired.
    expect(stderr).toContain('the 3 subscribed application(s) and all new subscribers may call it');
    await becomes({ v1: '200 v1.3', 'v1.3': '200 v1.3' });
    expect((await ask(a, 'v1.3', await a.token('demo-unsubscribed'))).status).toBe(403);
  });

  claim(
    'API9',
    'A new live major version deprecates every live version of the earlier one, and their responses announce it with Deprecation, Sunset and successor.',
    async () => {
      nextCommand('promote');
      const { stdout } = nextCommand('promote');
      expect(stdout.trim().split('\n')).toEqual([
        `${PRODUCT} v2: beta → live`,
        ...['v1.3', 'v1.2', 'v1.1', 'v1.0.1'].map((version) => `${PRODUCT} ${version}: live → deprecated`),
      ]);
      const answers = await eventually(
        () => Promise.all(clients().map((client) => ask(client, 'v1.1'))),
        (all) => all.every(({ headers }) => headers.deprecation !== undefined),
        WITHIN_MS,
      );
      for (const { status, headers } of answers) {
        expect([status, headers.sunset, headers.link]).toEqual([
          200,
          'Thu, 31 Dec 2099 00:00:00 GMT',
          '</cars/locations/v2/>; rel="successor-version"',
        ]);
        expect(headers.deprecation).toMatch(/^@\d{10}$/);
        expect(Math.abs(Number(headers.deprecation?.slice(1)) - Date.now() / 1000)).toBeLessThan(60);
      }
    },
  );

  test('a gateway that starts keeps the states that operators set', async () => {
    const operated = await states();
    b = await start();
    expect(await states()).toEqual(operated);
    // A gateway that has just started may find a supplier late.
    expect(told(await ask(b, 'v1'))).toMatch(/^20[06] v1\.3$/);
  });

  test('Deprecated: for earlier subscribers, 403 for new ones', async () => {
    await postgres.query('insert into subscriptions (application_id, product_id) values ($1, $2)', [
      'app_demounsubscribed',
      PRODUCT,
    ]);
    await wait(WITHIN_MS);
    for (const client of [a, b]) {
      const late = await ask(client, 'v1', await client.freshToken('demo-unsubscribed'));
      expect([late.status, late.reasons, told(await ask(client, 'v1'))]).toEqual([
        403,
        ['permissions_failure'],
        '200 v1.3',
      ]);
    }
  });

  claim(
    'API9',
    'A retired version is a 404 for all applications, identical to that of an unknown version.',
    async () => {
      const { stderr } = nextCommand('retire');
      expect(stderr).toContain(
        'no application may call it any longer: 4 subscribed application(s) lose access, although its sunset was announced for 2099-12-31',
      );
      await becomes({ 'v1.0.1': '404', v1: '200 v1.3' });
      const text = async (version: string) => (await ask(a, version)).text.replace(/"request_time":"[^"]+"/, '');
      expect(await text('v1.0.1')).toBe(await text('v1.9'));
    },
  );

  claim(
    'API9',
    'A retirement that was a mistake can be taken back, with a reason, for the applications from before.',
    async () => {
      const deprecated = {
        headers: { deprecation: (await ask(a, 'v1.1')).headers.deprecation, sunset: 'Thu, 31 Dec 2099 00:00:00 GMT' },
      };
      for (const [words, said] of [
        [['restore', PRODUCT, '--version', 'v1.0.1', '--yes'], "required option '--reason <text>' not specified"],
        [['restore', PRODUCT, '--version', 'v1.0.1', '--reason', ' ', '--yes'], '--reason must say why'],
        [
          ['restore', PRODUCT, '--version', 'v1.1', '--reason', 'oops', '--yes'],
          'only a retired version can be restored',
        ],
      ] as const)
        expect(products(...words)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(said) });
      expect(nextCommand('restore').stdout).toBe(`${PRODUCT} v1.0.1: retired → deprecated\n`);
      expect(commands).toEqual([]);
      await becomes({ 'v1.0.1': '200 v1.0.1', v1: '200 v1.3' });
      expect(await ask(a, 'v1.0.1')).toMatchObject(deprecated);
      expect((await ask(a, 'v1.0.1', await a.freshToken('demo-unsubscribed'))).status).toBe(403);
      expect(await postgres.query("select reason from audit_events where action = 'version_restored'")).toEqual([
        { reason: 'mistake' },
      ]);
      expect(products('retire', PRODUCT, '--version', 'v1.0.1', '--yes').status).toBe(0);
      await becomes({ 'v1.0.1': '404' });
    },
  );

  test.each([
    [['promote', PRODUCT, '--version', 'v1.1', '--yes'], 'v1.1 is deprecated: it cannot become live'],
    [['retire', PRODUCT, '--version', 'v2', '--yes'], 'v2 is live: it cannot become retired'],
    [['deprecate', PRODUCT, '--version', 'v1.0.1', '--yes'], 'v1.0.1 is retired: it cannot become deprecated'],
    [['deprecate', PRODUCT, '--version', 'v1.0', '--yes'], '"v1.0" is not a version'],
    [
      ['deprecate', PRODUCT, '--version', 'v7', '--yes'],
      'there is no v7; known versions: v2, v1.3, v1.2, v1.1, v1.0.1',
    ],
    [['deprecate', PRODUCT, '--version', 'v2', '--sunset', '2027-02-30', '--yes'], '"2027-02-30" is not a date'],
    [['deprecate', PRODUCT, '--version', 'v2'], 'confirmation needs a terminal: repeat the command with --yes'],
    [['beta-add', PRODUCT, 'app_demo', '--version', 'v2'], 'v2 is live: only designed and beta versions have a Beta'],
  ])('rejects gw products %j with the reason, and changes nothing', async (words, reason) => {
    const before = await states();
    const { status, stdout, stderr } = products(...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
    expect(await states()).toEqual(before);
  });

  test('audits every change, with its author and both states', async () => {
    const rows = await postgres.query('select actor, action, subject, before, after from audit_events order by id');
    const state = (from: string, to: string, more: object = {}) => ({
      before: { state: from },
      after: { state: to, ...more },
    });
    const sunset = { sunset_at: '2099-12-31T00:00:00.000Z' };
    const application = { application: 'app_demo' };
    expect(rows).toEqual(
      [
        { action: 'beta_application_added', subject: 'v1.3', before: null, after: application },
        { action: 'version_beta', subject: 'v1.3', ...state('designed', 'beta') },
        { action: 'beta_application_removed', subject: 'v1.3', before: null, after: application },
        { action: 'version_live', subject: 'v1.3', ...state('beta', 'live') },
        { action: 'version_beta', subject: 'v2', ...state('designed', 'beta') },
        { action: 'version_live', subject: 'v2', ...state('beta', 'live') },
        ...['v1.3', 'v1.2', 'v1.1', 'v1.0.1'].map((subject) => ({
          action: 'version_deprecated',
          subject,
          ...state('live', 'deprecated', sunset),
        })),
        { action: 'version_retired', subject: 'v1.0.1', ...state('deprecated', 'retired') },
        { action: 'version_restored', subject: 'v1.0.1', ...state('retired', 'deprecated') },
        { action: 'version_retired', subject: 'v1.0.1', ...state('deprecated', 'retired') },
      ].map((row) => ({ actor: 'ops', ...row, subject: `${PRODUCT} ${row.subject}` })),
    );
  });

  test('while the database is unavailable, the last states apply', async () => {
    cutter.lead('postgresql://127.0.0.1:1');
    await expect(a.freshToken()).rejects.toThrow('maintenance');
    await wait(WITHIN_MS);
    expect([told(await ask(a, 'v1')), told(await ask(a, 'v1.0.1'))]).toEqual(['200 v1.3', '404']);
    cutter.lead(postgres.url);
  });
});
