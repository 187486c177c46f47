import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { sql } from 'drizzle-orm';
import { adminOperations } from '../../src/admin/operations.js';
import { operatorOperations, WITHOUT_PAGE } from '../../src/admin/page-operations.js';
import type { CommandRun, OpenedGateway } from '../../src/cli/command-run.js';
import { insertOperatedRows } from '../../src/cli/fixtures/operated-rows.js';
import { addCommands, isOperatorCommand } from '../../src/cli/run-command.js';
import { loadKeys } from '../../src/config/keys.js';
import { loadConfig } from '../../src/config/load-config.js';
import { FailedExchangeLog } from '../../src/records/failed-exchange-log.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import type { OperationValues, OperatorOperations } from '../../src/system/operator-operations.js';
import { migratedDatabase } from '../support/migrated-database.js';
import { OPERATOR_CHANGES, OPERATOR_READS, PLAN, REASON } from '../support/operator-calls.js';
import { PROJECT } from '../support/project.js';
import { changedUnrecorded } from '../support/unrecorded.js';

/** Why a command has neither an operation of the admin API of its own nor a page. `gw --remote` runs all of them. */
const COMMANDS_ONLY: Readonly<Record<string, string>> = {
  'accounts export': 'a stream for a person, of a command that runs rarely',
  'admin-keys create': 'only on the machine of a gateway: a key could outlast its revocation',
  certify: 'the page of the application and of its access request shows the same',
  'keys rotate': 'maintenance of the database, minutes long, with progress',
  'products describe': 'prints the description of this build, which is at /openapi.json',
  'reservation reseal': 'maintenance of the database, minutes long, with progress',
  'secrets show': 'shows secrets to a person; their owner sees them on the pages of the application',
};
/** Operations of the admin API that no command does: its lists of failed exchanges. */
const WITHOUT_COMMAND = ['listFailedExchanges', 'getFailedExchange'];
const WHO = { accountId: 'acc_operator', name: 'Ada Sample', address: '192.0.2.7', requestId: 'req_of_a_page' };

const FORECOURT_SECRET = randomBytes(32).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'forecourt-parity-'));
const database = migratedDatabase();
/** Ids that are known only when the tests run, by the names that stand for them. */
const ids = new Map<string, string>();
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  const { config, keys } = opened('sandbox');
  for (const [name, id] of await insertOperatedRows(database(), config, keys)) ids.set(name, id);
  await new FailedExchangeLog(database(), config).keep([
    {
      ...{ at: Date.now(), supplier: 'bravo', operation: 'search', cause: 'timeout', requestId: 'req_1', why: 'late' },
      ...{ durationMs: 900, exchanges: [] },
    },
  ]);
  await database().rows(sql`insert into webhook_deliveries (endpoint_id, event_id, application_id, environment, type, subject, data, at)
    select id, 'evt_1', application_id, environment, 'reservation.confirmed', 'res_1', '{}', now() from webhook_endpoints
    where id = ${ids.get('whe_1')}`);
});

function opened(environment: string): OpenedGateway {
  const env = {
    ...{
      FORECOURT_ENV: environment,
      DATA_DIR: folder,
      FORECOURT_SECRET,
    },
    ...(environment === 'production' ? { PUBLIC_URL: 'https://cars.example.com', JOURNAL_DIR: 'off' } : {}),
  };
  const { config, suppliers } = loadConfig(join(PROJECT, 'config'), env, []);
  const parts = { config, suppliers, suppliersToCall: () => suppliers, keys: loadKeys(config), database: database() };
  return { folder: join(PROJECT, 'config'), ...parts, store: new MemoryStore(1_000), isServing: false };
}

const pagesOf = (environment: string): OperatorOperations => operatorOperations(() => opened(environment));

/** The values of a form that does what a call does. */
function formOf(id: string, path: string, body: object): OperationValues {
  const template = adminOperations.find((one) => one.id === id)?.path ?? '';
  const [own = '', query = ''] = path.split('?');
  const parts = own.split('/');
  const inPath = template
    .split('/')
    .flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), ids.get(parts[at] ?? '') ?? parts[at]]] : []));
  const typed = Object.entries(body).map(([name, value]) => [name, value === true ? 'yes' : String(value)]);
  return Object.fromEntries([...inPath, ...typed, ...new URLSearchParams(query)]);
}

const named = (calls: typeof OPERATOR_CHANGES) =>
  calls
    .filter(([id]) => !Object.hasOwn(WITHOUT_PAGE, id))
    .map(([id, , path, body = {}, environment = 'sandbox']) => ({ id, path, body, environment }));
const events = () => database().rows<Record<string, unknown>>(sql`select * from audit_events order by id`);
/** They send something, and have a log of their own. */
const UNRECORDED = ['testWebhook', 'replayEvents'];
/** Tables that a command writes before the change: the products of the configuration are stored first. */
const STORED_BEFORE: Readonly<Record<string, readonly string[]>> = {
  createApplication: ['product_versions', 'products'],
};

