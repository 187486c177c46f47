import { expect, it } from '@jest/globals';
import { MemoryPages } from './memory-pages.js';
import { pageStoreContract } from './page-store.contract.js';

pageStoreContract('MemoryPages', async (budgets) => {
  const start = Date.now();
  let skipped = 0;
  const pages = new MemoryPages(budgets, () => start + skipped);
  return {
    pages,
    advance: async (ms) => {
      skipped += ms;
    },
  };
});

it('costs no more the more searches are kept', async () => {
  const pages = new MemoryPages({ accountBytes: 8_000_000, totalBytes: 128_000_000 });
  const save = (account: number, search: number) => {
    const owner = { accountId: `acc_${account}`, applicationId: 'app' };
    return pages.save({ owner, searchId: `sea_${search}` }, [Buffer.alloc(1)], 600_000);
  };
  const begunAt = performance.now();
  for (let search = 0; search < 160_000; search += 1) await save(search % 16, search);
  // A save that reads all that are kept takes 10 ms at the end, and minutes in all.
  expect(performance.now() - begunAt).toBeLessThan(10_000);
  expect(await save(17, 0)).toBe(true);
  await pages.close();
}, 30_000);
