import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { accountVotes, type Votes } from '../metrics/account-votes.js';
import { BURN_PAIRS, type BurnPair } from '../metrics/burn-limits.js';
import { SupplierSwitch } from '../supplier-states/supplier-switch.js';
import type { GivenState } from '../suppliers/given-states.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { AutomaticReturn } from './automatic-return.js';
import type { BurnAlert } from './burn-alerts.js';
import { webhookBody } from './webhook.js';

const database = migratedDatabase('supplier_states', 'audit_events');
const config = configSchema.parse({});
const silent = pino({ level: 'silent' });
const states = () => new SupplierSwitch(database(), 'sandbox');
const CALM = { totalMs: 0, samples: 0 };
const [FAST, SLOW] = BURN_PAIRS as readonly [BurnPair, BurnPair];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const supplier = (id: string, slo: object = {}) =>
  supplierConfigSchema.parse({ id, name: id, adapter: 'fake', brands: [id], url: 'http://127.0.0.1:9', slo });

/** A gateway with `uno` and `due`, which follows the stored states when `follow` is called. */
function gateway(unoSlo: object = {}) {
  const registry = new SupplierRegistry([supplier('uno', unoSlo), supplier('due')], {
    urlOf: ({ url }) => url,
    unusable: (_id, error) => {
      throw error;
    },
    createAdapter: () => ({ brandsPerCall: 'many' }),
    retireMs: 0,
  });
  const follow = async (): Promise<void> => {
    const given = (await states().overrides()).map(({ supplierId, state, percent }): [string, GivenState] => [
      supplierId,
      { state, ...(percent === undefined ? {} : { percent }) },
    ]);
    registry.applyStates(new Map(given));
  };
  return { registry, follow, returns: new AutomaticReturn(database(), config, registry, silent) };
}

const burning = (pair: BurnPair = FAST, id = 'uno'): readonly BurnAlert[] => [
  {
    key: 'a',
    objective: { slo: 'supplier_availability', supplier: id, target: 0.99, windowDays: 30, good: 0, bad: 50 },
    ...{ pair, startedAt: 0, endedAt: undefined, isOutage: false, seen: { good: 0, bad: 50 } },
  },
];
/** Votes of accounts: [account, good, bad]. */
function vote(kind: keyof Votes, votes: readonly (readonly [string, number, number])[], id = 'uno'): void {
  for (const [account, good, bad] of votes)
    for (let index = 0; index < good + bad; index += 1) accountVotes.count(id, kind, account, index < bad);
}
const TWO = [
  ['acc_1', 0, 10],
  ['acc_2', 0, 10],
] as const;
const stored = async () => (await states().overrides()).map(({ supplierId, state }) => `${supplierId} ${state}`);

/** A gateway that watches `uno` in canary. */
async function inCanary(slo: object = {}) {
  await states().canary('uno', 10, 'ops');
  const own = gateway(slo);
  await own.follow();
  await own.returns.turn([], 0, CALM);
  return own;
}

// The other specs of this worker have the same votes.
afterEach(() => accountVotes.watch([]));

