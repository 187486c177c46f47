/** A request that an endpoint accepted. */
export interface Arrival {
  /** The header webhook-id. */
  readonly id: string;
  readonly reservation: string;
  readonly type: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What is wrong with the events of one reservation at one endpoint. */
export interface Fault {
  readonly kind: 'lost' | 'swapped' | 'unexpected';
  readonly reservation: string;
  readonly types: readonly string[];
}

/** The verdict on one endpoint. */
export interface Verdict {
  /** Different events. */
  readonly events: number;
  /** Requests with an event that had arrived before. */
  readonly duplicates: number;
  readonly faults: readonly Fault[];
}

/**
 * Compares what arrived at an endpoint, in order of arrival, with the types that each reservation must have, in order.
 * Only the first arrival of an event counts for the order: it may arrive again at any time. An event that arrives under
 * two ids is unexpected.
 */
export function judge(expected: ReadonlyMap<string, readonly string[]>, arrivals: readonly Arrival[]): Verdict {
  const seen = new Set<string>();
  const types = new Map<string, string[]>();
  for (const { id, reservation, type } of arrivals) {
    if (seen.has(id)) continue;
    seen.add(id);
    types.set(reservation, [...(types.get(reservation) ?? []), type]);
  }
  const faults: Fault[] = [];
  for (const [reservation, due] of expected) {
    const got = types.get(reservation) ?? [];
    const lost = without(due, got);
    if (lost.length > 0) faults.push({ kind: 'lost', reservation, types: lost });
    const common = without(due, lost);
    if (got.filter((type) => due.includes(type)).join() !== common.join() && without(got, due).length === 0)
      faults.push({ kind: 'swapped', reservation, types: got });
  }
  for (const [reservation, got] of types) {
    const unexpected = without(got, expected.get(reservation) ?? []);
    if (unexpected.length > 0) faults.push({ kind: 'unexpected', reservation, types: unexpected });
  }
  return { events: seen.size, duplicates: arrivals.length - seen.size, faults };
}

/** The elements of a list that are not in another one; each of that one stands for one. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((one) => {
    const at = left.indexOf(one);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** The time that a share of the values doesn't exceed (nearest rank); 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
