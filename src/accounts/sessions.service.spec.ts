import { beforeAll, expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { MOST_SESSIONS } from '../store/store.js';
import { SessionsService } from './sessions.service.js';

const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-session-tests-0123456789' });
const database = migratedDatabase();
let now = 0;
const store = new MemoryStore(0, () => now);
let sessions: SessionsService;
beforeAll(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, email, verified_at)
    values ('acc_a', 'sandbox', 'Ada Sample', 'demo', 'ada@example.com', now())`);
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
    values ('app_a', 'acc_a', 'A', 'client-a', 'sandbox', 'demo')`);
  sessions = new SessionsService(store, database(), config, loadKeys(config));
}, 30_000);

const cookieOf = (header: string) => header.split(';', 1)[0];

claim(
  ['portal', 'V7.2'],
  'A session that waits for a code is not prolonged when its cookie is used: however many there are, they end no session that is logged in.',
  async () => {
    const owner = cookieOf(await sessions.begin('acc_a', 0));
    for (let count = 0; count < MOST_SESSIONS + 1; count += 1) {
      const waiting = cookieOf(await sessions.beginAwaitingCode('acc_a', 0));
      now += 1_000;
      expect(await sessions.visitor(waiting)).toBeUndefined();
      expect(await sessions.awaitingCode(waiting)).toBe('acc_a');
    }
    // One that is logged in is prolonged.
    for (let times = 0; times < 3; times += 1) {
      now += (config.portal.sessionIdleMinutes - 1) * 60_000;
      expect(await sessions.visitor(owner)).toMatchObject({ accountId: 'acc_a' });
    }
  },
);

claim(
  ['portal', 'V7.2'],
  'Ending all sessions of an account, also by a new password, revokes the access tokens that the console issued for them, and no token of a client secret.',
  async () => {
    const policy = { accountId: 'acc_a', applicationId: 'app_a', clientId: 'client-a' };
    const kept = {
      ...policy,
      environment: 'sandbox',
      products: [],
      limits: { application: { perMinute: 60, burst: 10 } },
    } as const;
    const token = { ...policy, lifetimeMs: 60_000 };
    await store.saveToken({ ...token, digest: 'of the console' }, kept, 10);
    await store.saveToken({ ...token, digest: 'of a secret', secretId: 'sec_1' }, kept, 10);
    await database().tables.transaction((tx) => sessions.endAll('acc_a', tx));
    expect(await store.inspect(policy, 'of the console')).toBeUndefined();
    expect(await store.inspect(policy, 'of a secret')).toBeDefined();
  },
);
