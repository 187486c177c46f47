import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { sql } from 'drizzle-orm';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { PROJECT } from '../../test/support/project.js';
import { loadKeys } from '../config/keys.js';
import { loadConfig } from '../config/load-config.js';
import type { Database } from '../database/database.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { insertOperatedRows } from './fixtures/operated-rows.js';
import { addCommands, runCommand } from './run-command.js';

const FORECOURT_SECRET = randomBytes(32).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'forecourt-commands-'));
afterAll(() => rmSync(folder, { recursive: true }));
const database = migratedDatabase();

/** A gateway of one environment; both share the database. */
function opened(environment: 'sandbox' | 'production', more: Readonly<Record<string, string>> = {}): OpenedGateway {
  const env = {
    FORECOURT_ENV: environment,
    FORECOURT_SECRET,
    DATA_DIR: folder,
    ...(environment === 'production' ? { PUBLIC_URL: 'https://cars.example.com', JOURNAL_DIR: 'off' } : {}),
    ...more,
  };
  const { config, suppliers } = loadConfig(join(PROJECT, 'config'), env, []);
  const store = new MemoryStore(1_000);
  const [keys, suppliersToCall] = [loadKeys(config), () => suppliers];
  const parts = { config, suppliers, suppliersToCall, keys, database: database(), store };
  return { folder: join(PROJECT, 'config'), ...parts, isServing: false };
}

/** What a command said. */
interface Said {
  readonly code: number;
  readonly out: string;
  readonly told: string;
}

async function gw(
  words: readonly string[],
  environment: 'sandbox' | 'production' = 'sandbox',
  more: Readonly<Record<string, string>> = {},
  other?: Database,
): Promise<Said> {
  const lines: string[] = [];
  const told: string[] = [];
  const run: CommandRun = {
    user: 'root (alice)',
    workingFolder: folder,
    print: (line) => void lines.push(line),
    tell: (line) => void told.push(line),
    write: async (chunks) => {
      for await (const chunk of chunks) lines.push(chunk);
    },
    confirm: async () => true,
    fail: () => undefined,
    gateway: (work) => work({ ...opened(environment, more), ...(other ? { database: other } : {}) }),
  };
  const code = await runCommand(
    words.map((word) => ids.get(word) ?? word),
    run,
  );
  return { code, out: lines.join('\n'), told: told.join('\n') };
}

/** All commands without subcommands, by their words. */
async function commandsOfGw(): Promise<readonly string[]> {
  const program = new Command('gw');
  await addCommands(program, {} as CommandRun);
  const leaves = (command: Command, words: readonly string[]): string[] =>
    command.commands.length === 0
      ? [words.join(' ')]
      : command.commands.flatMap((one) => leaves(one, [...words, one.name()]));
  return leaves(program, []).sort();
}

const V = (version: string) => ['--version', version, '--yes'];
/** Ids that are known only when the tests run, by the names that stand for them. */
const ids = new Map<string, string>();
/** Tomorrow, as keys need it. */
function soon(): string {
  return `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z`;
}

const PLANNED = ['--from', '2099-01-31T04:00:00Z', '--until', '2099-01-31T05:00:00Z'];
/** Commands that change something, each with arguments that do, in order. */
const CHANGES: readonly (readonly [string, readonly string[], ('sandbox' | 'production')?])[] = [
  ['accounts create-ops', ['new.ops@example.com']],
  ['accounts promote', ['acc_dev']],
  ['accounts demote', ['acc_dev']],
  ['accounts reset-factor', ['acc_dev']],
  ['accounts export', ['acc_dev']],
  ['access-requests approve', ['lau_1'], 'production'],
  ['access-requests reject', ['lau_2'], 'production'],
  ['apps create', ['Another', '--account', 'acc_dev']],
  ['apps origins', ['app_1', 'https://shop.example.com']],
  ['apps tier', ['app_1', 'demo']],
  ['accounts tier', ['acc_dev', 'demo']],
  ['apps suspend', ['app_1']],
  ['apps resume', ['app_1']],
  ['secrets rotate', ['app_1']],
  ['secrets show', ['app_1']],
  ['secrets revoke', ['sec_1']],
  ['keys rotate', []],
  ['maintenance on', ['service']],
  ['maintenance off', ['service']],
  ['products beta-add', ['car_availability', 'app_1', '--version', 'v9']],
  ['products beta-remove', ['car_availability', 'app_1', '--version', 'v9']],
  ['products promote', ['car_availability', ...V('v9')]],
  ['products deprecate', ['car_reservation', ...V('v1')], 'production'],
  ['products retire', ['car_reservation', ...V('v1')], 'production'],
  ['products restore', ['car_reservation', ...V('v1')], 'production'],
  ['reservation resolve', ['res_resolved', '--as', 'failed']],
  ['reservation cancel', ['res_cancelled']],
  ['reservation erase', ['res_erased', '--force']],
  ['reservation reseal', []],
  ['maintenance plan', ['service', ...PLANNED]],
  ['supplier maintenance', ['bravo', ...PLANNED]],
  ['switch off', ['brand', 'Bravo']],
  ['switch remove', ['sw_1']],
  ['incident open', ['search', '--text', 'Slow answers']],
  ['incident note', ['inc_open', '--text', 'Found']],
  ['incident close', ['inc_open']],
  ['clock move', ['app_1', '--outcome', 'no_show']],
  ['clock reset', ['app_1']],
  ['webhooks add', ['app_1', 'https://hooks.example.com/new']],
  ['webhooks rotate', ['whe_1']],
  ['webhooks disable', ['whe_1']],
  ['webhooks enable', ['whe_1']],
  ['webhooks delete', ['whe_1', '--yes']],
  ['supplier state', ['bravo', 'drain']],
  ['supplier canary', ['bravo', '--percent', '10']],
  ['supplier state', ['bravo', 'configured']],
  ['admin-keys create', ['--name', 'Deploys', '--role', 'operator', '--expires', soon()]],
  ['admin-keys revoke', ['adk_1']],
  ['accounts delete', ['acc_dev', '--yes']],
];

