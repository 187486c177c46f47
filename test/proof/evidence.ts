/** The judge doesn't share code with the gateway: the words of the API and of the suppliers' books are its own. */
export type State =
  | 'pending'
  | 'unknown'
  | 'manual_review'
  | 'on_request'
  | 'confirmed'
  | 'modify_pending'
  | 'cancel_pending'
  | 'cancel_unknown'
  | 'cancelled'
  | 'rejected'
  | 'failed'
  | 'expired'
  | 'completed'
  | 'no_show';

/** One entry of a supplier's book. */
export interface BookEntry {
  readonly confirmation: string;
  /** The gateway's reference, `res_…`. */
  readonly reference: string;
  readonly status: string;
  readonly email?: string;
  readonly flight?: string;
  readonly remark?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** One answer to a create request, as the client received it. */
export interface GivenAnswer {
  readonly status: number;
  /** `Idempotent-Replayed: true`: this is the stored answer of an earlier request. */
  readonly replayed: boolean;
  /** Status and body: two answers are the same if these are equal. */
  readonly text: string;
  /** The reservation state in the answer; absent = it shows none. */
  readonly state?: State;
  /** When it was received, in epoch milliseconds; absent = at the end of the run. */
  readonly at?: number;
}

/** The outcome of a change or cancellation as the client saw it: 2xx, 4xx, or neither. */
export type Word = 'done' | 'refused' | 'unknown';

/** The parts of a booking that both the supplier's book and the reservation hold; '' = none. */
export interface Kept {
  readonly email: string;
  /** Carrier and number: `QX123`. */
  readonly flight: string;
  readonly remark: string;
}

/** One change that the client requested. */
export interface ChangeTold {
  readonly part: keyof Kept;
  readonly value: string;
  /** The supplier's instruction for it. */
  readonly fault: string;
  readonly word: Word;
}

/** What one client wanted (one Idempotency-Key) and the answers it received, in chronological order. */
export interface Intent {
  /** The Idempotency-Key; also the `client_reference` of the reservation. */
  readonly key: string;
  readonly supplier: string;
  /** What happens to the booking at the supplier or on the way to it. */
  readonly fault: string;
  /** The supplier's answers deny the booking for longer than the settle time. */
  readonly isHidden?: boolean;
  /** The supplier receives the booking twice. */
  readonly isTwice?: boolean;
  /** When its client sent the first request and got the last answer, in epoch milliseconds. */
  readonly begunAt: number;
  readonly endedAt: number;
  readonly booked: Kept;
  readonly answers: readonly GivenAnswer[];
  readonly changes: readonly ChangeTold[];
  readonly cancel?: Word;
}

/** A reservation as the gateways hold it at the end. */
export interface KeptReservation {
  /** `res_…`. */
  readonly id: string;
  readonly key: string;
  readonly supplier: string;
  readonly state: State;
  /** When it was stored, in epoch milliseconds of the database. */
  readonly createdAt: number;
  /** The supplier's number; absent = unknown. */
  readonly confirmation?: string;
  /** When a reconciler first marked it as failed; absent = never. */
  readonly givenUpAt?: number;
  /** It had failed, and its late booking was then cancelled at the supplier. */
  readonly isRevoked?: boolean;
  /** A check of it is still due: it may still change. */
  readonly isDue?: boolean;
  /** As the API shows it; absent if the state promises nothing. */
  readonly kept?: Kept;
}

/** A restore of the database from a dump, in epoch milliseconds: what was stored in between may be lost. */
export interface Restore {
  /** Before the dump. */
  readonly from: number;
  /** After the kill of every gateway, and before they were started on the restored database. */
  readonly until: number;
}

/** What `gw reservation audit` reports about a reference that is not in agreement. */
export interface Reported {
  readonly verdict: string;
  /** The supplier's number; absent = the report has none. */
  readonly number?: string;
}

/** All evidence for the verdict, once nothing changes any more. */
export interface Evidence {
  readonly intents: readonly Intent[];
  readonly reservations: readonly KeptReservation[];
  /** The suppliers' own books by supplier id. */
  readonly books: Readonly<Record<string, readonly BookEntry[]>>;
  /** What `gw reservation unclear` lists: reservation id → numbers of its second bookings, empty = only its state is unclear. */
  readonly listed: Readonly<Record<string, readonly string[]>>;
  readonly restores: readonly Restore[];
  /** By reference; empty if nothing was restored, because then operators need no audit. */
  readonly audited: Readonly<Record<string, Reported>>;
  /** How long after it is stored a supplier may carry out a booking and must then show it: call timeout and settle time. */
  readonly settledAfterMs: number;
}
