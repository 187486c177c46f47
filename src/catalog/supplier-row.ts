import type { WireView } from '../representations/wire-view.js';
import type { SupplierOutcome, SupplierRef } from '../suppliers/outcome.js';
import type { supplierRowWire } from './vehicles.wire.js';

/** The row of a supplier that was skipped because it is in maintenance until `untilMs`, if that is announced (ruling 6). */
export function skippedRow({ id }: SupplierRef, untilMs: number | undefined): WireView<typeof supplierRowWire> {
  const until = untilMs === undefined ? undefined : new Date(untilMs).toISOString();
  return {
    supplier: id,
    outcome: 'skipped',
    cause: 'maintenance',
    offers: 0,
    filtered: undefined,
    unconverted: undefined,
    duration_ms: 0,
    until,
    shared: undefined,
    age_seconds: undefined,
  };
}

/** One row of `suppliers[]` in an availability answer. */
export function supplierRow(outcome: SupplierOutcome<unknown>): WireView<typeof supplierRowWire> {
  return {
    supplier: outcome.supplier.id,
    outcome: outcome.kind,
    cause: outcome.cause,
    offers: outcome.items.length,
    filtered: outcome.filtered,
    unconverted: outcome.unconverted,
    duration_ms: outcome.durationMs,
    until: undefined,
    shared: outcome.shared || undefined,
    age_seconds: outcome.ageSeconds,
  };
}
