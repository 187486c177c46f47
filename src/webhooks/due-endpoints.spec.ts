import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { hasSharedPostgres } from '../../test/support/database.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { rowsScanned } from '../../test/support/rows-read.js';
import { configSchema } from '../config/config.schema.js';
import { byIndex, ONLY_BY_INDEX } from '../database/by-index.js';
import { DeliveryLog } from './delivery-log.js';
import { DeliveryQueue, type LeasedEndpoint } from './delivery-queue.js';
import { aheadStatement, type Lease, leaseStatement, MOST_AHEAD_MS, wakeStatement } from './due-endpoints.js';
import { EndpointStore } from './endpoint-store.js';
import type { WebhookSecrets } from './webhook-secrets.js';

/** PGlite has one connection. */
const onServer = hasSharedPostgres ? it : it.skip;

const database = migratedDatabase(
  ...['webhook_deliveries', 'webhook_arrivals', 'webhook_endpoints', 'applications', 'accounts'],
);
const PLACES: Lease = { fast: 16, slow: 8, perAccount: 2, busy: [] };
const queue = () => new DeliveryQueue(database(), configSchema.parse({}));
const run = (statement: string) => database().rows<Record<string, unknown>>(sql.raw(statement));

beforeEach(() => addAccounts('n', 3));

/** Accounts 1 to `count` with an application each; `number` is an expression of n. */
async function addAccounts(number: string, count: number): Promise<void> {
  const from = `from generate_series(1, ${count}) n`;
  await run(
    `insert into accounts (id, environment, name, tier) select 'acc_' || ${number}, 'sandbox', 'A', 'demo' ${from}`,
  );
  await run(`insert into applications (id, account_id, name, client_id, environment, tier)
    select 'app_' || ${number}, 'acc_' || ${number}, 'A', 'client_' || ${number}, 'sandbox', 'demo' ${from}`);
}

async function addEndpoint(id: string, account = 1): Promise<void> {
  await run(`insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
    values ('${id}', 'sandbox', 'acc_${account}', 'app_${account}', 'http://127.0.0.1:1/${id}', 's')`);
}

const eventOf = (endpoint: string, id: string, subject = 's') => `
  insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data)
  select environment, application_id, id, '${id}', 'reservation.changed', '${subject}', now(), '{}'
  from webhook_endpoints where id = '${endpoint}'`;

async function lease(changes: Partial<Lease> = {}): Promise<readonly LeasedEndpoint[]> {
  return await queue().lease({ ...PLACES, ...changes });
}

async function leasedIds(changes: Partial<Lease> = {}): Promise<readonly string[]> {
  return (await lease(changes)).map(({ id }) => id).sort();
}

/** Leases one endpoint and ends its lease. Returns the events that were due. */
async function turn(): Promise<readonly string[]> {
  const [leased, ...others] = await lease();
  if (!leased || others.length > 0) throw new Error('one endpoint must be awake');
  const due = await queue().due(leased);
  await queue().release(leased, 0);
  return due.map(({ eventId }) => eventId);
}

