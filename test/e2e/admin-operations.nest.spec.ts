import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type AdminServer, serveAdmin } from '../../src/admin/admin-server.js';
import { adminOperations } from '../../src/admin/operations.js';
import { AdminKeys } from '../../src/admin-keys/admin-keys.js';
import type { OpenedGateway } from '../../src/cli/command-run.js';
import { insertOperatedRows } from '../../src/cli/fixtures/operated-rows.js';
import { loadKeys } from '../../src/config/keys.js';
import { loadConfig } from '../../src/config/load-config.js';
import { createLogger } from '../../src/config/logger.js';
import { FailedExchangeLog } from '../../src/records/failed-exchange-log.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { type AdminAnswered, type AdminKeyFile, adminCall, requestWithBody } from '../support/admin-client.js';
import { claim } from '../support/claim.js';
import { migratedDatabase } from '../support/migrated-database.js';
import { OpenApiCheck } from '../support/openapi-check.js';
import { OPERATOR_CHANGES, OPERATOR_READS, type OperatorCall, REASON as reason } from '../support/operator-calls.js';
import { PROJECT } from '../support/project.js';

const FORECOURT_SECRET = randomBytes(32).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'forecourt-admin-'));
const database = migratedDatabase();
const servers = new Map<string, AdminServer>();
const keys = new Map<string, AdminKeyFile>();
/** Ids that are known only when the tests run, by the names that stand for them. */
const ids = new Map<string, string>();
let check: OpenApiCheck;

/** A gateway of one environment; both share the database. */
function opened(environment: 'sandbox' | 'production'): OpenedGateway {
  const env = {
    ...{ FORECOURT_ENV: environment, DATA_DIR: folder, ADMIN_PORT: '0' },
    FORECOURT_SECRET,
    ...(environment === 'production' ? { PUBLIC_URL: 'https://cars.example.com', JOURNAL_DIR: 'off' } : {}),
  };
  const { config, suppliers } = loadConfig(join(PROJECT, 'config'), env, []);
  const parts = { config, suppliers, suppliersToCall: () => suppliers, keys: loadKeys(config), database: database() };
  return { folder: join(PROJECT, 'config'), ...parts, store: new MemoryStore(1_000), isServing: false };
}

beforeAll(async () => {
  const sandbox = opened('sandbox');
  for (const [name, id] of await insertOperatedRows(database(), sandbox.config, sandbox.keys)) ids.set(name, id);
  await database().rows(sql`insert into accounts (id, environment, name, tier, email)
    select 'acc_' || n, 'sandbox', 'Person ' || n, 'standard', n || '@example.com' from generate_series(1, 3) n`);
  await new FailedExchangeLog(database(), sandbox.config).keep([
    {
      ...{ at: Date.now(), supplier: 'bravo', operation: 'search', cause: 'timeout', requestId: 'req_1', why: 'late' },
      ...{ durationMs: 900, exchanges: [] },
    },
  ]);
  await database().rows(sql`insert into webhook_deliveries (endpoint_id, event_id, application_id, environment, type, subject, data, at)
    select id, 'evt_1', application_id, environment, 'reservation.confirmed', 'res_1', '{}', now() from webhook_endpoints
    where id = ${ids.get('whe_1')}`);
  for (const environment of ['sandbox', 'production'] as const) {
    const gateway = environment === 'sandbox' ? sandbox : opened(environment);
    const server = await serveAdmin(gateway, createLogger('silent'));
    if (server) servers.set(environment, server);
    for (const role of ['operator', 'viewer'] as const) {
      const made = await new AdminKeys(database(), environment).create(
        { name: 'Deploys', role, expiresAt: new Date(Date.now() + 3_600_000) },
        'ops',
      );
      keys.set(`${environment} ${role}`, { key_id: made.id, private_key: made.privateKey });
    }
  }
  const response = await fetch(`${origin()}/admin/openapi.json`);
  check = new OpenApiCheck((await response.json()) as ConstructorParameters<typeof OpenApiCheck>[0]);
}, 60_000);
afterAll(async () => {
  for (const server of servers.values()) await server.close();
  rmSync(folder, { recursive: true });
});

const origin = (environment = 'sandbox'): string => servers.get(environment)?.url ?? '';

/** A call whose answer must be as described. */
async function call(
  [method, path, body]: readonly [string, string, unknown?],
  who = 'sandbox operator',
): Promise<AdminAnswered> {
  const key = keys.get(who);
  if (!key) throw new Error(`there is no key of ${who}`);
  const target = `/admin/v1${path.replaceAll(/whe_\d/g, (name) => ids.get(name) ?? name)}`;
  const answer = await adminCall(origin(who.split(' ')[0]), key, [method, target, body]);
  const contentType = answer.headers.get('content-type') ?? undefined;
  check.check({ method, path: target, status: answer.status, contentType, text: answer.text });
  return answer;
}

