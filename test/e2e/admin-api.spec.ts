import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminKeyFile, adminCall, adminOrigin, type CallChanges, signedHeaders } from '../support/admin-client.js';
import { claim } from '../support/claim.js';
import { gwInThread, type Said } from '../support/gw.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const folder = mkdtempSync(join(tmpdir(), 'forecourt-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LIST = '/admin/v1/suppliers';
const origin = () => adminOrigin(running().gateway.dataFolder);
const local = (...words: string[]): Said => gwInThread(words, running().commandEnv);
const soon = () => `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z`;

/** Creates a key and returns the path of its file. */
function newKeyFile(role = 'operator'): string {
  const { stdout } = local('admin-keys', 'create', '--name', 'Deploys', '--role', role, '--expires', soon());
  const file = join(folder, `${(JSON.parse(stdout) as AdminKeyFile).key_id}.json`);
  writeFileSync(file, stdout, { mode: 0o600 });
  return file;
}
const readKey = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as AdminKeyFile;

let keyFile: string;
let key: AdminKeyFile;
beforeAll(() => {
  keyFile = newKeyFile();
  key = readKey(keyFile);
});

const call = (words: readonly [string, string, unknown?], changes?: CallChanges) =>
  adminCall(origin(), key, words, changes);

claim.each<[string, () => Promise<{ readonly status: number }>, number?]>([
  ['no signature', () => unsigned()],
  ['the token of a developer', async () => unsigned(await bearer())],
  [
    'a signature of another path',
    () => call(['GET', LIST], { headers: signedHeaders(key, 'GET', '/admin/v1/health') }),
  ],
  ['a signature of another method', () => call(['GET', LIST], { headers: signedHeaders(key, 'POST', LIST) })],
  ['a signature of another query', () => call(['GET', LIST], { headers: signedHeaders(key, 'GET', `${LIST}?a=b`) })],
  ['another body than the signed one', () => call(['POST', '/admin/v1/commands', { words: ['health'] }], OTHER_BODY)],
  ['a clock that is 6 minutes behind', () => call(['GET', LIST], { aheadSeconds: -360 })],
  ['a clock that is 6 minutes ahead', () => call(['GET', LIST], { aheadSeconds: 360 })],
  ['a clock that is 4 minutes behind', () => call(['GET', LIST], { aheadSeconds: -240 }), 200],
  ['a call that was sent before', sentTwice],
])(
  ['API2', 'API5', 'V8.2.1'],
  'The admin API accepts only calls signed by a valid key, each once, within 5 minutes, for their method, path, query and body.',
  '%s',
  async (_what, send, status = 401) => {
    expect((await send()).status).toBe(status);
  },
);

