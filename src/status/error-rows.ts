import type { Reason } from './reasons.js';

/** What a reason means, and what the caller can do. */
interface ErrorRow {
  readonly reason: Reason;
  /** Backticks mark code. */
  readonly meaning: string;
  /** Whether sending the request again can help, in a few words. */
  readonly retry: string;
  readonly next: string;
}

/**
 * Every error of the API. A reason has a second row if an operation uses it differently. docs/errors.md is generated
 * from this table.
 */
export const ERROR_ROWS: readonly [ErrorRow, ...ErrorRow[]] = [
  {
    reason: 'invalid_request',
    meaning: 'a value is missing, unknown, repeated or not allowed here',
    retry: 'after a correction',
    next: 'Correct the value that details and field name, then retry.',
  },
  {
    reason: 'invalid_format',
    meaning: 'the value has the wrong type or format',
    retry: 'after a correction',
    next: 'Send the field in the format that details describes.',
  },
  {
    reason: 'invalid_range',
    meaning: 'the value is outside its range or does not exist',
    retry: 'after a correction',
    next: 'Choose a value within the range that details describes.',
  },
  {
    reason: 'invalid_request',
    meaning: 'token operation: `client_id` or `client_secret` is wrong (spec §4.1)',
    retry: 'after a correction',
    next: 'Check the client id and the secret.',
  },
  {
    reason: 'authentication_failure',
    meaning:
      'the token is missing, invalid, expired or revoked; token operation: a header is missing, or the credentials have expired or belong to the other environment',
    retry: 'with a new token',
    next: 'Get a new token from GET /oauth/token/v1 and send it as Authorization: Bearer.',
  },
  {
    reason: 'required',
    meaning: 'the `Authorization` header uses another scheme',
    retry: 'after a correction',
    next: 'Send Authorization: Bearer with an access token.',
  },
  {
    reason: 'permissions_failure',
    meaning: 'the application is not subscribed to the product',
    retry: 'after subscribing',
    next: 'Subscribe the application to the product.',
  },
  {
    reason: 'no_results',
    meaning: 'every supplier answered and none has a result',
    retry: 'no',
    next: 'Try another place, other dates or fewer filters. No supplier failed.',
  },
  {
    reason: 'resource_failure',
    meaning: 'the path, method or resource does not exist; `/openapi.json` lists the paths',
    retry: 'no',
    next: 'Check the path and the id. An id is valid only for the application that received it.',
  },
  {
    reason: 'no_supplier_results',
    meaning: 'partial result: this supplier has no results',
    retry: 'no',
    next: 'Nothing. The other suppliers’ results are complete.',
  },
  {
    reason: 'timeout',
    meaning: 'the request budget is exhausted; the connection is closed',
    retry: 'yes',
    next: 'Retry. Search fewer brands, or set timeout_ms below the gateway’s limit to get partial results.',
  },
  {
    reason: 'throttled',
    meaning: 'a limit is exceeded; the message is `Not Found`, as published in the specification',
    retry: 'after Retry-After',
    next: 'Wait for the time in Retry-After, and spread out your calls: RateLimit shows how many are left.',
  },
  {
    reason: 'unexpected_condition',
    meaning: 'an internal error',
    retry: 'no',
    next: 'Send the request id to the operator of the gateway.',
  },
  {
    reason: 'supplier_failure',
    meaning: 'this supplier failed; `cause` says why',
    retry: 'yes, after seconds',
    next: 'Retry in a few seconds.',
  },
  {
    reason: 'maintenance',
    meaning:
      'the gateway or the product is in maintenance, or the token store or (for bookings) the database can’t be used: `cause` says why; nothing was sent to a supplier, unless it is `outcome_unknown`',
    retry: 'after Retry-After',
    next: 'Wait for the time in Retry-After, then retry. Nothing was changed. With the cause outcome_unknown, first read the reservation, or whatever else the request was meant to change.',
  },
];
