import type { SupplierOutcome } from '../suppliers/outcome.js';

/** One row of `suppliers[]` in an availability answer. */
export function supplierRow(outcome: SupplierOutcome<unknown>): Record<string, unknown> {
  return {
    supplier: outcome.supplier.id,
    outcome: outcome.kind,
    ...(outcome.cause === undefined ? {} : { cause: outcome.cause }),
    offers: outcome.items.length,
    ...(outcome.filtered === undefined ? {} : { filtered: outcome.filtered }),
    duration_ms: outcome.durationMs,
    ...(outcome.shared ? { shared: true } : {}),
  };
}
