import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import {
  type Actor,
  changeBy,
  endBy,
  limitApplicationChanges,
  SessionRevokedError,
  TooManyChangesError,
} from './actor.js';
import { recordAudit } from './audit.js';
import { withOrigin } from './audit-origin.js';
import { type Database } from './database.js';

const database = migratedDatabase();
beforeAll(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, sessions_generation)
    values ('acc_a', 'sandbox', 'A', 'demo', 3)`);
}, 30_000);

const change = (actor: Actor): Promise<void> =>
  changeBy(database(), actor, (tx) =>
    recordAudit({ tables: tx, environment: 'sandbox' }, { actor, action: 'tested', subject: 'app_a' }),
  );
const actors = async (): Promise<unknown[]> =>
  (await database().rows<{ actor: string }>(sql`select actor from audit_events order by id`)).map(({ actor }) => actor);

it('a change of a person is carried out while the session is live, and one of an operator always', async () => {
  await change({ accountId: 'acc_a', session: { generation: 3 } });
  await change('ops');
  expect(await actors()).toEqual(['acc_a', 'ops']);
});

it.each([
  ['was revoked', { accountId: 'acc_a', session: { generation: 2 } }],
  ['is of an account that no longer exists', { accountId: 'acc_gone', session: { generation: 0 } }],
])('a change of a person whose session %s changes nothing', async (_, actor) => {
  const before = await actors();
  await expect(change(actor)).rejects.toThrow(SessionRevokedError);
  expect(await actors()).toEqual(before);
});

it('a change by a command on a page is one of the person who runs it', async () => {
  const run = (generation: number, role?: 'ops') =>
    withOrigin(
      { channel: 'page', person: { accountId: 'acc_a', session: { generation }, ...(role && { role }) } },
      () => change('ops'),
    );
  const before = await actors();
  await run(3);
  expect(await actors()).toEqual([...before, 'acc_a']);
  await expect(run(2)).rejects.toThrow(SessionRevokedError);
  // Its account was an operator's when the session began.
  await expect(run(3, 'ops')).rejects.toThrow(SessionRevokedError);
  expect(await actors()).toEqual([...before, 'acc_a']);
});

/** A database whose transactions last as long as their changes, and how many are open. */
function slowDatabase() {
  const found = { from: () => found, where: () => found, orderBy: () => found, offset: () => found };
  const tx = Object.assign(found, { for: async () => [{}], limit: async () => [] });
  const watched = { open: 0, database: {} as Pick<Database, 'tables'> };
  const transaction = async (work: (tx: unknown) => Promise<unknown>) => {
    watched.open += 1;
    return await work({ select: () => tx, execute: async () => undefined }).finally(() => {
      watched.open -= 1;
    });
  };
  watched.database = { tables: { transaction } as unknown as Database['tables'] };
  return watched;
}

claim(
  'API4',
  'An account makes one change at a time, which takes one database connection; another waits 2 s without one, then gets 429.',
  async () => {
    const slow = slowDatabase();
    const person = (accountId: string) => ({ accountId, session: { generation: 0 } });
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const first = changeBy(slow.database, person('acc_slow'), () => promise);
    const others = Array.from({ length: 12 }, () =>
      endBy(slow.database, person('acc_slow'), async () => 'done').catch((error: unknown) => error),
    );
    expect(await changeBy(slow.database, person('acc_other'), async () => slow.open)).toBe(2);
    expect(slow.open).toBe(1);
    for (const refused of await Promise.all(others))
      expect(refused).toMatchObject({ name: 'TooManyChangesError', retryAfterSeconds: 2 });
    end();
    await first;
    expect(await changeBy(slow.database, person('acc_slow'), async () => 'done')).toBe('done');
  },
);

claim(
  'API4',
  'A person makes at most 300 recorded changes per hour; revoking, suspending and deleting are always possible.',
  async () => {
    await database().rows(
      sql`insert into accounts (id, environment, name, tier) values ('acc_often', 'sandbox', 'B', 'demo')`,
    );
    await database().rows(sql`insert into audit_events (actor, action, subject, at)
      select 'acc_often', 'tested', 'app_a', now() - interval '50 minutes' from generate_series(1, 299)`);
    const actor = { accountId: 'acc_often', session: { generation: 0 } };
    await change(actor);
    const before = (await actors()).length;
    const refused = await change(actor).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TooManyChangesError);
    expect(refused).toMatchObject({ message: 'You can make at most 300 changes per hour.' });
    const { retryAfterSeconds } = refused as TooManyChangesError;
    // Less the time that the test took.
    expect(600 - retryAfterSeconds).toBeGreaterThanOrEqual(0);
    expect(600 - retryAfterSeconds).toBeLessThan(60);
    expect((await actors()).length).toBe(before);
    expect(await endBy(database(), actor, async () => 'ended')).toBe('ended');
    await withoutTriggers(
      database(),
      "update audit_events set at = at - interval '11 minutes' where actor = 'acc_often'",
    );
    await change(actor);
  },
);

describe('changes of applications by the API', () => {
  const limited = (id: string) => database().tables.transaction((tx) => limitApplicationChanges(tx, id));
  beforeAll(async () => {
    await withoutTriggers(
      database(),
      `insert into applications (id, account_id, name, client_id, environment, tier, state, created_at) values
        ('app_1', 'acc_many', '1', '1', 'sandbox', 'demo', 'active', now() - interval '3 days'),
        ('app_2', 'acc_many', '2', '2', 'sandbox', 'demo', 'active', now()),
        ('app_3', 'acc_many', '3', '3', 'sandbox', 'demo', 'deleted', now() - interval '3 days'),
        ('app_4', 'acc_few', '4', '4', 'sandbox', 'demo', 'active', now())`,
      `insert into audit_events (actor, action, subject, at) select 'app_' || 1 + n % 3, 'tested', 'x', now() - interval '50 minutes'
        from generate_series(1, 299) n`,
    );
  });

  claim('API4', 'The applications of an account together make at most 300 recorded changes per hour.', async () => {
    await limited('app_1');
    await database().rows(sql`insert into audit_events (actor, action, subject) values ('app_2', 'tested', 'x')`);
    const refused = await limited('app_1').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TooManyChangesError);
    const { message, retryAfterSeconds } = refused as TooManyChangesError;
    expect(message).toBe('The applications of an account can make at most 300 changes per hour.');
    expect(600 - retryAfterSeconds).toBeGreaterThanOrEqual(0);
    expect(600 - retryAfterSeconds).toBeLessThan(60);
    await limited('app_4');
  });
});
