import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { TestClocks } from '../auth/test-clocks.js';
import { LOGGER } from '../config/logger.js';
import { RequestContext } from '../context/request-context.js';
import { countDoubleBooking } from '../metrics/metrics.js';
import { type BookingKey, isSameCode, type SupplierBooking } from '../model/bookings.js';
import { type SupplierAdapter, type SupplierAnswer, type SupplierContext, SupplierError } from '../model/supplier.js';
import type { Supplier } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { activeBookings, type Finding, hasNumber, isActive } from './reconcile-rules.js';
import { bookingKey, type Reservation, referenceKey } from './reservation.js';

/** `isForChange` as in BookingKey. */
interface PresentOptions {
  readonly timeoutMs?: number;
  readonly isForChange?: boolean;
}

/** Looks up the bookings of reservations at their suppliers. */
@Injectable()
export class BookingLookup {
  constructor(
    private readonly calls: SupplierCalls,
    @Inject(TestClocks) private readonly clocks: Pick<TestClocks, 'aheadMs'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The context of one check; its id distinguishes it from callers' requests in the suppliers' logs. */
  contextFor(reservation: Reservation): RequestContext {
    const { applicationId } = reservation;
    const context = new RequestContext(checkIdOf(reservation), Date.now(), false, undefined, applicationId);
    context.clockAheadMs = this.clocks.aheadMs(applicationId);
    return context;
  }

  /** The booking of a reservation, by its number if that is known. Several active ones raise an alarm. */
  async find(reservation: Reservation, supplier: Supplier): Promise<Finding> {
    return this.#find(reservation, supplier, bookingKey(reservation));
  }

  /** As `find`, by the reference of a reservation, whatever its number. */
  async findByReference(reservation: Reservation, supplier: Supplier): Promise<Finding> {
    return this.#find(reservation, supplier, referenceKey(reservation));
  }

  async #find(reservation: Reservation, supplier: Supplier, key: BookingKey): Promise<Finding> {
    const items = await this.#retrieved(reservation, supplier, key);
    if (!items) return { kind: 'unclear' };
    const active = activeBookings(items);
    if (active.length > 1) {
      this.reportSeveral(reservation, active.length);
      return { kind: 'several', bookings: active };
    }
    const booking = active[0] ?? items[0];
    return booking ? { kind: 'found', booking } : { kind: 'absent' };
  }

  /** All bookings with the reference of a reservation, whatever their dates. Undefined = they could not be retrieved. */
  async listed(reservation: Reservation, supplier: Supplier): Promise<readonly SupplierBooking[] | undefined> {
    return this.#retrieved(reservation, supplier, referenceKey(reservation));
  }

  /**
   * The booking that a supplier shows by the number of a reservation, within `timeoutMs` of a request: active, or cancelled. It may have
   * another number since, which the adapter has checked. Undefined if it shows none, or refuses to. Rejects with SupplierError if that isn't known.
   */
  async present(
    reservation: Reservation,
    supplier: Supplier,
    context: RequestContext,
    { timeoutMs, isForChange }: PresentOptions = {},
  ): Promise<SupplierBooking | undefined> {
    try {
      const key = { ...bookingKey(reservation), ...(isForChange && { isForChange }) };
      const items = await this.#retrieve(reservation, supplier, key, context, timeoutMs);
      const own = items.filter((one) => isSameCode(one.confirmationNumber, reservation.confirmationNumber));
      const active = activeBookings(items);
      const renumbered = own.length === 0 && active.length === 1 ? active[0] : undefined;
      return own.find(isActive) ?? own.find(({ status }) => status === 'cancelled') ?? renumbered;
    } catch (error) {
      if (error instanceof SupplierError && error.fault === 'rejected') return undefined;
      throw error;
    }
  }

  /**
   * The booking of a reservation by its number or, if that isn't active, by its reference: a supplier may have made a new booking of it
   * for a change. Several active ones raise an alarm.
   */
  async findPresent(reservation: Reservation, supplier: Supplier): Promise<Finding> {
    let own: SupplierBooking | undefined;
    try {
      own = await this.present(reservation, supplier, this.contextFor(reservation));
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      return { kind: 'unclear' };
    }
    const byNumber: Finding = own ? { kind: 'found', booking: own } : { kind: 'absent' };
    if ((own && isActive(own)) || !canBeAsked(reservation, supplier)) return byNumber;
    const next = await this.findByReference(reservation, supplier);
    if (next.kind === 'absent' || (next.kind === 'found' && !isActive(next.booking))) return byNumber;
    if (next.kind !== 'found') return next;
    const isContradiction =
      own !== undefined && isSameCode(next.booking.confirmationNumber, reservation.confirmationNumber);
    return isContradiction || !hasNumber(next.booking, reservation) ? { kind: 'unclear' } : next;
  }

  /** Counts and logs that a supplier shows more active bookings than a reservation can have. */
  reportSeveral(reservation: Reservation, count: number): void {
    countDoubleBooking(reservation.supplier);
    this.logger.error({ ...namesOf(reservation), count }, 'DOUBLE BOOKING: the supplier shows several active bookings');
  }

  /** Logs that a supplier shows no active booking of a reservation that it confirmed. */
  reportNone(reservation: Reservation): void {
    this.logger.warn(namesOf(reservation), 'the supplier shows no active booking of a confirmed reservation');
  }

  /** Logs that the last look for second bookings had no clear answer. */
  reportUnclear(reservation: Reservation): void {
    this.logger.warn(namesOf(reservation), 'whether the supplier has a second booking could not be determined');
  }

  /** Undefined if they could not be retrieved. */
  async #retrieved(
    reservation: Reservation,
    supplier: Supplier,
    key: BookingKey,
  ): Promise<readonly SupplierBooking[] | undefined> {
    try {
      return await this.#retrieve(reservation, supplier, key, this.contextFor(reservation));
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      return undefined;
    }
  }

  async #retrieve(
    { personal: renter, id: reference }: Reservation,
    supplier: Supplier,
    key: BookingKey,
    context: RequestContext,
    timeoutMs?: number,
  ): Promise<readonly SupplierBooking[]> {
    const ask = async (adapter: SupplierAdapter, call: SupplierContext): Promise<SupplierAnswer<SupplierBooking>> => {
      if (!adapter.retrieve) throw new SupplierError('rejected', 'no retrieval', false);
      return adapter.retrieve(key, call);
    };
    // The "not found" of a lookup by number may repeat the reference that the supplier once knew.
    const options = { renter, reference, isByNumber: key.confirmationNumber !== undefined, timeoutMs };
    return (await this.calls.call(supplier, 'retrieve', context, ask, options)).items;
  }
}

/**
 * Whether a supplier can find a reservation that has no confirmation number. Without the renter's name, one that needs it would find nothing,
 * which proves nothing.
 */
export function canBeAsked({ personal }: Reservation, { connection }: Supplier): boolean {
  const { findsByReference, findsByReferenceAlone } = connection.adapter.booking ?? {};
  return (personal === undefined ? findsByReferenceAlone : findsByReference) === true;
}

/** The id of one check, which suppliers get as the id of its request. */
function checkIdOf({ id, checks }: Reservation): string {
  return `rec_${id.slice(4)}_${checks}`;
}

/** What every line about a check of a reservation has. */
export function namesOf(reservation: Reservation): object {
  const { id, supplier, applicationId } = reservation;
  return { requestId: checkIdOf(reservation), application: applicationId, reservation: id, supplier };
}
