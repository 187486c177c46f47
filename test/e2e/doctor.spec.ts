import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../src/cli/finding.js';
import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { ConfigError, loadConfig } from '../../src/config/load-config.js';
import { SealedTexts } from '../../src/config/sealed-text.js';
import type { Setting } from '../../src/config/setting-sources.js';
import { refuseUnsafeStart } from '../../src/config/start-checks.js';
import { describeWith } from '../support/binaries.js';
import { freePort } from '../support/child.js';
import { claim } from '../support/claim.js';
import { configFolder } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gw, gwInThread, type Said } from '../support/gw.js';
import { PROJECT } from '../support/project.js';
import { type RunningProxy, startNginx } from '../support/proxies.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type Gateway, spawnGateway, startGateway } from '../support/start-gateway.js';

interface Report {
  readonly code: number | null;
  readonly ok: boolean;
  readonly settings: readonly Setting[];
  /** Subjects of the findings, in order. */
  readonly wrong: readonly string[];
  /** What is reported about a subject, and what to do about it. */
  of(subject: string): string;
  readonly text: string;
}

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:9';
const FORECOURT_SECRET = randomBytes(32).toString('base64');

function resultOf({ status, stdout, stderr }: Said): { code: number | null; text: string } {
  return { code: status, text: stdout + stderr };
}

/** A file with a key that all users of the machine can read. */
function fileForAll(): string {
  // Unlike the temporary folder of some systems, others may enter it.
  const folder = mkdtempSync('/tmp/forecourt-open-');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const file = join(folder, 'keys');
  writeFileSync(file, `1:${randomBytes(32).toString('base64')}`);
  chmodSync(file, 0o644);
  return file;
}

const run = (words: readonly string[], env: Readonly<Record<string, string>>) =>
  resultOf(gwInThread(['doctor', ...words], env));

function doctor(env: Readonly<Record<string, string>>, ...words: string[]): Report {
  const { code, text } = run(['--json', ...words], env);
  const { ok, settings, findings } = JSON.parse(text) as { ok: boolean; settings: Setting[]; findings: Finding[] };
  expect(findings.filter((finding) => !finding.ok && (finding.todo ?? '') === '')).toEqual([]);
  return {
    code,
    ok,
    settings,
    text,
    wrong: findings.filter((finding) => !finding.ok).map(({ subject }) => subject),
    of: (subject) =>
      findings
        .filter((finding) => finding.subject === subject)
        .map(({ found, todo }) => `${found} ${todo ?? ''}`)
        .join('; '),
  };
}