const named = (rows: readonly OperatorCall[]) =>
  rows.map(([id, method, path, body = {}, environment = 'sandbox']) => ({ id, method, path, body, environment }));

/** Operations that send something and don't change settings: they have a log of their own. */
const UNRECORDED = ['testWebhook', 'replayEvents'];
/** The results of commands that record nothing. */
const RESULTS: Readonly<Record<string, object>> = {
  testWebhook: { event_id: expect.stringMatching(/^evt_/), state: 'queued' },
  replayEvents: { queued: 1 },
};

it('every operation has a row here', () => {
  const rows = [...OPERATOR_READS, ...OPERATOR_CHANGES].map(([id]) => id);
  expect([...new Set(rows)].sort()).toEqual(adminOperations.map(({ id }) => id).sort());
});

it.each(named(OPERATOR_READS))(
  '$id: $method $path answers as described and changes nothing',
  async ({ method, path }) => {
    const count = (await events()).length;
    expect((await call([method, path], 'sandbox viewer')).status).toBe(200);
    expect((await events()).length).toBe(count);
  },
);

const events = () => database().rows<Record<string, unknown>>(sql`select * from audit_events order by id`);

const onlyOnPages = adminOperations.filter(({ isOnlyOnPages }) => isOnlyOnPages).map(({ id }) => id);

claim.each<[string, readonly [string, string, object], number]>([
  ['createOperator', ['POST', '/accounts', { email: 'another.ops@example.com', reason }], 403],
  ['promoteAccount', ['POST', '/accounts/acc_dev/promotion', { reason }], 403],
  ['resetSecondFactor', ['POST', '/accounts/acc_ops/second-factor-reset', { reason }], 400],
])(
  'API5',
  "A key of the admin API can't make an account an operator, because that would outlast the revocation of the key.",
  '%s',
  async (id, words, status) => {
    await database().rows(sql`insert into accounts (id, environment, name, email, tier, role, verified_at)
    values ('acc_ops', 'sandbox', 'Ops', 'ops@example.com', 'standard', 'ops', now()) on conflict do nothing`);
    const before = (await events()).length;
    const answer = await call(words);
    expect([answer.status, answer.body.status.errors[0].details]).toEqual([
      status,
      expect.stringContaining('gw on the machine of a gateway'),
    ]);
    const [, name = ''] = adminOperations.find((one) => one.id === id)?.command.split(' ') ?? [];
    const typed = [
      'accounts',
      name,
      id === 'createOperator' ? 'another.ops@example.com' : id === 'promoteAccount' ? 'acc_dev' : 'acc_ops',
    ];
    const streamed = await call(['POST', '/commands', { words: [...typed, '--reason', reason] }]);
    expect(streamed.text).toContain('gw on the machine of a gateway');
    expect((await events()).length).toBe(before);
  },
);

it.each(named(OPERATOR_CHANGES).filter(({ id }) => !onlyOnPages.includes(id)))(
  '$id: $method $path is recorded with the key, the address and the reason',
  async ({ id, method, path, body, environment }) => {
    // A key can't.
    if (id === 'demoteAccount') await database().rows(sql`update accounts set role = 'ops' where id = 'acc_dev'`);
    const before = (await events()).length;
    const recorded = !UNRECORDED.includes(id);
    const values = { ...body, ...(recorded ? { reason } : {}), ...(await copiedFor(id)) };
    const viewer = await call([method, path, values], `${environment} viewer`);
    expect([viewer.status, (await events()).length]).toEqual([403, before]);
    const answer = await call([method, path, values], `${environment} operator`);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ status: expect.anything() })]);
    const added = (await events()).slice(before);
    expect(added.length > 0).toBe(recorded);
    for (const event of added)
      expect(event).toMatchObject({
        ...{ actor: 'ops', channel: 'admin_api', environment },
        agent: `${keys.get(`${environment} operator`)?.key_id} (Deploys)`,
        // The erasure of an account includes why it was asked for, and from where.
        ...(id === 'deleteAccount' ? {} : { address: '127.0.0.1', reason }),
        request_id: answer.headers.get('x-request-id'),
      });
    if (id in RESULTS) expect(answer.body.result).toEqual(RESULTS[id]);
    expect(answer.body.changes).toMatchObject(added.map(({ action, subject }) => ({ action, subject })));
  },
);

