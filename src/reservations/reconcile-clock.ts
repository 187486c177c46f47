import type { Config } from '../config/config.schema.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { Clock, Verdict } from './reconcile-rules.js';
import type { Reservation } from './reservation.js';

type Times = Config['reservations'];

const MAX_PAUSE_MS = 300_000;

/** The instants that decide about a reservation checked at `checkedAt`, in epoch milliseconds. */
export function clockOf(
  { sentUntil, updatedAt }: Reservation,
  checkedAt: number,
  { settleSeconds, reviewAfterSeconds }: Times,
): Clock {
  return {
    checkedAt,
    settledAt: sentUntil + settleSeconds * 1_000,
    reviewAt: updatedAt + reviewAfterSeconds * 1_000,
  };
}

/**
 * When to check a reservation again, at `now`: after a growing pause, but no later than the verdict says. Both in epoch
 * milliseconds.
 */
export function nextCheck(reservation: Reservation, verdict: Verdict | undefined, now: number, times: Times): number {
  const until = verdict?.do === 'wait' ? verdict.until : undefined;
  const next = now + pauseMs(reservation, times);
  return until === undefined ? next : Math.max(now, Math.min(next, until));
}

/** How long a gateway may keep a reservation: longer than the calls of one check can take. */
export function leaseMs(suppliers: readonly { readonly config: Pick<SupplierConfig, 'timeoutMs'> }[]): number {
  const longest = suppliers.map(
    ({ config: { timeoutMs } }) => timeoutMs.retrieve + timeoutMs.cancel + timeoutMs.modify,
  );
  return Math.max(10_000, ...longest) + 10_000;
}

function pauseMs({ checks }: Reservation, { firstCheckMs }: Times): number {
  return Math.min(firstCheckMs * 2 ** Math.min(checks, 20), MAX_PAUSE_MS) * (0.8 + Math.random() * 0.4);
}