describe('gw doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-doctor-'));
  const DATA_DIR = join(folder, 'data');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('without any setup, reports nothing wrong and creates nothing', async () => {
    // As a process, whose output and exit code a shell gets.
    const { code, text } = resultOf(gw(['doctor'], { DATA_DIR }));
    expect([code, text.trim().split('\n').at(-1)]).toEqual([0, 'All checks passed.']);
    expect(text).toMatch(/^http\.port +3000 {2}\(default\.yaml:4\)$/m);
    expect(text).toMatch(/^http\.host +"127\.0\.0\.1" {2}\(default\)$/m);
    // Other tests write files meanwhile.
    const steady = (report: string) => report.replace(/[\d.]+ GB free/, 'some GB free');
    const again = run([], { DATA_DIR });
    expect([again.code, steady(again.text)]).toEqual([code, steady(text)]);
  });

  test('lists every setting with its source; variables take precedence; secrets and passwords are masked', async () => {
    const config = configFolder({ settings: { http: { port: 4_000 }, log: { level: 'warn' } } });
    const keysOf = (byte: number) => `1:${Buffer.alloc(32, byte).toString('base64')}`;
    const secrets = { FORECOURT_SECRET, PERSONAL_DATA_KEYS: keysOf(7), CLIENT_SECRET_KEYS: keysOf(8) };
    const env = {
      DATA_DIR,
      CONFIG_DIR: config,
      PORT: '5000',
      ...secrets,
      REDIS_URL: 'redis://me:hush-hush@127.0.0.1:9',
      FORECOURT_ENV: 'production',
    };
    const { settings, text } = doctor(env);
    const told = Object.fromEntries(settings.map(({ name, value, source }) => [name, `${value} ${source}`]));
    expect(told).toMatchObject({
      environment: 'production variable FORECOURT_ENV',
      'http.port': '5000 variable PORT',
      'log.level': expect.stringMatching(/^warn default\.yaml:\d+$/),
      'simulators.embedded': expect.stringMatching(/^false production\.yaml:3$/),
      secret: '*** variable FORECOURT_SECRET',
      personalDataKeys: '*** variable PERSONAL_DATA_KEYS',
      secretKeys: '*** variable CLIENT_SECRET_KEYS',
      redisUrl: 'redis://me:***@127.0.0.1:9 variable REDIS_URL',
      'tokens.maxLivePerApplication': '200 default',
    });
    for (const secret of [...Object.values(secrets), 'hush-hush']) expect(text).not.toContain(secret);
    rmSync(config, { recursive: true, force: true });
  });

  test.each([
    ['postgresql://h/x?user=u&password=hush-hush', 'postgresql://h/x?***'],
    ['postgresql://u:hush@hush-hush@h/x', 'postgresql://u:***@h/x'],
    ['hush-hush@h', '***'],
  ])('shows no part of %s that may be a password', async (DATABASE_URL, shown) => {
    const { settings, text } = doctor({ DATA_DIR, DATABASE_URL });
    expect(settings.find(({ name }) => name === 'databaseUrl')?.value).toBe(shown);
    expect(text).not.toContain('hush-hush');
  });

  test('reports production without a mail server, because no email would be sent', async () => {
    const report = doctor({ DATA_DIR, FORECOURT_ENV: 'production' });
    expect(report.of('mail')).toContain('SMTP_URL');
    expect(doctor({ DATA_DIR, SMTP_URL: 'smtp://me:hush-hush@127.0.0.1:9' }).text).not.toContain('hush-hush');
  });

  test('reports how old the exchange rates are, and production that has none or stale ones', async () => {
    expect(doctor({ DATA_DIR }).of('exchange rates')).toContain('Forecourt sample rates, of 2026-11-20');
    const report = doctor({ DATA_DIR, FORECOURT_ENV: 'production' });
    expect(report.wrong).toContain('exchange rates');
    expect(report.of('exchange rates')).toMatch(/none, so no price is converted; .*samples.*EXCHANGE_RATES_URL/);
  });

  test('names faulty limits with their file', async () => {
    const config = configFolder({ tiers: { demo: { perMinute: 0, brust: 2 } } });
    const report = doctor({ DATA_DIR, CONFIG_DIR: config });
    expect(report.code).toBe(1);
    expect(report.of('configuration')).toMatch(/tiers\.yaml demo/);
    rmSync(config, { recursive: true, force: true });
  });

  test('a configuration that cannot be used: one line per fault, exit code 1', async () => {
    const report = doctor({ DATA_DIR, PORT: 'many', REQUEST_BUDGET_MS: '2000' });
    expect([report.code, new Set(report.wrong)]).toEqual([1, new Set(['configuration'])]);
    expect(report.of('configuration')).toMatch(/variable PORT: "many" is not a number/);
  });

  const OPEN_FILE = fileForAll();
  const OWN_FILE = join(folder, 'own');
  writeFileSync(OWN_FILE, 'neither a certificate nor a key', { mode: 0o600 });
  const PUBLISHED = 'development-only-do-not-use-anywhere-else';
  claim.each<[string, Record<string, string>, RegExp]>([
    [
      'a published secret in production',
      { FORECOURT_ENV: 'production', FORECOURT_SECRET: PUBLISHED },
      /secret: .*openssl/,
    ],
    ['a published secret beyond loopback', { HOST: '0.0.0.0', FORECOURT_SECRET: PUBLISHED }, /secret: .*openssl/],
    ['public metrics with a guessable secret', { METRICS_HOST: '::', FORECOURT_SECRET: 'z'.repeat(50) }, /secret: /],
    [
      'keys in a file that others can read',
      { PERSONAL_DATA_KEYS_FILE: OPEN_FILE },
      /secret file: .*mode 644.*chmod o=/,
    ],
    ['data that others can read', { DATA_DIR: '/tmp' }, /data folder: .*mode 777.*chmod -R go=/],
    ['a sandbox on all addresses without a mail server', { HOST: '0.0.0.0', SMTP_URL: '' }, /mail: .*set SMTP_URL/],
    [
      'a sandbox on PostgreSQL without a mail server',
      { DATABASE_URL: DEAD.replace('http', 'postgresql'), SMTP_URL: '' },
      /mail: .*set SMTP_URL/,
    ],
  ])(
    'API8',
    'A gateway refuses to start with a guessable secret, or one that this repository has, that others could use, with secrets or data that other users can read, or with emails that others could read because a sandbox has no mail server; `gw doctor` reports the same, with exit code 1.',
    '%s',
    async (_case, env, words) => {
      const { code, text } = run([], { DATA_DIR, ...env });
      const refused = refusal({ DATA_DIR, ...env });
      expect([code, refused]).toEqual([1, expect.stringMatching(words)]);
      expect(text).toContain(`FAIL   ${words.exec(refused)?.[0]}`);
      expect(refused + text).not.toContain(env.FORECOURT_SECRET ?? PUBLISHED);
    },
  );

  /** What a start with these variables is refused with; empty = it isn't. */
  function refusal(env: Readonly<Record<string, string>>): string {
    try {
      refuseUnsafeStart(loadConfig(join(PROJECT, 'config'), env));
      return '';
    } catch (error) {
      return error instanceof ConfigError ? error.message : String(error);
    }
  }

  test.each<[string, Record<string, string>, string, RegExp]>([
    ['keys that are not 32 bytes', { PERSONAL_DATA_KEYS: '1:short' }, 'keys', /^PERSONAL_DATA_KEYS: .*32 bytes/],
    [
      'a certificate of the admin API that does not exist',
      { ADMIN_PORT: '9465', ADMIN_TLS_CERT_FILE: '/nowhere/cert.pem', ADMIN_TLS_KEY_FILE: '/nowhere/key.pem' },
      'admin API',
      /no such file .*ADMIN_TLS_CERT_FILE/,
    ],
    [
      'one that is none',
      { ADMIN_PORT: '9465', ADMIN_TLS_CERT_FILE: OWN_FILE, ADMIN_TLS_KEY_FILE: OWN_FILE },
      'admin API',
      /PEM.*ADMIN_TLS_CERT_FILE/,
    ],
  ])('reports %s, with which no gateway starts', (_case, env, subject, words) => {
    const report = doctor({ DATA_DIR, ...env });
    expect([report.code, report.wrong, report.of(subject)]).toEqual([1, [subject], expect.stringMatching(words)]);
    expect(report.text).not.toContain('1:short');
  });

  test.each<[string, Record<string, string>, string, RegExp]>([
    [
      'headers for a collector that others can read on the way',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hush-hush' },
      'tracing',
      /unencrypted.*https/,
    ],
    [
      'an admin API without TLS that others can reach',
      { ADMIN_PORT: '9465', ADMIN_HOST: '0.0.0.0' },
      'admin API',
      /unencrypted.*ADMIN_TLS_CERT_FILE/,
    ],
  ])('reports %s, with which a sandbox starts', (_case, env, subject, words) => {
    const report = doctor({ DATA_DIR, ...env });
    expect([report.code, report.wrong, report.of(subject)]).toEqual([1, [subject], expect.stringMatching(words)]);
    expect(refusal({ DATA_DIR, ...env })).toBe('');
    expect(report.text).not.toContain('hush-hush');
  });

  test('a start that is refused ends the process with the reason and exit code 1', async () => {
    const child = spawnGateway({ DATA_DIR, FORECOURT_ENV: 'production', FORECOURT_SECRET: PUBLISHED });
    expect([await child.exited, child.output()]).toEqual([
      1,
      expect.stringMatching(/cannot start: .*secret: .*openssl/s),
    ]);
    expect(child.output()).not.toContain(PUBLISHED);
  });

  claim(
    'API8',
    '`gw doctor` reports everything that is unavailable, missing or over-trusted in one run, with exit code 1.',
    async () => {
      const report = doctor({
        DATA_DIR: '/proc/nowhere',
        REDIS_URL: DEAD.replace('http', 'redis'),
        DATABASE_URL: DEAD.replace('http', 'postgresql'),
        SUPPLIER_ALPINE_URL: DEAD,
        SUPPLIER_BRAVO_URL: DEAD.replace('http', 'https'),
        SIMULATORS_EMBEDDED: 'false',
        TRUSTED_PROXIES:
          '10.0.0.0/8,fc00::/7,fe80::/10,0.0.0.0/1,128.0.0.0/1,::/2,::ffff:0.0.0.0/97,::/80,::ffff:10.0.0.0/104',
      });
      expect(report.code).toBe(1);
      expect(report.wrong).toEqual([
        'mail',
        'store',
        'database',
        'supplier abg',
        'supplier dune',
        'supplier alpine',
        'supplier bravo',
        'proxies',
        'data folder',
        'secret',
      ]);
      expect(report.of('supplier abg')).toContain('SUPPLIER_ABG_URL');
      expect(report.of('proxies')).toContain('0.0.0.0/1, 128.0.0.0/1, ::/2, 0.0.0.0/1, ::/80 trusts');
      expect(report.of('supplier alpine')).toContain('ECONNREFUSED');
    },
  );

  test('names an adapter that rejects its options, with its file', async () => {
    const config = configFolder({ suppliers: { alpine: { options: { envelope: 'paper' } } } });
    const report = doctor({ DATA_DIR, CONFIG_DIR: config });
    expect([report.code, report.wrong]).toEqual([1, ['supplier alpine']]);
    expect(report.of('supplier alpine')).toMatch(/options\.envelope.*suppliers\/alpine\.yaml/);
    rmSync(config, { recursive: true, force: true });
  });
});

