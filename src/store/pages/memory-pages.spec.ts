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
