import type { SupplierBooking } from '../model/bookings.js';
import type { LocalDateTime } from '../model/locations.js';
import type { JournalEntry } from './journal-folder.js';
import { activeBookings, isOwnEnded } from './reconcile-rules.js';
import type { Reservation } from './reservation.js';
import { iso } from './reservation-row.js';
import type { State } from './states.js';

/**
 * How a reservation compares with its supplier's book. `missing here`: the supplier has a living booking that isn't one
 * here. `missing there`: confirmed here, not at the supplier. `revived`: confirmed here, but it was cancelled. `changed`:
 * it was changed, and the change isn't here. `duplicate`: the supplier has several active bookings of the reference.
 */
export type AuditVerdict =
  | 'agrees'
  | 'missing here'
  | 'missing there'
  | 'revived'
  | 'changed'
  | 'duplicate'
  | 'cannot check';

/** What the journal says about one reference, from all its entries; times are epoch milliseconds. */
export interface Intent {
  readonly reference: string;
  readonly supplier: string;
  readonly brand: string;
  readonly applicationId: string;
  /** When the rental begins, according to the latest entry. */
  readonly pickup: { readonly date: LocalDateTime; readonly saidAt: number };
  /** The confirmation number; undefined if the journal has none. */
  readonly number?: string;
  /** When changes and cancellations were requested, ascending; empty = never. */
  readonly changedAt: readonly number[];
  readonly cancelledAt: readonly number[];
  /** When the supplier refused one of them, ascending. */
  readonly refusedAt: readonly number[];
}

/** What the supplier returned for a reference, or why that isn't known. */
export type Found = { readonly bookings: readonly SupplierBooking[] } | { readonly why: string };

/** A verdict with a note for the operator, which may be empty. */
export interface Judged {
  readonly verdict: AuditVerdict;
  readonly note: string;
}

const LIVING: readonly State[] = ['confirmed', 'on_request'];
const ENDED: readonly State[] = ['cancelled', 'failed', 'rejected', 'expired'];

/** Adds an entry to what is known of its reference. The order of entries and duplicates make no difference. */
export function withEntry(before: Intent | undefined, entry: JournalEntry): Intent {
  const at = Date.parse(entry.at);
  const { ref: reference, supplier, brand, app: applicationId } = entry;
  const times = (known: readonly number[] = [], op: JournalEntry['op']): readonly number[] =>
    entry.op === op && !known.includes(at) ? [...known, at].sort((one, other) => one - other) : known;
  // A booking keeps its number; should there be two, every order must choose the same.
  const number = [before?.number, entry.number].filter((one) => one !== undefined).sort()[0];
  const said = { date: entry.pickup, saidAt: at };
  const isLater =
    !before || at > before.pickup.saidAt || (at === before.pickup.saidAt && said.date > before.pickup.date);
  return {
    reference,
    supplier,
    brand,
    applicationId,
    pickup: isLater ? said : before.pickup,
    ...(number === undefined ? {} : { number }),
    changedAt: times(before?.changedAt, 'change'),
    cancelledAt: times(before?.cancelledAt, 'cancel'),
    refusedAt: times(before?.refusedAt, 'refused'),
  };
}

/** Compares a reservation (undefined = the database doesn't have it) with what the supplier has. */
export function judge(here: Reservation | undefined, intent: Intent | undefined, found: Found): Judged {
  const isLiving = here !== undefined && LIVING.includes(here.state);
  const { cancelled, changed } = isLiving || here?.state === 'manual_review' ? lostFrom(here, intent) : {};
  const lost = cancelled ?? changed;
  if ('why' in found) {
    return lost ? { ...lost, note: `${lost.note}; ${found.why}` } : { verdict: 'cannot check', note: found.why };
  }
  const active = activeBookings(found.bookings);
  const numbers = active.map(({ confirmationNumber }) => confirmationNumber ?? '?').join(', ');
  if (active.length > 1) return { verdict: 'duplicate', note: `active at the supplier: ${numbers}` };
  if (!here) {
    return active.length === 0
      ? { verdict: 'agrees', note: 'not in the database, and not booked' }
      : { verdict: 'missing here', note: `booked at the supplier as ${numbers}` };
  }
  if (ENDED.includes(here.state)) {
    if (active.length === 0) return { verdict: 'agrees', note: '' };
    return { verdict: 'missing here', note: `${here.state} here, booked at the supplier as ${numbers}` };
  }
  if (!isLiving) return lost ?? { verdict: 'agrees', note: `still ${here.state} here` };
  const isOther = isOwnEnded(here.confirmationNumber, found.bookings);
  if (active.length === 1 && isOther)
    return { verdict: 'revived', note: `cancelled at the supplier, which has ${numbers} instead` };
  if (active.length === 1) return changed ?? { verdict: 'agrees', note: '' };
  const isCancelled = cancelled !== undefined || found.bookings.some(({ status }) => status === 'cancelled');
  return isCancelled
    ? { verdict: 'revived', note: 'cancelled at the supplier' }
    : { verdict: 'missing there', note: 'the supplier has no such booking' };
}

/** What the journal says was requested, and the history lacks; undefined members = nothing. */
function lostFrom(
  { history, state }: Reservation,
  intent: Intent | undefined,
): { readonly cancelled?: Judged | undefined; readonly changed?: Judged | undefined } {
  // The rows before the first one weren't read, unless it is the creation.
  const readFrom = history[0]?.from === undefined ? 0 : history[0].at;
  /** The latest of the times that no row has: each is in both with the same time, and later ones don't replace it. */
  const lost = (times: readonly number[] = [], to?: State): string | undefined => {
    const isHere = (at: number) => history.some((row) => row.at === at && (to === undefined || row.to === to));
    const at = times.findLast((time) => time >= readFrom && !isHere(time));
    return at === undefined ? undefined : iso(at);
  };
  const cancelledAt = lost(intent?.cancelledAt, 'cancel_pending');
  const changedAt = lost(intent?.changedAt, 'modify_pending');
  const refusedAt = lost(intent?.refusedAt);
  const refused = refusedAt === undefined ? '' : `, and the supplier refused a request at ${refusedAt}`;
  // What was in progress was refused: a reservation that isn't in review has had that answer.
  const review = state === 'manual_review' && refusedAt !== undefined;
  const inProgress = review ? `the supplier refused at ${refusedAt} what is in progress here` : undefined;
  const change = changedAt === undefined ? inProgress : `a change was requested at ${changedAt}${refused}`;
  return {
    ...(cancelledAt === undefined
      ? {}
      : { cancelled: { verdict: 'revived', note: `its cancellation was requested at ${cancelledAt}${refused}` } }),
    ...(change === undefined ? {} : { changed: { verdict: 'changed', note: `${change}: compare the booking` } }),
  };
}
