import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import type { KeptName, PageBudgets, PageStore } from './page-store.js';

/** The store, and a way to advance its clock (by waiting, or by moving a fake clock). */
export interface PagesUnderTest {
  readonly pages: PageStore;
  advance(ms: number): Promise<void>;
}

let serial = 0;
const name = (account = 'acc_1', application = 'app_1'): KeptName => {
  serial += 1;
  return { owner: { accountId: account, applicationId: application }, searchId: `sea_${serial}` };
};
/** Bytes that aren't text. */
const part = (length: number) => randomBytes(length);
const LIFE_MS = 60_000;

/** The suite that every PageStore passes. `make` returns an empty store with these budgets. */
export function pageStoreContract(title: string, make: (budgets: PageBudgets) => Promise<PagesUnderTest>): void {
  describe(`${title} keeps searches`, () => {
    const opened: PageStore[] = [];
    const begin = async (accountBytes: number, totalBytes: number): Promise<PagesUnderTest> => {
      const subject = await make({ accountBytes, totalBytes });
      opened.push(subject.pages);
      return subject;
    };
    let roomy: PagesUnderTest;
    beforeAll(async () => {
      roomy = await begin(1_000_000, 1_000_000);
    });
    afterAll(() => Promise.all(opened.map((pages) => pages.close())));

    it('byte by byte, and returns the parts that are asked for', async () => {
      const [search, parts] = [name(), [part(10), part(20), part(30)]];
      expect(await roomy.pages.save(search, parts, LIFE_MS)).toBe(true);
      expect(await roomy.pages.read(search, [0, 2])).toEqual([parts[0], parts[2]]);
      expect(await roomy.pages.read(search, [0, 3])).toBeUndefined();
    });

    claim('API1', 'A kept search is read only by the application that made it.', async () => {
      const search = name('acc_a', 'app_a');
      await roomy.pages.save(search, [part(10)], LIFE_MS);
      const { searchId } = search;
      for (const [accountId, applicationId] of [
        ['acc_a', 'app_b'],
        ['acc_b', 'app_a'],
        ['acc_b', 'app_b'],
      ] as const)
        expect(await roomy.pages.read({ owner: { accountId, applicationId }, searchId }, [0])).toBeUndefined();
      expect(await roomy.pages.read(search, [0])).toHaveLength(1);
    });

    it('until they expire', async () => {
      const [soon, later] = [name(), name()];
      await roomy.pages.save(soon, [part(10)], 300);
      await roomy.pages.save(later, [part(10)], LIFE_MS);
      await roomy.advance(400);
      expect([await roomy.pages.read(soon, [0]), (await roomy.pages.read(later, [0]))?.length]).toEqual([undefined, 1]);
      expect(await roomy.pages.save(name(), [part(10)], 0)).toBe(false);
    });

    it('of the applications of one account within its budget: those that expire first go, and no others', async () => {
      const { pages } = await begin(10_000, 1_000_000);
      const [other, first, second, third] = [name('acc_2'), name(), name('acc_1', 'app_other'), name()];
      await pages.save(other, [part(4_000)], LIFE_MS);
      await pages.save(first, [part(4_000)], LIFE_MS);
      await pages.save(second, [part(2_000), part(2_000)], LIFE_MS + 10_000);
      expect(await pages.save(third, [part(4_000)], LIFE_MS + 20_000)).toBe(true);
      const kept = await Promise.all([other, first, second, third].map(async (one) => !!(await pages.read(one, [0]))));
      expect(kept).toEqual([true, false, true, true]);
      expect(await pages.save(name(), [part(10_001)], LIFE_MS)).toBe(false);
      expect(await pages.read(third, [0])).toHaveLength(1);
    });

    it('of all accounts within one budget: there is room again when others expired', async () => {
      const { pages, advance } = await begin(6_000, 10_000);
      const save = (account: string, lifetimeMs = LIFE_MS) => {
        const search = name(account);
        return pages.save(search, [part(4_000)], lifetimeMs).then((isKept) => ({ search, isKept }));
      };
      expect([(await save('acc_1')).isKept, (await save('acc_2', 300)).isKept]).toEqual([true, true]);
      const refused = await save('acc_3');
      expect([refused.isKept, await pages.read(refused.search, [0])]).toEqual([false, undefined]);
      // An account with a full budget replaces its own search.
      for (let round = 0; round < 5; round += 1) expect((await save('acc_1')).isKept).toBe(true);
      await advance(400);
      expect([(await save('acc_3')).isKept, (await save('acc_4')).isKept]).toEqual([true, false]);
    });

    claim('API4', 'Accounts that fill the room for kept searches take none from those that keep few.', async () => {
      const { pages } = await begin(20_000, 60_000);
      const kept = async (searches: readonly KeptName[]) => {
        const found = await Promise.all(searches.map((search) => pages.read(search, [0])));
        return found.filter((parts) => parts !== undefined).length;
      };
      const [few, greedy]: [KeptName[], KeptName[]] = [[], []];
      // Far more than the room: 30 accounts with up to 20 searches of 1,000 bytes each.
      for (let round = 0; round < 20; round += 1) {
        for (let account = 0; account < 30; account += 1) {
          const search = name(`acc_greedy_${account}`);
          greedy.push(search);
          expect(await pages.save(search, [part(500)], LIFE_MS + 1_000 * round)).toBe(true);
        }
        if (round % 10 !== 0) continue;
        const search = name('acc_few', `app_${round}`);
        few.push(search);
        expect(await pages.save(search, [part(400)], LIFE_MS)).toBe(true);
      }
      expect(await kept(few)).toBe(2);
      expect(await kept(greedy)).toBeGreaterThan(50);
      expect(await kept(greedy)).toBeLessThan(60);
      // One that would keep more than each of them drops its own.
      const large = [name('acc_large'), name('acc_large')];
      expect(await pages.save(large[0] as KeptName, [part(1_000)], LIFE_MS)).toBe(true);
      expect(await pages.save(large[1] as KeptName, [part(1_000)], LIFE_MS + 1)).toBe(true);
      expect([await kept(large), await kept(few)]).toEqual([1, 2]);
      expect(await pages.save(name('acc_huge'), [part(15_000)], LIFE_MS)).toBe(false);
    });
  });
}