it('everything that operators can do is a command, a call of the admin API, and a page, or has a reason not to be', async () => {
  const program = new Command('gw');
  await addCommands(program, {} as CommandRun);
  const commands = program.commands
    .filter((one) => isOperatorCommand(one.name()))
    .flatMap((one) =>
      one.commands.length === 0 ? [one.name()] : one.commands.map((sub) => `${one.name()} ${sub.name()}`),
    );
  expect(commands.length).toBeGreaterThan(60);
  const reached = adminOperations.map(({ command }) => command);
  expect(commands.filter((command) => !reached.includes(command)).sort()).toEqual(Object.keys(COMMANDS_ONLY).sort());
  const commandless = adminOperations.filter(({ command }) => !commands.includes(command));
  expect(commandless.map(({ id }) => id)).toEqual(WITHOUT_COMMAND);
  const onPages = pagesOf('sandbox').all();
  const pageless = adminOperations.filter(({ id }) => !onPages.some((one) => one.id === id)).map(({ id }) => id);
  expect(pageless.sort()).toEqual(Object.keys(WITHOUT_PAGE).sort());
});

it.each(named(OPERATOR_READS))('$id: $path is read from a page and changes nothing', async ({ id, path, body }) => {
  const count = (await events()).length;
  const found = await pagesOf('sandbox').run(id, formOf(id, path, body), WHO);
  expect(Object.keys(found).length).toBeGreaterThan(0);
  expect((await events()).length).toBe(count);
});

it.each(named(OPERATOR_CHANGES))(
  '$id: $path is previewed, not made if it cannot be recorded, then recorded as a change of the operator on the page',
  async ({ id, path, body, environment }) => {
    const pages = pagesOf(environment);
    const recorded = !UNRECORDED.includes(id);
    const values = { ...formOf(id, path, body), ...(recorded ? { reason: REASON } : {}), ...(await copiedFor(id)) };
    const before = (await events()).length;
    await pages.preview(id, values, WHO);
    const refused = () => expect(pages.run(id, values, WHO)).rejects.toThrow();
    if (recorded) expect(await changedUnrecorded(database(), refused)).toEqual(STORED_BEFORE[id] ?? []);
    expect((await events()).length).toBe(before);
    const answer = await pages.run(id, values, WHO);
    const added = (await events()).slice(before);
    expect(added.length > 0).toBe(recorded);
    for (const event of added)
      expect(event).toMatchObject({
        ...{ actor: WHO.accountId, channel: 'page', agent: null, environment, request_id: WHO.requestId },
        // The erasure of an account includes why it was asked for, and from where.
        ...(id === 'deleteAccount' ? {} : { address: WHO.address, reason: REASON }),
      });
    expect(answer.changes).toMatchObject(added.map(({ action, subject }) => ({ action, subject })));
  },
);

it('what a person typed is not an option: a preview with `--yes` among the values changes nothing', async () => {
  const values = {
    application: ids.get('app_1') ?? 'app_1',
    origins: 'https://shop.example.com --yes',
    reason: REASON,
  };
  const count = (await events()).length;
  expect(await pagesOf('sandbox').preview('setApplicationOrigins', values, WHO)).toEqual([]);
  await expect(pagesOf('sandbox').run('setApplicationOrigins', values, WHO)).rejects.toMatchObject({ status: 400 });
  expect((await events()).length).toBe(count);
});

/** What approval copies, as the list says. */
async function copiedFor(id: string): Promise<OperationValues> {
  if (id !== 'approveAccessRequest') return {};
  const { items } = await pagesOf('production').run('listAccessRequests', {}, WHO);
  const found = (items as readonly Record<string, string>[]).find(({ request }) => request === 'lau_1');
  return { copied: found?.copied ?? '' };
}

it.each<[string, OperationValues, string, string]>([
  ['switchOff', { kind: 'brand', subject: 'Bravo' }, 'reason', '"reason" is required.'],
  ['switchOff', { kind: 'brand', reason: REASON }, 'subject', '"subject" is required.'],
  [
    'switchOff',
    { kind: 'planet', subject: 'Bravo', reason: REASON },
    'kind',
    'Invalid option: expected one of "operation"',
  ],
  ['setSupplierState', { state: 'live', reason: REASON }, 'supplier', '"supplier" is required.'],
  ['getReservation', { reservation: '--help' }, 'reservation', '"reservation" in the path is not an id or name.'],
  ['getReservation', { reservation: '../accounts' }, 'reservation', '"reservation" in the path is not an id or name.'],
  [
    'planSupplierMaintenance',
    { supplier: 'bravo', from: '2099-13-01 04:00', until: PLAN.until, reason: REASON },
    'from',
    '"from" must be a UTC time',
  ],
  ['setSupplierCanary', { supplier: 'bravo', percent: 'all', reason: REASON }, 'percent', '"percent" must be'],
])('%s with %j is refused at its field', async (id, values, field, text) => {
  const refusal: unknown = await pagesOf('sandbox')
    .preview(id, values, WHO)
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ status: 400, problems: [{ field, details: expect.stringContaining(text) }] });
});

it('a time to the minute is read as UTC, and the effects of a transition are shown before it is confirmed', async () => {
  const pages = pagesOf('sandbox');
  const plan = { subject: 'service', from: '2099-02-01 04:00', until: '2099-02-01 05:00', reason: REASON };
  const { result } = await pages.run('planMaintenance', plan, WHO);
  expect(String(result)).toContain('2099-02-01T04:00:00.000Z\t2099-02-01T05:00:00.000Z');
  const values = { product: 'car_availability', version: 'v1.1', reason: REASON };
  await database().rows(sql`insert into product_versions (product_id, major, minor, patch, state)
    values ('car_availability', 1, 1, 0, 'designed')`);
  expect(await pages.preview('promoteVersion', values, WHO)).toEqual([
    expect.stringMatching(/designed → beta: the 0 selected application/),
  ]);
});
