import { CALLER_LEFT } from '../../http/request-recorder.js';
import type { RequestRecord } from '../../records/request-record.js';

/** What failed in a request, in a few words: suppliers with their causes, or the reasons that it was rejected. Empty = nothing. */
export function failedIn(
  { status, trace }: Pick<RequestRecord, 'status' | 'trace'>,
  nameOf: (supplier: string) => string,
): string {
  const suppliers = trace.calls.flatMap(({ supplier, outcome, cause }) => {
    if (outcome === 'failed') return `${nameOf(supplier)}: ${(cause ?? 'failed').replaceAll('_', ' ')}`;
    return outcome === 'open' && status !== CALLER_LEFT ? `${nameOf(supplier)}: unfinished` : [];
  });
  const reasons = trace.entries
    .filter(({ reason }) => reason !== 'no_supplier_results')
    .map(({ reason, cause, field }) => [(cause ?? reason).replaceAll('_', ' '), field].filter(Boolean).join(': '));
  return [...new Set(suppliers.length > 0 ? suppliers : reasons)].join(', ');
}
