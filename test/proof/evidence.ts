import type { State } from '../../src/reservations/states.js';
import type { SimulatedBooking } from '../../src/simulators/bookings.js';

/** One answer to a create request, as the client received it. */
export interface GivenAnswer {
  readonly status: number;
  /** `Idempotent-Replayed: true`: this is the stored answer of an earlier request. */
  readonly replayed: boolean;
  /** Status and body: two answers are the same if these are equal. */
  readonly text: string;
  /** The reservation state in the answer; absent = it shows none. */
  readonly state?: State;
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
  /** The supplier's instruction for the booking. */
  readonly fault: string;
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
  /** As the API shows it; absent if the state promises nothing. */
  readonly kept?: Kept;
}

/** All evidence for the verdict, once nothing changes any more. */
export interface Evidence {
  readonly intents: readonly Intent[];
  readonly reservations: readonly KeptReservation[];
  /** The suppliers' own books by supplier id. */
  readonly books: Readonly<Record<string, readonly SimulatedBooking[]>>;
}
