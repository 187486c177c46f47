import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { configSchema } from './config.schema.js';
import { environmentVariables } from './environment-variables.js';
import { ConfigError, loadConfig } from './load-config.js';
import { secretFilesOf } from './merge-settings.js';
import { isOpenToAll, refuseUnsafeStart, startProblems, startWarnings } from './start-checks.js';

const PUBLISHED = 'development-only-do-not-use-anywhere-else';
const STRONG = randomBytes(32).toString('base64');
const dataFolder = mkdtempSync(join(tmpdir(), 'forecourt-start-'));
/** Others may enter it, unlike the temporary folder of some systems. */
const openFolder = mkdtempSync('/tmp/forecourt-mounted-');
chmodSync(openFolder, 0o755);
afterAll(() => rmSync(openFolder, { recursive: true }));
afterAll(() => rmSync(dataFolder, { recursive: true }));

const checked = (settings: object, secretFiles: readonly string[] = []) => ({
  config: configSchema.parse({ dataFolder, mail: { smtpUrl: 'smtp://mail' }, ...settings }),
  secretFiles,
});
const subjects = (settings: object, secretFiles?: readonly string[]) =>
  startProblems(checked(settings, secretFiles)).map(({ subject }) => subject);

describe('a published or guessable secret', () => {
  it.each([
    ['in production, even behind a proxy of this machine', { environment: 'production' }],
    ['on all addresses', { http: { host: '0.0.0.0' } }],
    ['on all IPv6 addresses', { http: { host: '::' } }],
    ['on an address of the network', { http: { host: '192.168.1.7' } }],
    ['on a name, which may resolve to anything', { http: { host: 'gateway.internal' } }],
    ['with public metrics', { metrics: { host: '0.0.0.0' } }],
    ['behind a proxy', { http: { trustedProxies: ['127.0.0.1'] } }],
    ['behind a public address', { http: { publicUrl: 'https://cars.example.com' } }],
  ])('is refused %s', (_case, settings) => {
    expect(subjects({ secret: PUBLISHED, ...settings })).toEqual(['secret']);
    expect(subjects({ secret: STRONG, ...settings })).toEqual([]);
    // Nothing is set: the gateway generates one.
    expect(subjects(settings)).toEqual([]);
  });

  it.each(['127.0.0.1', '127.0.9.1', 'localhost', '::1'])('is fine for a sandbox on %s', (host) => {
    const http = { host, publicUrl: 'http://localhost:3000' };
    expect(subjects({ secret: PUBLISHED, http, metrics: { host } })).toEqual([]);
  });

  it('is refused as a key and in a file as well, without quoting it', () => {
    const production = { environment: 'production', secret: STRONG };
    const key = Buffer.from('one key of the development team!').toString('base64');
    expect(subjects({ ...production, personalDataKeys: `2:${STRONG},1:${key}` })).toEqual(['secret']);
    expect(subjects({ ...production, secretKeys: `1:${Buffer.alloc(32, 7).toString('base64')}` })).toEqual(['secret']);
    const lists = { personalDataKeys: `1:${STRONG}`, secretKeys: `1:${STRONG}` };
    expect(subjects({ ...production, ...lists, otherSecret: PUBLISHED })).toEqual(['secret']);
    const secretFile = join(dataFolder, 'shared');
    writeFileSync(secretFile, `${PUBLISHED}\n`);
    const loaded = checked({ secretFile, environment: 'production' });
    expect(() => refuseUnsafeStart(loaded)).toThrow(ConfigError);
    expect(() => refuseUnsafeStart(loaded)).toThrow(/secret: .*shared is a published value.*openssl rand -base64 32/);
    expect(JSON.stringify(startProblems(loaded))).not.toContain(PUBLISHED);
  });
});

describe('another secret', () => {
  const own = `2:${STRONG},0`;

  it.each([
    [undefined, undefined, ['other secret']],
    [own, undefined, ['other secret']],
    [`0,${own.replace(',0', '')}`, own, ['other secret']],
    [own, '0', ['other secret']],
    [own, own, []],
  ])('with the keys %s and %s', (personalDataKeys, secretKeys, expected) => {
    const settings = { secret: STRONG, personalDataKeys, secretKeys };
    expect(subjects({ ...settings, otherSecret: randomBytes(32).toString('base64') })).toEqual(expected);
    expect(subjects(settings)).toEqual([]);
  });
});

