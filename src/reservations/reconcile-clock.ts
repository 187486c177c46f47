import type { Config } from '../config/config.schema.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { awaitsExtras } from './booked-differences.js';
import type { Clock, Verdict } from './reconcile-rules.js';
import type { Reservation } from './reservation.js';

type Times = Config['reservations'];

const MAX_PAUSE_MS = 300_000;
/** A supplier that has not decided about a request for a day will hardly do so within minutes. */
const MAX_REQUEST_PAUSE_MS = 3_600_000;
/** The pause is at most this share of the time that the request has waited, beyond MAX_PAUSE_MS. */
const REQUEST_PAUSE_SHARE = 1 / 12;

/** The instants that decide about a reservation checked at `checkedAt`, in epoch milliseconds. */
export function clockOf(
  reservation: Reservation,
  checkedAt: number,
  times: Times,
  supplier?: Pick<SupplierConfig, 'settleSeconds'>,
): Clock {
  const { sentUntil, updatedAt } = reservation;
  const settleSeconds = supplier?.settleSeconds[callOf(reservation)] ?? times.settleSeconds;
  return {
    checkedAt,
    settledAt: sentUntil + settleSeconds * 1_000,
    reviewAt: updatedAt + times.reviewAfterSeconds * 1_000,
    lateCheckAt: lateCheckAt(checkedAt, checkedAt, times),
  };
}

/** When a supplier shows what it was last sent, whichever call that was (docs/reliability.md). In epoch milliseconds. */
export function shownAt(
  { sentUntil }: Pick<Reservation, 'sentUntil'>,
  { settleSeconds: usual }: Pick<Times, 'settleSeconds'>,
  { settleSeconds }: Pick<SupplierConfig, 'settleSeconds'>,
): number {
  return sentUntil + Math.max(settleSeconds.book ?? usual, settleSeconds.modify ?? usual) * 1_000;
}

/** When to look up a booking again that failed at `failedAt`, after `now`. Undefined = never. All in epoch milliseconds. */
export function lateCheckAt(failedAt: number, now: number, { lateCheckSeconds }: Times): number | undefined {
  return lateCheckSeconds.map((seconds) => failedAt + seconds * 1_000).find((at) => at > now);
}

/** The call of a reservation whose outcome is not known. */
function callOf({ state, change }: Reservation): 'book' | 'modify' | 'cancel' {
  if (state === 'cancel_unknown') return 'cancel';
  return change ? 'modify' : 'book';
}

/**
 * When to check a reservation again, at `now`: after a growing pause, but no later than the verdict says. Both in epoch
 * milliseconds.
 */
export function nextCheck(reservation: Reservation, verdict: Verdict | undefined, now: number, times: Times): number {
  const until = verdict?.do === 'wait' ? verdict.until : undefined;
  const next = now + pauseMs(reservation, now, times);
  return until === undefined ? next : Math.max(now, Math.min(next, until));
}

/** How long a gateway may keep a reservation: longer than the calls of one check can take. */
export function leaseMs(suppliers: readonly { readonly config: Pick<SupplierConfig, 'timeoutMs'> }[]): number {
  const longest = suppliers.map(
    ({ config: { timeoutMs } }) => 2 * timeoutMs.retrieve + timeoutMs.cancel + timeoutMs.modify,
  );
  return Math.max(10_000, ...longest) + 10_000;
}

function pauseMs(reservation: Reservation, now: number, { firstCheckMs }: Times): number {
  const pause = firstCheckMs * 2 ** Math.min(reservation.checks, 20);
  return Math.min(pause, longestPauseMs(reservation, now)) * (0.8 + Math.random() * 0.4);
}

function longestPauseMs(reservation: Reservation, now: number): number {
  const { state, updatedAt } = reservation;
  if (state !== 'on_request' && !awaitsExtras(reservation)) return MAX_PAUSE_MS;
  return Math.min(Math.max((now - updatedAt) * REQUEST_PAUSE_SHARE, MAX_PAUSE_MS), MAX_REQUEST_PAUSE_MS);
}
