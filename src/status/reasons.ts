/**
 * The responses of spec §7.2 and §7.3: HTTP status, message and default text of every reason. `message` of 429 is the
 * published text (ruling 17), unless `compat.throttledMessage` is `standard`.
 */

export interface ReasonRow {
  readonly code: number;
  readonly message: string;
  readonly reason: string;
  /** Default for `details`; most errors provide a more specific text. */
  readonly details: string;
}

const rows = {
  invalid_request: {
    code: 400,
    message: 'Bad Request',
    details: 'A required value is missing or the request cannot be accepted.',
  },
  invalid_format: { code: 400, message: 'Bad Request', details: 'A value has the wrong type or format.' },
  invalid_range: { code: 400, message: 'Bad Request', details: 'A value is outside its range.' },
  authentication_failure: {
    code: 401,
    message: 'Unauthorized',
    details: 'The credentials are invalid, missing or expired.',
  },
  required: {
    code: 401,
    message: 'Unauthorized',
    details: 'The request needs an Authorization header with the scheme in WWW-Authenticate.',
  },
  permissions_failure: {
    code: 403,
    message: 'Forbidden',
    details: 'The application is not authorized to access this resource.',
  },
  no_results: {
    code: 404,
    message: 'Not Found',
    details: 'The request succeeded, but there are no results for the input.',
  },
  resource_failure: { code: 404, message: 'Not Found', details: 'The resource or URI was not found.' },
  no_supplier_results: { code: 404, message: 'Not Found', details: 'The supplier has no results for the input.' },
  timeout: {
    code: 408,
    message: 'Request Timeout',
    details: 'The server could not respond in time and closed the connection.',
  },
  throttled: { code: 429, message: 'Not Found', details: 'The rate limit of the application is exceeded.' },
  unexpected_condition: {
    code: 500,
    message: 'Internal Server Error',
    details: 'The server encountered an unexpected condition.',
  },
  supplier_failure: {
    code: 500,
    message: 'Internal Server Error',
    details: 'A supplier failed to fulfill the request.',
  },
  maintenance: {
    code: 503,
    message: 'Service Unavailable',
    details: 'The service is down for maintenance or overloaded.',
  },
} as const satisfies Record<string, Omit<ReasonRow, 'reason'>>;

export type Reason = keyof typeof rows;

/** The rows by reason, in the order of spec §7.3. */
export const reasons = Object.fromEntries(
  Object.entries(rows).map(([reason, row]) => [reason, { reason, ...row }]),
) as Readonly<Record<Reason, ReasonRow>>;

/** Success entries by HTTP status (spec §7.2). */
export const successes: Readonly<Record<number, { readonly message: string; readonly details: string }>> = {
  200: { message: 'OK', details: 'The resource was successfully retrieved.' },
  201: { message: 'Created', details: 'The resource was successfully created.' },
  202: { message: 'Accepted', details: 'The request was accepted. Its outcome is not known yet.' },
  204: { message: 'No Content', details: 'The resource was successfully updated or deleted.' },
  206: {
    message: 'Partial Content',
    details: 'The result is partial. The errors list the suppliers without results.',
  },
};
