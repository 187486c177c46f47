import type {
  AdditionalDriver,
  Arrival,
  BookingKey,
  BookRequest,
  ChangeKind,
  Driver,
  Payment,
  RentalRequest,
  SupplierBooking,
} from '../model/bookings.js';
import type { Money } from '../model/money.js';
import type { OfferStatus } from '../model/offers.js';
import type { ChosenView } from '../offers/chosen-view.js';
import type { RentalView } from '../representations/rental-view.js';
import type { WireView } from '../representations/wire-view.js';
import { type LoyaltyScope, membershipsOf } from '../suppliers/scoped-codes.js';
import type { differencesWire } from './reservation.wire.js';
import { canMove, type State } from './states.js';

/** The data needed to call the supplier about a reservation, without personal data. */
export interface Rental extends RentalRequest {
  /** The total that the caller accepted. */
  readonly total: Money;
  readonly status: OfferStatus;
  readonly pickupLater: boolean;
  readonly notifyCustomer: boolean;
  /** What the supplier's answers have stated clearly, as accepted or otherwise. Undefined = nothing, or it wasn't recorded. */
  readonly stated?: readonly (keyof BookedDifferences)[];
}

/** Personal data; stored encrypted, can be erased. */
export interface Personal {
  readonly driver: Driver;
  readonly additionalDrivers: readonly AdditionalDriver[];
  readonly arrival?: Arrival;
  readonly remark?: string;
  readonly voucher?: string;
}

/** The stored part of a payment: of a card, only its last four digits (ruling 25). */
export interface StoredPayment {
  readonly type: Payment['type'];
  readonly lastFour?: string;
  /** What was due now by card when it was booked. Undefined = nothing, or it wasn't recorded. */
  readonly paid?: Money;
}

/** What shows whether a booking is as before a change. */
export type ShownBooking = Pick<SupplierBooking, 'pickupDate' | 'dropoffDate' | 'sippCode' | 'extras'>;

/** The complete reservation data after a change. */
export interface Change {
  readonly kinds: readonly ChangeKind[];
  readonly rental: Rental;
  readonly view: BookedView;
  readonly personal: Personal;
  /**
   * What the supplier showed of the booking just before the change was sent: only what differs from it proves later that the change
   * was made. Undefined = that isn't known.
   */
  readonly shown?: ShownBooking;
  /** Whether the supplier said that it must accept the change manually; undefined = it didn't. */
  readonly isAwaited?: boolean;
}

/** What a supplier says that it booked otherwise than accepted, on the wire. */
export type BookedDifferences = Partial<Omit<Differences, 'other_extras'>> & {
  readonly other_extras?: readonly OtherExtra[];
};

/** An extra that is booked otherwise than chosen. */
export type OtherExtra = { readonly extra_id: string } & Partial<NonNullable<Differences['other_extras']>[number]>;

type Differences = WireView<typeof differencesWire>;

/**
 * The rental as it was shown, with the chosen extras and coverages, and what the supplier booked otherwise. Undefined
 * members are not stored.
 */
export type BookedView = RentalView &
  ChosenView & {
    readonly booked_differently?: BookedDifferences | undefined;
    /** Those of these that were changed at the supplier after it was booked, or changed through the gateway (laterView). Not shown. */
    readonly changed_later?: readonly (keyof BookedDifferences)[] | undefined;
    /** Whether its items have the charges in other currencies than the total's: those of earlier versions don't. Not shown. */
    readonly lists_local?: true | undefined;
  };

export type Actor = 'application' | 'gateway' | 'reconciler' | 'ops';

/** One row of the history. `at` is in epoch milliseconds; `from` is undefined for the creation. */
export interface HistoryRow {
  readonly from?: State;
  readonly to: State;
  readonly at: number;
  readonly actor: Actor;
  readonly reason: string;
}

/** An active booking at the supplier with the reference of a reservation that has another one, or none. */
export interface Stray {
  readonly number: string;
  /** What the supplier's calls about it need. */
  readonly ref: Rental['ref'];
  /** It is to be cancelled at the supplier. */
  readonly cancel?: boolean;
}

/** A reservation as stored. Instants are epoch milliseconds. */
export interface Reservation {
  /** `res_…`; also the reference sent to the supplier. */
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
  /** The change in progress, if any. */
  readonly change?: Change;
  readonly payment: StoredPayment;
  readonly priceDrift?: { readonly accepted: Money; readonly actual: Money };
  readonly cancellation?: {
    readonly fee?: Money;
    readonly refund?: Money;
    readonly cancellationNumber?: string;
    readonly at: number;
  };
  /** The latest time at which the last writing call may have reached the supplier. */
  readonly sentUntil: number;
  /**
   * Bookings of its reference that the supplier shows besides its own (docs/decisions/0034). Undefined = none is known.
   */
  readonly strays?: readonly Stray[];
  /** When the reconciler checks it next; undefined = never. */
  readonly nextCheckAt?: number;
  readonly checks: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Oldest first, never empty; only the newest rows of a very long one. `version` is the number of all. */
  readonly history: readonly HistoryRow[];
}

/** Members that a move may set; undefined removes them. */
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
    | 'strays'
    | 'sentUntil'
    | 'nextCheckAt'
    | 'checks'
  >
>;

/** One change of state, before it is stored. */
export interface Move {
  readonly to: State;
  readonly actor: Actor;
  /** Shown to callers, so it contains no supplier text. */
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly patch?: { readonly [K in keyof Patch]: Patch[K] | undefined };
}

/**
 * The reservation after a move, with the next version and a new history row. A move to the same state records what was
 * found. Throws if the transition table does not allow the move, which is a bug.
 */
export function moved(before: Reservation, { to, actor, reason, at, patch = {} }: Move): Reservation {
  if (to !== before.state && !canMove(before.state, to))
    throw new Error(`a reservation cannot go from ${before.state} to ${to}`);
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

/**
 * The supplier request to book a reservation or to change it to the given data. Of the driver's memberships, it has
 * those of the supplier; one without a program counts as such, because the driver books with this supplier only.
 */
export function bookRequest(
  id: string,
  rental: Rental,
  personal: Personal,
  payment: Payment,
  { config }: { readonly config: LoyaltyScope },
): BookRequest {
  const { driver, additionalDrivers, arrival, remark } = personal;
  const memberships = driver.loyalty.map((one) => (one.program === undefined ? { ...one, supplier: config.id } : one));
  return {
    ...rental,
    reference: id,
    driver: { ...driver, loyalty: membershipsOf(config, [rental.brand], memberships) },
    additionalDrivers,
    payment,
    ...(arrival === undefined ? {} : { arrival }),
    ...(remark === undefined ? {} : { remark }),
  };
}

/**
 * Identifies the supplier's booking of a reservation. The names, which some suppliers require, are empty after erasure.
 */
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

/** What a supplier needs to find the booking of a reservation by its reference: the supplier may have given it another number. */
export function referenceKey(reservation: Reservation): BookingKey {
  const { confirmationNumber: formerNumber, ...key } = bookingKey(reservation);
  return { ...key, ...(formerNumber !== undefined && { formerNumber }) };
}