/** The commands that run in between block this process for longer than the gateway keeps connections. */
const unsigned = (headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${origin()}${LIST}`, { headers: { connection: 'close', ...headers } });
const OTHER_BODY: CallChanges = { sentBody: '{"words":["keys","rotate"]}' };
const bearer = async () => ({ authorization: `Bearer ${await running().client.token()}` });

async function sentTwice() {
  const headers = signedHeaders(key, 'GET', LIST);
  expect((await call(['GET', LIST], { headers })).status).toBe(200);
  return await call(['GET', LIST], { headers });
}

claim(['API2', 'V8.3.2'], 'A revoked key of the admin API is refused from the next call on.', async () => {
  const file = newKeyFile('viewer');
  const own = readKey(file);
  expect((await adminCall(origin(), own, ['GET', LIST])).status).toBe(200);
  expect(local('admin-keys', 'revoke', own.key_id).status).toBe(0);
  expect((await adminCall(origin(), own, ['GET', LIST])).status).toBe(401);
});

claim(['API8', 'API9'], 'The admin API is not served on the port for callers, even for signed calls.', async () => {
  const { baseUrl } = running().gateway;
  for (const target of [LIST, '/admin/openapi.json', '/admin/v1/commands', '/admin/'])
    expect((await adminCall(baseUrl, key, ['GET', target])).status).toBe(404);
  expect((await adminCall(baseUrl, key, ['POST', '/admin/v1/commands', { words: ['health'] }])).status).toBe(404);
});

describe('gw --remote', () => {
  const remoteWords = (...words: string[]) => ['--remote', origin(), '--key-file', keyFile, ...words];
  const elsewhere = { DATA_DIR: join(folder, 'nothing') };
  const remote = (...words: string[]): Said => gwInThread(remoteWords(...words), elsewhere);

  test.each([
    [['supplier', 'list']],
    [['supplier', 'list', '--json']],
    [['products', 'list']],
    [['supplier', 'state', 'nobody', 'live']],
    [['supplier', 'fly']],
    [['incident', '--help']],
  ])('%j has the output and the exit code of the same command on this machine', (words) => {
    expect(remote(...words)).toEqual(local(...words));
  });

  test('changes take effect on the gateway, and are recorded with the key and the address', () => {
    expect(remote('supplier', 'state', 'bravo', 'drain', '--reason', 'as agreed')).toEqual({
      ...{ status: 0, stdout: 'bravo: drain\n', stderr: '' },
    });
    expect(local('supplier', 'list').stdout).toContain('bravo\tdrain\t-\tlive\n');
    const [event] = JSON.parse(
      local('audit', 'list', '--subject', 'bravo', '--limit', '1', '--json').stdout,
    ) as object[];
    expect(event).toMatchObject({
      ...{ channel: 'admin_api', agent: `${key.key_id} (Deploys)`, address: '127.0.0.1', reason: 'as agreed' },
    });
    expect(remote('supplier', 'state', 'bravo', 'configured').status).toBe(0);
  });

  test('streams long output', () => {
    const { status, stdout } = remote('audit', 'export');
    expect([status, stdout.trimEnd().split('\n').length]).toEqual([0, expect.any(Number)]);
    expect(JSON.parse(stdout.slice(0, stdout.indexOf('\n')))).toMatchObject({ sequence: 1 });
  });

  beforeAll(async () => {
    await running().postgres.query(
      `insert into accounts (id, environment, name, tier, email) values ('acc_remote', 'sandbox', 'Ada Sample', 'demo', 'remote@example.com')`,
    );
  });

  test.each<[string, () => Said, string]>([
    [
      'a question without a terminal',
      () => remote('accounts', 'delete', 'acc_remote'),
      'confirmation needs a terminal',
    ],
    ['a command of this machine', () => remote('doctor'), "doctor can't run with --remote"],
    [
      'a new key',
      () => remote('admin-keys', 'create', '--name', 'x', '--role', 'viewer', '--expires', soon()),
      'on the machine of a gateway only',
    ],
    [
      'no TLS',
      () => gwInThread(['--remote', 'http://192.0.2.1:1', '--key-file', keyFile, 'health']),
      'must begin with https://',
    ],
    [
      'a viewer',
      () => gwInThread(['--remote', origin(), '--key-file', newKeyFile('viewer'), 'health']),
      'The key may only read',
    ],
    [
      'a public port',
      () => gwInThread(['--remote', running().gateway.baseUrl, '--key-file', keyFile, 'health']),
      'There is no',
    ],
    [
      'a file that others can read',
      () => gwInThread(['--remote', origin(), '--key-file', openFile(), 'health']),
      'can be read by others',
    ],
    [
      'no gateway',
      () => gwInThread(['--remote', 'http://127.0.0.1:1025', '--key-file', keyFile, 'health']),
      'ECONNREFUSED',
    ],
  ])('%s is refused', (_what, run, message) => {
    expect(run()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  function openFile(): string {
    const file = join(folder, 'open.json');
    writeFileSync(file, JSON.stringify(key), { mode: 0o644 });
    return file;
  }
});

claim(
  ['API2', 'V6.1.1'],
  'After 20 calls of the admin API without a valid signature within a minute, further calls from that network get 429.',
  async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) statuses.push((await unsigned()).status);
    expect(statuses.at(-1)).toBe(429);
    const answer = await call(['GET', LIST]);
    expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
  },
);
