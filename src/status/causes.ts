import type { SupplierCause } from './api-error.js';
import type { Reason } from './reasons.js';

/** A `cause`: why an entry of the status container has its reason. */
interface CauseRow {
  readonly reason: Reason;
  /** What a supplier did, or several: goes behind their names. */
  readonly did: string;
  /** What the developer can do. */
  readonly next: string;
}

/**
 * Every `cause` there is, in the order of docs/errors.md, which is rendered from here. First what a failing supplier does, then the
 * business refusals.
 */
export const causes = {
  timeout: {
    reason: 'supplier_failure',
    did: 'did not answer before the deadline',
    next: 'Repeat a search: it may be quicker then. Wait less with timeout_ms if the others are enough for you.',
  },
  unavailable: {
    reason: 'supplier_failure',
    did: 'could not be reached, or answered with an error',
    next: 'Repeat in a moment. What other suppliers gave in the same answer is good.',
  },
  throttled: {
    reason: 'supplier_failure',
    did: 'limited the gateway’s calls',
    next: 'Repeat in a minute. This limit is the supplier’s, not yours.',
  },
  rejected: {
    reason: 'supplier_failure',
    did: 'refused the request',
    next: 'If it refuses every time, tell the operators the request id: it may be their credentials.',
  },
  bad_payload: {
    reason: 'supplier_failure',
    did: 'answered with something that cannot be read',
    next: 'Repeat in a moment. If it goes on, tell the operators the request id: the supplier must mend it.',
  },
  circuit_open: { reason: 'supplier_failure', did: 'got no call after many failures', next: 'Repeat in a minute.' },
  not_booked: { reason: 'supplier_failure', did: 'made no booking', next: 'Nothing is booked: book anew.' },
  outcome_unknown: {
    reason: 'supplier_failure',
    did: 'gave no clear answer',
    next: 'Read the reservation until its state is clear. Do not book again: it may have gone through.',
  },
  price_changed: {
    reason: 'invalid_range',
    did: 'has changed the price',
    next: 'Show the new total and send it as accepted_total, or price the offer again.',
  },
  sold_out: {
    reason: 'no_results',
    did: 'has no car left for this offer',
    next: 'Search again and choose another offer.',
  },
  rate_expired: {
    reason: 'resource_failure',
    did: 'does not sell this rate any more',
    next: 'Search again for a fresh offer.',
  },
  not_found: {
    reason: 'resource_failure',
    did: 'knows no such booking',
    next: 'Read the reservation again: the gateway is finding out.',
  },
  card_declined: {
    reason: 'invalid_request',
    did: 'did not accept the card',
    next: 'Use another card or another way to pay.',
  },
  not_eligible: {
    reason: 'invalid_request',
    did: 'does not rent this car to this driver',
    next: 'Choose another car or another driver.',
  },
  unsupported_by_supplier: {
    reason: 'invalid_request',
    did: 'does not offer this',
    next: 'Leave it out, or choose an offer of another supplier.',
  },
  not_changeable: {
    reason: 'invalid_request',
    did: 'does not allow this change',
    next: 'Read the reservation: its state says what is possible. Else cancel and book anew.',
  },
  version_mismatch: {
    reason: 'invalid_request',
    did: 'was not asked',
    next: 'The reservation changed since you read it. Read it again and retry with the new ETag.',
  },
  idempotency_mismatch: {
    reason: 'invalid_request',
    did: 'was not asked',
    next: 'This Idempotency-Key was used with another body. Use a new key for each booking.',
  },
  extra_not_available: {
    reason: 'invalid_request',
    did: 'cannot add a chosen extra or coverage',
    next: 'Choose among those of the offer.',
  },
  invalid_rate: {
    reason: 'invalid_request',
    did: 'does not accept this rate',
    next: 'Search again and choose another offer.',
  },
  invalid_discount: {
    reason: 'invalid_request',
    did: 'does not accept the discount code',
    next: 'Search again without it.',
  },
  invalid_location: {
    reason: 'invalid_request',
    did: 'does not rent between these locations',
    next: 'Choose others and search again.',
  },
  location_closed: {
    reason: 'invalid_request',
    did: 'is closed at that place and time',
    next: 'Choose other times or another location.',
  },
} as const satisfies Record<SupplierCause, CauseRow> & Record<string, CauseRow>;

/** The word for machines in `cause`. */
export type Cause = keyof typeof causes;

/** The row of a word that may be no cause, such as one read from a record. */
export function causeRow(cause: string | undefined): CauseRow | undefined {
  return (causes as Readonly<Record<string, CauseRow>>)[cause ?? ''];
}
