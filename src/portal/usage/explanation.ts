import { CALLER_LEFT } from '../../http/request-recorder.js';
import type { CallRecord, RequestRecord } from '../../records/request-record.js';
import { didOf } from './causes.js';
import { ms } from './words.js';

type NameOf = (supplier: string) => string;

const UNASKED: Readonly<Record<number, string>> = {
  400: 'Refused before any supplier was asked.',
  401: 'Refused before any supplier was asked: the token or the credentials are not valid.',
  403: 'Refused before any supplier was asked: the application may not call this.',
  404: 'Nothing was found, and no supplier had to be asked for that.',
  503: 'Nobody was asked: the service, or every supplier for this request, is in maintenance.',
};

/** What was answered and why, in sentences: first the whole, then the suppliers that stand out. */
export function story(record: RequestRecord, nameOf: NameOf): readonly string[] {
  const { calls, skipped } = record.trace;
  const tellers = new Map<string, Set<string>>();
  const tell = (what: string | undefined, name: string): void => {
    if (what !== undefined) tellers.set(what, (tellers.get(what) ?? new Set()).add(name));
  };
  for (const call of calls)
    tell(
      whatOf(call, record),
      call.brand === undefined ? nameOf(call.supplier) : `${nameOf(call.supplier)} (${call.brand})`,
    );
  for (const supplier of skipped) tell('got no call: in maintenance', nameOf(supplier));
  return [...opening(record), ...[...tellers].map(([what, names]) => `${listed([...names])} ${what}.`)];
}

function opening({ status, trace }: RequestRecord): string[] {
  if (trace.replayed)
    return ['The answer is that of an earlier request with the same Idempotency-Key: nothing was done twice.'];
  if (status === CALLER_LEFT)
    return ['The connection was closed from your side before the whole answer was out.', ...asked(trace.calls)];
  if (status === 408) return [`The ${ms(trace.budgetMs)} that this request had were over.`, ...asked(trace.calls)];
  if (status === 429) return ['A limit of the application was used up, so nothing was done. The call costs nothing.'];
  if (trace.calls.length > 0) return asked(trace.calls);
  return [UNASKED[status] ?? (status < 400 ? 'Answered without asking a supplier.' : 'No supplier was asked.')];
}

function asked(calls: readonly CallRecord[]): string[] {
  const suppliers = new Set(calls.map(({ supplier }) => supplier));
  const wanting = new Set(calls.flatMap(({ supplier, outcome }) => (outcome === 'answered' ? [] : [supplier])));
  if (suppliers.size === 0) return [];
  if (suppliers.size === 1)
    return [wanting.size === 0 ? 'One supplier was asked, and it answered.' : 'One supplier was asked.'];
  if (wanting.size === 0) return [`All ${suppliers.size} suppliers that were asked answered.`];
  const whole = suppliers.size - wanting.size;
  return [`${suppliers.size} suppliers were asked; ${whole === 0 ? 'none' : whole} answered in full.`];
}

function whatOf({ outcome, cause, timeoutMs, shared }: CallRecord, { status }: RequestRecord): string | undefined {
  if (outcome === 'empty') return 'answered with nothing that fits';
  if (outcome === 'failed') return `${didOf(cause)}${cause === 'timeout' ? ` of ${ms(timeoutMs)}` : ''}`;
  if (outcome === 'open') return `had not ended ${WHEN[status] ?? 'when the answer was made, for timeout_ms was over'}`;
  return shared ? 'had the same question from another request already: one call served both' : undefined;
}

const WHEN: Readonly<Record<number, string>> = { [CALLER_LEFT]: 'when you left', 408: 'when the time was up' };

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
