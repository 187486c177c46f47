import type { BookEntry } from '../proof/evidence.js';
import { type Cell, MARGIN_MS, recoveryMs } from './cells.js';

/** What happened in one cell. */
export interface Observed {
  /** As in Outcome. */
  readonly answer: string;
  readonly ms: number;
  /** How long after the end of the fault a token, a search and a booking succeeded; Infinity = they didn't in time. */
  readonly recoveredMs: number;
  /** Only of a booking, as Aftermath; `total` is the number of bookings after the request was repeated. */
  readonly aftermath?: {
    readonly bookings: number;
    readonly state: string;
    readonly again: string;
    readonly total: number;
  };
}

/** What differs from the cell, in words, with the expected value last; empty = nothing. */
export function findings(cell: Cell, { answer, ms, recoveredMs, aftermath }: Observed): readonly string[] {
  const found: string[] = [];
  const compare = (name: string, is: string | number | undefined, expected: string | number): void => {
    if (is !== expected) found.push(`${name}: ${is}, expected ${expected}`);
  };
  const limit = (name: string, is: number, most: number): void => {
    if (!(is <= most + MARGIN_MS)) found.push(`${name}: after ${Math.round(is)} ms, expected within ${most} ms`);
  };
  compare('answer', answer, cell.answer);
  limit('answered', ms, cell.withinMs);
  limit('recovered', recoveredMs, recoveryMs(cell));
  if (cell.aftermath) {
    const { bookings, state, again } = cell.aftermath;
    compare('bookings', aftermath?.bookings, bookings);
    compare('state', aftermath?.state, state);
    compare('same key again', aftermath?.again, again);
    compare('bookings in the end', aftermath?.total, again.startsWith('201') ? 1 : bookings);
  }
  return found;
}

/** A reservation in the database, at the end of the run. */
export interface KeptRow {
  readonly id: string;
  readonly state: string;
  readonly number: string | null;
}

/** Violations over all cells, each by the reference or number of a booking; all empty = none. */
export interface Ledger {
  /** References with more than one active booking. */
  readonly doubled: readonly string[];
  /** Active bookings without a confirmed reservation that has their number. */
  readonly lost: readonly string[];
  /** Confirmed reservations without an active booking. */
  readonly wrong: readonly string[];
  /** Reservations that are neither confirmed nor failed. */
  readonly unresolved: readonly string[];
}

/** Compares the suppliers' own books with the reservations. Pure. */
export function judgeLedger(books: readonly BookEntry[], rows: readonly KeptRow[]): Ledger {
  const active = books.filter(({ status }) => status === 'confirmed' || status === 'on_request');
  const references = active.map(({ reference }) => reference);
  const confirmed = rows.filter(({ state }) => state === 'confirmed');
  const isOf = ({ id, number }: KeptRow, { reference, confirmation }: BookEntry): boolean =>
    reference === id && confirmation === number;
  return {
    doubled: [...new Set(references.filter((reference, at) => references.indexOf(reference) !== at))],
    lost: active.filter((entry) => !confirmed.some((row) => isOf(row, entry))).map(({ confirmation }) => confirmation),
    wrong: confirmed.filter((row) => !active.some((entry) => isOf(row, entry))).map(({ id }) => id),
    unresolved: rows.filter(({ state }) => state !== 'confirmed' && state !== 'failed').map(({ id }) => id),
  };
}
