import type { FaultName } from './fault-proxy.js';

/** What has a fault: the connections of the gateway to it. */
export const PARTS = ['Redis', 'PostgreSQL', 'supplier'] as const;
export type Part = (typeof PARTS)[number];

/** A token with credentials, a search at two suppliers of which one has the fault, a booking at that supplier. */
export const OPERATIONS = ['token', 'search', 'book'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The supplier behind the proxy. */
export const FAULTY = 'alpine';

/** What becomes of a booking after the fault. */
export interface Aftermath {
  /** Bookings at the supplier before the request is repeated. */
  readonly bookings: 0 | 1;
  /** The final state of the reservation; `none` = nothing was stored. */
  readonly state: 'confirmed' | 'failed' | 'none';
  /** The answer to the same request with the same Idempotency-Key. */
  readonly again: string;
}

/** What a caller gets while a part has a fault. */
export interface Outcome {
  /** The status; then the cause of an error, the supplier and cause of a 206, or the state of a reservation. */
  readonly answer: string;
  /** The time to the answer, in milliseconds, on a machine with nothing else to do. */
  readonly withinMs: number;
  /** Absent if nothing was to be booked. */
  readonly aftermath?: Aftermath;
}

export interface Cell extends Outcome {
  readonly part: Part;
  readonly operation: Operation;
  readonly fault: FaultName;
}

const seconds = (count: number): number => count * 1_000;

const token = (within = 0.5): Outcome => ({ answer: '200', withinMs: seconds(within) });
const search = token;
const refused = (cause: string, within: number): Outcome => ({ answer: `503 ${cause}`, withinMs: seconds(within) });
const partial = (cause: string, within: number): Outcome => ({
  answer: `206 ${FAULTY} ${cause}`,
  withinMs: seconds(within),
});
const booked = (within: number): Outcome => ({
  answer: '201 confirmed',
  withinMs: seconds(within),
  aftermath: { bookings: 1, state: 'confirmed', again: '201 confirmed' },
});
/** Nothing was begun: the same key books afterwards. */
const notBegun = (cause: string, within: number): Outcome => ({
  ...refused(cause, within),
  aftermath: { bookings: 0, state: 'none', again: '201 confirmed' },
});
/** The supplier booked, and the gateway could not store it yet. */
const notStored = (within: number): Outcome => ({
  ...refused('outcome_unknown', within),
  aftermath: { bookings: 1, state: 'confirmed', again: '201 confirmed' },
});
/** The supplier's answer is missing; whether it booked is found out later. */
const unknown = (bookings: 0 | 1, within: number): Outcome => ({
  answer: '202 unknown',
  withinMs: seconds(within),
  aftermath: { bookings, state: bookings === 1 ? 'confirmed' : 'failed', again: '202 unknown' },
});

/** Slow parts are waited for, up to the timeouts of world.ts. */
const OUTCOMES: Readonly<Record<Part, Readonly<Record<FaultName, Readonly<Record<Operation, Outcome>>>>>> = {
  Redis: {
    latency: { token: token(1.5), search: search(1), book: booked(1.5) },
    jitter: { token: token(1.5), search: search(1), book: booked(1.5) },
    'one-way loss': everything('store_unavailable', 1),
    reset: everything('store_unavailable', 0.2),
    'half-open': everything('store_unavailable', 1),
    'slow drip': everything('store_unavailable', 1),
    bandwidth: { token: token(1), search: search(1), book: booked(1) },
  },
  PostgreSQL: {
    latency: { token: token(2.5), search: search(), book: booked(3.5) },
    jitter: { token: token(2.5), search: search(), book: booked(3.5) },
    'one-way loss': { token: refused('database_unavailable', 5), search: search(), book: notStored(8) },
    reset: { token: refused('database_unavailable', 0.5), search: search(), book: notStored(3.5) },
    'half-open': { token: refused('database_unavailable', 5), search: search(), book: notStored(8) },
    'slow drip': { token: refused('database_unavailable', 5), search: search(), book: notStored(8) },
    bandwidth: { token: token(1.5), search: search(), book: booked(3.5) },
  },
  supplier: {
    latency: { token: token(), search: search(1), book: booked(1.5) },
    jitter: { token: token(), search: search(1), book: booked(1.5) },
    'one-way loss': { token: token(), search: partial('timeout', 1.5), book: unknown(1, 2.5) },
    reset: { token: token(), search: partial('unavailable', 0.5), book: unknown(0, 0.5) },
    'half-open': { token: token(), search: partial('timeout', 1.5), book: unknown(0, 2.5) },
    'slow drip': { token: token(), search: partial('timeout', 1.5), book: unknown(1, 2.5) },
    bandwidth: { token: token(), search: partial('timeout', 1.5), book: booked(2) },
  },
};

/** Nothing works without the token store. */
function everything(cause: string, within: number): Readonly<Record<Operation, Outcome>> {
  return { token: refused(cause, within), search: refused(cause, within), book: notBegun(cause, within) };
}

/** All cells with what must happen in them, by part, fault and operation. docs/chaos.md is generated from them. */
export const CELLS: readonly Cell[] = PARTS.flatMap((part) =>
  (Object.keys(OUTCOMES[part]) as FaultName[]).flatMap((fault) =>
    OPERATIONS.map((operation) => ({ part, fault, operation, ...OUTCOMES[part][fault][operation] })),
  ),
);

/**
 * Faults that cut a connection begin when a booking is worst hit: when the supplier is sent it. All others begin before
 * the request. Redis is asked only at the beginning of a request.
 */
export function beginsLate({ part, operation, fault }: Pick<Cell, 'part' | 'operation' | 'fault'>): boolean {
  const isSlow = fault === 'latency' || fault === 'jitter' || fault === 'bandwidth';
  return operation === 'book' && part !== 'Redis' && !isSlow;
}

/** How long after the end of a fault everything works again, in milliseconds, on a machine with nothing else to do. */
export function recoveryMs({ part, fault }: Pick<Cell, 'part' | 'fault'>): number {
  if (fault !== 'half-open') return seconds(2);
  return seconds({ Redis: 4, PostgreSQL: 15, supplier: 6 }[part]);
}

/** A busy machine may take so much longer than every stated time, in milliseconds. */
export const MARGIN_MS = 2_000;
