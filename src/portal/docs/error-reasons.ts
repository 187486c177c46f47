import { causes } from '../../status/causes.js';
import { ERROR_ROWS } from '../../status/error-rows.js';
import { type Reason, reasons } from '../../status/reasons.js';
import answers from './error-answers.json' with { type: 'json' };
import type { ErrorExample } from './error-examples.js';

/** A reason as the errors page explains it. */
export interface ErrorReason {
  readonly reason: Reason;
  readonly code: number;
  /** Most have a single row; there is a second where an operation uses the reason differently. */
  readonly rows: readonly { readonly meaning: string; readonly retry: string; readonly next: string }[];
  /** What else says why; empty for most. */
  readonly causes: readonly { readonly cause: string; readonly did: string; readonly next: string }[];
  /** An entry that a gateway of the sandbox returned. */
  readonly entry: unknown;
  /** How to provoke it; empty in production. */
  readonly examples: readonly ErrorExample[];
}

/** By reason: an entry of an answer (scripts/write-error-answers.mjs). A test takes them again and compares. */
const ANSWERS: Readonly<Record<string, unknown>> = answers;

/** Every reason in the order of the table, with the examples that have it. */
export function errorReasons(examples: readonly ErrorExample[]): readonly ErrorReason[] {
  const causeRows = Object.entries(causes).map(([cause, row]) => ({ cause, ...row }));
  return [...Map.groupBy(ERROR_ROWS, ({ reason }) => reason)].map(([reason, rows]) => ({
    reason,
    code: reasons[reason].code,
    rows,
    causes: causeRows.filter((row) => row.reason === reason),
    entry: ANSWERS[reason],
    examples: examples.filter((example) => example.reason === reason),
  }));
}
