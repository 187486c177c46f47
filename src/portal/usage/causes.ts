import type { TracedEntry } from '../../records/request-record.js';
import { causeRow } from '../../status/causes.js';
import { ERROR_ROWS } from '../../status/error-rows.js';
import { reasons } from '../../status/reasons.js';

/** What a supplier did, as the end of a sentence that begins with its name. */
export function didOf(cause: string | undefined): string {
  return causeRow(cause)?.did ?? 'failed';
}

/** What the developer can do about an entry of the status container. */
export function nextStep({ reason, cause }: TracedEntry): string {
  const row = causeRow(cause) ?? ERROR_ROWS.find((error) => error.reason === reason);
  return row?.next ?? 'See the list of errors in the docs.';
}

/** The meaning of an entry's reason (spec §7.3). */
export function meaningOf(reason: string): string {
  return (reasons as Readonly<Record<string, { readonly details: string }>>)[reason]?.details ?? '';
}