describe('the embedded database', () => {
  const reachable = { secret: STRONG, http: { host: '0.0.0.0' } };

  it.each([
    ['is refused in production that others can reach', { environment: 'production', ...reachable }, ['database']],
    ['is replaced by PostgreSQL', { environment: 'production', ...reachable, databaseUrl: 'postgresql://db/x' }, []],
    ['serves a production on loopback', { environment: 'production', secret: STRONG }, []],
    ['serves a sandbox', reachable, []],
  ])('%s', (_case, settings, expected) => {
    expect(subjects(settings)).toEqual(expected);
  });
});

describe('a secret file', () => {
  const fileWith = (text: string): string => {
    const file = join(dataFolder, 'own');
    writeFileSync(file, text);
    return file;
  };

  it.each(['', '\n', 'short', 'k'.repeat(31)])('with %j is refused even on loopback', (text) => {
    expect(subjects({ secretFile: fileWith(text) })).toEqual(['secret']);
  });

  it('may have a trailing line break', () => {
    expect(subjects({ environment: 'production', secretFile: fileWith(`${STRONG}\n`) })).toEqual([]);
  });

  it('must exist in production if it is named; it is generated in a sandbox, and in the data folder', () => {
    const secretFile = join(dataFolder, 'later');
    expect(subjects({ secretFile })).toEqual([]);
    expect(subjects({ environment: 'production' })).toEqual([]);
    expect(subjects({ environment: 'production', secretFile, secret: STRONG })).toEqual([]);
    const loaded = checked({ environment: 'production', secretFile });
    expect(() => refuseUnsafeStart(loaded)).toThrow(
      `secret: FORECOURT_SECRET_FILE names ${secretFile}, which doesn't exist`,
    );
    expect(() => refuseUnsafeStart(loaded)).toThrow(`openssl rand -base64 32 > ${secretFile}`);
  });
});

