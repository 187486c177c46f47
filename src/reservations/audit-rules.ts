import type { SupplierBooking } from '../model/bookings.js';
import type { LocalDateTime } from '../model/locations.js';
import type { JournalEntry } from './journal-folder.js';
import { activeBookings } from './reconcile-rules.js';
import type { Reservation } from './reservation.js';
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
  };
}

/** Compares a reservation (undefined = the database doesn't have it) with what the supplier has. */
export function judge(here: Reservation | undefined, intent: Intent | undefined, found: Found): Judged {
  const isLiving = here !== undefined && LIVING.includes(here.state);
  const lacksCancel = isLiving && lacks(here, 'cancel_pending', intent?.cancelledAt);
  const lacksChange = isLiving && lacks(here, 'modify_pending', intent?.changedAt);
  if ('why' in found) {
    if (lacksCancel) return { verdict: 'revived', note: `its cancellation was requested; ${found.why}` };
    if (lacksChange) return { verdict: 'changed', note: `a change was requested; ${found.why}` };
    return { verdict: 'cannot check', note: found.why };
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
  if (!isLiving) return { verdict: 'agrees', note: `still ${here.state} here` };
  if (active.length === 1) {
    return lacksChange
      ? { verdict: 'changed', note: 'a change was requested: compare the booking' }
      : { verdict: 'agrees', note: '' };
  }
  const isCancelled = lacksCancel || found.bookings.some(({ status }) => status === 'cancelled');
  return isCancelled
    ? { verdict: 'revived', note: 'cancelled at the supplier' }
    : { verdict: 'missing there', note: 'the supplier has no such booking' };
}

/**
 * Whether the history lacks the start of something that the journal says was requested: each is in both with the same
 * time, and later ones don't replace it.
 */
function lacks({ history }: Reservation, state: State, requestedAt: readonly number[] = []): boolean {
  // The rows before the first one weren't read, unless it is the creation.
  const readFrom = history[0]?.from === undefined ? 0 : history[0].at;
  return requestedAt.some((at) => at >= readFrom && !history.some((row) => row.to === state && row.at === at));
}
