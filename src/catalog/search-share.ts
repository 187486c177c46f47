import { type InShare, shareOf } from '../suppliers/canary-share.js';
import type { NormalizedSearch } from './normalize-search.js';

type Question = Pick<NormalizedSearch, 'pickup' | 'dropoff' | 'pickupDate' | 'dropoffDate'>;

/**
 * Whether a search belongs to the share of a supplier in canary: by the application, places and times, so that a search
 * with other filters or for another age has the same suppliers. A location that the supplier's own search showed can be used.
 */
export function shareFor({ pickup, dropoff, pickupDate, dropoffDate }: Question, applicationId: string): InShare {
  const byHash = shareOf(applicationId, () => JSON.stringify([pickup.given, dropoff.given, pickupDate, dropoffDate]));
  return (supplier, percent) =>
    [pickup, dropoff].some(({ given, codeOf }) => codeOf === supplier && given.startsWith('loc_')) ||
    byHash(supplier, percent);
}
