import type { State } from '../../src/reservations/states.js';
import type { SimulatedBooking } from '../../src/simulators/bookings.js';

/** One answer to a create request, as the client got it. */
export interface GivenAnswer {
  readonly status: number;
  /** `Idempotent-Replayed: true`: it is the stored answer of an earlier request. */
  readonly replayed: boolean;
  /** Status and body: two answers are the same when these are. */
  readonly text: string;
  /** State in the answer's reservation; absent = it shows none. */
  readonly state?: State;
}

/** What the client was told about a change or cancellation: 2xx, 4xx, or neither of them. */
export type Word = 'done' | 'refused' | 'unknown';

/** The parts of a booking that both the supplier's book and the reservation keep; '' = none. */
export interface Kept {
  readonly email: string;
  /** Carrier and number: `QX123`. */
  readonly flight: string;
  readonly remark: string;
}

/** One change that the client asked for. */
export interface ChangeTold {
  readonly part: keyof Kept;
  readonly value: string;
  /** What the supplier was told to do with it. */
  readonly fault: string;
  readonly word: Word;
}

/** What one client wanted (one Idempotency-Key), what it was told, in order of time. */
export interface Intent {
  /** Idempotency-Key; also the `client_reference` of the reservation. */
  readonly key: string;
  readonly supplier: string;
  /** What the supplier was told to do with the booking. */
  readonly fault: string;
  readonly booked: Kept;
  readonly answers: readonly GivenAnswer[];
  readonly changes: readonly ChangeTold[];
  readonly cancel?: Word;
}

/** A reservation as the gateways keep it at the end. */
export interface KeptReservation {
  /** `res_…`. */
  readonly id: string;
  readonly key: string;
  readonly supplier: string;
  readonly state: State;
  /** As the API shows it; absent where the state promises nothing. */
  readonly kept?: Kept;
}

/** Everything there is to judge by, when nothing moves any more. */
export interface Evidence {
  readonly intents: readonly Intent[];
  readonly reservations: readonly KeptReservation[];
  /** The suppliers' own books by supplier id. */
  readonly books: Readonly<Record<string, readonly SimulatedBooking[]>>;
}
