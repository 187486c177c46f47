import type { SupplierCause } from './api-error.js';
import type { Reason } from './reasons.js';

/** A `cause`: the specific problem behind the reason of a status entry. */
interface CauseRow {
  readonly reason: Reason;
  /** The predicate that follows the name of one or more suppliers in a message. */
  readonly did: string;
  /** What the developer can do. */
  readonly next: string;
}

/**
 * All causes, in the order of docs/errors.md, whose tables are generated from this object: first supplier failures, then business
 * refusals.
 */
export const causes = {
  timeout: {
    reason: 'supplier_failure',
    did: 'did not respond before the deadline',
    next: 'Retry. If it keeps timing out, lower timeout_ms to use the other suppliers’ results.',
  },
  unavailable: {
    reason: 'supplier_failure',
    did: 'could not be reached or returned an error',
    next: 'Retry in a few seconds. Other suppliers’ results in the same response are valid.',
  },
  throttled: {
    reason: 'supplier_failure',
    did: 'limited the gateway’s calls',
    next: 'Retry in a minute. This is the supplier’s limit, not yours.',
  },
  rejected: {
    reason: 'supplier_failure',
    did: 'refused the request',
    next: 'If this keeps happening, report the request id to the operator: the gateway’s credentials may be invalid.',
  },
  bad_payload: {
    reason: 'supplier_failure',
    did: 'returned an unreadable response',
    next: 'Retry in a few seconds. If this keeps happening, report the request id to the operator: the supplier has to fix it.',
  },
  circuit_open: {
    reason: 'supplier_failure',
    did: 'was not called after repeated failures',
    next: 'Retry in a minute.',
  },
  not_booked: { reason: 'supplier_failure', did: 'did not make the booking', next: 'Nothing is booked. Book again.' },
  outcome_unknown: {
    reason: 'supplier_failure',
    did: 'gave no clear response',
    next: 'Poll the reservation until its state is clear. Do not book again: the booking may have gone through.',
  },
  price_changed: {
    reason: 'invalid_range',
    did: 'changed the price',
    next: 'Show the new total to your customer and send it as accepted_total, or price the offer again.',
  },
  sold_out: {
    reason: 'no_results',
    did: 'has no car left for this offer',
    next: 'Search again and choose another offer.',
  },
  rate_expired: {
    reason: 'resource_failure',
    did: 'no longer sells this rate',
    next: 'Search again for a new offer.',
  },
  not_found: {
    reason: 'resource_failure',
    did: 'has no such booking',
    next: 'Read the reservation again later: the gateway is checking its state.',
  },
  card_declined: {
    reason: 'invalid_request',
    did: 'did not accept the card',
    next: 'Use another card or payment method.',
  },
  not_eligible: {
    reason: 'invalid_request',
    did: 'does not rent this car to this driver',
    next: 'Choose another car or another driver.',
  },
  unsupported_by_supplier: {
    reason: 'invalid_request',
    did: 'does not offer this',
    next: 'Leave it out, or choose an offer from another supplier.',
  },
  not_changeable: {
    reason: 'invalid_request',
    did: 'does not allow this change',
    next: 'Read the reservation: its state determines which changes are possible. Otherwise, cancel and book again.',
  },
  version_mismatch: {
    reason: 'invalid_request',
    did: 'was not called',
    next: 'The reservation changed since you read it. Read it again and retry with the new ETag.',
  },
  idempotency_mismatch: {
    reason: 'invalid_request',
    did: 'was not called',
    next: 'This Idempotency-Key was used with a different body. Use a new key for each booking.',
  },
  extra_not_available: {
    reason: 'invalid_request',
    did: 'cannot add a chosen extra or coverage',
    next: 'Choose extras and coverages listed in the offer.',
  },
  invalid_rate: {
    reason: 'invalid_request',
    did: 'does not accept this rate',
    next: 'Search again and choose another offer.',
  },
  invalid_discount: {
    reason: 'invalid_request',
    did: 'does not accept the discount code',
    next: 'Search again without the discount code.',
  },
  invalid_location: {
    reason: 'invalid_request',
    did: 'does not rent between these locations',
    next: 'Choose other locations and search again.',
  },
  location_closed: {
    reason: 'invalid_request',
    did: 'is closed at that place and time',
    next: 'Choose other times or another location.',
  },
} as const satisfies Record<SupplierCause, CauseRow> & Record<string, CauseRow>;

/** A machine-readable value of `cause`. */
export type Cause = keyof typeof causes;

/** Looks up a value that may not be a known cause, such as one read from a stored record. */
export function causeRow(cause: string | undefined): CauseRow | undefined {
  return (causes as Readonly<Record<string, CauseRow>>)[cause ?? ''];
}
