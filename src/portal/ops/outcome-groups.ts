/** Outcomes of calls as they are stacked in plots, from the bottom: a key for styles, a name, and the causes. */
export const OUTCOME_GROUPS = [
  ['answered', 'answered', ['answered', 'refused']],
  ['empty', 'empty', ['empty']],
  ['unsent', 'not called by us', ['circuit_open', 'own_limit', 'unread', 'adapter_bug']],
  ['limited', 'throttled (429)', ['throttled']],
  ['denied', 'credentials or request refused', ['auth', 'rejected']],
  ['garbled', 'unreadable', ['bad_payload']],
  ['late', 'timed out', ['timeout']],
  ['broken', '5xx, unreachable, TLS', ['http_5xx', 'supplier_error', 'unreachable', 'tls']],
] as const;

export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number][0];

/** The group of a cause; unknown ones are failures. */
export function groupOf(cause: string): OutcomeGroup {
  return OUTCOME_GROUPS.find(([, , causes]) => (causes as readonly string[]).includes(cause))?.[0] ?? 'broken';
}