describe('an endpoint', () => {
  it('is leased for each event that arrives before, during or after its turn, and for none that was delivered', async () => {
    await addEndpoint('e');
    await run(eventOf('e', 'first'));
    const [leased] = await lease();
    if (!leased) throw new Error('the endpoint must be leased');
    const deliver = async () => {
      for (const event of await queue().due(leased))
        await queue().delivered(leased, event, { status: 200, error: null, ms: 1 });
    };
    await deliver();
    await run(eventOf('e', 'during'));
    // Another gateway looks meanwhile.
    expect(await leasedIds()).toEqual([]);
    await deliver();
    await queue().release(leased, 0);
    // It was woken meanwhile, perhaps by an event that this gateway couldn't see yet.
    expect(await turn()).toEqual([]);
    expect(await leasedIds()).toEqual([]);
    await run(eventOf('e', 'after'));
    expect(await turn()).toEqual(['after']);
  });

  it('whose events all wait, for their pause or for an earlier one, is not leased before the first of them is due', async () => {
    await addEndpoint('e');
    await run(eventOf('e', 'retried', 'a'));
    await run(eventOf('e', 'behind it', 'a'));
    await run(eventOf('e', 'later', 'b'));
    await run(
      `update webhook_deliveries set next_at = now() + interval '1 hour' where event_id in ('retried', 'later')`,
    );
    expect(await turn()).toEqual([]);
    expect(await leasedIds()).toEqual([]);
    await run(eventOf('e', 'new', 'c'));
    expect(await turn()).toEqual(['new']);
    await run(`update webhook_deliveries set state = 'delivered' where event_id = 'new'`);
    await run(`update webhook_deliveries set next_at = now() + interval '1 second' where event_id = 'later'`);
    expect(await turn()).toEqual([]);
    const [row] = await run(`select wakes_at = (select next_at from webhook_deliveries where event_id = 'later') as same
      from webhook_endpoints`);
    expect(row).toEqual({ same: true });
  });

  it('that failed, even at a gateway of the previous version, is left alone during its pause, whatever arrives', async () => {
    await addEndpoint('e');
    await run(eventOf('e', 'first'));
    // The previous version doesn't know when endpoints wake.
    await run(`update webhook_endpoints set failures = 3, resume_at = now() + interval '1 hour', wakes_at = now()`);
    expect(await leasedIds()).toEqual([]);
    await run(eventOf('e', 'second', 't'));
    // No place is taken for it either.
    expect(await leasedIds({ fast: 0, slow: 0 })).toEqual([]);
    expect(await run('select wakes_at = resume_at as same from webhook_endpoints')).toEqual([{ same: true }]);
    // A replay ends the pause.
    await new DeliveryLog(database()).replay('e', 'first');
    expect(await turn()).toEqual(['first']);
  });

  it('whose pause ends during its turn is leased for an event that arrived in the pause', async () => {
    await addEndpoint('e');
    for (const id of ['a', 'b', 'c', 'd']) await run(eventOf('e', id, id));
    const [leased] = await lease();
    if (!leased) throw new Error('the endpoint must be leased');
    const [last, ...others] = await queue().due(leased);
    if (!last) throw new Error('events must be due');
    for (const event of others) await queue().failed(leased, event, { status: 500, error: null, ms: 1 });
    await run(eventOf('e', 'new', 'e'));
    expect(await leasedIds()).toEqual([]);
    await queue().delivered(leased, last, { status: 200, error: null, ms: 1 });
    await queue().release(leased, 0);
    expect(await turn()).toEqual(['new']);
  });

  it('of an application that is suspended is leased when the application is active again', async () => {
    await addEndpoint('e');
    await run(eventOf('e', 'first'));
    await run(`update applications set state = 'suspended' where id = 'app_1'`);
    expect(await leasedIds()).toEqual([]);
    await run(`update applications set state = 'active' where id = 'app_1'`);
    expect(await turn()).toEqual(['first']);
  });

  it('that was deleted leaves no arrival behind', async () => {
    await addEndpoint('e');
    await run(eventOf('e', 'first'));
    await run(`delete from webhook_endpoints`);
    expect(await leasedIds()).toEqual([]);
    expect(await run('select from webhook_arrivals')).toEqual([]);
  });

  onServer(
    'is leased for an event whose transaction ends after its turn, and after another session has changed it',
    async () => {
      await addEndpoint('e');
      await run(eventOf('e', 'first'));
      const [leased] = await lease();
      if (!leased) throw new Error('the endpoint must be leased');
      await run(`update webhook_deliveries set state = 'delivered'`);
      await database().tables.transaction(async (tx) => {
        await tx.execute(sql.raw(eventOf('e', 'second')));
        await queue().release(leased, 0);
        expect(await leasedIds()).toEqual([]);
      });
      await database().tables.transaction(async (tx) => {
        await tx.execute(sql`select 1 from webhook_endpoints for update`);
        expect(await leasedIds()).toEqual([]);
      });
      expect(await turn()).toEqual(['second']);
    },
  );
});

describe('endpoints', () => {
  it('get places in turns between accounts, then those that woke first, and those after their turn are last', async () => {
    for (const [id, account] of [
      ['a1', 1],
      ['a2', 1],
      ['a3', 1],
      ['b1', 2],
      ['c1', 3],
    ] as const) {
      await addEndpoint(id, account);
      await run(eventOf(id, 'first'));
      await leasedIds({ slow: 0, fast: 0 });
    }
    const first = await lease({ slow: 2 });
    expect(first.map(({ id }) => id).sort()).toEqual(['a1', 'b1']);
    const busy = ['acc_1', 'acc_2'].map((accountId) => ({ accountId, isSlow: true, count: 1 }));
    for (const one of first) await queue().release(one, 0);
    const second = await lease({ slow: 1, busy: busy.slice(0, 1) });
    expect(second.map(({ id }) => id)).toEqual(['c1']);
    for (const one of second) await queue().release(one, 0);
    expect(await leasedIds({ slow: 8, perAccount: 1, busy })).toEqual(['c1']);
    expect(await leasedIds({ slow: 2, busy })).toEqual(['a2', 'b1']);
    expect(await leasedIds({ slow: 8, perAccount: 3 })).toEqual(['a1', 'a3']);
  });

  it('for which an event arrives go ahead of those that had a turn, whose account then decides how far they do', async () => {
    for (const [id, account] of [
      ['much', 1],
      ['little', 2],
      ['new', 3],
    ] as const)
      await addEndpoint(id, account);
    const next = async (aheadMs: number) => {
      const [leased] = await lease({ slow: 1 });
      if (leased) await queue().release(leased, aheadMs);
      return leased && [leased.id, leased.isAhead];
    };
    await run(eventOf('much', 'first'));
    expect(await next(0)).toEqual(['much', true]);
    await run(eventOf('little', 'first'));
    expect(await next(600_000)).toEqual(['little', true]);
    // It waits already, so this changes nothing.
    await run(eventOf('much', 'second', 't'));
    await run(eventOf('new', 'first'));
    expect(await next(300_000)).toEqual(['new', true]);
    expect(await next(150_000)).toEqual(['little', false]);
    expect(await next(50_000)).toEqual(['new', false]);
    expect(await next(100_000)).toEqual(['little', false]);
    await run(`update webhook_endpoints set wakes_at = wakes_at - interval '200 s' where id = 'much'`);
    expect(await next(0)).toEqual(['much', false]);
  });
});

