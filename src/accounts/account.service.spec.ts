import { beforeAll, expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { endBy, SessionRevokedError } from '../database/actor.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { AccountService } from './account.service.js';
import { SessionsService, type Visitor } from './sessions.service.js';

const database = migratedDatabase();
let accounts: AccountService;
beforeAll(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, email)
    values ('acc_a', 'sandbox', 'Ada Sample', 'demo', 'ada@example.com')`);
  const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-account-tests-0123456789' });
  const sessions = new SessionsService(new MemoryStore(0), database(), config, loadKeys(config));
  const unused = undefined as never;
  accounts = new AccountService(database(), config, unused, sessions, unused, unused, unused);
}, 30_000);

const visitor = (generation: number) => ({ accountId: 'acc_a', session: { generation } }) as Visitor;
/** The account's generation of sessions, and how many changes were recorded. */
const state = () =>
  database().rows(sql`select sessions_generation as generation, (select count(*)::int from audit_events) as changes
    from accounts where id = 'acc_a'`);

claim(
  'API4',
  'Logging out everywhere takes its turn among the changes of the account: it waits 2 s without a database connection, then gets 429.',
  async () => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const transaction = async () => await promise;
    const another = endBy({ tables: { transaction } as never }, visitor(0), async () => undefined);
    await expect(accounts.logOutEverywhere(visitor(0))).rejects.toMatchObject({
      name: 'TooManyChangesError',
      retryAfterSeconds: 2,
    });
    expect(await state()).toEqual([{ generation: 0, changes: 0 }]);
    end();
    await another;
    await accounts.logOutEverywhere(visitor(0));
    await expect(accounts.logOutEverywhere(visitor(0))).rejects.toThrow(SessionRevokedError);
    expect(await state()).toEqual([{ generation: 1, changes: 1 }]);
  },
);
