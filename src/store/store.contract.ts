import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Admission, ApplicationPolicy, Store } from './store.js';

/** What the suite needs beside the store: a way to let its clock go on (really waiting, or moving a fake clock). */
export interface StoreUnderTest {
  readonly store: Store;
  advance(ms: number): Promise<void>;
}

let serial = 0;

function policy(rate: { perMinute: number; burst: number }): ApplicationPolicy {
  serial += 1;
  return {
    accountId: `acc_contract${serial}`,
    applicationId: `app_contract${serial}x${Date.now()}`,
    clientId: 'client',
    environment: 'sandbox',
    limits: { application: rate },
    products: ['car_availability'],
  };
}

function decided(admission: Admission): Extract<Admission, { known: true }> {
  if (!admission.known) throw new Error('the token should be known');
  return admission;
}

/** The one suite that every Store passes. `make` gives a fresh store; it is closed at the end. */
export function storeContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the store contract`, () => {
    let subject: StoreUnderTest;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(async () => {
      await subject.store.close();
    });
    const token = ({ accountId, applicationId }: ApplicationPolicy, digest: string, lifetimeMs = 60_000) => ({
      accountId,
      applicationId,
      digest,
      lifetimeMs,
    });

    it('admits a saved token with its policy and expiry', async () => {
      const own = policy({ perMinute: 60, burst: 5 });
      await subject.store.saveToken(token(own, 'd1'), own, 10);
      const admission = decided(await subject.store.admit(own, 'd1', 1));
      expect(admission.policy).toEqual(own);
      expect(admission.decision).toMatchObject({ allowed: true, limit: 5, remaining: 4, retryAfterSeconds: 0, windowSeconds: 5 });
      expect(admission.expiresAtMs - Date.now()).toBeGreaterThan(50_000);
    });

    it('does not know a token of another application, another digest, or none at all', async () => {
      const own = policy({ perMinute: 60, burst: 5 });
      const other = policy({ perMinute: 60, burst: 5 });
      await subject.store.saveToken(token(own, 'd1'), own, 10);
      await subject.store.saveToken(token(other, 'd2'), other, 10);
      expect(await subject.store.admit(own, 'd2', 1)).toEqual({ known: false });
      expect(await subject.store.admit({ accountId: 'acc_nobody', applicationId: 'app_nobody' }, 'd1', 1)).toEqual({ known: false });
    });

    it('forgets a token when its life is over', async () => {
      const own = policy({ perMinute: 60, burst: 5 });
      await subject.store.saveToken(token(own, 'short', 150), own, 10);
      expect((await subject.store.admit(own, 'short', 1)).known).toBe(true);
      await subject.advance(250);
      expect((await subject.store.admit(own, 'short', 1)).known).toBe(false);
    });

    it('revokes the oldest token beyond the cap', async () => {
      const own = policy({ perMinute: 600, burst: 50 });
      for (const digest of ['a', 'b', 'c']) {
        await subject.store.saveToken(token(own, digest), own, 2);
        await subject.advance(5);
      }
      const known = await Promise.all(['a', 'b', 'c'].map(async (digest) => (await subject.store.admit(own, digest, 1)).known));
      expect(known).toEqual([false, true, true]);
    });

    it('refuses beyond the burst, says when to come back, and counts no refused call', async () => {
      const own = policy({ perMinute: 300, burst: 3 });
      await subject.store.saveToken(token(own, 'd1'), own, 10);
      const decisions = [];
      for (let i = 0; i < 6; i += 1) decisions.push(decided(await subject.store.admit(own, 'd1', 1)).decision);
      expect(decisions.map((decision) => decision.allowed)).toEqual([true, true, true, false, false, false]);
      expect(decisions.map((decision) => decision.remaining)).toEqual([2, 1, 0, 0, 0, 0]);
      expect(decisions[5]).toMatchObject({ retryAfterSeconds: 1, resetSeconds: 1 });
      await subject.advance(230);
      expect(decided(await subject.store.admit(own, 'd1', 1)).decision.allowed).toBe(true);
      expect(decided(await subject.store.admit(own, 'd1', 1)).decision.allowed).toBe(false);
    });

    it('admits exactly the burst of 200 calls that come at once', async () => {
      const own = policy({ perMinute: 1, burst: 50 });
      await subject.store.saveToken(token(own, 'd1'), own, 10);
      const admissions = await Promise.all(Array.from({ length: 200 }, () => subject.store.admit(own, 'd1', 1)));
      expect(admissions.filter((admission) => decided(admission).decision.allowed)).toHaveLength(50);
    });

    it('shares one limit over all tokens of an application', async () => {
      const own = policy({ perMinute: 1, burst: 2 });
      await subject.store.saveToken(token(own, 'x'), own, 10);
      await subject.store.saveToken(token(own, 'y'), own, 10);
      const allowed = [];
      for (const digest of ['x', 'y', 'x']) allowed.push(decided(await subject.store.admit(own, digest, 1)).decision.allowed);
      expect(allowed).toEqual([true, true, false]);
    });

    it('charges a cost above one', async () => {
      const own = policy({ perMinute: 1, burst: 10 });
      await subject.store.saveToken(token(own, 'd1'), own, 10);
      expect(decided(await subject.store.admit(own, 'd1', 7)).decision.remaining).toBe(3);
      expect(decided(await subject.store.admit(own, 'd1', 4)).decision).toMatchObject({ allowed: false, remaining: 3 });
      expect(decided(await subject.store.admit(own, 'd1', 3)).decision).toMatchObject({ allowed: true, remaining: 0 });
    });

    it('obeys a changed policy at once for live tokens', async () => {
      const own = policy({ perMinute: 60, burst: 5 });
      await subject.store.saveToken(token(own, 'd1'), own, 10);
      const changed = { ...own, products: [], defaultScenario: 'alpine=empty' };
      await subject.store.savePolicy(changed);
      expect(decided(await subject.store.admit(own, 'd1', 1)).policy).toEqual(changed);
    });

    it('revokes one token or all of an application, and inspects without counting', async () => {
      const own = policy({ perMinute: 1, burst: 1 });
      for (const digest of ['a', 'b', 'c']) await subject.store.saveToken(token(own, digest), own, 10);
      expect((await subject.store.inspect(own, 'a'))?.policy).toEqual(own);
      expect(await subject.store.revoke(own, 'a')).toBe(true);
      expect(await subject.store.revoke(own, 'a')).toBe(false);
      expect(await subject.store.inspect(own, 'a')).toBeUndefined();
      expect(decided(await subject.store.admit(own, 'b', 1)).decision.allowed).toBe(true);
      expect(await subject.store.revokeAll(own)).toBe(2);
      expect((await subject.store.admit(own, 'b', 1)).known).toBe(false);
    });

    it('keeps limits under a key of their own', async () => {
      const rate = { perMinute: 60, burst: 2 };
      const key = `k${Date.now()}`;
      const taken = [];
      for (let i = 0; i < 3; i += 1) taken.push((await subject.store.take(key, rate, 1)).allowed);
      expect(taken).toEqual([true, true, false]);
      expect((await subject.store.take(`${key}other`, rate, 1)).allowed).toBe(true);
    });

    it('answers a ping', async () => {
      await expect(subject.store.ping()).resolves.toBeUndefined();
    });
  });
}
