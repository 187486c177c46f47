import type { Visitor } from '../../accounts/sessions.service.js';
import { networkOf } from '../../http/client-network.js';
import { throttled } from '../../status/throttled.js';
import type { LimitRate } from '../../store/gcra.js';
import { type Store, StoreUnavailableError } from '../../store/store.js';

/** Pages of one network (networkOf), and of one account: far more than a person opens. */
const PER_NETWORK: LimitRate = { perMinute: 600, burst: 600 };
const PER_ACCOUNT: LimitRate = { perMinute: 300, burst: 300 };

/** Counts a page or form for a network, before the visitor is known. Throws ApiError 429 with Retry-After beyond the limit. */
export async function countForNetwork(store: Store, address: string): Promise<void> {
  await count(store, `pages-${networkOf(address)}`, PER_NETWORK, 'Your network address requested too many pages.');
}

/** Counts a page or form for the sessions of an account. Throws ApiError 429 with Retry-After beyond the limit. */
export async function countForVisitor(store: Store, { accountId }: Pick<Visitor, 'accountId'>): Promise<void> {
  await count(store, `pages-${accountId}`, PER_ACCOUNT, 'You requested too many pages.');
}

/** While the store is unavailable, pages that need no session are still shown. */
async function count(store: Store, key: string, rate: LimitRate, why: string): Promise<void> {
  try {
    const { allowed, retryAfterSeconds } = await store.take(key, rate, 1);
    if (!allowed) throw throttled(retryAfterSeconds, why, 'Wait a few seconds, then reload the page.');
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}