interface Change {
  readonly path: string;
  readonly words: readonly string[];
  readonly environment: 'sandbox' | 'production';
}

/** Commands that change nothing, with arguments. */
const READS: readonly (readonly [string, readonly string[]])[] = [
  ['access-requests list', []],
  ['accounts list', []],
  ['admin-keys list', []],
  ['apps list', []],
  ['apps show', ['app_1']],
  ['audit export', []],
  ['audit list', []],
  ['audit verify', []],
  ['certify', ['app_other']],
  ['clock show', ['app_other']],
  ['incident list', []],
  ['maintenance list', []],
  ['products describe', []],
  ['products list', []],
  ['reservation audit', ['--since', '2027-01-31T04:00:00Z']],
  ['reservation show', ['res_erased']],
  ['reservation unclear', []],
  ['supplier list', []],
  ['switch list', []],
  ['webhooks deliveries', ['whe_2']],
  ['webhooks list', ['app_other']],
];

/** Why a command isn't in the audit log although it may change something. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'adapter new': 'writes files of the project',
  'adapter record': 'writes files of the project',
  'adapter test': 'runs an adapter against fakes',
  'adapter try': 'maps recorded responses',
  'adapter validate': 'reads files of the project',
  doctor: 'reads the configuration and the servers',
  health: 'reads; its exit code says what it finds',
  'migrate apply': 'the database has a table of its own with all migrations; the audit log may be in one of them',
  'migrate plan': 'prints what would be applied',
  'migrate verify': 'compares',
  'sim serve': 'plays suppliers',
  'webhooks replay': 'sends events again; they have a log of their own',
  'webhooks test': 'sends an event, which is in the log of events',
};

beforeAll(async () => {
  const { config, keys } = opened('sandbox');
  for (const [name, id] of await insertOperatedRows(database(), config, keys)) ids.set(name, id);
});

/** A digest per table but those of the audit log. */
async function contents(): Promise<unknown> {
  const tables = await database().rows<{ name: string }>(sql`select tablename as name from pg_tables
    where schemaname = 'public' and tablename not like 'audit_%' order by 1`);
  const digests = tables.map(
    ({ name }) => `'${name}', (select md5(coalesce(string_agg(t::text, '' order by t::text), '')) from "${name}" t)`,
  );
  return (await database().rows(sql.raw(`select json_build_object(${digests.join(', ')}) as all`)))[0];
}

const events = () => database().rows<Record<string, unknown>>(sql`select * from audit_events order by id`);

it('every command is one that changes something, only reads, or has a reason not to be in the audit log', async () => {
  const known = [...CHANGES.map(([words]) => words), ...READS.map(([words]) => words), ...Object.keys(EXCEPTIONS)];
  expect([...new Set(known)].sort()).toEqual(await commandsOfGw());
});