describeWith(
  'nginx',
  'redis-server',
  'initdb',
)('gw doctor of a gateway on Redis and PostgreSQL behind nginx', () => {
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let proxy: RunningProxy;
  let dropping: number;
  let appending: number;
  const env = () => ({
    REDIS_URL: redis.url,
    DATABASE_URL: postgres.url,
    FORECOURT_SECRET,
    SMTP_URL: DEAD.replace('http', 'smtp'),
    DATA_DIR: gateway.dataFolder,
  });
  const at = (port: number) => ['--url', `http://127.0.0.1:${port}`] as const;

  beforeAll(async () => {
    [redis, postgres, dropping, appending] = await Promise.all([startRedis(), freshDatabase(), freePort(), freePort()]);
    const own = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET, TRUSTED_PROXIES: '127.0.0.1' };
    gateway = await startGateway({ env: own });
    proxy = await startNginx(
      [gateway, gateway],
      () => `server {
          listen 127.0.0.1:${dropping};
          underscores_in_headers off;
          location / { proxy_pass http://gateways; proxy_set_header X-Forwarded-For $remote_addr; }
        }
        server {
          listen 127.0.0.1:${appending};
          location / { proxy_pass http://gateways; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }
        }\n`,
    );
  }, 60_000);
  afterAll(async () => {
    await proxy.stop();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
  });

  test('as shipped: reports nothing wrong', async () => {
    const report = doctor(env(), ...at(proxy.port));
    expect([report.code, report.wrong]).toEqual([0, []]);
    expect(report.of('store')).toMatch(/runs scripts .*its clock is \d+ ms/);
    expect(report.of('migrations')).toMatch(/^all \d+ applied/);
    expect(report.of('public address')).toMatch(
      /client_id and client_secret arrive .*a caller's X-Forwarded-For is ignored/,
    );
  });

  test('distinguishes keys that cannot open what the database holds from those that can', async () => {
    expect(doctor(env()).of('keys')).toContain('can decrypt the secrets');
    const report = doctor({ ...env(), FORECOURT_SECRET: `${FORECOURT_SECRET}-another` });
    expect([report.code, report.wrong]).toEqual([1, ['keys']]);
    expect(report.of('keys')).toContain('FORECOURT_SECRET');
  });

  test("reports renters' data that cannot be decrypted, as a start does", async () => {
    const config = (secret: string) => configSchema.parse({ secret });
    const place = 'personal:res_doctor';
    const sealedWith = (secret: string) =>
      new SealedTexts(config(secret), loadKeys(config(secret)), 'PERSONAL_DATA_KEYS').seal('{}', place);
    await postgres.query(`insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor,
        version, rental, view, payment, personal, sent_until, created_at, updated_at)
      values ('res_doctor', 'app_demo', 'acc_demo', 'sandbox', 'alpine', 'pending', 'asked', 'application', 1, '{}', '{}', '{}',
        '${sealedWith(FORECOURT_SECRET)}', now(), now(), now())`);
    try {
      expect(doctor(env()).of('keys')).toContain("can decrypt renters' data");
      const another = sealedWith(`${FORECOURT_SECRET}-another`);
      await postgres.query(`update reservations set personal = '${another}' where id = 'res_doctor'`);
      const report = doctor(env());
      expect([report.code, report.wrong]).toEqual([1, ['keys']]);
      expect(report.of('keys')).toMatch(/encrypted with a different key 0s .*PERSONAL_DATA_KEYS/);
    } finally {
      await postgres.query("delete from reservation_events where reservation_id = 'res_doctor'");
      await postgres.query("delete from reservations where id = 'res_doctor'");
    }
  });

  test('names a tier that applications have and the file lacks', async () => {
    expect(doctor(env()).of('tiers')).toContain('are in tiers.yaml');
    const rename = (from: string, to: string) =>
      postgres.query(`update applications set tier = '${to}' where tier = '${from}'`);
    await rename('demo', 'gone');
    const report = doctor(env());
    await rename('gone', 'demo');
    expect([report.code, report.wrong]).toEqual([1, ['tiers']]);
    expect(report.of('tiers')).toMatch(/no tier "gone", which \d+ applications.*gw apps tier/);
  });

  test('recognizes a proxy that drops names with an underscore by the answer', async () => {
    const report = doctor(env(), ...at(dropping));
    expect([report.code, report.wrong]).toEqual([1, ['public address']]);
    expect(report.of('public address')).toMatch(/client_id does not arrive.*underscores_in_headers on/);
  });

  claim(
    ['API8', 'V15.3.4'],
    "`gw doctor` recognizes a trusted proxy that appends to a caller's X-Forwarded-For instead of replacing it.",
    async () => {
      const report = doctor(env(), ...at(appending));
      expect([report.code, report.wrong]).toEqual([1, ['public address']]);
      expect(report.of('public address')).toContain("a caller's X-Forwarded-For is trusted");
    },
  );

  test.each([
    ['an address without a listener', DEAD, /does not answer.*correct --url/],
    ['no address', 'nonsense', /does not answer.*correct --url/],
  ])('reports %s', async (_case, url, words) => {
    const report = doctor(env(), '--url', url);
    expect([report.code, report.wrong]).toEqual([1, ['public address']]);
    expect(report.of('public address')).toMatch(words);
  });

  test('names pending migrations and rejects a newer database version', async () => {
    const last = 'select max(created_at) from drizzle.__drizzle_migrations';
    await postgres.query(
      `update drizzle.__drizzle_migrations set created_at = created_at + 1 where created_at = (${last})`,
    );
    expect(doctor(env()).of('migrations')).toMatch(/newer version/);
    await postgres.query(`delete from drizzle.__drizzle_migrations where created_at = (${last})`);
    const report = doctor(env());
    expect([report.code, report.wrong]).toEqual([1, ['migrations']]);
    expect(report.of('migrations')).toMatch(/pending: \d{4}_\w+ start a gateway of this version/);
  });
});