describe('a supplier in canary whose error budget burns', () => {
  it('is returned to shadow, with the figures in the audit log, and stays there', async () => {
    const { returns, follow, registry } = await inCanary();
    vote('calls', [...TWO, ['acc_3', 20, 0]]);
    const why = '20 of 40 calls failed in the last 5 minutes (50.0 %; at most 14.4 % are accepted), for 2 accounts';
    expect(await returns.turn(burning(), 10 * SECOND, CALM)).toMatchObject([{ supplier: 'uno', why }]);
    expect(await states().overrides()).toEqual([{ supplierId: 'uno', state: 'shadow', until: null, returnedFor: why }]);
    const [event] = await database().rows(
      sql`select environment, actor, action, reason, before->>'state' as before, after::jsonb as after from audit_events order by id desc limit 1`,
    );
    expect(event).toEqual({
      ...{ environment: 'sandbox', actor: 'automatic', action: 'supplier_state_given', reason: why, before: 'canary' },
      after: {
        ...{ environment: 'sandbox', state: 'shadow', until: null },
        figures: { bad: 20, votes: 40, accounts: 2, share: expect.closeTo(0.144) },
      },
    });
    await follow();
    expect([registry.stateOf('uno'), await returns.turn(burning(), 20 * SECOND, CALM)]).toEqual(['shadow', []]);
    await states().set('uno', 'live', null, 'ops');
    expect(await states().overrides()).toEqual([{ supplierId: 'uno', state: 'live', until: null }]);
  });

  it.each<[string, readonly (readonly [string, number, number])[], readonly BurnAlert[]]>([
    [
      'only the calls of one account fail',
      [
        ['acc_1', 0, 500],
        ['acc_2', 20, 0],
      ],
      burning(),
    ],
    [
      'without one account, there are too few failures',
      [
        ['acc_1', 0, 500],
        ['acc_2', 0, 9],
      ],
      burning(),
    ],
    [
      'without one account, the share is accepted',
      [
        ['acc_1', 0, 500],
        ['acc_2', 90, 12],
      ],
      burning(),
    ],
    [
      'work for no account fails',
      [
        ['', 0, 500],
        ['acc_2', 0, 20],
      ],
      burning(),
    ],
    ['only the slow pair fires', TWO, burning(SLOW)],
    ['another supplier burns', TWO, burning(FAST, 'due')],
    ['nothing burns', TWO, []],
  ])('is not if %s', async (_case, votes, firing) => {
    const { returns } = await inCanary();
    vote('calls', votes);
    expect([await returns.turn(firing, 10 * SECOND, CALM), await stored()]).toEqual([[], ['uno canary']]);
  });

  it('is not because of calls from before, more than five minutes ago, or while the gateway was slow', async () => {
    const { returns, follow } = await inCanary();
    vote('calls', TWO);
    const late = { totalMs: 41 * 500, samples: 500 };
    expect(await returns.turn(burning(), 10 * SECOND, late)).toEqual([]);
    vote('calls', TWO);
    await returns.turn([], 20 * SECOND, late);
    expect(await returns.turn(burning(), 6 * MINUTE, late)).toEqual([]);
    vote('calls', TWO);
    await states().set('uno', 'drain', null, 'ops');
    await follow();
    await returns.turn([], 7 * MINUTE, late);
    await states().canary('uno', 20, 'ops');
    await follow();
    expect([await returns.turn(burning(), 7 * MINUTE, late), await stored()]).toEqual([[], ['uno canary']]);
  });

  it('is not if no other supplier is live', async () => {
    const { returns } = await inCanary();
    await states().set('due', 'drain', null, 'ops');
    vote('calls', TWO);
    expect([await returns.turn(burning(), 10 * SECOND, CALM), await stored()]).toEqual([
      [],
      ['due drain', 'uno canary'],
    ]);
  });

  it('is not if an operator set another state meanwhile', async () => {
    const { returns } = await inCanary();
    await states().set('uno', 'live', null, 'ops');
    vote('calls', TWO);
    expect([await returns.turn(burning(), 10 * SECOND, CALM), await stored()]).toEqual([[], ['uno live']]);
  });

  it('is returned once an hour, by one of several gateways, whatever operators set', async () => {
    const { returns, follow } = await inCanary();
    const other = await inCanary();
    vote('calls', TWO);
    const first = accountVotes.take();
    for (const votes of first.values()) expect(votes.calls.size).toBe(2);
    vote('calls', TWO);
    const one = await returns.turn(burning(), 10 * SECOND, CALM);
    vote('calls', TWO);
    expect([one.length, await other.returns.turn(burning(), 10 * SECOND, CALM)]).toEqual([1, []]);
    await states().reset('uno', 'ops');
    await states().canary('uno', 10, 'ops');
    await follow();
    const again = await inCanary();
    vote('calls', TWO);
    expect([await again.returns.turn(burning(), 10 * SECOND, CALM), await stored()]).toEqual([[], ['uno canary']]);
    await withoutTriggers(
      database(),
      `update audit_events set at = now() - interval '61 minutes' where actor = 'automatic'`,
    );
    expect(await again.returns.turn(burning(), 20 * SECOND, CALM)).toHaveLength(1);
  });

  it('is judged again after the database was unavailable', async () => {
    const { returns } = await inCanary();
    vote('calls', TWO);
    await database().rows(sql`alter table supplier_states rename to supplier_states_away`);
    expect(await returns.turn(burning(), 10 * SECOND, CALM)).toEqual([]);
    await database().rows(sql`alter table supplier_states_away rename to supplier_states`);
    expect(await returns.turn(burning(), 20 * SECOND, CALM)).toHaveLength(1);
  });
});

