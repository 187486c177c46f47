import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import type { LimitRate } from './gcra.js';
import type { PolicyLimits } from './limits.js';
import type { Admission, ApplicationPolicy, Store } from './store.js';

/** The store, and a way to advance its clock (by waiting, or by moving a fake clock). */
export interface StoreUnderTest {
  readonly store: Store;
  advance(ms: number): Promise<void>;
}

/** After this time, the store under test must count a call as finished. */
export const LEASE_MS = 400;

type Known = Extract<Admission, { known: true }>;

/** A limit that no test reaches. */
const WIDE: LimitRate = { perMinute: 60_000, burst: 1_000 };

let serial = 0;

function policy(limits: PolicyLimits, accountId?: string): ApplicationPolicy {
  serial += 1;
  const id = `contract${serial}x${Date.now()}`;
  return {
    accountId: accountId ?? `acc_${id}`,
    applicationId: `app_${id}`,
    clientId: 'client',
    environment: 'sandbox',
    limits,
    products: ['car_availability'],
  };
}

function known(admission: Admission): Known {
  if (!admission.known) throw new Error('the token should be known');
  return admission;
}

/** The suite that every Store passes. `make` returns a new store with LEASE_MS, which is closed at the end. */
export function storeContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the store contract`, () => {
    let subject: StoreUnderTest;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(async () => {
      await subject.store.close();
    });
    const save = (
      own: ApplicationPolicy,
      digest: string,
      {
        lifetimeMs = 60_000,
        maxLive = 10,
        ...origin
      }: { lifetimeMs?: number; maxLive?: number; secretId?: string } = {},
    ) =>
      subject.store.saveToken(
        { accountId: own.accountId, applicationId: own.applicationId, digest, lifetimeMs, ...origin },
        own,
        maxLive,
      );
    /** An application with live tokens. */
    const saved = async (limits: PolicyLimits, digests = ['d1'], accountId?: string): Promise<ApplicationPolicy> => {
      const own = policy(limits, accountId);
      for (const digest of digests) await save(own, digest);
      return own;
    };
    const admit = async (own: ApplicationPolicy, digest = 'd1', cost = 1) =>
      known(await subject.store.admit(own, digest, cost));
    const allowed = async (own: ApplicationPolicy, digest = 'd1', cost = 1) =>
      (await admit(own, digest, cost)).decision.allowed;
    const isKnown = async (own: ApplicationPolicy, digest: string) => (await subject.store.admit(own, digest, 1)).known;

    describe('tokens', () => {
      it('admits a saved token with its policy and expiry', async () => {
        const own = await saved({ application: { perMinute: 60, burst: 5 } });
        const admission = await admit(own);
        expect(admission.policy).toEqual(own);
        expect(admission.expiresAtMs - Date.now()).toBeGreaterThan(50_000);
        expect(admission.decision).toEqual({
          name: 'application',
          kind: 'rate',
          allowed: true,
          limit: 5,
          remaining: 4,
          resetSeconds: 1,
          retryAfterSeconds: 0,
        });
        expect(admission.place).toBeUndefined();
      });

      it('rejects another token, and tokens of another application or account', async () => {
        const own = await saved({ application: WIDE });
        const sibling = await saved({ application: WIDE }, ['e1'], own.accountId);
        expect(await isKnown(own, 'd2')).toBe(false);
        expect(await isKnown({ ...own, applicationId: 'app_nobody' }, 'd1')).toBe(false);
        expect(await isKnown({ ...own, accountId: 'acc_nobody' }, 'd1')).toBe(false);
        expect((await admit(sibling, 'e1')).policy.applicationId).toBe(sibling.applicationId);
      });

      it('rejects a token after its lifetime', async () => {
        const own = policy({ application: WIDE });
        await save(own, 'short', { lifetimeMs: 150 });
        expect(await isKnown(own, 'short')).toBe(true);
        await subject.advance(250);
        expect(await isKnown(own, 'short')).toBe(false);
        expect(await subject.store.inspect(own, 'short')).toBeUndefined();
      });

      it('revokes the oldest token of the application beyond the cap', async () => {
        const own = policy({ application: WIDE });
        const sibling = await saved({ application: WIDE }, ['e1'], own.accountId);
        for (const digest of ['a', 'b', 'c']) {
          await save(own, digest, { maxLive: 2 });
          await subject.advance(5);
        }
        expect(await Promise.all(['a', 'b', 'c'].map((digest) => isKnown(own, digest)))).toEqual([false, true, true]);
        expect(await isKnown(sibling, 'e1')).toBe(true);
      });

      claim(
        ['API5', 'V8.3.2'],
        'Changed products and limits of an application apply immediately to its active tokens, and the calls already counted stay counted.',
        async () => {
          const own = await saved({ application: { perMinute: 1, burst: 5 }, account: WIDE });
          await admit(own, 'd1', 3);
          const changed = {
            ...own,
            limits: { application: { perMinute: 1, burst: 4 } },
            products: [],
            defaultScenario: 'alpine=empty',
          };
          await subject.store.savePolicy(changed);
          const admission = await admit(own);
          expect(admission.policy).toEqual(changed);
          expect(admission.decision).toMatchObject({ limit: 4, remaining: 0 });
        },
      );

      it('admits nothing after a policy was saved without a token', async () => {
        const own = policy({ application: WIDE });
        await subject.store.savePolicy(own);
        expect(await isKnown(own, 'd1')).toBe(false);
      });

      it('inspects an active token without charging', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 1 } });
        for (let i = 0; i < 3; i += 1) expect((await subject.store.inspect(own, 'd1'))?.policy).toEqual(own);
        expect((await subject.store.inspect(own, 'd1'))?.expiresAtMs).toBe((await admit(own)).expiresAtMs);
        expect(await subject.store.inspect(own, 'd2')).toBeUndefined();
      });

      it('revokes one token, once', async () => {
        const own = await saved({ application: WIDE }, ['x', 'y']);
        expect(await subject.store.revoke(own, 'x')).toBe(true);
        expect(await subject.store.revoke(own, 'x')).toBe(false);
        expect([await isKnown(own, 'x'), await isKnown(own, 'y')]).toEqual([false, true]);
      });

      it('revokes all tokens of an application but no others, and returns how many were active', async () => {
        const own = await saved({ application: WIDE }, ['x', 'y', 'z']);
        const sibling = await saved({ application: WIDE }, ['e1'], own.accountId);
        await subject.store.revoke(own, 'z');
        expect(await subject.store.revokeAll(own)).toBe(2);
        expect(await subject.store.revokeAll(own)).toBe(0);
        expect([await isKnown(own, 'x'), await isKnown(own, 'y'), await isKnown(sibling, 'e1')]).toEqual([
          false,
          false,
          true,
        ]);
        await save(own, 'new');
        expect(await isKnown(own, 'new')).toBe(true);
      });

      it('revokes the tokens of one secret and those without a secret, and counts those that were active', async () => {
        const own = await saved({ application: WIDE }, ['none']);
        const sibling = policy({ application: WIDE }, own.accountId);
        for (const digest of ['a1', 'a2', 'a3']) await save(own, digest, { secretId: 'sec_a' });
        await save(own, 'b1', { secretId: 'sec_ab' });
        await save(sibling, 'e1', { secretId: 'sec_a' });
        await subject.store.revoke(own, 'a3');
        expect(await subject.store.revokeAll(own, 'sec_a')).toBe(3);
        expect(await subject.store.revokeAll(own, 'sec_a')).toBe(0);
        const known = ['none', 'a1', 'a2', 'b1'].map((digest) => isKnown(own, digest));
        expect([...(await Promise.all(known)), await isKnown(sibling, 'e1')]).toEqual([
          false,
          false,
          false,
          true,
          true,
        ]);
        // What stays can still be revoked, expires, and counts toward the cap.
        expect((await subject.store.inspect(own, 'b1'))?.expiresAtMs).toBe((await admit(own, 'b1')).expiresAtMs);
        await save(own, 'c1', { secretId: 'sec_c', maxLive: 1 });
        expect([await isKnown(own, 'b1'), await isKnown(own, 'c1')]).toEqual([false, true]);
        expect(await subject.store.revokeAll(own)).toBe(1);
      });

      it('keeps usage when tokens are revoked', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 1 } }, ['x', 'y']);
        await admit(own, 'x');
        await subject.store.revokeAll(own);
        await save(own, 'new');
        expect(await allowed(own, 'new')).toBe(false);
      });
    });

    describe('rate', () => {
      it('rejects calls beyond the burst with the time to wait, without charging them', async () => {
        const own = await saved({ application: { perMinute: 300, burst: 3 } });
        const decisions = [];
        for (let i = 0; i < 6; i += 1) decisions.push((await admit(own)).decision);
        expect(decisions.map((decision) => decision.allowed)).toEqual([true, true, true, false, false, false]);
        expect(decisions.map((decision) => decision.remaining)).toEqual([2, 1, 0, 0, 0, 0]);
        expect(decisions[5]).toMatchObject({ retryAfterSeconds: 1, resetSeconds: 1 });
        await subject.advance(230);
        expect([await allowed(own), await allowed(own)]).toEqual([true, false]);
      });

      it('admits exactly the burst of 200 concurrent calls', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 50 } });
        const admissions = await Promise.all(Array.from({ length: 200 }, () => allowed(own)));
        expect(admissions.filter(Boolean)).toHaveLength(50);
      });

      it('shares one limit over all tokens of an application', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 2 } }, ['x', 'y']);
        expect([await allowed(own, 'x'), await allowed(own, 'y'), await allowed(own, 'x')]).toEqual([
          true,
          true,
          false,
        ]);
      });

      it('charges a cost above one', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 10 } });
        expect((await admit(own, 'd1', 7)).decision.remaining).toBe(3);
        expect((await admit(own, 'd1', 4)).decision).toMatchObject({ allowed: false, remaining: 3 });
        expect((await admit(own, 'd1', 3)).decision).toMatchObject({ allowed: true, remaining: 0 });
      });

      it('admits a call that costs more than the burst or the day allows if nothing is used', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 1, perDay: 1 } });
        expect([await allowed(own, 'd1', 2), await allowed(own, 'd1', 2)]).toEqual([true, false]);
      });

      it('applies a raised rate from the next call on, however long the wait was before', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 5 } });
        expect([await allowed(own, 'd1', 5), await allowed(own)]).toEqual([true, false]);
        await subject.store.savePolicy({ ...own, limits: { application: { perMinute: 600, burst: 1 } } });
        expect((await admit(own)).decision).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
        await subject.advance(110);
        expect(await allowed(own)).toBe(true);
      });

      it('keeps separate limits by key', async () => {
        const rate = { perMinute: 60, burst: 2 };
        const key = `k${Date.now()}`;
        const taken = [];
        for (let i = 0; i < 3; i += 1) taken.push((await subject.store.take(key, rate, 1)).allowed);
        expect(taken).toEqual([true, true, false]);
        expect((await subject.store.take(`${key}other`, rate, 1)).allowed).toBe(true);
        for (const account of ['acc_one', 'acc_two'])
          expect([account, (await subject.store.take(key, rate, 2, account)).allowed]).toEqual([account, true]);
        expect((await subject.store.take(key, rate, 1, 'acc_one')).allowed).toBe(false);
      });
    });

    it('applies a raised rate of a separate limit from the next call on, however long the wait was before', async () => {
      const key = `raised${Date.now()}`;
      expect((await subject.store.take(key, { perMinute: 1, burst: 5 }, 5)).allowed).toBe(true);
      const raised = { perMinute: 600, burst: 1 };
      expect(await subject.store.take(key, raised, 1)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
      await subject.advance(110);
      expect((await subject.store.take(key, raised, 1)).allowed).toBe(true);
    });

    it('reads a separate limit with cost 0 without charging it', async () => {
      const rate = { perMinute: 1, burst: 2 };
      const key = `look${Date.now()}`;
      expect((await subject.store.take(key, rate, 0)).remaining).toBe(2);
      await subject.store.take(key, rate, 1);
      await subject.store.take(key, rate, 1);
      expect((await subject.store.take(key, rate, -1)).remaining).toBe(1);
      for (let i = 0; i < 3; i += 1) expect((await subject.store.take(key, rate, 0)).remaining).toBe(1);
      await subject.store.take(key, rate, 1);
      expect((await subject.store.take(key, rate, 0)).remaining).toBe(0);
    });

    describe('several limits', () => {
      it('shares an account’s limit among its applications only', async () => {
        const limits = { application: WIDE, account: { perMinute: 1, burst: 3 } };
        const one = await saved(limits);
        const two = await saved(limits, ['d1'], one.accountId);
        const other = await saved(limits);
        expect([await allowed(one), await allowed(two), await allowed(one), await allowed(two)]).toEqual([
          true,
          true,
          true,
          false,
        ]);
        expect((await admit(two)).decision).toMatchObject({ name: 'account', kind: 'rate', remaining: 0, limit: 3 });
        expect(await allowed(other)).toBe(true);
      });

      it('limits each token separately', async () => {
        const own = await saved({ application: WIDE, token: { perMinute: 1, burst: 1 } }, ['x', 'y']);
        expect([await allowed(own, 'x'), await allowed(own, 'x'), await allowed(own, 'y')]).toEqual([
          true,
          false,
          true,
        ]);
        expect((await admit(own, 'x')).decision).toMatchObject({ name: 'token', kind: 'rate' });
      });

      it.each([
        [
          'account',
          {
            account: { perMinute: 1, burst: 1 },
            application: { perMinute: 1, burst: 9 },
            token: { perMinute: 1, burst: 9 },
          },
        ],
        [
          'application',
          {
            account: { perMinute: 1, burst: 9 },
            application: { perMinute: 1, burst: 1 },
            token: { perMinute: 1, burst: 9 },
          },
        ],
        [
          'token',
          {
            account: { perMinute: 1, burst: 9 },
            application: { perMinute: 1, burst: 9 },
            token: { perMinute: 1, burst: 1 },
          },
        ],
      ] as const)('charges none of them if that of the %s rejects the call', async (name, limits) => {
        const own = await saved(limits);
        expect([await allowed(own), await allowed(own), await allowed(own)]).toEqual([true, false, false]);
        expect((await admit(own)).decision.name).toBe(name);
        // Without the one that refused, the others show what they were charged.
        const wide = { ...limits, [name]: WIDE };
        await subject.store.savePolicy({ ...own, limits: wide });
        await admit(own);
        await subject.advance(1_000);
        expect((await admit(own)).decision).toMatchObject({ allowed: true, remaining: 7, limit: 9 });
      });

      it('charges neither rate nor day for a call that only the day rejects', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 9, perDay: 2 } });
        for (let i = 0; i < 5; i += 1) await admit(own);
        await subject.store.savePolicy({ ...own, limits: { application: { perMinute: 1, burst: 9 } } });
        expect((await admit(own)).decision.remaining).toBe(6);
      });

      it('reports the one with the smallest share left', async () => {
        const own = await saved({
          account: { perMinute: 1, burst: 100 },
          application: { perMinute: 1, burst: 10 },
          token: WIDE,
        });
        expect((await admit(own)).decision).toMatchObject({ name: 'application', remaining: 9 });
        const sibling = await saved({ ...own.limits, application: WIDE }, ['d1'], own.accountId);
        await admit(sibling, 'd1', 50);
        expect((await admit(own)).decision).toMatchObject({ name: 'account', remaining: 48 });
      });

      it('reports the rejecting one with the longest wait', async () => {
        const own = await saved({ account: { perMinute: 1, burst: 1 }, application: { perMinute: 60, burst: 1 } });
        await admit(own);
        const { decision } = await admit(own);
        expect(decision).toMatchObject({ name: 'account', allowed: false });
        expect(decision.retryAfterSeconds).toBeGreaterThanOrEqual(59);
      });
    });

    describe('daily quota', () => {
      it('admits exactly the quota of a day without charging rejected calls, and reports when the day ends', async () => {
        const own = await saved({ application: { ...WIDE, perDay: 5 } });
        const admissions = await Promise.all(Array.from({ length: 40 }, () => admit(own)));
        expect(admissions.filter(({ decision }) => decision.allowed)).toHaveLength(5);
        const { decision } = await admit(own);
        expect(decision).toMatchObject({ name: 'application', kind: 'day', limit: 5, remaining: 0 });
        const untilMidnight = 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
        expect(Math.abs(decision.retryAfterSeconds - untilMidnight)).toBeLessThanOrEqual(5);
        expect(decision.resetSeconds).toBe(decision.retryAfterSeconds);
      });

      it('charges the cost, and rejects a call whose cost exceeds the rest', async () => {
        const own = await saved({ application: { ...WIDE, perDay: 5 } });
        expect((await admit(own, 'd1', 3)).decision).toMatchObject({ kind: 'day', remaining: 2 });
        expect((await admit(own, 'd1', 3)).decision).toMatchObject({ allowed: false, remaining: 2 });
        expect((await admit(own, 'd1', 2)).decision).toMatchObject({ allowed: true, remaining: 0 });
      });

      it('is shared by the applications of an account', async () => {
        const limits = { application: WIDE, account: { ...WIDE, perDay: 3 } };
        const one = await saved(limits);
        const two = await saved(limits, ['d1'], one.accountId);
        expect([await allowed(one), await allowed(two), await allowed(one), await allowed(two)]).toEqual([
          true,
          true,
          true,
          false,
        ]);
        expect((await admit(one)).decision).toMatchObject({ name: 'account', kind: 'day' });
      });
    });

    describe('calls in progress', () => {
      it('admits up to the limit and frees one slot per release', async () => {
        const own = await saved({ application: { ...WIDE, concurrent: 2 } });
        const [first, second, third] = [await admit(own), await admit(own), await admit(own)];
        expect([first, second, third].map(({ decision }) => decision.allowed)).toEqual([true, true, false]);
        expect(third.decision).toMatchObject({
          name: 'application',
          kind: 'concurrent',
          limit: 2,
          remaining: 0,
          retryAfterSeconds: 1,
        });
        expect(third.place).toBeUndefined();
        for (let i = 0; i < 3; i += 1) if (first.place) await subject.store.release(first.place);
        expect([await allowed(own), await allowed(own)]).toEqual([true, false]);
      });

      it('does not charge the rate for a call that gets no slot', async () => {
        const own = await saved({ application: { perMinute: 1, burst: 9, concurrent: 1 } });
        for (let i = 0; i < 5; i += 1) await admit(own);
        await subject.store.savePolicy({ ...own, limits: { application: { perMinute: 1, burst: 9 } } });
        expect((await admit(own)).decision.remaining).toBe(7);
      });

      it('admits exactly the limit of 40 concurrent calls', async () => {
        const own = await saved({ application: { ...WIDE, concurrent: 7 } });
        const admissions = await Promise.all(Array.from({ length: 40 }, () => allowed(own)));
        expect(admissions.filter(Boolean)).toHaveLength(7);
      });

      it('frees the slots of a crashed gateway when their leases expire', async () => {
        const own = await saved({ application: { ...WIDE, concurrent: 2 } });
        expect([await allowed(own), await allowed(own), await allowed(own)]).toEqual([true, true, false]);
        await subject.advance(LEASE_MS + 100);
        expect([await allowed(own), await allowed(own), await allowed(own)]).toEqual([true, true, false]);
      });

      it('counts account, application and token separately, and one release frees all three', async () => {
        const limits = {
          account: { ...WIDE, concurrent: 3 },
          application: { ...WIDE, concurrent: 2 },
          token: { ...WIDE, concurrent: 1 },
        };
        const own = await saved(limits, ['x', 'y']);
        const sibling = await saved(limits, ['z', 'v'], own.accountId);
        const first = await admit(own, 'x');
        expect((await admit(own, 'x')).decision).toMatchObject({ allowed: false, name: 'token' });
        expect([await allowed(own, 'y'), await allowed(sibling, 'z')]).toEqual([true, true]);
        expect((await admit(sibling, 'v')).decision).toMatchObject({ allowed: false, name: 'account' });
        if (first.place) await subject.store.release(first.place);
        expect([await allowed(own, 'x'), await allowed(own, 'x'), await allowed(sibling, 'v')]).toEqual([
          true,
          false,
          false,
        ]);
      });

      it('frees the slot of a call whose token was revoked meanwhile', async () => {
        const own = await saved({ application: { ...WIDE, concurrent: 1 } }, ['x', 'y']);
        const { place } = await admit(own, 'x');
        await subject.store.revoke(own, 'x');
        expect(await allowed(own, 'y')).toBe(false);
        if (place) await subject.store.release(place);
        expect(await allowed(own, 'y')).toBe(true);
      });
    });

    describe('sessions', () => {
      const session = (accountId: string) => ({ accountId, createdAtMs: 1, confirmedAtMs: 2, generation: 3 });
      const fresh = () => policy({ application: WIDE }).accountId;

      it('are read as they were saved, by account and digest only, until they are replaced', async () => {
        const [mine, other] = [fresh(), fresh()];
        await subject.store.saveSession('s1', session(mine), 60_000);
        expect(await subject.store.readSession(mine, 's1', 60_000)).toEqual(session(mine));
        expect(await subject.store.readSession(mine, 's2', 60_000)).toBeUndefined();
        expect(await subject.store.readSession(other, 's1', 60_000)).toBeUndefined();
        await subject.store.saveSession('s1', { ...session(mine), confirmedAtMs: 3 }, 60_000);
        expect(await subject.store.readSession(mine, 's1', 60_000)).toMatchObject({ confirmedAtMs: 3 });
      });

      it('expire if they aren’t read for the idle time, and are renewed when they are read', async () => {
        const mine = fresh();
        await subject.store.saveSession('s1', session(mine), 400);
        for (let i = 0; i < 3; i += 1) {
          await subject.advance(200);
          expect(await subject.store.readSession(mine, 's1', 400)).toBeDefined();
        }
        await subject.advance(500);
        expect(await subject.store.readSession(mine, 's1', 400)).toBeUndefined();
      });

      it('are not renewed by a read without an idle time', async () => {
        const mine = fresh();
        await subject.store.saveSession('s1', session(mine), 400);
        await subject.advance(250);
        expect(await subject.store.readSession(mine, 's1')).toEqual(session(mine));
        await subject.advance(250);
        expect(await subject.store.readSession(mine, 's1')).toBeUndefined();
      });

      it('all end with those of the account, even after one with a shorter lifetime expired', async () => {
        const mine = fresh();
        await subject.store.saveSession('long', session(mine), 60_000);
        await subject.store.saveSession('short', session(mine), 200);
        await subject.store.saveSession('renewed', session(mine), 60_000);
        await subject.store.readSession(mine, 'renewed', 200);
        await subject.advance(300);
        expect(await subject.store.readSession(mine, 'short')).toBeUndefined();
        expect(await subject.store.readSession(mine, 'long')).toBeDefined();
        await subject.store.endSessions(mine);
        expect(await subject.store.readSession(mine, 'long')).toBeUndefined();
      });

      it('are at most 20 of an account: the one that would expire first ends, never the newest', async () => {
        const [mine, other] = [fresh(), fresh()];
        await subject.store.saveSession('other', session(other), 1_000);
        for (let i = 0; i < 20; i += 1) await subject.store.saveSession(`s${i}`, session(mine), 60_000 + i * 1_000);
        await subject.store.readSession(mine, 's0', 90_000);
        await subject.store.saveSession('code', session(mine), 10_000);
        await subject.store.saveSession('newest', session(mine), 90_000);
        const there = async (digest: string) => (await subject.store.readSession(mine, digest)) !== undefined;
        const all = ['s0', 's1', 's2', 's19', 'code', 'newest'];
        expect(await Promise.all(all.map(there))).toEqual([true, false, true, true, false, true]);
        expect(await subject.store.readSession(other, 'other')).toBeDefined();
      });

      it('can be closed one by one, or all of an account', async () => {
        const [mine, other] = [fresh(), fresh()];
        for (const digest of ['s1', 's2', 's3']) await subject.store.saveSession(digest, session(mine), 60_000);
        await subject.store.saveSession('s1', session(other), 60_000);
        const live = async () =>
          Promise.all(
            ['s1', 's2', 's3'].map(
              async (digest) => (await subject.store.readSession(mine, digest, 60_000)) !== undefined,
            ),
          );
        expect(await subject.store.endSession(mine, 's2')).toBe(true);
        expect(await subject.store.endSession(mine, 's2')).toBe(false);
        expect(await live()).toEqual([true, false, true]);
        await subject.store.endSessions(mine);
        expect(await live()).toEqual([false, false, false]);
        expect(await subject.store.readSession(other, 's1', 60_000)).toBeDefined();
      });
    });

    it('returns the marks of a board until they expire; a mark set again keeps the later expiry', async () => {
      const [board, other] = [policy({ application: WIDE }).accountId, policy({ application: WIDE }).accountId];
      await subject.store.mark(board, new Map([['one', 400]]));
      const seen = await subject.store.mark(
        board,
        new Map([
          ['one', 100],
          ['two', 60_000.5],
        ]),
      );
      expect([...seen.keys()].sort()).toEqual(['one', 'two']);
      expect(seen.get('one')?.leftMs).toBeGreaterThan(100);
      const again = await subject.store.mark(board, new Map());
      expect(again.get('two')?.endsAtMs).toBe(seen.get('two')?.endsAtMs);
      await subject.advance(500);
      expect([...(await subject.store.mark(board, new Map())).keys()]).toEqual(['two']);
      expect([...(await subject.store.mark(other, new Map())).keys()]).toEqual([]);
    });

    it('answers a ping', async () => {
      await expect(subject.store.ping()).resolves.toBeUndefined();
    });
  });
}
