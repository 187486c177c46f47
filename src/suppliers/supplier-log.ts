import type { Logger } from 'pino';
import { observeCutOff, observeSupplier } from '../metrics/metrics.js';
import { SupplierError } from '../model/supplier.js';
import { maskedText } from '../privacy/masked-text.js';
import type { CallObserver } from './fan-out.js';
import { CallRejectedError } from './resilience/call-rejected.js';

const LONGEST_WHY = 300;
/** Shorter texts, such as country codes, are parts of other words. */
const SHORTEST_PERSONAL = 3;

/**
 * Counts each call and logs each failure, with the request and application that made the call. What a supplier says is
 * masked: card numbers, email addresses, and everything that the call knows about the renter.
 */
export function supplierLog(logger: Logger): CallObserver {
  return {
    settled: ({ supplier, operation, brand, requestId, application, renter }, outcome, durationMs, error) => {
      observeSupplier(supplier.id, operation, outcome, durationMs);
      if (error === undefined) return;
      // Counted by the policy. A line per call would flood the log exactly when an operator needs it.
      if (error instanceof CallRejectedError) return;
      const why = maskedText(error instanceof Error ? error.message : String(error), LONGEST_WHY, textsIn(renter));
      const fields = { requestId, application, supplier: supplier.id, operation, brand, outcome, ms: durationMs };
      // A fault of the supplier is a warning; anything else is a bug in the adapter.
      if (error instanceof SupplierError) logger.warn({ ...fields, fault: error.fault, why }, 'supplier failed');
      else logger.error({ ...fields, why, at: framesOf(error) }, 'adapter failed');
    },
    cutOff: ({ supplier, operation }) => observeCutOff(supplier.id, operation),
  };
}

/** All texts of a value, the longest first, so that no part of one remains. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const visit = (member: unknown): void => {
    if (typeof member === 'string' && member.length >= SHORTEST_PERSONAL) texts.push(member);
    if (typeof member === 'object' && member !== null) for (const inner of Object.values(member)) visit(inner);
  };
  visit(value);
  return texts.sort((one, other) => other.length - one.length);
}

/** The stack without the message, which may quote the supplier. */
function framesOf(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
}