describe('an endpoint of an account that used little', () => {
  const BUSY = ['busy1', 'busy2'] as const;

  /** The line: endpoints with events that remain, of accounts that used places all the time, each after a turn. */
  async function addBusy(): Promise<void> {
    for (const [index, id] of BUSY.entries()) {
      await addEndpoint(id, index + 2);
      await run(eventOf(id, `of ${id}`));
      for (const one of await lease({ slow: 1 })) await queue().release(one, 0);
    }
  }
  const next = async () => {
    const [leased] = await lease({ slow: 1 });
    if (leased) await queue().release(leased, leased.id === 'e' ? MOST_AHEAD_MS / 2 : 0);
    return leased && [leased.id, leased.isAhead];
  };
  const passed = (ms: number) =>
    run(`update webhook_endpoints set wakes_at = wakes_at - ${ms} * interval '1 ms', resume_at = resume_at - ${ms} * interval '1 ms';
      update webhook_deliveries set next_at = next_at - ${ms} * interval '1 ms'`);

  it.each([
    ['a first attempt', 0, 12_000],
    ['three failures, after which it pauses', 2, 12_000],
    ['a restart of the only gateway', 0, 500_000],
  ])(
    'goes ahead of accounts with a backlog when a retry is due, and so do newer events: after %s',
    async (_which, failures, ms) => {
      await addEndpoint('e');
      await run(`update webhook_endpoints set failures = ${failures}`);
      await run(eventOf('e', 'retried'));
      const [leased] = await lease();
      const [event] = leased ? await queue().due(leased) : [];
      if (!leased || !event) throw new Error('the event must be due');
      await queue().failed(leased, event, { status: 503, error: null, ms: 1 });
      await queue().release(leased, MOST_AHEAD_MS / 2);
      await addBusy();
      await passed(ms);
      await run(eventOf('e', 'newer', 't'));
      expect(await next()).toEqual(['e', true]);
      // Then its account decides how far it goes ahead.
      expect(await next()).toEqual(['e', false]);
    },
  );

  it('goes ahead of accounts with a backlog when it becomes active again', async () => {
    await addEndpoint('e');
    await run(eventOf('e', 'first'));
    await run(`update webhook_endpoints set state = 'suspended', failures = 9, wakes_at = now() - interval '1 second'`);
    await addBusy();
    const store = new EndpointStore(database(), configSchema.parse({}), {} as WebhookSecrets);
    await store.change('app_1', 'e', { state: 'active' }, 'test');
    expect(await next()).toEqual(['e', true]);
  });

  it('is not taken for one that had a turn, and those that had one keep their order, however often gateways look', async () => {
    await addBusy();
    for (let look = 0; look < 3; look += 1) {
      expect([await next(), await next()]).toEqual(BUSY.map((id) => [id, false]));
      await passed(7_000);
    }
  });
});

claim.each([
  ['pause', 1, `resume_at = now() + interval '1 hour', wakes_at = now() + interval '1 hour'`],
  ['are suspended', 1, `state = 'suspended', wakes_at = now()`],
  ['have no events', 1, 'wakes_at = null'],
  ['are due as well', PLACES.slow, 'wakes_at = now()'],
])(
  'API4',
  'Finding the webhook endpoints to send to next takes the same work however many others have events that wait.',
  'others that %s',
  async (_which, count, set) => {
    await addEndpoint('due');
    await addAccounts(`(n + 3)`, 3_000);
    await run(`insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
      select 'e_' || n, 'sandbox', 'acc_' || n, 'app_' || n, 'http://127.0.0.1:1/', 's' from generate_series(4, 3003) n`);
    await run(`update webhook_endpoints set ${set}`);
    for (const _statistics of ['none', 'of these rows']) {
      await run(`update webhook_endpoints set state = 'active', resume_at = null, wakes_at = now() - interval '1 hour',
        leased_until = null where id = 'due'`);
      await run(
        `insert into webhook_arrivals (environment, endpoint_id) values ('sandbox', 'due'), ('sandbox', 'e_9'), ('sandbox', 'gone')`,
      );
      expect(await rowsScanned(byIndex(database().tables, ONLY_BY_INDEX), wakeStatement('sandbox'))).toBeLessThan(200);
      expect(await run('select from webhook_arrivals')).toEqual([]);
      await run(`update webhook_endpoints set ${set} where id = 'e_9'`);
      expect(await rowsScanned(byIndex(database().tables, ONLY_BY_INDEX), aheadStatement('sandbox'))).toBeLessThan(200);
      const scanned = await rowsScanned(byIndex(database().tables, ONLY_BY_INDEX), leaseStatement('sandbox', PLACES));
      expect(await run('select from webhook_endpoints where leased_until is not null')).toHaveLength(count);
      expect(scanned).toBeLessThan(200);
      await run('update webhook_endpoints set leased_until = null');
      await run('analyze webhook_endpoints');
    }
  },
);
