import { MOST_ITEMS, refuseMoreThan } from '../../model/limits.js';
import { SupplierError, type SupplierHttpAnswer, type SupplierSession } from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { type AbgOutcome, abgErrorCode, abgOutcome } from './errors.js';
import { numeric, readFailures, text, type Wire, type WireFailure, wireObject } from './wire.js';

/**
 * A search answer ready to be mapped: the requested rows (empty means nothing found), the body around them, and
 * warnings so far.
 */
export interface AbgRows {
  readonly body: Wire;
  readonly rows: readonly unknown[];
  readonly warnings: Warnings;
}

/** The documented token lifetime, used if an answer doesn't include one. */
const DOCUMENTED_TOKEN_SECONDS = 7140;

/**
 * Reads a search answer: the array `member` of a success, no rows for the codes that mean "nothing there", otherwise
 * throws `SupplierError`. Errors next to rows become warnings; errors without rows decide (ABG puts errors into a 200).
 * A success without the array is a bad payload.
 */
export function readRows(answer: SupplierHttpAnswer, member: string): AbgRows {
  const body = parseObject(answer);
  const failures = body ? readFailures(body) : [];
  if (isSuccess(answer.status)) {
    if (!body)
      throw new SupplierError('bad_payload', `abg answered ${answer.status} with something other than a JSON object`);
    const rows = body[member];
    if (Array.isArray(rows) && (rows.length > 0 || failures.length === 0)) {
      refuseMoreThan(MOST_ITEMS, rows.length, member);
      const warnings = new Warnings();
      for (const failure of failures) warnings.add('notice', `abg sent ${member} with error ${describe(failure)}`);
      return { body, rows, warnings };
    }
    if (failures.length === 0)
      throw new SupplierError('bad_payload', `abg answered ${answer.status} without ${member}`);
  }
  throwUnlessEmpty(answer.status, failures);
  return { body: body ?? {}, rows: [], warnings: new Warnings() };
}

/**
 * Reads the token answer (GET /oauth/token/v2). Rejected credentials are fault `auth`, whichever of the two 4xx forms
 * ABG uses.
 */
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

/** Returns only if every error means "nothing there"; otherwise throws for the first one that doesn't. */
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

/** The code with our description. The supplier's own words, truncated, are used only for an unknown code (for logs). */
function describe(failure: WireFailure): string {
  const known = abgErrorCode(failure.code);
  return `${failure.code} ${known ? known.meaning : failure.reason.slice(0, 120)}`.trim();
}

/** Any 2xx: create answers 201, the rest 200. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * The body as a JSON object; undefined for HTML, truncated text, arrays and scalars. The caller decides by the status
 * what that means.
 */
export function parseObject(answer: SupplierHttpAnswer): Wire | undefined {
  const json = answer.body.toString('utf8');
  try {
    return wireObject(JSON.parse(json.charCodeAt(0) === 0xfeff ? json.slice(1) : json));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
