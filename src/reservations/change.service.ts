import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import type { RequestContext } from '../context/request-context.js';
import type { SupplierBooking } from '../model/bookings.js';
import { type CheckedPrice, PriceCheckService, type PriceRequest } from '../offers/price-check.service.js';
import { knownId, type PricedKey, pricedOf } from '../offers/priced-key.js';
import { faultProblem, refusalProblem } from '../offers/refusal.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { ApiError } from '../status/api-error.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { acceptedView } from './accepted-view.js';
import { outcomeUnknown } from './answers.js';
import { ageProblems, guaranteeProblems, prepaymentProblems, refuse, untoldProblems } from './booking-problems.js';
import { BookingQuota } from './booking-quota.js';
import {
  changedMeanwhile,
  refuseEndlessChanges,
  refuseOnRequest,
  refuseUnlessConfirmed,
  supplierOf,
} from './change-guard.js';
import { changeMove, requestChange } from './change-outcome.js';
import {
  type ChangeRequest,
  changeOfPatch,
  changeOfPut,
  changesPrice,
  displayKept,
  kindsOf,
  pricedAgain,
} from './change-request.js';
import { changeResult } from './change-result.js';
import { IntentJournal } from './intent-journal.js';
import { paidBefore } from './paid-before.js';
import { PresentBooking } from './present-booking.js';
import { acceptPrice, acceptTerms } from './price-acceptance.js';
import type { Change, Move, Reservation, ShownBooking } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { ReservationWriter } from './reservation-writer.js';
import type { PatchBody, PutBody } from './reservations.schema.js';
import { refuseOtherRental, worseThanBooked } from './same-rental.js';
import { outcomeOf } from './supplier-outcome.js';
import { commitToCall, sentWindow, timeLeft } from './write-window.js';

/** The reservation after a change; `unknown` while it is not known whether the supplier made the change. */
export interface Changed {
  readonly reservation: Reservation;
  readonly unknown: boolean;
}

/**
 * Changes reservations (spec §4.3 PATCH and PUT, ruling 22). The old version stays valid until the supplier accepts the
 * new one.
 */
@Injectable()
export class ChangeService {
  readonly #keys: AcceptedKeys;

  constructor(
    private readonly registry: SupplierRegistry,
    private readonly prices: PriceCheckService,
    private readonly calls: SupplierCalls,
    private readonly facts: LocationFactsCache,
    private readonly repository: ReservationRepository,
    private readonly writer: ReservationWriter,
    private readonly journal: IntentJournal,
    private readonly quota: BookingQuota,
    private readonly present: PresentBooking,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /**
   * Changes parts of a confirmed reservation. A body that changes nothing succeeds without a supplier call. Throws ApiError if
   * the change is rejected or its outcome is unknown.
   */
  async patch(reservation: Reservation, body: PatchBody, context: RequestContext): Promise<Reservation> {
    const request = changeOfPatch(reservation, body);
    const kinds = kindsOf(reservation, request);
    refuseUnlessConfirmed(reservation, this.repository.now());
    if (kinds.length === 0) return reservation;
    const supplier = this.#changeable(reservation, kinds, body);
    await this.quota.take(context);
    const priced = pricedAgain(reservation);
    const restated = { kinds, personal: request.personal };
    const { guaranteesRate } = supplier.connection.adapter.booking ?? {};
    const betweenMs = changesPrice(kinds) && guaranteesRate ? supplier.config.timeoutMs.priceCheck : 0;
    const looking = this.present.beforeChange(reservation, restated, supplier, context, betweenMs);
    const price = async (): Promise<CheckedPrice | undefined> => {
      if (!changesPrice(kinds)) return undefined;
      const { pickup, dropoff } = reservation.rental;
      const places = { pickup, dropoff };
      return this.#price(priced, request, context, { places, ...(guaranteesRate && guaranteeOf(await looking)) });
    };
    const [checked, present] = await Promise.all([price(), looking]);
    if (checked) {
      refuseOnRequest(checked);
      const worse = worseThanBooked(reservation, checked, this.repository.now());
      refuseOtherRental(reservation.view, acceptedView(checked, this.facts), supplier, worse);
      acceptPrice(priced, checked, body);
    }
    const change = this.#changeOf(reservation, request, kinds, checked, present);
    const known = await this.present.refuseUndoing(reservation, kinds, supplier, present);
    const changed = await this.#change(known, supplier, change, context);
    if (changed.unknown) throw outcomeUnknown(changed.reservation);
    return changed.reservation;
  }

  /** Replaces the rental with another offer or quote of the same supplier and brand. */
  async put(reservation: Reservation, body: PutBody, context: RequestContext): Promise<Changed> {
    const named = pricedOf(body, this.#keys);
    const priced = knownId(named?.application === reservation.applicationId ? named : undefined, body);
    const field = body.quote_id === undefined ? 'offer_id' : 'quote_id';
    if (priced.supplier !== reservation.supplier) {
      throw ApiError.of(
        'invalid_range',
        `"${field}" must be from the supplier of the reservation. To change the supplier, cancel the reservation and create a new one.`,
        { field },
      );
    }
    if (priced.brand !== reservation.rental.brand) {
      const details = `"${field}" must be from the brand ${reservation.rental.brand}. To change the brand, cancel the reservation and create a new one.`;
      throw ApiError.of('invalid_range', details, { field });
    }
    const request = changeOfPut(reservation, body);
    const supplier = this.#changeable(reservation, ['rental'], body);
    const { countryCode } = reservation.rental;
    if (priced.search[4] !== countryCode) {
      const details = `The driver is a resident of ${countryCode}. Search again with country_code=${countryCode}.`;
      throw ApiError.of('invalid_range', details, { field });
    }
    await this.quota.take(context);
    const [checked, present] = await Promise.all([
      this.#price({ ...displayKept(reservation), ...priced }, request, context),
      this.present.beforeChange(reservation, { kinds: ['rental'], personal: request.personal }, supplier, context),
    ]);
    refuse([
      ...ageProblems(request.personal.driver.dateOfBirth, checked),
      ...guaranteeProblems(reservation.payment, checked, field),
      ...prepaymentProblems(reservation, checked, field),
    ]);
    refuseOnRequest(checked, field);
    acceptPrice(priced, checked, body);
    acceptTerms(priced, checked);
    const change = this.#changeOf(reservation, request, ['rental'], checked, present);
    return this.#change(reservation, supplier, change, context);
  }

  #changeable(reservation: Reservation, kinds: Change['kinds'], body: PatchBody | PutBody): Supplier {
    refuseUnlessConfirmed(reservation, this.repository.now());
    refuseEndlessChanges(reservation);
    const supplier = supplierOf(this.registry, reservation, this.config.maintenance.retryAfterSeconds);
    const able = supplier.connection.adapter.modify ? (supplier.connection.adapter.booking?.changes ?? []) : [];
    const unable = kinds.filter((kind) => !able.includes(kind));
    if (unable.length > 0) {
      const details = `${supplier.name} cannot change ${unable.join(', ')} of a booking. Cancel the reservation and create a new one.`;
      const field = Object.keys(body).find(
        (name) => name === unable[0] || (unable[0] === 'contact' && name === 'driver'),
      );
      throw new ApiError([{ ...refusalProblem('unsupported_by_supplier', supplier, field), details }]);
    }
    // What the booking already has isn't changed, whether or not it was sent.
    refuse(untoldProblems([], body.pickup_later === true && !reservation.rental.pickupLater, supplier));
    return supplier;
  }

  #price(
    priced: PricedKey,
    { extras, coverages, age, personal }: ChangeRequest,
    context: RequestContext,
    known: Pick<PriceRequest, 'places' | 'rateGuarantee'> = {},
  ): Promise<CheckedPrice> {
    // The booked driver's age applies, not the age used in a new search.
    const driver = { age, dateOfBirth: personal.driver.dateOfBirth };
    return this.prices.check(priced, { extras, coverages, ...known, ...driver }, context, 'change');
  }

