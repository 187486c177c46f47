import { rowOf } from './table.js';

/** What a reservation's status means. `pending_cancellation`: it is active until the supplier has cancelled it. */
export const RESERVATION_STATUSES = [
  'confirmed',
  'on_request',
  'rejected',
  'cancelled',
  'pending_cancellation',
  'unchanged',
] as const;

export type ReservationStatus = (typeof RESERVATION_STATUSES)[number];

/** OTA's TransactionStatusType, and the words of InventoryStatusType that suppliers use instead. */
const STATUS_BY_WORD: ReadonlyMap<string, ReservationStatus> = new Map([
  ['reserved', 'confirmed'],
  ['committed', 'confirmed'],
  ['confirmed', 'confirmed'],
  ['modified', 'confirmed'],
  ['ticketed', 'confirmed'],
  ['supplierbooked', 'confirmed'],
  ['pending', 'on_request'],
  ['requested', 'on_request'],
  ['onrequest', 'on_request'],
  ['onhold', 'on_request'],
  ['requestdenied', 'rejected'],
  ['unsuccessful', 'rejected'],
  ['ignored', 'rejected'],
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
  ['pendingcancellation', 'pending_cancellation'],
  ['unchanged', 'unchanged'],
]);

/**
 * The meaning of a status word, case-insensitive; the supplier's own table takes precedence. Undefined for an unknown
 * word.
 */
export function statusOfWord(
  word: string,
  ownWords: Readonly<Record<string, ReservationStatus>>,
): ReservationStatus | undefined {
  return rowOf(ownWords, word) ?? STATUS_BY_WORD.get(plain(word));
}

/** Words that mean something else in the answer to a cancellation: it is what was committed. */
const CANCELLED_BY_WORD: ReadonlySet<string> = new Set(['committed']);

/** The meaning of a CancelStatus; otherwise like `statusOfWord`. An own word for committed reservations says nothing about it. */
export function statusOfCancellation(
  word: string,
  ownWords: Readonly<Record<string, ReservationStatus>>,
): ReservationStatus | undefined {
  const status = statusOfWord(word, ownWords);
  return status === 'confirmed' && CANCELLED_BY_WORD.has(plain(word)) ? 'cancelled' : status;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[\s_-]/g, '');
}
