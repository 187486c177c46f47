import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A copy of the shipped configuration with files replaced. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-config-'));
  folders.push(folder);
  cpSync('config', folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const supplier = (lines: string) => `id: delta\nname: Delta\nadapter: ota-xml\nbrands: [Delta]\n${lines}`;

describe('loadConfig', () => {
  it('reads the shipped configuration: suppliers in answer order, chaos off', () => {
    const { config, suppliers } = loadConfig('config', {});
    expect(suppliers.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'abg live',
      'dune live',
      'alpine live',
      'bravo live',
      'cobalt off',
      'ember off',
    ]);
    expect(config.tokens.lifetimeSeconds).toBe(7_199);
  });

  it('lets environment variables win', () => {
    const { config } = loadConfig('config', {
      PORT: '4000',
      REDIS_URL: 'redis://x',
      MAINTENANCE: '1',
      TRUSTED_PROXIES: '10.0.0.1, 10.0.0.2',
    });
    expect(config).toMatchObject({
      http: { port: 4_000, trustedProxies: ['10.0.0.1', '10.0.0.2'] },
      redisUrl: 'redis://x',
      maintenance: { on: true },
    });
  });

  it('starts no simulator in production and no sandbox supplier', () => {
    const { config, suppliers } = loadConfig('config', { FORECOURT_ENV: 'production' });
    expect(config.simulators.embedded).toBe(false);
    expect(suppliers).toEqual([]);
  });

  it('sends alerts in clear only in the sandbox or to this machine', () => {
    const load = (environment: string, host: string) => () =>
      loadConfig('config', { FORECOURT_ENV: environment, ALERT_WEBHOOK_URL: `http://${host}/abc` });
    expect(load('production', 'hooks.example')).toThrow(/^(?!.*abc)[\s\S]*alerts\.webhookUrl: must begin with https/);
    expect(load('production', '127.0.0.1')).not.toThrow();
    expect(load('sandbox', 'hooks.example')).not.toThrow();
  });

  it.each<[string, Record<string, string>, Record<string, string>, RegExp]>([
    ['an unknown setting', { 'default.yaml': 'htp:\n  port: 1\n' }, {}, /Unrecognized key: "htp"/],
    [
      'a value out of range',
      { 'default.yaml': 'tokens: { lifetimeSeconds: 0 }' },
      {},
      /setting tokens\.lifetimeSeconds/,
    ],
    [
      'a name of the gateway with a path',
      {},
      { JOURNAL_NAME: '../gateway' },
      /setting reservations\.journal\.name: must have 1 to 100 letters/,
    ],
    ['a variable of the wrong kind', {}, { PORT: 'http' }, /variable PORT: "http" is not a number/],
    [
      'a supplier fault with file, line and key',
      { 'suppliers/delta.yaml': supplier('url: http://localhost\ntimeoutMs:\n  searchVehicles: 1\n') },
      {},
      /suppliers\/delta\.yaml:7 timeoutMs\.searchVehicles/,
    ],
    ['YAML that does not parse', { 'suppliers/delta.yaml': 'id: [' }, {}, /suppliers\/delta\.yaml:\d/],
    [
      'a tab, once',
      { 'suppliers/delta.yaml': supplier('url: http://localhost\n\tname: x\n\tbrands: y\n') },
      {},
      /^[^-]*- suppliers\/delta\.yaml:6 [^-]*$/,
    ],
    [
      'an unknown key at its own line',
      { 'suppliers/delta.yaml': supplier('url: http://localhost\nquota:\n  perSecond: 1\n  persecond: 2\nbrnds: [x]') },
      {},
      /delta\.yaml:8 quota: Unrecognized key: "persecond"[\s\S]*delta\.yaml:9 \(root\): Unrecognized key: "brnds"/,
    ],
    [
      'a key that is missing',
      { 'suppliers/delta.yaml': 'id: delta\nname: Delta\nadapter: rest' },
      {},
      /brands: is missing \(array\)/,
    ],
    [
      'a file that would not be read',
      { 'suppliers/delta.yml': supplier('') },
      {},
      /delta\.yml is not read: rename it to delta\.yaml/,
    ],
    [
      'a file that is too long',
      { 'suppliers/delta.yaml': `${supplier('url: http://localhost')}\n#${'x'.repeat(100_000)}` },
      {},
      /suppliers\/delta\.yaml is longer than 100000 bytes/,
    ],
    [
      'recorded answers that are nowhere',
      { 'suppliers/delta.yaml': supplier('simulator: { dialect: recorded }').replace('ota-xml', 'rest') },
      {},
      /delta\.yaml:5 simulator\.answers: the folder suppliers\/delta does not exist: put the recorded answers there, such as searchVehicles\.json/,
    ],
    [
      'recorded answers that are no JSON',
      {
        'suppliers/delta.yaml': supplier('simulator: { dialect: recorded, answers: .. }').replace('ota-xml', 'rest'),
        'cars.json': '{ "a": }',
      },
      {},
      /delta\.yaml:5 simulator\.answers: cars\.json is not valid JSON: /,
    ],
    [
      'recorded answers for code',
      { 'suppliers/delta.yaml': supplier('simulator: { dialect: recorded }') },
      {},
      /works only with manifests \(adapter: rest\)/,
    ],
    [
      'an id that is not the file name',
      { 'suppliers/other.yaml': supplier('url: http://localhost') },
      {},
      /id: must be "other"/,
    ],
    ['neither url nor simulator', { 'suppliers/delta.yaml': supplier('') }, {}, /url: is required/],
    [
      'a secret written into the file',
      { 'suppliers/delta.yaml': supplier('url: http://localhost\ncredentials: { password: hunter2 }') },
      {},
      /suppliers\/delta\.yaml:6 credentials\.password: must be an environment variable/,
    ],
    [
      'a secret written into the file of a real supplier that has a simulator as well',
      {
        'suppliers/delta.yaml': supplier(
          'url: http://localhost\ncredentials: { password: hunter2 }\nsimulator: { dialect: ota }',
        ),
      },
      {},
      /suppliers\/delta\.yaml:6 credentials\.password: must be an environment variable/,
    ],
    [
      'a secret that is not set',
      { 'suppliers/delta.yaml': supplier('url: http://localhost\ncredentials: { password: "${DELTA_PASSWORD}" }') },
      {},
      /suppliers\/delta\.yaml:6 credentials\.password: the environment variable DELTA_PASSWORD is not set/,
    ],
    [
      'a url that is none',
      { 'suppliers/delta.yaml': supplier('url: delta.example') },
      {},
      /suppliers\/delta\.yaml:5 url: is not a URL/,
    ],
    [
      'a url of another scheme',
      { 'suppliers/delta.yaml': supplier('url: file:///etc') },
      {},
      /delta\.yaml:5 url: must begin with https/,
    ],
    [
      'a url that would lose its query',
      { 'suppliers/delta.yaml': supplier('url: https://delta.example/a?k=1') },
      {},
      /must not have a query/,
    ],
    [
      'a url with a password',
      { 'suppliers/delta.yaml': supplier('url: https://me:hunter2@delta.example') },
      {},
      /^(?!.*hunter2).*suppliers\/delta\.yaml:5 url: must not contain a user or password/s,
    ],
    [
      'a variable that is no URL',
      {},
      { SUPPLIER_ALPINE_URL: 'alpine.example' },
      /variable SUPPLIER_ALPINE_URL: is not a URL/,
    ],
    [
      'an alias that means nothing',
      { 'suppliers/delta.yaml': supplier('options: *nothing') },
      {},
      /suppliers\/delta\.yaml .*nothing/,
    ],
    [
      'simulators in production',
      {},
      { FORECOURT_ENV: 'production', SIMULATORS_EMBEDDED: 'true' },
      /setting simulators\.embedded: not allowed in production/,
    ],
    [
      'loyalty programs of an unknown brand',
      { 'suppliers/delta.yaml': supplier('url: http://localhost\nloyaltyPrograms:\n  Detla: [Delta Plus]') },
      {},
      /suppliers\/delta\.yaml:7 loyaltyPrograms\.Detla: is not one of the brands \(Delta\)/,
    ],
    [
      'a supplier timeout that reaches the request budget',
      {},
      { REQUEST_BUDGET_MS: '4000' },
      /suppliers\/abg\.yaml:\d+ timeoutMs\.searchVehicles: 4000 must be at least 100 ms below/,
    ],
  ])('rejects %s and names the place', (_title, files, env, message) => {
    expect(() => loadConfig(folderWith(files), env)).toThrow(message);
  });

  it('requires no secrets of suppliers of the other environment', () => {
    const folder = folderWith({
      'suppliers/delta.yaml': supplier(
        'url: http://localhost\nenvironments: [production]\ncredentials: { password: "${DELTA_PASSWORD}" }',
      ),
    });
    expect(loadConfig(folder, {}).suppliers.map(({ id }) => id)).not.toContain('delta');
    expect(() => loadConfig(folder, { FORECOURT_ENV: 'production' })).toThrow(/DELTA_PASSWORD is not set/);
  });

  describe('http:// suppliers', () => {
    const folderOf = (url: string, environment: string) =>
      folderWith({ 'suppliers/delta.yaml': supplier(`url: ${url}\nenvironments: [${environment}]\nstate: 'off'`) });
    const urlIn = (environment: string, url: string) =>
      loadConfig(folderOf(url, environment), { FORECOURT_ENV: environment }).suppliers.find(({ id }) => id === 'delta')
        ?.url;

    it.each([
      'http://cars.example',
      'http://10.0.0.7:8080/api',
      'http://169.254.1.1',
      'http://[fd00::7]',
      'http://localhost.example',
      'HTTP://127.0.0.1.example',
      'http://128.0.0.1',
    ])('%s is refused in production, with its line', (url) => {
      const refused = /suppliers\/delta\.yaml:5 url: must begin with https:\/\/ in production/;
      expect(() => urlIn('production', url)).toThrow(refused);
      expect(urlIn('sandbox', url)).toBe(url);
    });

    it.each([
      'http://127.0.0.1:9',
      'http://localhost',
      'http://[::1]:80',
      'http://[::ffff:127.0.0.1]',
      'http://0x7f.1',
    ])('%s stays on this machine', (url) => {
      expect(urlIn('production', url)).toBe(url);
    });

    it('are refused from a variable and when the files are read again', () => {
      const folder = folderOf('https://cars.example', 'production');
      const env = { FORECOURT_ENV: 'production' };
      expect(() => loadConfig(folder, { ...env, SUPPLIER_DELTA_URL: 'http://cars.example' })).toThrow(
        /variable SUPPLIER_DELTA_URL: must begin with https/,
      );
      const { readSuppliers } = loadConfig(folder, env);
      const text = supplier('url: http://cars.example\nenvironments: [production]');
      writeFileSync(join(folder, 'suppliers', 'delta.yaml'), text);
      expect(readSuppliers).toThrow(/must begin with https/);
    });
  });

  it('treats an empty variable as unset', () => {
    const urls = loadConfig('config', { SUPPLIER_ALPINE_URL: '' }).suppliers.map(({ url }) => url);
    expect(urls).toEqual(loadConfig('config', {}).suppliers.map(({ url }) => url));
  });

  it('reads nothing but files, because reading a device may never end', () => {
    const folder = folderWith({});
    symlinkSync('/dev/zero', join(folder, 'suppliers', 'delta.yaml'));
    expect(() => loadConfig(folder, {})).toThrow(/suppliers\/delta\.yaml is not a file/);
  });

  it('ignores files that editors and systems create', () => {
    const folder = folderWith({ 'suppliers/._alpine.yaml': 'Mac OS X', 'suppliers/alpine.yaml~': '[' });
    symlinkSync('me@here.1:2', join(folder, 'suppliers', '.#alpine.yaml'));
    expect(loadConfig(folder, {}).suppliers).toEqual(loadConfig('config', {}).suppliers);
  });

  it('ignores files that editors and systems create beside recorded answers, and names the answers it cannot read', () => {
    const folder = folderWith({
      'suppliers/delta.yaml': supplier('simulator: { dialect: recorded }').replace('ota-xml', 'rest'),
    });
    const answers = join(folder, 'suppliers', 'delta');
    mkdirSync(answers);
    writeFileSync(join(answers, '._book.json'), 'Mac OS X');
    symlinkSync('me@here.1:2', join(answers, '.#book.json'));
    expect(loadConfig(folder, {}).suppliers.map(({ id }) => id)).toContain('delta');
    mkdirSync(join(answers, 'book.json'));
    expect(() => loadConfig(folder, {})).toThrow(
      /delta\.yaml:5 simulator\.answers: suppliers\/delta\/book\.json is not valid JSON: .*EISDIR/,
    );
    rmSync(answers, { recursive: true });
    writeFileSync(answers, '');
    expect(() => loadConfig(folder, {})).toThrow(
      /delta\.yaml:5 simulator\.answers: the folder suppliers\/delta does not exist/,
    );
  });

  it('requires no recorded answers in production', () => {
    const text = supplier('url: https://delta.example\nsimulator: { dialect: recorded }').replace('ota-xml', 'rest');
    const folder = folderWith({ 'suppliers/delta.yaml': text });
    const { suppliers } = loadConfig(folder, { FORECOURT_ENV: 'production' });
    expect(suppliers.find(({ id }) => id === 'delta')).toMatchObject({ isSimulated: false });
    expect(() => loadConfig(folder, {})).toThrow(/the folder suppliers\/delta does not exist/);
  });

  it('rereads the suppliers only while their folder exists', () => {
    const folder = folderWith({});
    const { readSuppliers, suppliers } = loadConfig(folder, {});
    expect(readSuppliers()).toEqual(suppliers);
    rmSync(join(folder, 'suppliers'), { recursive: true });
    expect(readSuppliers).toThrow('suppliers/: the folder does not exist');
  });

  it('reads a secret from the environment', () => {
    const folder = folderWith({
      'suppliers/delta.yaml': supplier('url: http://localhost\ncredentials: { password: "${DELTA_PASSWORD}" }'),
    });
    const { suppliers } = loadConfig(folder, { DELTA_PASSWORD: 'from outside' });
    expect(suppliers.find(({ id }) => id === 'delta')?.credentials).toEqual({ password: 'from outside' });
  });

  it('requires only the secrets of the suppliers that a command names', () => {
    const folder = folderWith({
      'suppliers/delta.yaml': supplier('url: http://localhost\ncredentials: { password: "${DELTA_PASSWORD}" }'),
    });
    expect(() => loadConfig(folder, {}, ['delta'])).toThrow(/DELTA_PASSWORD is not set/);
    for (const secretsOf of [[], ['alpine']]) {
      const { suppliers } = loadConfig(folder, {}, secretsOf);
      expect(suppliers.find(({ id }) => id === 'delta')?.credentials).toEqual({});
    }
  });
});
