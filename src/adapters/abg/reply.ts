import { SupplierError, type SupplierHttpAnswer, type SupplierSession } from '../../model/supplier.js';
import { type AbgOutcome, abgErrorCode, abgOutcome } from './errors.js';
import { numeric, readFailures, text, type Wire, type WireFailure, wireObject } from './wire.js';

/** A search answer that may be mapped: the rows asked for (empty = nothing found), the body around them, what was odd so far. */
export interface AbgRows {
  readonly body: Wire;
  readonly rows: readonly unknown[];
  readonly warnings: string[];
}

/** Token lifetime of the documents, used when an answer does not tell its own. */
const DOCUMENTED_TOKEN_SECONDS = 7140;

/**
 * Reads a search answer: the array `member` of a success, no rows for the codes that mean "nothing there", else `SupplierError`.
 * Errors beside rows become warnings; errors without rows decide (ABG puts errors into a 200). A success without the array is a bad payload.
 */
export function readRows(answer: SupplierHttpAnswer, member: string): AbgRows {
  const body = parseObject(answer);
  const failures = body ? readFailures(body) : [];
  if (isSuccess(answer.status)) {
    if (!body)
      throw new SupplierError('bad_payload', `abg answered ${answer.status} with something that is no JSON object`);
    const rows = body[member];
    if (Array.isArray(rows) && (rows.length > 0 || failures.length === 0)) {
      return {
        body,
        rows,
        warnings: failures.map((failure) => `abg sent error ${describe(failure)} beside ${member}`),
      };
    }
    if (failures.length === 0)
      throw new SupplierError('bad_payload', `abg answered ${answer.status} without ${member}`);
  }
  throwUnlessEmpty(answer.status, failures);
  return { body: body ?? {}, rows: [], warnings: [] };
}

/** Reads the token answer (GET /oauth/token/v2). A refused pair is fault `auth`, whichever of the two 4xx forms says so. */
export function readToken(answer: SupplierHttpAnswer): {
  readonly token: string;
  readonly expiresInSeconds: SupplierSession['expiresInSeconds'];
} {
  const body = parseObject(answer);
  if (!isSuccess(answer.status)) {
    const failures = body ? readFailures(body) : [];
    const outcome = answer.status === 400 ? 'auth' : abgOutcome(answer.status, failures[0]?.code ?? '');
    throw new SupplierError(outcome === 'empty' ? 'rejected' : outcome, message(answer.status, failures[0]));
  }
  const token = text(body?.access_token);
  if (token === undefined) throw new SupplierError('bad_payload', `abg answered ${answer.status} without access_token`);
  const seconds = numeric(body?.expires_in);
  return {
    token,
    expiresInSeconds: seconds !== undefined && seconds > 0 ? Math.floor(seconds) : DOCUMENTED_TOKEN_SECONDS,
  };
}

/** Returns only when every error says "nothing there"; otherwise throws for the first one that does not. */
function throwUnlessEmpty(status: number, failures: readonly WireFailure[]): void {
  let worst: { readonly failure: WireFailure | undefined; readonly outcome: AbgOutcome } | undefined;
  if (failures.length === 0) worst = { failure: undefined, outcome: abgOutcome(status, '') };
  for (const failure of failures) {
    const outcome = abgOutcome(status, failure.code);
    if (outcome !== 'empty' && !worst) worst = { failure, outcome };
  }
  if (worst && worst.outcome !== 'empty') throw new SupplierError(worst.outcome, message(status, worst.failure));
}

function message(status: number, failure: WireFailure | undefined): string {
  return failure ? `abg answered ${status}: ${describe(failure)}` : `abg answered ${status}`;
}

/** Code and our words for it; the supplier's own words only for a code we do not know, cut short (for logs). */
function describe(failure: WireFailure): string {
  const known = abgErrorCode(failure.code);
  return `${failure.code} ${known ? known.meaning : failure.reason.slice(0, 120)}`.trim();
}

/** Any 2xx: create answers 201, the rest 200. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The body as a JSON object; undefined for HTML, cut-off text, arrays, scalars: the caller decides by the status what that means. */
export function parseObject(answer: SupplierHttpAnswer): Wire | undefined {
  const json = answer.body.toString('utf8');
  try {
    return wireObject(JSON.parse(json.charCodeAt(0) === 0xfeff ? json.slice(1) : json));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
