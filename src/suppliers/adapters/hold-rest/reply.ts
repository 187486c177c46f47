import type { z } from 'zod';
import { SupplierError, type SupplierHttpAnswer } from '../../supplier.js';
import { problemCode } from './problem-codes.js';
import { problemWire } from './wire.js';

/** The body of a success, checked against its schema. Throws SupplierError for everything else (see `refused`). */
export function readReply<T>(answer: SupplierHttpAnswer, schema: z.ZodType<T>): T {
  if (!isSuccess(answer)) throw refused(answer);
  const read = schema.safeParse(parsed(answer));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  // Path and kind of the fault, never the value: it may be a renter's.
  throw new SupplierError(
    'bad_payload',
    `answered ${answer.status}, but ${issue?.path.join('.') || 'the body'} is unreadable (${issue?.code})`,
  );
}

/** As `readReply`; undefined when the supplier refused with one of `codes`, which the caller takes for an answer. */
export function readReplyUnless<T>(answer: SupplierHttpAnswer, codes: readonly string[], schema: z.ZodType<T>): T | undefined {
  return saysOneOf(answer, codes) ? undefined : readReply(answer, schema);
}

/** Returns when the supplier did it or says one of `codes`; a success of such a call has no body. Throws SupplierError otherwise. */
export function expectDone(answer: SupplierHttpAnswer, codes: readonly string[]): void {
  if (!isSuccess(answer) && !saysOneOf(answer, codes)) throw refused(answer);
}

/**
 * The fault of an answer that is no success. 401 and 403, 429, 408 and 5xx speak for themselves; below them only a code that the supplier
 * published is its word. A 4xx without one (a proxy's page, a code never heard of) says nothing certain: on a write it must not pass for a
 * refusal, so it is a bad payload everywhere.
 */
function refused(answer: SupplierHttpAnswer): SupplierError {
  const { status } = answer;
  if (status === 401 || status === 403) return new SupplierError('auth', `answered ${status}: the key is not accepted`);
  if (status === 429) return new SupplierError('throttled', 'answered 429');
  if (status === 408 || status >= 500) return new SupplierError('unavailable', `answered ${status}`);
  const code = codeOf(answer);
  const known = code === undefined ? undefined : problemCode(code);
  if (!known) return new SupplierError('bad_payload', `answered ${status} without a code that is known`);
  return new SupplierError('rejected', `answered ${status} ${code}`, true, { refusal: known.refusal });
}

function saysOneOf(answer: SupplierHttpAnswer, codes: readonly string[]): boolean {
  const { status } = answer;
  const refusal = status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
  return refusal && codes.includes(codeOf(answer) ?? '');
}

function codeOf(answer: SupplierHttpAnswer): string | undefined {
  const problem = problemWire.safeParse(parsed(answer));
  return problem.success ? problem.data.code : undefined;
}

function isSuccess({ status }: SupplierHttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The body as JSON; undefined for anything else: the caller decides by the status what that means. */
function parsed({ body }: SupplierHttpAnswer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
