import { SupplierError } from '../model/supplier.js';
import { CallRejectedError } from './resilience/call-rejected.js';

/**
 * How a call failed, in more detail than its fault: operators must see whether they or the supplier can do something.
 * `refused` is a clear business answer (sold out, location closed) and not a failure of anything. `throttled` includes calls that
 * weren't sent because the supplier asked for a pause. `circuit_open`,
 * `own_limit`, `unread` and `adapter_bug` are the gateway's.
 */
export type FailureKind =
  | 'timeout'
  | 'http_5xx'
  | 'supplier_error'
  | 'unreachable'
  | 'tls'
  | 'throttled'
  | 'auth'
  | 'bad_payload'
  | 'rejected'
  | 'refused'
  | 'circuit_open'
  | 'own_limit'
  | 'unread'
  | 'adapter_bug';

/** Codes of OpenSSL and Node for handshakes and certificates. */
const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|CRL_|EPROTO)/;

/** The kind of a thrown error; `status` is that of the last HTTP answer, undefined without one. */
export function failureKind(error: unknown, status: number | undefined): FailureKind {
  if (error instanceof CallRejectedError) return error.limitedBy ?? OWN[error.fault] ?? 'own_limit';
  if (!(error instanceof SupplierError)) return 'adapter_bug';
  const { fault, refusal } = error;
  if (fault === 'rejected') return refusal === undefined ? 'rejected' : 'refused';
  if (fault === 'unavailable' || fault === 'cancelled') return unavailableKind(error, status);
  return fault;
}

const OWN: Readonly<Record<string, FailureKind>> = {
  circuit_open: 'circuit_open',
  throttled: 'own_limit',
  unavailable: 'unread',
};

function unavailableKind(error: SupplierError, status: number | undefined): FailureKind {
  if (TLS.test(codeOf(error))) return 'tls';
  if (status === undefined) return 'unreachable';
  return status >= 500 ? 'http_5xx' : 'supplier_error';
}

/** The code of the innermost cause; '' = none. */
function codeOf(error: unknown): string {
  let code = '';
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    if ('code' in cause && typeof cause.code === 'string') code = cause.code;
  return code;
}