describe('the mode of the secret file', () => {
  it.each([
    [0o644, 0o755, ['secret file']],
    [0o606, 0o711, ['secret file']],
    [0o602, 0o755, ['secret file']],
    [0o640, 0o755, []],
    [0o600, 0o755, []],
    [0o644, 0o700, []],
  ])('%i in a folder with %i', (mode, folderMode, expected) => {
    const folder = join(openFolder, `mounted-${mode}-${folderMode}`);
    mkdirSync(folder);
    chmodSync(folder, folderMode);
    const secretFile = join(folder, 'secret');
    writeFileSync(secretFile, STRONG);
    chmodSync(secretFile, mode);
    expect(subjects({ secretFile })).toEqual(expected);
    expect(subjects({ secretFile, secret: STRONG })).toEqual([]);
  });

  it.each([
    [0o644, false],
    [0o444, false],
    [0o646, true],
    [0o666, true],
    [0o777, true],
  ])('%i is open to all where containers mount secrets: %s', (mode, expected) => {
    const mounted = join(openFolder, `secrets-${mode}`);
    mkdirSync(mounted, { mode: 0o755 });
    const file = join(mounted, 'secret');
    writeFileSync(file, STRONG);
    chmodSync(file, mode);
    expect(isOpenToAll(file, new RegExp(`^${mounted}/`))).toBe(expected);
    expect(isOpenToAll(file)).toBe(true);
  });

  it('does not matter below a folder that others cannot enter, unless that has only a link to it', () => {
    const closed = join(openFolder, 'closed');
    const below = join(closed, 'below');
    mkdirSync(below, { recursive: true, mode: 0o755 });
    chmodSync(closed, 0o700);
    const [inside, outside] = [join(below, 'secret'), join(openFolder, 'outside')];
    for (const file of [inside, outside]) writeFileSync(file, STRONG, { mode: 0o644 });
    symlinkSync(outside, join(below, 'link'));
    expect(subjects({ secretFile: inside })).toEqual([]);
    expect(subjects({ secretFile: join(below, 'link') })).toEqual(['secret file']);
  });

  // As Kubernetes does: a link to the current version of the volume.
  it.each<[mode: number, path: string, expected: readonly string[]]>([
    [0o644, 'secret', []],
    [0o444, 'secret', []],
    [0o646, 'secret', ['secret file']],
    [0o644, 'below/secret', []],
    [0o666, 'below/secret', ['secret file']],
  ])('%i in a volume of Kubernetes, at the path %s and behind a link', (mode, path, expected) => {
    const volume = mkdtempSync(join(openFolder, 'volume-'));
    chmodSync(volume, 0o755);
    const file = join(volume, '..2027', path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(file, STRONG);
    chmodSync(file, mode);
    symlinkSync('..2027', join(volume, '..data'));
    const [first = ''] = path.split('/');
    symlinkSync(`..data/${first}`, join(volume, first));
    const link = `${volume}.link`;
    symlinkSync(join(volume, path), link);
    for (const secretFile of [join(volume, path), link]) expect(subjects({ secretFile })).toEqual(expected);
  });

  it.each([
    ['app/secret', 'app'],
    ['app/secret', '..2027'],
    ['..old/secret', '..2027'],
    ['secret', '..2027'],
  ])('644 is refused for %s beside a link ..data that leads to %s', (path, target) => {
    const folder = mkdtempSync(join(openFolder, 'home-'));
    chmodSync(folder, 0o755);
    const secretFile = join(folder, path);
    mkdirSync(join(folder, target), { mode: 0o755 });
    mkdirSync(dirname(secretFile), { recursive: true, mode: 0o755 });
    writeFileSync(secretFile, STRONG);
    chmodSync(secretFile, 0o644);
    symlinkSync(target, join(folder, '..data'));
    expect(subjects({ secretFile })).toEqual(['secret file']);
  });
});

describe('the mode of other files with secrets', () => {
  const folder = join(openFolder, 'others');
  const fileWith = (name: string, text: string, mode: number): string => {
    const file = join(folder, name);
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };

  it.each(['PERSONAL_DATA_KEYS', 'CLIENT_SECRET_KEYS'])('is checked for %s_FILE', (name) => {
    const keys = `1:${randomBytes(32).toString('base64')}`;
    const problems = (mode: number) =>
      startProblems(loadConfig('config', { [`${name}_FILE`]: fileWith('keys', keys, mode), DATA_DIR: dataFolder }));
    expect(problems(0o640)).toEqual([]);
    expect(problems(0o644)).toMatchObject([
      { subject: 'secret file', found: expect.stringContaining(`${folder}/keys is open to all users`) },
    ]);
  });

  it.each(Object.entries(environmentVariables).filter(([, { isSecret }]) => isSecret))('covers %s_FILE', (name) => {
    expect(secretFilesOf({ [`${name}_FILE`]: '/keys' })).toEqual(['/keys']);
  });

  it('is checked for files that suppliers name, and the message names each', () => {
    const config = join(folder, 'config');
    const [one, two, kept] = [fileWith('one', 'x', 0o644), fileWith('two', 'x', 0o604), fileWith('kept', 'x', 0o600)];
    mkdirSync(join(config, 'suppliers'), { recursive: true });
    const credentials = `credentials: { a: '\${file:${one}}', b: '\${file:${two}}', c: '\${file:${kept}}' }`;
    const alpine = `${readFileSync('config/suppliers/alpine.yaml', 'utf8')}\n${credentials}\n`;
    writeFileSync(join(config, 'suppliers', 'alpine.yaml'), alpine);
    const [problem] = startProblems(loadConfig(config, { DATA_DIR: dataFolder }));
    expect(problem?.todo).toContain(`chmod o= ${one} ${two};`);
    const written = readFileSync('config/suppliers/alpine.yaml', 'utf8');
    const problems = (text: string) => {
      writeFileSync(join(config, 'suppliers', 'alpine.yaml'), text);
      return startProblems(loadConfig(config, { DATA_DIR: dataFolder }));
    };
    expect(problems(`${written}\n# ${credentials}\n`)).toEqual([]);
    expect(problems(alpine.replace('environments: [sandbox]', 'environments: [production]'))).toEqual([]);
    expect(problems(`${alpine}\nstate: off\n`)).toEqual([]);
  });

  it('is not checked if the file cannot be reached, which its reader reports', () => {
    const loop = join(folder, 'loop');
    symlinkSync(loop, loop);
    expect(subjects({}, [loop, join(loop, 'keys')])).toEqual([]);
  });

  it('is checked for the TLS key of the admin API', () => {
    const tls = (mode: number) => ({ certFile: '/cert', keyFile: fileWith('key', 'x', mode) });
    expect(subjects({ admin: { tls: tls(0o644) } })).toEqual(['secret file']);
    expect(subjects({ admin: { tls: tls(0o600) } })).toEqual([]);
  });
});

describe('the data folder', () => {
  it.each([
    [0o700, []],
    [0o500, []],
    [0o750, ['data folder']],
    [0o701, ['data folder']],
    [0o707, ['data folder']],
    [0o777, ['data folder']],
  ])('with mode %i', (mode, expected) => {
    chmodSync(dataFolder, mode);
    expect(subjects({})).toEqual(expected);
    chmodSync(dataFolder, 0o700);
  });

  it('need not exist', () => {
    expect(subjects({ dataFolder: join(dataFolder, 'nowhere') })).toEqual([]);
  });
});

describe('several workers', () => {
  const shared = { workers: 2, redisUrl: 'redis://r', databaseUrl: 'postgresql://p', simulators: { embedded: false } };

  it.each([
    ['REDIS_URL', { redisUrl: undefined }],
    ['DATABASE_URL', { databaseUrl: undefined }],
    ['SIMULATORS_EMBEDDED=false', { simulators: { embedded: true } }],
  ])('are refused without %s, which the message names', (name, without) => {
    const several = { ...shared, ...without };
    expect(() => refuseUnsafeStart(checked(several))).toThrow(`workers: WORKERS is 2. To fix: set ${name}`);
    expect(() => refuseUnsafeStart(checked({ ...several, workers: 1 }))).not.toThrow();
  });

  it('may share Redis and PostgreSQL', () => {
    expect(subjects(shared)).toEqual([]);
  });
});

const warnings = (settings: object) => startWarnings(checked(settings)).map(({ subject }) => subject);

describe('headers for a collector', () => {
  const sent = (endpoint: string, headers = 'authorization=Bearer%20x') => ({ tracing: { endpoint, headers } });

  it.each(['http://collector:4318', 'http://192.168.1.7', 'http://[2001:db8::1]:4318'])(
    'are refused in production, and warned of in a sandbox, unencrypted to %s',
    (endpoint) => {
      expect(subjects({ environment: 'production', secret: STRONG, ...sent(endpoint) })).toEqual(['tracing']);
      expect([subjects(sent(endpoint)), warnings(sent(endpoint))]).toEqual([[], ['tracing']]);
      const [problem] = startWarnings(checked(sent(endpoint)));
      expect(`${problem?.found} ${problem?.todo}`).not.toContain('Bearer');
    },
  );

  it.each([
    sent('https://collector:4318'),
    sent('http://127.0.0.1:4318'),
    sent('http://[::1]:4318'),
    sent('http://collector:4318', ''),
    sent('http://collector:4318', ' , '),
    { tracing: { headers: 'authorization=x' } },
  ])('may be %j', (settings) => {
    expect([subjects({ environment: 'production', secret: STRONG, ...settings }), warnings(settings)]).toEqual([
      [],
      [],
    ]);
  });
});

describe('the admin API', () => {
  const tls = { certFile: '/cert', keyFile: '/key' };

  it.each([
    [{ host: '0.0.0.0', port: 9_465 }, ['admin API']],
    [{ host: '::', port: 0 }, ['admin API']],
    [{ host: 'gateway.internal', port: 9_465 }, ['admin API']],
    [{ host: '0.0.0.0', port: 9_465, tls }, []],
    [{ host: '0.0.0.0' }, []],
    [{ port: 9_465 }, []],
    [{ host: '::1', port: 9_465 }, []],
  ])('with %j', (admin, expected) => {
    for (const settings of [{ admin }, { admin, environment: 'production', secret: STRONG }])
      expect([subjects(settings), warnings(settings)]).toEqual([[], expected]);
  });
});
