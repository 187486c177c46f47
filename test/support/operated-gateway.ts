import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { adminOperations } from '../../src/admin/operations.js';
import { operatorOperations, WITHOUT_PAGE } from '../../src/admin/page-operations.js';
import type { OpenedGateway } from '../../src/cli/command-run.js';
import { insertOperatedRows } from '../../src/cli/fixtures/operated-rows.js';
import { loadKeys } from '../../src/config/keys.js';
import { loadConfig } from '../../src/config/load-config.js';
import type { Database } from '../../src/database/database.js';
import { FailedExchangeLog } from '../../src/records/failed-exchange-log.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import type { OperationValues, OperatorCaller, OperatorOperations } from '../../src/system/operator-operations.js';
import { migratedDatabase } from './migrated-database.js';
import type { OperatorCall } from './operator-calls.js';
import { PROJECT } from './project.js';

/** The operator who sends the forms. */
export const OPERATOR: OperatorCaller = {
  person: { accountId: 'acc_operator', role: 'ops', session: { generation: 0 } },
  ...{ name: 'Ada Sample', address: '192.0.2.7', requestId: 'req_of_a_page' },
};

/** Operations that record nothing: they send something, and have a log of their own. */
export const UNRECORDED: readonly string[] = ['testWebhook', 'replayEvents'];

/** The pages of operations on a database with everything that operators change, and an operator. Sets it up before all tests. */
export function operatedGateway() {
  const FORECOURT_SECRET = randomBytes(32).toString('base64');
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-operated-'));
  const database: () => Database = migratedDatabase();
  /** Ids that are known only when the tests run, by the names that stand for them. */
  const ids = new Map<string, string>();
  const gateways = new Map<string, OpenedGateway>();
  const pagesOf = (environment: string): OperatorOperations => {
    const gateway = gateways.get(environment) ?? opened(environment);
    gateways.set(environment, gateway);
    return operatorOperations(() => gateway);
  };
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(async () => {
    const { config, keys } = opened('sandbox');
    for (const [name, id] of await insertOperatedRows(database(), config, keys)) ids.set(name, id);
    await new FailedExchangeLog(database(), config).keep([
      {
        ...{
          at: Date.now(),
          supplier: 'bravo',
          operation: 'search',
          cause: 'timeout',
          requestId: 'req_1',
          why: 'late',
        },
        ...{ durationMs: 900, exchanges: [] },
      },
    ]);
    await database().rows(sql`insert into webhook_deliveries (endpoint_id, event_id, application_id, environment, type, subject, data, at)
      select id, 'evt_1', application_id, environment, 'reservation.confirmed', 'res_1', '{}', now() from webhook_endpoints
      where id = ${ids.get('whe_1')}`);
    await database().rows(sql`insert into accounts (id, environment, name, tier, role)
      values (${OPERATOR.person.accountId}, 'sandbox', 'Ada Sample', 'standard', 'ops')`);
  });

  function opened(environment: string): OpenedGateway {
    const env = {
      ...{ FORECOURT_ENV: environment, DATA_DIR: folder, FORECOURT_SECRET },
      ...(environment === 'production' ? { PUBLIC_URL: 'https://cars.example.com', JOURNAL_DIR: 'off' } : {}),
    };
    const { config, suppliers } = loadConfig(join(PROJECT, 'config'), env, []);
    const parts = { config, suppliers, suppliersToCall: () => suppliers, keys: loadKeys(config), database: database() };
    return { folder: join(PROJECT, 'config'), ...parts, store: new MemoryStore(1_000), isServing: false };
  }

  /** The values of a form that does what a call does. */
  function formOf(id: string, path: string, body: object): OperationValues {
    const template = adminOperations.find((one) => one.id === id)?.path ?? '';
    const [own = '', query = ''] = path.split('?');
    const parts = own.split('/');
    const inPath = template
      .split('/')
      .flatMap((part, at) =>
        part.startsWith('{') ? [[part.slice(1, -1), ids.get(parts[at] ?? '') ?? parts[at]]] : [],
      );
    const typed = Object.entries(body).map(([name, value]) => [name, value === true ? 'yes' : String(value)]);
    return Object.fromEntries([...inPath, ...typed, ...new URLSearchParams(query)]);
  }

  /** The values of a change, with what approval copies, as the list says. */
  async function changeOf(id: string, path: string, body: object, reason: string): Promise<OperationValues> {
    const values = { ...formOf(id, path, body), ...(UNRECORDED.includes(id) ? {} : { reason }) };
    if (id !== 'approveAccessRequest') return values;
    const { items } = await pagesOf('production').run('listAccessRequests', {}, OPERATOR);
    const found = (items as readonly Record<string, string>[]).find(({ request }) => request === 'lau_1');
    return { ...values, copied: found?.copied ?? '' };
  }

  const events = () => database().rows<Record<string, unknown>>(sql`select * from audit_events order by id`);
  return { database, ids, pagesOf, formOf, changeOf, events };
}

/** Those of the calls that pages make, by the names of their parts. */
export function callsOnPages(calls: readonly OperatorCall[]) {
  return calls
    .filter(([id]) => !Object.hasOwn(WITHOUT_PAGE, id))
    .map(([id, , path, body = {}, environment = 'sandbox']) => ({ id, path, body, environment }));
}
