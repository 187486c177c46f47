/** Where a reservation can be (docs/model.md#reservation). */
export const STATES = [
  'pending',
  'unknown',
  'manual_review',
  'on_request',
  'confirmed',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
  'cancelled',
  'rejected',
  'failed',
  'expired',
  'completed',
  'no_show',
] as const;

export type State = (typeof STATES)[number];

/**
 * The one transition table. The database holds the same rows (reservation_transitions) and its trigger refuses everything else; a test
 * compares the two. An unknown booking may turn out to be on request, a refused cancellation leaves a request what it was, and
 * what cannot be cleared automatically goes to manual_review from everywhere (docs/decisions/0008).
 */
export const TRANSITIONS: Readonly<Record<State, readonly State[]>> = {
  pending: ['confirmed', 'on_request', 'failed', 'unknown'],
  unknown: ['confirmed', 'on_request', 'failed', 'manual_review'],
  manual_review: ['confirmed', 'failed', 'cancelled'],
  on_request: ['confirmed', 'rejected', 'cancel_pending', 'expired'],
  confirmed: ['modify_pending', 'cancel_pending', 'completed', 'no_show'],
  modify_pending: ['confirmed', 'unknown'],
  cancel_pending: ['cancelled', 'confirmed', 'on_request', 'cancel_unknown'],
  cancel_unknown: ['cancelled', 'confirmed', 'on_request', 'manual_review'],
  cancelled: [],
  rejected: [],
  failed: [],
  expired: [],
  completed: [],
  no_show: [],
};

/** Whether a reservation may go from one state to another. */
export function canMove(from: State, to: State): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Whether nothing can happen to a reservation any more. */
export function isFinal(state: State): boolean {
  return TRANSITIONS[state].length === 0;
}
