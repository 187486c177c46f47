import type { RequestContext } from '../context/request-context.js';
import { accountVotes } from '../metrics/account-votes.js';
import { supplierTallies } from '../metrics/supplier-tallies.js';
import type { Supplier } from '../suppliers/registry.js';
import { questionOf } from '../suppliers/resilience/caller.js';
import type { PriceChange } from './price-change.js';
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
  const offer = questionOf(JSON.stringify(priced));
  connection.rules.memory?.drift.checked({ offer, account: context.policy.accountId, fromMemory, changed });
}

/** A supplier decides by how much a price changes: beyond this, it counts as ten times the price. */
const MOST_BASIS_POINTS = 100_000;

/** Adds to the request's trace by how much the price of an offer or quote changed. */
export function notePrice(
  { total }: PricedKey,
  supplier: string,
  { trace }: RequestContext,
  change?: PriceChange,
): void {
  const share = change && total.amountMinor > 0 ? change.delta.amountMinor / total.amountMinor : 0;
  const points = Math.sign(share) * Math.max(1, Math.round(Math.abs(share) * 10_000));
  const changeBasisPoints = Math.min(MOST_BASIS_POINTS, Math.max(-MOST_BASIS_POINTS, share === 0 ? 0 : points));
  trace?.prices.push({ supplier, changeBasisPoints });
}
