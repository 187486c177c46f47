import type { WireView } from '../representations/wire-view.js';
import type { SupplierOutcome } from '../suppliers/outcome.js';
import type { supplierRowWire } from './vehicles.wire.js';

/** One row of `suppliers[]` in an availability answer. */
export function supplierRow(outcome: SupplierOutcome<unknown>): WireView<typeof supplierRowWire> {
  return {
    supplier: outcome.supplier.id,
    outcome: outcome.kind,
    cause: outcome.cause,
    offers: outcome.items.length,
    filtered: outcome.filtered,
    duration_ms: outcome.durationMs,
    shared: outcome.shared || undefined,
  };
}
