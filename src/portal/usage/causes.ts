import type { TracedEntry } from '../../records/request-record.js';
import { reasons } from '../../status/reasons.js';

interface Cause {
  /** What a supplier did, or several: goes behind their names. */
  readonly did: string;
  /** What the developer can do. */
  readonly next: string;
}

/** Every `cause` of docs/errors.md. */
const CAUSES: Readonly<Record<string, Cause>> = {
  timeout: {
    did: 'did not answer before the deadline',
    next: 'Repeat a search: it may be quicker then. Wait less with timeout_ms if the others are enough for you.',
  },
  unavailable: {
    did: 'could not be reached, or answered with an error',
    next: 'Repeat in a moment. What other suppliers gave in the same answer is good.',
  },
  throttled: {
    did: 'limited the gateway’s calls',
    next: 'Repeat in a minute. This limit is the supplier’s, not yours.',
  },
  rejected: {
    did: 'refused the request',
    next: 'If it refuses every time, tell the operators the request id: it may be their credentials.',
  },
  bad_payload: {
    did: 'answered with something that cannot be read',
    next: 'Repeat in a moment. If it goes on, tell the operators the request id: the supplier must mend it.',
  },
  circuit_open: { did: 'got no call after many failures', next: 'Repeat in a minute.' },
  sold_out: { did: 'has no car left for this offer', next: 'Search again and choose another offer.' },
  rate_expired: { did: 'does not sell this rate any more', next: 'Search again for a fresh offer.' },
  price_changed: {
    did: 'has changed the price',
    next: 'Show the new total and send it as accepted_total, or price the offer again.',
  },
  card_declined: { did: 'did not accept the card', next: 'Use another card or another way to pay.' },
  not_changeable: {
    did: 'does not allow this change',
    next: 'Read the reservation: its state says what is possible. Else cancel and book anew.',
  },
  unsupported_by_supplier: {
    did: 'does not offer this',
    next: 'Leave it out, or choose an offer of another supplier.',
  },
  location_closed: { did: 'is closed at that place and time', next: 'Choose other times or another location.' },
  invalid_location: { did: 'does not rent between these locations', next: 'Choose others and search again.' },
  invalid_rate: { did: 'does not accept this rate', next: 'Search again and choose another offer.' },
  invalid_discount: { did: 'does not accept the discount code', next: 'Search again without it.' },
  not_eligible: { did: 'does not rent this car to this driver', next: 'Choose another car or another driver.' },
  extra_not_available: { did: 'cannot add a chosen extra or coverage', next: 'Choose among those of the offer.' },
  not_found: { did: 'knows no such booking', next: 'Read the reservation again: the gateway is finding out.' },
  version_mismatch: { did: 'was not asked', next: 'Read the reservation again, then change it with its new ETag.' },
  idempotency_mismatch: {
    did: 'was not asked',
    next: 'Use a new Idempotency-Key for each booking; the old one only for the very same body.',
  },
  outcome_unknown: {
    did: 'gave no clear answer',
    next: 'Read the reservation until its state is clear. Do not book again: it may have gone through.',
  },
  not_booked: { did: 'made no booking', next: 'Nothing is booked: book anew.' },
};

const NEXT: Readonly<Record<string, string>> = {
  invalid_request: 'Change what the answer’s details and field name, then send it again.',
  invalid_format: 'Send the field in the form that the answer’s details name.',
  invalid_range: 'Choose a value within the range that the answer’s details name.',
  authentication_failure: 'Get a fresh token from GET /oauth/token/v1 and send it as Authorization: Bearer.',
  required: 'Send Authorization: Bearer with an access token.',
  permissions_failure: 'Subscribe the application to the product.',
  no_results: 'Change place, dates or filters. Everybody who was asked has answered.',
  resource_failure: 'Check the path and the id; ids belong to the application that got them.',
  no_supplier_results: 'Nothing: this supplier has none, the others’ results are whole.',
  timeout: 'Repeat it. Ask fewer brands, or set timeout_ms below the gateway’s own limit to get what is there by then.',
  throttled: 'Wait as long as Retry-After said, and spread calls out: RateLimit says how many are left.',
  unexpected_condition: 'This is a fault of ours. Tell the operators the request id.',
  supplier_failure: 'Repeat in a moment.',
  maintenance: 'Wait as long as Retry-After said. Nothing was done.',
};

/** What a supplier did, for a sentence that begins with its name. */
export function didOf(cause: string | undefined): string {
  return CAUSES[cause ?? '']?.did ?? 'failed';
}

/** What the developer can do about an entry of the status container. */
export function nextStep({ reason, cause }: TracedEntry): string {
  return CAUSES[cause ?? '']?.next ?? NEXT[reason] ?? 'See the list of errors.';
}

/** What the reason of an entry means (spec §7.3). */
export function meaningOf(reason: string): string {
  return (reasons as Readonly<Record<string, { readonly details: string }>>)[reason]?.details ?? '';
}
