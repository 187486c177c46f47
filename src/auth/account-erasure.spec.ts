import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { createLogger } from '../config/logger.js';
import { AccountData } from './account-data.js';
import { AccountErasure } from './account-erasure.js';
import { ApplicationAdmin } from './application-admin.js';
import { ClientSecrets } from './client-secrets.js';

const config = configSchema.parse({ secret: 'a-secret-of-the-account-erasure-tests-0123456789' });
const database = migratedDatabase();

const rows = <T = Record<string, unknown>>(text: string) => database().rows<T>(sql.raw(text));
function parts(environment: 'sandbox' | 'production' = 'sandbox') {
  const admin = new ApplicationAdmin(database(), environment, new ClientSecrets(config, loadKeys(config)), undefined);
  return { admin, data: new AccountData(database(), admin, undefined, environment) };
}

/** An account with an application that was described 4,000 times and has a request record. */
async function busyAccount(id: string): Promise<{ readonly id: string; readonly app: string }> {
  await rows(
    `insert into accounts (id, environment, name, tier, email) values ('${id}', 'sandbox', 'Ada', 'demo', '${id}@example.com')`,
  );
  const { applicationId: app } = await parts().admin.create(
    { name: 'Shop', accountId: id, tier: 'demo', products: [] },
    id,
  );
  // Without the hash chain, which takes seconds for so many.
  await withoutTriggers(
    database(),
    `insert into audit_events (actor, action, subject, after)
      select '${id}', 'application_described', '${app}', '{"name":"Shop"}' from generate_series(1, 4000)`,
  );
  await rows(`insert into request_log values ('${app}', now(), 'req-1', 'searchVehicles', 200, 10, '{}')`);
  return { id, app };
}

/** What an erasure must remove. */
const left = (app: string) =>
  rows(`select (select count(*)::int from audit_events where subject = '${app}' and (before is not null or after is not null)) as texts,
    (select count(*)::int from request_log where application_id = '${app}') as requests,
    (select count(*)::int from client_secrets where application_id = '${app}') as secrets`);
const NOTHING = [{ texts: 0, requests: 0, secrets: 0 }];

claim(
  ['API4', 'personal-data'],
  'Deleting an account changes at most 1,000 rows in a transaction, however many changes of its applications were recorded.',
  async () => {
    const { id, app } = await busyAccount('acc_busy');
    const { data } = parts();
    await data.delete(await data.find(id), id);
    expect([await left(app), await data.closed()]).toEqual([NOTHING, []]);
    // Rows that one transaction changed have the same xmin.
    expect(
      await rows(
        `select max(count)::int as most from (select count(*) from audit_events where subject = '${app}' group by xmin::text) changed`,
      ),
    ).toEqual([{ most: 1_000 }]);
  },
);

claim(
  'personal-data',
  'The erasure of a deleted account is completed by any gateway if the one that began it stops or the database fails.',
  async () => {
    const { id, app } = await busyAccount('acc_interrupted');
    const { data } = parts();
    await data.close(await data.find(id), id);
    let statements = 0;
    const stopped = (): void => {
      statements += 1;
      if (statements > 3) throw new Error('stopped');
    };
    await expect(data.erase(id, { throwIfAborted: stopped } as AbortSignal)).rejects.toThrow('stopped');
    expect([await data.closed(), await parts('production').data.closed()]).toEqual([[id], []]);
    expect(await left(app)).not.toEqual(NOTHING);
    const erasure = new AccountErasure(data, config, createLogger('silent'));
    erasure.wake();
    while ((await data.closed()).length > 0) await sleep(20);
    await erasure.onApplicationShutdown();
    expect(await left(app)).toEqual(NOTHING);
  },
);

claim('personal-data', 'An account whose erasure fails is reported, and the others are erased.', async () => {
  const ids = ['acc_one', 'acc_two', 'acc_three'];
  const erased: string[] = [];
  const data = {
    closed: async () => ids,
    erase: async (id: string) => {
      if (id !== 'acc_two') throw new Error(`the rows of ${id} are locked`);
      erased.push(id);
    },
    forgetUnverified: async () => erased.push('unverified') * 0,
  };
  const lines: unknown[] = [];
  const logger = { info: () => undefined, warn: (values: unknown) => lines.push(values) };
  const erasure = new AccountErasure(data as never, config, logger as never);
  erasure.wake();
  while (!erased.includes('unverified')) await sleep(5);
  expect(erased).toEqual(['acc_two', 'unverified']);
  expect(lines).toEqual([
    { account: 'acc_one', why: 'the rows of acc_one are locked' },
    { account: 'acc_three', why: 'the rows of acc_three are locked' },
  ]);
  await erasure.onApplicationShutdown();
});

claim('personal-data', 'A gateway that stops ends its erasures within one statement.', async () => {
  const { id } = await busyAccount('acc_stopped');
  const { data } = parts();
  await data.close(await data.find(id), id);
  const erasure = new AccountErasure(data, config, createLogger('silent'));
  erasure.wake();
  await erasure.onApplicationShutdown();
  expect(await data.closed()).toEqual([id]);
});

claim(
  'personal-data',
  'Accounts whose address is not verified within 7 days are deleted, unless they have an application or a valid link.',
  async () => {
    const ages: readonly (readonly [id: string, age: string, more?: string])[] = [
      ['acc_new', '6 days'],
      ['acc_old', '8 days'],
      ['acc_verified', '8 days', `update accounts set verified_at = now() where id = 'acc_verified'`],
      ['acc_ops', '8 days', `update accounts set role = 'ops' where id = 'acc_ops'`],
      ['acc_live', '8 days', `update accounts set environment = 'production' where id = 'acc_live'`],
      [
        'acc_used',
        '8 days',
        `insert into applications (id, account_id, name, client_id, environment, tier)
        values ('app_used', 'acc_used', 'n', 'client_used', 'sandbox', 'demo')`,
      ],
      [
        'acc_link',
        '8 days',
        `insert into account_links (digest, account_id, purpose, expires_at)
        values ('d1', 'acc_link', 'verify', now() + interval '1 hour')`,
      ],
      [
        'acc_expired',
        '8 days',
        `insert into account_links (digest, account_id, purpose, expires_at)
        values ('d2', 'acc_expired', 'verify', now() - interval '1 hour')`,
      ],
    ];
    for (const [id, age, more] of ages) {
      await rows(`insert into accounts (id, environment, name, tier, email, created_at)
        values ('${id}', 'sandbox', 'n', 'demo', '${id}@stranger.example', now() - interval '${age}')`);
      if (more) await rows(more);
    }
    const erasure = new AccountErasure(parts().data, config, createLogger('silent'));
    const kept = async () =>
      (await rows<{ id: string }>(`select id from accounts where email like '%@stranger.example' order by id`)).map(
        ({ id }) => id,
      );
    erasure.wake();
    while ((await kept()).length > 6) await sleep(20);
    await erasure.onApplicationShutdown();
    expect(await kept()).toEqual(['acc_link', 'acc_live', 'acc_new', 'acc_ops', 'acc_used', 'acc_verified']);
  },
);
