import type { Reason } from './reasons.js';

/** A row of docs/errors.md: what a reason means and what the caller can do about it. */
interface ErrorRow {
  readonly reason: Reason;
  /** Documentation text; backticks mark code. */
  readonly meaning: string;
  readonly next: string;
}

/** All errors of the API, in display order. A reason has a second row if an operation gives it another meaning. */
export const ERROR_ROWS: readonly [ErrorRow, ...ErrorRow[]] = [
  {
    reason: 'invalid_request',
    meaning: 'a value is missing, unknown, repeated or not allowed here',
    next: 'Fix the value named by details and field, then retry.',
  },
  {
    reason: 'invalid_format',
    meaning: 'the value has the wrong type or format',
    next: 'Send the field in the format given in details.',
  },
  {
    reason: 'invalid_range',
    meaning: 'the value is outside its range or does not exist',
    next: 'Choose a value within the range given in details.',
  },
  {
    reason: 'invalid_request',
    meaning: 'on the token operation: `client_id` or `client_secret` is wrong (spec §4.1)',
    next: 'Check your client_id and client_secret.',
  },
  {
    reason: 'authentication_failure',
    meaning:
      'the token is missing, wrong, expired or revoked; on the token operation: a header is missing, or the credentials have expired or belong to the other environment',
    next: 'Get a new token from GET /oauth/token/v1 and send it in an Authorization: Bearer header.',
  },
  {
    reason: 'required',
    meaning: 'the `Authorization` header doesn’t use the Bearer scheme',
    next: 'Send an access token in an Authorization: Bearer header.',
  },
  {
    reason: 'permissions_failure',
    meaning: 'the application is not subscribed to the product',
    next: 'Subscribe the application to the product.',
  },
  {
    reason: 'no_results',
    meaning: 'every supplier responded and none has results',
    next: 'Change the place, dates or filters. All suppliers responded, so a retry won’t help.',
  },
  {
    reason: 'resource_failure',
    meaning: 'the path, method or resource does not exist; `/openapi.json` lists the paths',
    next: 'Check the path and the id. An id is valid only for the application that received it.',
  },
  {
    reason: 'no_supplier_results',
    meaning: 'in a partial result: this supplier has no results',
    next: 'No action needed. The other suppliers’ results are complete.',
  },
  {
    reason: 'timeout',
    meaning: 'the request’s time budget ran out; the connection is closed',
    next: 'Retry. To get the results available so far instead of an error, search fewer brands or set timeout_ms below the gateway’s request budget.',
  },
  {
    reason: 'throttled',
    meaning: 'a rate limit is exceeded; the message is `Not Found`, as the specification requires',
    next: 'Wait for the time given in Retry-After, and spread out your calls. The RateLimit header gives the number of calls left.',
  },
  {
    reason: 'unexpected_condition',
    meaning: 'an internal error',
    next: 'Internal error. Report the request id to the operator.',
  },
  {
    reason: 'supplier_failure',
    meaning: 'this supplier failed; `cause` says why',
    next: 'Retry in a few seconds.',
  },
  {
    reason: 'maintenance',
    meaning:
      'the gateway is in maintenance, or the token store or (for bookings) the database is unavailable; nothing was sent to a supplier',
    next: 'Retry after the time given in Retry-After. The request had no effect.',
  },
];
