import { CALLER_LEFT } from '../../http/request-recorder.js';
import type { CallRecord, RequestRecord } from '../../records/request-record.js';
import { didOf } from './causes.js';
import { ms } from './words.js';

type NameOf = (supplier: string) => string;

const WITHOUT_CALLS: Readonly<Record<number, string>> = {
  400: 'The request was rejected before any supplier was called.',
  401: 'The request was rejected before any supplier was called: the token or the credentials are invalid.',
  403: 'The request was rejected before any supplier was called: the application is not allowed to make this call.',
  404: 'Nothing was found, and no supplier was called.',
  503: 'No supplier was called: the service, or every supplier for this request, is in maintenance.',
};

/** Explains a response in sentences: first the overall result, then the suppliers that differ. */
export function explanation(record: RequestRecord, nameOf: NameOf): readonly string[] {
  const { calls, skipped } = record.trace;
  const suppliersByEvent = new Map<string, Set<string>>();
  const add = (what: string | undefined, name: string): void => {
    if (what !== undefined) suppliersByEvent.set(what, (suppliersByEvent.get(what) ?? new Set()).add(name));
  };
  for (const call of calls)
    add(
      whatOf(call, record),
      call.brand === undefined ? nameOf(call.supplier) : `${nameOf(call.supplier)} (${call.brand})`,
    );
  for (const supplier of skipped) add('received no call: in maintenance', nameOf(supplier));
  return [...opening(record), ...[...suppliersByEvent].map(([what, names]) => `${listed([...names])} ${what}.`)];
}

function opening({ status, trace }: RequestRecord): string[] {
  if (trace.replayed)
    return ['The response repeats that of an earlier request with the same Idempotency-Key. Nothing was done twice.'];
  if (status === CALLER_LEFT)
    return ['Your client closed the connection before the complete response was sent.', ...called(trace.calls)];
  if (status === 408) return [`The time budget of ${ms(trace.budgetMs)} was exceeded.`, ...called(trace.calls)];
  if (status === 429)
    return ["The request exceeded a rate limit, so it wasn't processed. It doesn't count toward your quota."];
  if (trace.calls.length > 0) return called(trace.calls);
  return [WITHOUT_CALLS[status] ?? (status < 400 ? 'Answered without calling a supplier.' : 'No supplier was called.')];
}

function called(calls: readonly CallRecord[]): string[] {
  const suppliers = new Set(calls.map(({ supplier }) => supplier));
  const incomplete = new Set(calls.flatMap(({ supplier, outcome }) => (outcome === 'answered' ? [] : [supplier])));
  if (suppliers.size === 0) return [];
  const isCalled = calls.some(({ ageSeconds }) => ageSeconds === undefined);
  if (!isCalled) return ['Answered from memory: no supplier was called.'];
  const searched = calls.every(({ ageSeconds }) => ageSeconds === undefined) ? 'called' : 'searched';
  if (suppliers.size === 1)
    return [incomplete.size === 0 ? 'One supplier was called, and it answered.' : 'One supplier was called.'];
  if (incomplete.size === 0) return [`All ${suppliers.size} suppliers answered.`];
  const answered = suppliers.size - incomplete.size;
  return [`${suppliers.size} suppliers were ${searched}; ${answered === 0 ? 'none' : answered} answered in full.`];
}

function whatOf(
  { outcome, cause, timeoutMs, shared, ageSeconds }: CallRecord,
  { status }: RequestRecord,
): string | undefined {
  if (ageSeconds !== undefined)
    return `wasn't called: its answer in memory was ${ageSeconds} s old${outcome === 'empty' ? ' and had no matching results' : ''}`;
  if (outcome === 'empty') return 'had no matching results';
  if (outcome === 'failed') return `${didOf(cause)}${cause === 'timeout' ? ` of ${ms(timeoutMs)}` : ''}`;
  if (outcome === 'open') return `had not finished ${WHEN[status] ?? 'when timeout_ms was reached'}`;
  return shared ? 'already had an identical request: one call served both' : undefined;
}

const WHEN: Readonly<Record<number, string>> = { [CALLER_LEFT]: 'when you disconnected', 408: 'when the time ran out' };

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