  #changeOf(
    reservation: Reservation,
    { personal, pickupLater }: ChangeRequest,
    kinds: Change['kinds'],
    checked: CheckedPrice | undefined,
    present: SupplierBooking | undefined,
  ): Change {
    const { view } = reservation;
    // A gateway of an earlier version may have left the proof of an earlier change.
    const { rateGuarantee: _used, ...rental } = reservation.rental;
    const shown = present && { shown: shownOf(present) };
    if (!checked)
      return { kinds, personal, view, rental: { ...rental, pickupLater, ...guaranteeOf(present) }, ...shown };
    const { request, offer } = checked;
    return {
      kinds,
      personal,
      view: acceptedView({ ...checked, offer: paidBefore(offer, reservation) }, this.facts),
      rental: {
        ...rental,
        ...request,
        total: offer.price.total,
        status: offer.status,
        pickupLater,
      },
      ...shown,
    };
  }

  async #change(
    reservation: Reservation,
    supplier: Supplier,
    change: Change,
    context: RequestContext,
  ): Promise<Changed> {
    const timeoutMs = commitToCall(context, supplier.config.timeoutMs.modify, this.config.reservations.budgetMs);
    const at = this.repository.now();
    const startedAt = performance.now();
    const request: Move = {
      to: 'modify_pending',
      actor: 'application',
      reason: `change of ${change.kinds.join(', ')} requested`,
      at,
      patch: { change, ...sentWindow(at, timeoutMs), checks: 0 },
    };
    const isStored = (moved: Reservation | undefined) => moved !== undefined;
    const store = () => this.writer.request(reservation, request, startedAt + timeoutMs / 2);
    const pending = await this.quota.ofDay(context, store, isStored);
    if (!pending) throw changedMeanwhile();
    await this.journal.note('change', pending);
    const outcome = await outcomeOf(
      requestChange(this.calls, supplier, pending, change, context, { timeoutMs: timeLeft(timeoutMs, startedAt) }),
    );
    const move = changeMove(outcome, pending, change, this.repository.now(), this.config.reservations.firstCheckMs);
    const stored = (await this.writer.storeResult(pending, { ...move, actor: 'gateway' }))?.reservation;
    const result = changeResult(outcome, reservation, pending, stored);
    if (result.kind === 'refused' && stored) await this.journal.note('refused', stored);
    if (result.kind === 'refused') throw new ApiError([faultProblem(result.error, supplier)]);
    return { reservation: result.reservation, unknown: result.kind === 'unknown' };
  }
}

function guaranteeOf(present: SupplierBooking | undefined): Pick<SupplierBooking, 'rateGuarantee'> {
  return present?.rateGuarantee === undefined ? {} : { rateGuarantee: present.rateGuarantee };
}

function shownOf({ pickupDate, dropoffDate, sippCode, extras }: ShownBooking): ShownBooking {
  return {
    ...(pickupDate === undefined ? {} : { pickupDate }),
    ...(dropoffDate === undefined ? {} : { dropoffDate }),
    ...(sippCode === undefined ? {} : { sippCode }),
    ...(extras === undefined ? {} : { extras }),
  };
}
