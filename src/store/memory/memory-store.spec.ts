import { LEASE_MS, storeContract } from '../store.contract.js';
import { MemoryStore } from './memory-store.js';

storeContract('MemoryStore', async () => {
  const start = Date.now();
  let skipped = 0;
  const store = new MemoryStore(LEASE_MS, () => start + skipped);
  return {
    store,
    advance: async (ms) => {
      skipped += ms;
    },
  };
});