it.each<Change>(CHANGES.map(([path, words, environment = 'sandbox']) => ({ path, words, environment })))(
  'gw $path $words is in the audit log, with the user, the environment and the reason',
  async ({ path, words, environment }) => {
    const before = (await events()).length;
    // The erasure of an account includes why it was asked for.
    const reason = path === 'accounts delete' ? null : 'as asked by phone';
    const said = await gw([...path.split(' '), ...words, '--reason', 'as asked by phone', '--json'], environment);
    expect(said).toMatchObject({ code: 0 });
    const added = (await events()).slice(before);
    expect(added.length).toBeGreaterThan(0);
    for (const event of added)
      expect(event).toMatchObject({
        actor: 'ops',
        channel: 'command',
        agent: 'root (alice)',
        reason,
        environment,
      });
    for (const event of added) expect(event.subject_kind).not.toBe('other');
    if (path === 'accounts export') return;
    const { changes } = JSON.parse(said.out) as { changes: object[] };
    expect(changes).toMatchObject(added.map(({ action, subject }) => ({ action, subject })));
  },
);

it.each(READS)('gw %s changes nothing', async (path, words) => {
  const before = await contents();
  const count = (await events()).length;
  expect(await gw([...path.split(' '), ...words])).toMatchObject({ code: 0 });
  expect([await contents(), (await events()).length]).toEqual([before, count]);
});

const IS_JSON = ['apps show', 'audit export', 'products describe', 'reservation show'];
it.each(READS.filter(([path]) => !IS_JSON.includes(path)))('gw %s prints JSON with --json', async (path, words) => {
  const { code, out } = await gw([...path.split(' '), ...words, '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, expect.anything()]);
});

it('keys rotate re-encrypts nothing if its beginning cannot be recorded', async () => {
  expect(await gw(['apps', 'create', 'Rotated'])).toMatchObject({ code: 0 });
  const sealings = () => database().rows(sql`select sealed from client_secrets where sealed is not null order by id`);
  const before = await sealings();
  const keys = { CLIENT_SECRET_KEYS: `2:${randomBytes(32).toString('base64')}` };
  await database().rows(sql`alter table audit_events add constraint no_keys check (subject <> 'keys') not valid`);
  expect([(await gw(['keys', 'rotate'], 'sandbox', keys)).code, await sealings()]).toEqual([2, before]);
  await database().rows(sql`alter table audit_events drop constraint no_keys`);
  await gw(['keys', 'rotate'], 'sandbox', keys);
  expect(await sealings()).not.toEqual(before);
  expect((await events()).slice(-2)).toMatchObject([
    { action: 'keys_rotation_begun', after: { CLIENT_SECRET_KEYS: 'encrypts with 2s, also decrypts 0s' } },
    { action: 'keys_rotated', after: { client_secrets: expect.any(Number) } },
  ]);
});

it("erasing a reservation also deletes calls with the caller's own id that gateways write once it is committed", async () => {
  await withoutTriggers(database(), "update reservations set created_at = now() where id = 'res_erased'");
  const written = (id: string, operation: string) =>
    database().rows(sql`insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
      select application_id, now(), ${id}, ${operation}, 200, 1, '{}' from reservations where id = 'res_erased'`);
  let later: Promise<unknown> | undefined;
  const tables = new Proxy(database().tables, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
      return async (work: never) => {
        const done = await target.transaction(work);
        later ??= (async () => {
          await written('read-ada-sample', 'readReservation');
          await sleep(1_000);
          await written('list-ada-sample', 'listReservations');
        })();
        return done;
      };
    },
  });
  const said = await gw(
    ['reservation', 'erase', 'res_erased', '--force', '--reason', 'as asked'],
    'sandbox',
    {},
    {
      ...database(),
      tables,
    },
  );
  await later;
  expect(said.code).toBe(0);
  expect(await database().rows(sql`select request_id from request_log where request_id like '%-ada-sample'`)).toEqual(
    [],
  );
});

it("reading a reservation's driver is recorded", async () => {
  const count = (await events()).length;
  expect((await gw(['reservation', 'show', 'res_cancelled', '--personal'])).code).toBe(0);
  expect((await events()).slice(count)).toMatchObject([
    { action: 'reservation_driver_shown', subject: 'res_cancelled' },
  ]);
});

it('what was recorded is a chain, and neither secrets nor renters are in it', async () => {
  const verified = await gw(['audit', 'verify']);
  expect(verified).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ events agree/) });
  const exported = (await gw(['audit', 'export'])).out;
  for (const text of ['fcs_', 'client_secret"', 'password', 'LICENCE77', 'Invented'])
    expect(exported).not.toContain(text);
});

it('an altered row makes verify exit with 1 and name it', async () => {
  await withoutTriggers(database(), "update audit_events set actor = 'x' where id = 5");
  const said = await gw(['audit', 'verify']);
  expect(said).toMatchObject({ code: 1, out: expect.stringContaining('ALTERED at seal 5, event 5: a column') });
  const { problem } = JSON.parse((await gw(['audit', 'verify', '--json'])).out) as { problem: object };
  expect(problem).toMatchObject({ sequence: 5, event: '5' });
});
