import { expect } from '@jest/globals';
import { type SQL, sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { type AccessRequestDecision, AccessRequests } from './access-requests.js';
import { ApplicationAdmin } from './application-admin.js';
import { ClientSecrets } from './client-secrets.js';

const database = migratedDatabase();

claim(
  'API5',
  'An operator who is demoted while deciding on a request for production access decides nothing.',
  async () => {
    const config = configSchema.parse({ secret: 'a-secret-of-the-access-request-tests-0123456789' });
    const secrets = new ClientSecrets(config, loadKeys(config));
    const application = { name: 'Shop', accountId: undefined, tier: 'demo', products: [] };
    const made = await new ApplicationAdmin(database(), 'sandbox', secrets, undefined).create(application, 'ops');
    await database().rows(sql`insert into launch_requests (id, application_id, message)
    values ('lau_1', ${made.applicationId}, 'Please')`);
    await database().rows(sql`insert into accounts (id, environment, name, tier, role)
    values ('acc_op', 'production', 'Grace', 'demo', 'developer')`);
    const requests = new AccessRequests(
      database(),
      { ...config, environment: 'production' },
      secrets,
      async () => undefined,
      {
        publish: async () => undefined,
      },
    );
    const actor = { accountId: 'acc_op', session: { generation: 0 } };
    await expect(requests.approve('lau_1', '', actor)).rejects.toThrow('you no longer are one');
    await expect(requests.refuse('lau_1', 'No', actor)).rejects.toThrow('you no longer are one');
    expect((await requests.open()).rows).toHaveLength(1);
    await database().rows(sql`update accounts set role = 'ops' where id = 'acc_op'`);
    await requests.approve('lau_1', '', actor);
    expect((await requests.open()).rows).toEqual([]);
    expect((await requests.decided()).map(({ state }) => state)).toEqual(['approved']);
  },
);

claim(
  'API5',
  'The approval of a later access request gives the production application exactly the products of that request, also its active tokens.',
  async () => {
    const config = configSchema.parse({ secret: 'a-secret-of-the-access-request-tests-0123456789' });
    const secrets = new ClientSecrets(config, loadKeys(config));
    const rows = <T>(text: string) => database().rows<T>(sql.raw(text));
    await rows(
      `insert into products (id, name, path, state) select p, p, '/' || p, 'live' from unnest(array['a', 'b', 'c']) p`,
    );
    const application = { name: 'Growing shop', accountId: undefined, tier: 'demo', products: ['a', 'b'] };
    const { applicationId } = await new ApplicationAdmin(database(), 'sandbox', secrets, undefined).create(
      application,
      'ops',
    );
    const published: string[] = [];
    const told: AccessRequestDecision[] = [];
    const tell = async (_: unknown, decision: AccessRequestDecision) => void told.push(decision);
    let isAway = true;
    const publish = async (id: string) => {
      if (isAway) throw new Error('the store is unavailable');
      published.push(id);
    };
    const policies = { publish };
    const [developers, operators] = (['sandbox', 'production'] as const).map(
      (environment) => new AccessRequests(database(), { ...config, environment }, secrets, tell, policies),
    ) as [AccessRequests, AccessRequests];
    const open = async () => (await operators.open()).rows[0];

    await developers.ask(applicationId, 'A shop', 'acc_a');
    const first = await open();
    await operators.approve(first?.id ?? '', '', 'ops', first?.copied);
    const id = told[0]?.production?.id ?? '';
    expect([first?.productionApplicationId, published]).toEqual([null, []]);

    await rows(`delete from subscriptions where application_id = '${applicationId}' and product_id = 'a'`);
    await rows(`insert into subscriptions (application_id, product_id) values ('${applicationId}', 'c')`);
    const productsNow = async () =>
      (
        await rows<{ id: string }>(
          `select product_id as id from subscriptions where application_id = '${id}' order by 1`,
        )
      ).map((row) => row.id);
    await developers.ask(applicationId, 'More of it', 'acc_a');
    expect(await productsNow()).toEqual(['a', 'b']);
    const second = await open();
    expect(second).toMatchObject({ products: ['b', 'c'], productionApplicationId: id, productionProducts: ['a', 'b'] });
    const approval = async () => operators.approve(second?.id ?? '', '', 'ops', second?.copied);
    await expect(approval()).rejects.toThrow('the store is unavailable');
    expect([await productsNow(), published]).toEqual([['b', 'c'], []]);
    isAway = false;
    await expect(approval()).rejects.toThrow('already decided: approved');
    expect(published).toEqual([id]);
    expect(told.map(({ production }) => production)).toEqual([
      { id, isNew: true, products: ['a', 'b'] },
      { id, isNew: false, products: ['b', 'c'] },
    ]);
    expect(
      await rows(`select action, coalesce(before, after) ->> 'product' as product from audit_events
        where subject = '${id}' and action like 'product_%' order by id`),
    ).toEqual([
      { action: 'product_unsubscribed', product: 'a' },
      { action: 'product_subscribed', product: 'c' },
    ]);
  },
);

claim(
  ['API4', 'environments'],
  'The sandbox decides no limits of an account in production: approval creates one with the default tier, and with nothing else that the operator did not see.',
  async () => {
    const config = configSchema.parse({ secret: 'a-secret-of-the-access-request-tests-0123456789' });
    const secrets = new ClientSecrets(config, loadKeys(config));
    const rows = <T>(text: string) => database().rows<T>(sql.raw(text));
    await rows(`insert into accounts (id, environment, name, email, tier)
      values ('acc_lin', 'sandbox', 'Lin', 'lin@example.com', 'demo')`);
    const application = { name: 'New shop', accountId: 'acc_lin', tier: 'demo', products: [] };
    const made = await new ApplicationAdmin(database(), 'sandbox', secrets, undefined).create(application, 'ops');
    await rows(`insert into launch_requests (id, application_id, message)
      values ('lau_lin', '${made.applicationId}', 'Please')`);
    const live = { ...config, environment: 'production' as const };
    const requests = new AccessRequests(database(), live, secrets, async () => undefined, {
      publish: async () => undefined,
    });
    const copied = async () => (await requests.find('lau_lin'))?.copied;
    const seen = await copied();
    await rows(`update accounts set name = 'Lynn', tier = 'load' where id = 'acc_lin'`);
    await expect(requests.approve('lau_lin', '', 'ops', seen)).rejects.toThrow('changed since you opened this page');
    await requests.approve('lau_lin', '', 'ops', await copied());
    expect(
      await rows(`select name, tier from accounts where email = 'lin@example.com' and environment = 'production'`),
    ).toEqual([{ name: 'Lynn', tier: config.portal.defaultTier }]);
  },
);

claim(
  'API4',
  'Operators see open access requests in pages of 50, each request on one page, and an account has at most 10 open ones.',
  async () => {
    const config = configSchema.parse({ secret: 'a-secret-of-the-access-request-tests-0123456789' });
    const secrets = new ClientSecrets(config, loadKeys(config));
    const policies = { publish: async () => undefined };
    const lengths: number[] = [];
    const rowsOf = async <T>(statement: SQL): Promise<readonly T[]> => {
      const found = await database().rows<T>(statement);
      lengths.push(found.length);
      return found;
    };
    const counted = { ...database(), rows: rowsOf };
    const requests = new AccessRequests(
      counted,
      { ...config, environment: 'sandbox' },
      secrets,
      async () => undefined,
      policies,
    );
    const rows = <T>(text: string) => database().rows<T>(sql.raw(text));
    await rows(`insert into products (id, name, path, state) values ('many', 'many', '/many', 'live')`);
    await rows(`insert into accounts (id, environment, name, tier) values ('acc_many', 'sandbox', 'Many', 'demo')`);
    await rows(`insert into applications (id, account_id, name, environment, tier, client_id)
      select 'app_m' || n, 'acc_many', 'Many ' || n, 'sandbox', 'demo', 'client-m' || n from generate_series(1, 120) n`);
    await rows(`insert into subscriptions (application_id, product_id)
      select 'app_m' || n, 'many' from generate_series(1, 120) n`);

    const asked = Array.from({ length: 12 }, (_, index) => index + 1).map((n) =>
      requests.ask(`app_m${n}`, 'Please', 'acc_many'),
    );
    const refusals = (await Promise.allSettled(asked)).flatMap((one) => (one.status === 'rejected' ? one.reason : []));
    expect(refusals.map(({ message }) => message)).toEqual(
      Array(2).fill('An account may have at most 10 open requests. Wait for a decision.'),
    );
    expect((await requests.open()).rows).toHaveLength(10);

    // Several at the same instant, as after a restore.
    await rows(`insert into launch_requests (id, application_id, message, requested_at)
      select 'lau_m' || n, 'app_m' || n, 'Please', timestamptz '2030-01-01 00:00:00.123456Z' + n / 40 * interval '1 microsecond'
      from generate_series(13, 120) n`);
    const ids: string[][] = [];
    for (let after: string | undefined, more = true; more; more = after !== undefined) {
      const { rows: page, next } = await requests.open(after);
      ids.push(page.map(({ id }) => id));
      after = next;
    }
    expect(ids.map((page) => page.length)).toEqual([50, 50, 18]);
    expect(new Set(ids.flat()).size).toBe(118);
    // One more than a page, to know whether there is another. The others aren't read.
    expect(Math.max(...lengths)).toBe(51);
    expect((await requests.open('9e99.lau_1')).rows[0]?.id).toBe(ids[0]?.[0]);
  },
);
