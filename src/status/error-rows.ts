import type { Reason } from './reasons.js';

/** A row of docs/errors.md: what the gateway means by a reason, and what the caller does about it. */
interface ErrorRow {
  readonly reason: Reason;
  /** In the words of the documentation; backticks mark code. */
  readonly meaning: string;
  readonly next: string;
}

/** Every error row of the API in its order: a reason has a second row where an operation uses it for something else. */
export const ERROR_ROWS: readonly [ErrorRow, ...ErrorRow[]] = [
  {
    reason: 'invalid_request',
    meaning: 'a value is missing, unknown, repeated or not allowed here',
    next: 'Change what the answer’s details and field name, then send it again.',
  },
  {
    reason: 'invalid_format',
    meaning: 'the value has the wrong type or format',
    next: 'Send the field in the form that the answer’s details name.',
  },
  {
    reason: 'invalid_range',
    meaning: 'the value is outside its range or does not exist',
    next: 'Choose a value within the range that the answer’s details name.',
  },
  {
    reason: 'invalid_request',
    meaning: 'on the token operation: `client_id` or `client_secret` is wrong (spec §4.1)',
    next: 'Check the pair.',
  },
  {
    reason: 'authentication_failure',
    meaning:
      'the token is missing, wrong, expired or revoked; on the token operation: a header is missing, or the credentials have expired or belong to the other environment',
    next: 'Get a fresh token from GET /oauth/token/v1 and send it as Authorization: Bearer.',
  },
  {
    reason: 'required',
    meaning: 'an `Authorization` header of another scheme',
    next: 'Send Authorization: Bearer with an access token.',
  },
  {
    reason: 'permissions_failure',
    meaning: 'the application is not subscribed to the product',
    next: 'Subscribe the application to the product.',
  },
  {
    reason: 'no_results',
    meaning: 'every supplier answered and none has a result',
    next: 'Change place, dates or filters. Everybody who was asked has answered.',
  },
  {
    reason: 'resource_failure',
    meaning: 'the path, method or resource does not exist; `/openapi.json` lists the paths',
    next: 'Check the path and the id; ids belong to the application that got them.',
  },
  {
    reason: 'no_supplier_results',
    meaning: '(in a partial result) this supplier has nothing',
    next: 'Nothing: this supplier has none, the others’ results are whole.',
  },
  {
    reason: 'timeout',
    meaning: 'the request’s time budget ran out; the connection is closed',
    next: 'Repeat it. Ask fewer brands, or set timeout_ms below the gateway’s own limit to get what is there by then.',
  },
  {
    reason: 'throttled',
    meaning: 'a limit is exhausted; the message text is `Not Found`, as the specification publishes it',
    next: 'Wait as long as Retry-After said, and spread calls out: RateLimit says how many are left.',
  },
  {
    reason: 'unexpected_condition',
    meaning: 'an internal error',
    next: 'This is a fault of ours. Tell the operators the request id.',
  },
  {
    reason: 'supplier_failure',
    meaning: 'this supplier failed; `cause` says how',
    next: 'Repeat in a moment.',
  },
  {
    reason: 'maintenance',
    meaning:
      'the gateway is in maintenance, or the token store or (for bookings) the database is unavailable; nothing was sent to a supplier',
    next: 'Wait as long as Retry-After said. Nothing was done.',
  },
];