describe('a live supplier', () => {
  it.each([
    [false, []],
    [true, ['uno shadow']],
  ])('with autoReturn %p', async (autoReturn, expected) => {
    const { returns } = gateway({ autoReturn });
    await returns.turn([], 0, CALM);
    vote('calls', TWO);
    await returns.turn(burning(), 10 * SECOND, CALM);
    expect(await stored()).toEqual(expected);
  });

  it('that an operator moves to canary is judged by what happens there', async () => {
    const { returns, follow } = gateway({ autoReturn: true });
    await returns.turn([], 0, CALM);
    vote('calls', TWO);
    await states().canary('uno', 50, 'ops');
    await returns.turn([], 10 * SECOND, CALM);
    await follow();
    expect(await returns.turn(burning(), 20 * SECOND, CALM)).toEqual([]);
    vote('calls', TWO);
    expect(await returns.turn(burning(), 30 * SECOND, CALM)).toHaveLength(1);
  });
});

it('a return is sent like an alert, with labels by which it can be routed', () => {
  const figures = { bad: 20, votes: 40, accounts: 2, share: 0.144 };
  const notice = { key: 'return uno', supplier: 'uno', why: '20 of 40', figures, startedAt: 0, endedAt: undefined };
  const body = webhookBody(notice, { gateway: 'g', environment: 'sandbox', url: 'http://127.0.0.1/' });
  expect(body).toMatchObject({
    status: 'firing',
    commonLabels: { alertname: 'ForecourtSupplierReturned', severity: 'critical', supplier: 'uno', gateway: 'g' },
    commonAnnotations: { description: '20 of 40. An operator must bring it back.' },
  });
});

it('two gateways never return the last two live suppliers', async () => {
  const made = () => {
    const registry = new SupplierRegistry(
      [supplier('uno', { autoReturn: true }), supplier('due', { autoReturn: true })],
      {
        urlOf: ({ url }) => url,
        unusable: () => undefined,
        createAdapter: () => ({ brandsPerCall: 'many' }),
        retireMs: 0,
      },
    );
    return new AutomaticReturn(database(), config, registry, silent);
  };
  const [one, other] = [made(), made()];
  for (const each of [one, other]) await each.turn([], 0, CALM);
  vote('calls', TWO);
  const first = one.turn(burning(), 10 * SECOND, CALM);
  vote('calls', TWO, 'due');
  const returned = await Promise.all([first, other.turn(burning(FAST, 'due'), 10 * SECOND, CALM)]);
  expect([returned.flat().length, (await stored()).length]).toEqual([1, 1]);
});

describe('price drift', () => {
  const drift = { priceDrift: { share: 0.2, minChecks: 30 } };
  it.each<[string, readonly (readonly [string, number, number])[], boolean]>([
    [
      'above the share',
      [
        ['acc_1', 20, 10],
        ['acc_2', 20, 10],
        ['acc_3', 5, 5],
      ],
      true,
    ],
    [
      'at the share',
      [
        ['acc_1', 24, 6],
        ['acc_2', 24, 6],
        ['acc_3', 4, 1],
      ],
      false,
    ],
    [
      'of one account',
      [
        ['acc_1', 0, 100],
        ['acc_2', 30, 1],
      ],
      false,
    ],
    [
      'of too few checks',
      [
        ['acc_1', 10, 10],
        ['acc_2', 10, 10],
      ],
      false,
    ],
  ])('%s', async (_case, votes, isReturned) => {
    const { returns } = await inCanary(drift);
    vote('prices', votes);
    const [found] = await returns.turn([], 10 * SECOND, CALM);
    expect(await stored()).toEqual([isReturned ? 'uno shadow' : 'uno canary']);
    if (isReturned)
      expect(found?.why).toBe(
        '25 of 70 price checks changed the price in the last hour (35.7 %; at most 20.0 % are accepted), for 3 accounts',
      );
  });
});
