import type { RouteSettings } from '../http/route-settings.js';
import type { ApiError } from '../status/api-error.js';
import { type Reason, reasons } from '../status/reasons.js';

/**
 * Error code of each reason (spec §7.3), from RFC 6749 §5.2 or, if that has none, §4.1.2.1. A cause already is a code.
 */
const CODES: Partial<Record<Reason, string>> = {
  authentication_failure: 'invalid_client',
  timeout: 'temporarily_unavailable',
  throttled: 'temporarily_unavailable',
  maintenance: 'temporarily_unavailable',
  unexpected_condition: 'server_error',
};

/** Settings of a route under /oauth/ that accepts a form and formats errors as defined in its RFC. */
export const OAUTH_ROUTE: RouteSettings = { readsForm: true, writeError: oauthError };

/** Formats the first problem of an error as `{error, error_description}`, instead of the status container. */
export function oauthError({ problems: [{ reason, cause, details }] }: ApiError): {
  body: string;
  headers: Record<string, string>;
} {
  const error = cause ?? CODES[reason] ?? 'invalid_request';
  const body = { error, error_description: described(details ?? reasons[reason].details) };
  return { body: JSON.stringify(body), headers: { pragma: 'no-cache' } };
}

/** RFC 6749 §5.2 allows printable ASCII except quotation marks and backslashes. */
function described(details: string): string {
  return details.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?');
}
