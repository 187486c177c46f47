import { errorBody } from '../status/status.wire.js';
import type { DescribedAnswers, Json } from './operation.decorator.js';

/** A header parameter of an operation. */
export const headerParameter = (name: string, description: string, required = false): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

/** Headers that every operation with an access token reads. */
export const REQUEST_HEADERS: readonly Json[] = [
  headerParameter('client_id', 'Optional; must be the client_id of the application that the token was issued to.'),
  headerParameter(
    'X-Request-Id',
    'Optional: 8 to 100 letters, digits and _ . : - that are not a card number, returned in the answer, logged and forwarded to suppliers. Otherwise the gateway uses its own.',
  ),
  headerParameter(
    'X-Sandbox-Scenario',
    'Sandbox only: the outcome to simulate for each supplier, such as "alpine=ok; bravo=timeout".',
  ),
];

/** Headers of the searches. */
export const SEARCH_HEADERS: readonly Json[] = [
  ...REQUEST_HEADERS,
  headerParameter('Cache-Control', '"no-cache" refuses answers from memory: every supplier is called.'),
  headerParameter('Prefer', '"partial=200" returns a partial result with 200 instead of 206.'),
];

/** The errors of an operation with an access token. */
export const ERRORS = {
  400: ['The request is invalid: invalid_request, invalid_format, invalid_range.', errorBody],
  401: ['authentication_failure or required.', errorBody],
  403: ['permissions_failure: not subscribed to the product.', errorBody],
  404: ['no_results or resource_failure.', errorBody],
  408: ['timeout; the connection is closed.', errorBody],
  429: ['throttled; see Retry-After.', errorBody],
  500: ['supplier_failure (one entry per supplier) or unexpected_condition.', errorBody],
  503: ['maintenance; see Retry-After.', errorBody],
} as const satisfies DescribedAnswers;

/** The errors with the given statuses, for an operation that can't return the others. */
export function errorsOf(...statuses: (keyof typeof ERRORS)[]): DescribedAnswers {
  return Object.fromEntries(statuses.map((status) => [status, ERRORS[status]]));
}
