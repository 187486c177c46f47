import type {
  AdditionalDriver,
  Arrival,
  BookingKey,
  BookRequest,
  ChangeKind,
  Driver,
  Payment,
  RentalRequest,
} from '../model/bookings.js';
import type { Money } from '../model/money.js';
import type { OfferStatus } from '../model/offers.js';
import type { ChosenView } from '../offers/chosen-view.js';
import type { RentalView } from '../representations/rental-view.js';
import { canMove, type State } from './states.js';

/** What is needed to call the supplier about a reservation, nothing personal. */
export interface Rental extends RentalRequest {
  /** The total that the caller accepted. */
  readonly total: Money;
  readonly status: OfferStatus;
  readonly pickupLater: boolean;
  readonly notifyCustomer: boolean;
}

/** What is personal; stored sealed, erasable. */
export interface Personal {
  readonly driver: Driver;
  readonly additionalDrivers: readonly AdditionalDriver[];
  readonly arrival?: Arrival;
  readonly remark?: string;
  readonly voucher?: string;
}

/** How it is paid, as far as that is kept: of a card, its last four digits (ruling 25). */
export interface PaymentKept {
  readonly type: Payment['type'];
  readonly lastFour?: string;
}

/** What a change makes of a reservation, in whole. */
export interface Change {
  readonly kinds: readonly ChangeKind[];
  readonly rental: Rental;
  readonly view: BookedView;
  readonly personal: Personal;
}

/** What was booked as it was shown: the rental of the offer, with what was chosen. Undefined members are not stored. */
export type BookedView = RentalView & ChosenView;

export type Actor = 'application' | 'gateway' | 'reconciler' | 'ops';

/** One row of the history; `at` epoch milliseconds, `from` undefined = created. */
export interface HistoryRow {
  readonly from?: State;
  readonly to: State;
  readonly at: number;
  readonly actor: Actor;
  readonly reason: string;
}

/** A reservation as stored. Instants are epoch milliseconds. */
export interface Reservation {
  /** `res_…`; also the reference that the supplier gets. */
  readonly id: string;
  readonly applicationId: string;
  readonly supplier: string;
  readonly state: State;
  readonly version: number;
  readonly confirmationNumber?: string;
  readonly clientReference?: string;
  readonly rental: Rental;
  readonly view: BookedView;
  /** Undefined = erased. */
  readonly personal?: Personal;
  /** What is being changed, while it is. */
  readonly change?: Change;
  readonly payment: PaymentKept;
  readonly priceDrift?: { readonly accepted: Money; readonly actual: Money };
  readonly cancellation?: {
    readonly fee?: Money;
    readonly refund?: Money;
    readonly cancellationNumber?: string;
    readonly at: number;
  };
  /** Until when the last writing call may have reached the supplier. */
  readonly sentUntil: number;
  /** When the reconciler shall look at it; undefined = never. */
  readonly nextCheckAt?: number;
  readonly checks: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Oldest first, never empty. */
  readonly history: readonly HistoryRow[];
}

/** Members that a change of state may set; undefined removes them. */
export type Patch = Partial<
  Pick<
    Reservation,
    | 'confirmationNumber'
    | 'rental'
    | 'view'
    | 'personal'
    | 'change'
    | 'priceDrift'
    | 'cancellation'
    | 'sentUntil'
    | 'nextCheckAt'
    | 'checks'
  >
>;

/** One change of state, before it is stored. */
export interface Move {
  readonly to: State;
  readonly actor: Actor;
  /** In our words, public. */
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly patch?: { readonly [K in keyof Patch]: Patch[K] | undefined };
}

/** The reservation after a move: next version, one more row of history. Throws when the transition table has no such move: a bug of ours. */
export function moved(before: Reservation, { to, actor, reason, at, patch = {} }: Move): Reservation {
  if (!canMove(before.state, to)) throw new Error(`a reservation cannot go from ${before.state} to ${to}`);
  const after = { ...before, ...patch };
  for (const key of Object.keys(patch) as (keyof Patch)[])
    if (patch[key] === undefined) delete (after as Record<string, unknown>)[key];
  return {
    ...(after as Reservation),
    state: to,
    version: before.version + 1,
    updatedAt: at,
    history: [...before.history, { from: before.state, to, at, actor, reason }],
  };
}

/** The request to book a reservation, or to change it to what is given. */
export function bookRequest(id: string, rental: Rental, personal: Personal, payment: Payment): BookRequest {
  const { driver, additionalDrivers, arrival, remark } = personal;
  return {
    ...rental,
    reference: id,
    driver,
    additionalDrivers,
    payment,
    ...(arrival === undefined ? {} : { arrival }),
    ...(remark === undefined ? {} : { remark }),
  };
}

/** Names the supplier's booking of a reservation. After erasure without names, which some suppliers want. */
export function bookingKey({ id, rental, personal, confirmationNumber }: Reservation): BookingKey {
  const { brand, ref, pickup, pickupDate } = rental;
  return {
    brand,
    ref,
    reference: id,
    firstName: personal?.driver.firstName ?? '',
    lastName: personal?.driver.lastName ?? '',
    pickup,
    pickupDate,
    ...(confirmationNumber === undefined ? {} : { confirmationNumber }),
  };
}
