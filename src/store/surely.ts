import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailableError } from './store.js';

/** How long a call is repeated: most outages of one server, and the failover to a replica, are shorter or much longer. */
const AGAIN_MS = 3_000;
const PAUSE_MS = 100;

/** Repeats a call of the store for seconds while the store is unavailable. For what follows a change that is stored already. */
export async function surely<T>(call: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + AGAIN_MS; ; await wait(PAUSE_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || performance.now() > end) throw error;
    }
  }
}
