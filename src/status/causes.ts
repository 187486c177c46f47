import type { SupplierCause } from './api-error.js';
import type { Reason } from './reasons.js';

/** One value of `cause`, which says why an entry of the status container has its reason. */
interface CauseRow {
  readonly reason: Reason;
  /** What the supplier did; follows the names of one or more suppliers. */
  readonly did: string;
  /** What the developer can do. */
  readonly next: string;
}

/** Every `cause`, first failures, then refusals. docs/errors.md is generated from this table. */
export const causes = {
  timeout: {
    reason: 'supplier_failure',
    did: 'did not answer before the deadline',
    next: 'Retry a search. If it keeps timing out, lower timeout_ms to use the other suppliers’ results.',
  },
  unavailable: {
    reason: 'supplier_failure',
    did: 'could not be reached, or answered with an error',
    next: 'Retry in a few seconds. Results of other suppliers in the same response are valid.',
  },
  throttled: {
    reason: 'supplier_failure',
    did: 'rate limited the gateway',
    next: 'Retry in a minute. This is the supplier’s limit for the gateway, not your limit.',
  },
  rejected: {
    reason: 'supplier_failure',
    did: 'rejected the request',
    next: 'If this persists, send the request id to the operator: the gateway’s credentials may be invalid.',
  },
  bad_payload: {
    reason: 'supplier_failure',
    did: 'sent an invalid response',
    next: 'Retry in a few seconds. If this persists, send the request id to the operator: the supplier must fix it.',
  },
  circuit_open: {
    reason: 'supplier_failure',
    did: 'was not called, after repeated failures',
    next: 'Retry in a minute.',
  },
  not_booked: { reason: 'supplier_failure', did: 'made no booking', next: 'Nothing is booked. Book again.' },
  outcome_unknown: {
    reason: 'supplier_failure',
    did: 'gave no clear answer',
    next: 'Read the reservation until its state is known. Don’t book again: the booking may have succeeded. With a 503 for another request, read what it was meant to change, and repeat it only if that hasn’t changed.',
  },
  price_changed: {
    reason: 'invalid_range',
    did: 'changed the price',
    next: 'Show the new total to the renter and send it as accepted_total, or price the offer again.',
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
    did: 'declined the card',
    next: 'Use another card or another payment method.',
  },
  not_eligible: {
    reason: 'invalid_request',
    did: 'does not rent this car to this driver',
    next: 'Choose another car or another driver.',
  },
  unsupported_by_supplier: {
    reason: 'invalid_request',
    did: 'does not offer this',
    next: 'Omit it, or choose an offer from another supplier.',
  },
  not_changeable: {
    reason: 'invalid_request',
    did: 'does not allow this change',
    next: 'Read the reservation: its state shows which changes are possible. Otherwise, cancel and book again.',
  },
  offer_changed: {
    reason: 'invalid_request',
    did: 'now offers worse terms or another location than shown, or another vehicle class, location or payment than booked',
    next: 'Nothing was booked or changed. Price the offer again and show the renter its terms, or keep the reservation as it is.',
  },
  booked_differently: {
    reason: 'invalid_request',
    did: 'has the booking otherwise than the reservation, because it was changed there',
    next: 'Nothing was changed. Read booked_differently of the reservation. Send PUT with an offer for the rental that the renter wants, then repeat the change.',
  },
  version_mismatch: {
    reason: 'invalid_request',
    did: 'was not called',
    next: 'The reservation changed since you read it. Read it again and retry with the new ETag.',
  },
  too_many_changes: {
    reason: 'invalid_request',
    did: 'was not called',
    next: 'The reservation was changed too often. You can still read and cancel it: to change it, cancel it and book again.',
  },
  idempotency_mismatch: {
    reason: 'invalid_request',
    did: 'was not called',
    next: 'This Idempotency-Key was used with a different body, and made the reservation that details names. Use a new key for each booking.',
  },
  quote_used: {
    reason: 'invalid_request',
    did: 'was not called',
    next: 'This quote was already booked: read the reservation that details names. To book again, price the offer again.',
  },
  extra_not_available: {
    reason: 'invalid_request',
    did: 'cannot add a chosen extra or coverage',
    next: 'Choose from the extras and coverages of the offer.',
  },
  invalid_rate: {
    reason: 'invalid_request',
    did: 'does not accept this rate',
    next: 'Search again and choose another offer.',
  },
  invalid_discount: {
    reason: 'invalid_request',
    did: 'does not accept the discount code',
    next: 'Search again without the code.',
  },
  invalid_location: {
    reason: 'invalid_request',
    did: 'does not rent between these locations',
    next: 'Choose other locations and search again.',
  },
  location_closed: {
    reason: 'invalid_request',
    did: 'is closed at that location and time',
    next: 'Choose other times or another location.',
  },
} as const satisfies Record<SupplierCause, CauseRow> & Record<string, CauseRow>;

/** A value of `cause`. */
export type Cause = keyof typeof causes;

/** The row of a cause; undefined if `cause` is unknown, as it may be in an old record. */
export function causeRow(cause: string | undefined): CauseRow | undefined {
  return (causes as Readonly<Record<string, CauseRow>>)[cause ?? ''];
}
