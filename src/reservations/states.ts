/** The states of a reservation (docs/model.md#reservation). */
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
 * The transition table. The database has the same rows (reservation_transitions) and its trigger rejects all other
 * transitions; a test compares the two. An unknown booking may turn out to be on request, a refused cancellation leaves
 * a request on request, and what cannot be resolved automatically goes to manual_review (docs/decisions/0008). A failed
 * booking that the supplier shows later is not failed (docs/decisions/0034).
 */
export const TRANSITIONS: Readonly<Record<State, readonly State[]>> = {
  pending: ['confirmed', 'on_request', 'failed', 'unknown'],
  unknown: ['confirmed', 'on_request', 'failed', 'manual_review'],
  manual_review: ['confirmed', 'failed', 'cancelled', 'cancel_unknown'],
  on_request: ['confirmed', 'rejected', 'cancel_pending', 'expired', 'manual_review'],
  confirmed: ['modify_pending', 'cancel_pending', 'completed', 'no_show', 'manual_review'],
  modify_pending: ['confirmed', 'unknown'],
  cancel_pending: ['cancelled', 'confirmed', 'on_request', 'cancel_unknown'],
  cancel_unknown: ['cancelled', 'confirmed', 'on_request', 'manual_review'],
  cancelled: [],
  rejected: [],
  failed: ['confirmed', 'manual_review', 'cancel_unknown'],
  expired: [],
  completed: [],
  no_show: [],
};

/** Whether a reservation may move from one state to another. */
export function canMove(from: State, to: State): boolean {
  return TRANSITIONS[from].includes(to);
}

/**
 * The states whose outcome the gateway can find out, and a caller waits for. Checks of other states can wait: the supplier
 * decides about a request when it wants to, and a late or second booking is rare.
 */
export const AWAITED_STATES: readonly State[] = [
  'pending',
  'unknown',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
];

const ENDED: readonly State[] = ['cancelled', 'rejected', 'failed', 'expired', 'completed', 'no_show'];

/**
 * Whether a reservation in this state gives the renter no car, or no longer. Only `failed` can still change: a supplier
 * may show the booking later.
 */
export function hasEnded(state: State): boolean {
  return ENDED.includes(state);
}

/**
 * Whether a reservation that has reached this state is looked up once more by its reference: its request may have been delivered
 * twice, or accepted after all (docs/decisions/0034).
 */
export function isLookedUpAgain(state: State): boolean {
  return state === 'confirmed' || state === 'cancelled' || state === 'rejected' || state === 'expired';
}