/** What approval copies, as the list says. */
async function copiedFor(id: string): Promise<object> {
  if (id !== 'approveAccessRequest') return {};
  const { body } = await call(['GET', '/access-requests'], 'production operator');
  return { copied: body.items.find((item: { request: string }) => item.request === 'lau_1').copied };
}

it.each<[number, string, readonly [string, string, unknown?], object]>([
  [404, 'resource_failure', ['GET', '/nothing'], {}],
  [404, 'resource_failure', ['POST', '/suppliers'], {}],
  [404, 'resource_failure', ['GET', '/suppliers/nobody'], {}],
  [404, 'resource_failure', ['PUT', '/suppliers/nobody/state', { state: 'live', reason }], {}],
  [404, 'resource_failure', ['GET', '/reservations/res_none'], {}],
  [404, 'resource_failure', ['POST', '/webhooks/whe_none/disabling', { reason }], {}],
  [400, 'invalid_format', ['GET', '/reservations/--help'], { field: 'reservation' }],
  [400, 'invalid_format', ['GET', '/suppliers/%ff'], { field: 'supplier' }],
  [
    400,
    'invalid_format',
    ['POST', '/incidents', { part: 'search', text: 'We look into it \ud83d', reason }],
    { details: expect.stringContaining('half a character') },
  ],
  [400, 'invalid_request', ['PUT', '/suppliers/bravo/state', { state: 'live' }], { field: 'reason' }],
  [400, 'invalid_range', ['PUT', '/suppliers/bravo/state', { state: 'fast', reason }], { field: 'state' }],
  [400, 'invalid_request', ['PUT', '/suppliers/bravo/state', { state: 'live', reason, x: 1 }], { field: 'x' }],
  [400, 'invalid_request', ['PUT', '/suppliers/bravo/state'], {}],
  [
    400,
    'invalid_request',
    ['PUT', '/suppliers/bravo/state', { state: 'maintenance', until: '2020-01-01T00:00:00Z', reason }],
    { field: 'until', details: 'Until must be in the future.' },
  ],
  [400, 'invalid_range', ['GET', '/reservations?limit=501'], { field: 'limit' }],
  [400, 'invalid_request', ['GET', '/reservations?limit=1&limit=2'], { field: 'limit' }],
  [400, 'invalid_format', ['GET', '/reservations?cursor=x'], { field: 'cursor' }],
  [400, 'invalid_request', ['GET', '/reservations?colour=red'], { field: 'colour' }],
  [400, 'invalid_request', ['GET', '/suppliers', { a: 1 }], {}],
  [400, 'invalid_request', ['POST', '/reservations/res_resolved/resolution', { as: 'failed', reason }], {}],
  [400, 'invalid_request', ['POST', '/access-requests/lau_1/approval', { copied: 'x', reason }], {}],
  // The approval of a request has made an account in production.
  [
    400,
    'invalid_request',
    ['POST', '/products/car_reservation/versions/v1/retirement', { reason }],
    { details: expect.stringContaining('This database also serves production') },
  ],
  [400, 'invalid_range', ['POST', '/commands', { words: ['adapter', 'new'] }], { field: 'words' }],
])('%s %s: %j', async (status, why, words, entry) => {
  const answer = words[0] === 'GET' && words[2] ? await getWithBody(words[1]) : await call(words);
  expect([answer.status, answer.body.status.errors]).toEqual([
    status,
    [expect.objectContaining({ code: String(status), reason: why, ...entry })],
  ]);
});

/** `fetch` sends no body with GET. */
async function getWithBody(path: string): Promise<AdminAnswered> {
  const key = keys.get('sandbox operator');
  if (!key) throw new Error('the key was made');
  return await requestWithBody(origin(), key, `/admin/v1${path}`, '{}');
}

it('lists go on at their cursor without gaps and repetitions', async () => {
  for (const list of ['/reservations', '/applications', '/accounts', '/audit/events']) {
    const all = (await call(['GET', `${list}?limit=500`])).body.items;
    const read: unknown[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await call(['GET', `${list}?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`]);
      read.push(...body.items);
      cursor = body.next_cursor;
    } while (cursor !== null && read.length <= all.length);
    expect(all.length).toBeGreaterThan(1);
    expect(read).toEqual(all);
  }
});

it('a production gateway does not accept keys of the sandbox', async () => {
  const key = keys.get('sandbox operator');
  if (!key) throw new Error('the key was made');
  expect((await adminCall(origin('production'), key, ['GET', '/admin/v1/suppliers'])).status).toBe(401);
});
