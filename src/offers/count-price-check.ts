import type { RequestContext } from '../context/request-context.js';
import { accountVotes } from '../metrics/account-votes.js';
import { supplierTallies } from '../metrics/supplier-tallies.js';
import type { Supplier } from '../suppliers/registry.js';
import { questionOf } from '../suppliers/resilience/caller.js';
import type { PricedKey } from './priced-key.js';

/** Counts whether the price of an offer from a search was still right, for operators, the memory and automatic returns. */
export function countPriceCheck(
  { id, connection }: Supplier,
  priced: PricedKey,
  context: RequestContext,
  changed: boolean,
): void {
  const fromMemory = priced.origin === 'memory';
  supplierTallies.measure(id, 'price_change', changed ? 1 : 0, Date.now());
  // An offer from memory may be old because of us.
  if (!fromMemory) accountVotes.count(id, 'prices', context.policy.accountId, changed);
  connection.rules.memory?.drift.checked({ offer: questionOf(JSON.stringify(priced)), fromMemory, changed });
}
