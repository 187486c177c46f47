import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import { elapsed } from '../metrics/elapsed.js';
import type { RentalRequest } from '../model/bookings.js';
import type { Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { carOf, isOtherCar } from '../representations/offer-id.js';
import { RentalViews } from '../representations/rental-view.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { type CallOptions, SupplierCalls } from '../suppliers/supplier-call.js';
import { unlistedChoices, unsupportedChoices } from './choice-problems.js';
import { ageOn, ageProblem } from './driver-age.js';
import { type PriceChange, priceChange } from './price-change.js';
import { type PricedKey, unknownId } from './priced-key.js';
import { faultProblem, refusalProblem, searchedOnly } from './refusal.js';
import { isProblem, placeFor, resolvePlace } from './resolve-place.js';

/** What the caller wants otherwise than the id says; absent = as the id says (an offer id: nothing chosen, the age searched for). */
export interface PriceRequest {
  readonly extras?: RentalRequest['extras'] | undefined;
  /** Codes. */
  readonly coverages?: readonly string[] | undefined;
  /** Of the driver at pickup, in years. */
  readonly age?: number | undefined;
  /** Of the driver, YYYY-MM-DD; goes before `age`. */
  readonly dateOfBirth?: string | undefined;
  /** Where to, when that is known already: then the id's own places are not resolved again. */
  readonly places?: Pick<RentalRequest, 'pickup' | 'dropoff'> | undefined;
  /** The body field that holds it; default date_of_birth. */
  readonly dateOfBirthField?: string | undefined;
}

/** An offer as it is now. */
export interface CheckedPrice {
  readonly supplier: Supplier;
  /** What was asked: with the offer's new supplierRef it is ready to book. */
  readonly request: RentalRequest;
  /** `price.total` with what was chosen. */
  readonly offer: SupplierOffer;
  /** The total that the id says. */
  readonly previous: Money;
  /** How the price moved since, choices apart; absent = it did not. */
  readonly change?: PriceChange;
}

/** Why: for a quote, once more before a booking, or before a reservation is changed. */
type Purpose = 'priceCheck' | 'recheck' | 'change';

/** Why a supplier is asked, and with how much time when that is less than its own timeout. */
interface Asking {
  readonly purpose: Purpose;
  readonly timeoutMs?: number;
}

/** Asks a supplier what one of its offers costs now: for a quote, and once more before a booking. */
@Injectable()
export class PriceCheckService {
  readonly #key: KeyObject;

  constructor(
    private readonly registry: SupplierRegistry,
    private readonly calls: SupplierCalls,
    private readonly facts: LocationFactsCache,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#key = keys('offer_id');
  }

  /**
   * Prices what an id names, as requested. Throws ApiError: 404 resource_failure for another application's id (as for an unknown one) and, with
   * cause rate_expired, for one that is over; 404 no_results with cause sold_out; 400 for choices that the offer does not have and for what
   * the supplier refuses (ruling 24); 500 supplier_failure when it fails; 503 when it is in maintenance.
   */
  async check(
    priced: PricedKey,
    wanted: PriceRequest,
    context: RequestContext,
    purpose: Purpose,
  ): Promise<CheckedPrice> {
    if (priced.application !== context.policy.applicationId) throw unknownId(priced.kind);
    if (priced.expiresAt * 1000 <= context.startedAt) throw noLongerValid(priced.kind);
    const supplier = this.#sellerOf(priced, purpose);
    const request = this.#requestOf(priced, wanted, supplier.id);
    throwAny(unsupportedChoices(request, supplier.connection.adapter.booking, supplier));
    const offer = await this.#offerNow(supplier, request, priced.car, context, purpose);
    throwAny(unlistedChoices(request, offer));
    const change = priceChange(priced, request, offer);
    return {
      supplier,
      request: { ...request, ref: offer.supplierRef },
      offer,
      previous: priced.total,
      ...(change === undefined ? {} : { change }),
    };
  }

  /** Nothing new is sold of a supplier that is off, drains or is only watched; what was booked with it may still be changed. */
  #sellerOf({ supplier: id, brand, kind }: PricedKey, purpose: Purpose): Supplier {
    const supplier = this.registry.byId(id);
    const state = this.registry.stateOf(id);
    const sells = purpose === 'change' || state === 'live' || state === 'maintenance';
    if (!sells || !supplier?.config.brands.includes(brand)) throw noLongerValid(kind);
    if (state === 'maintenance') {
      throw ApiError.of('maintenance', `${supplier.name} is in maintenance.`, {
        supplier: id,
        headers: { 'retry-after': String(this.config.maintenance.retryAfterSeconds) },
      });
    }
    if (!supplier.connection.adapter.priceCheck) throw new ApiError([searchedOnly(supplier, `${kind}_id`)]);
    return supplier;
  }

  #requestOf(
    { kind, brand, ref, search, extras, coverages }: PricedKey,
    wanted: PriceRequest,
    supplier: string,
  ): RentalRequest {
    const [pickupText, dropoffText, pickupDate, dropoffDate, countryCode, age] = search;
    const { pickup, dropoff } = wanted.places ?? this.#placesOf(pickupText, dropoffText, { supplier, brand }, kind);
    return {
      brand,
      ref,
      pickup,
      dropoff,
      pickupDate,
      dropoffDate,
      countryCode,
      age: ageAt(pickupDate, wanted) ?? age,
      extras: wanted.extras ?? extras,
      coverages: wanted.coverages ?? coverages,
    };
  }

  async #offerNow(
    supplier: Supplier,
    request: RentalRequest,
    car: string | undefined,
    context: RequestContext,
    purpose: Purpose,
  ): Promise<SupplierOffer> {
    const startedAt = performance.now();
    try {
      const offer = await this.#ask(supplier, request, car, context, { purpose });
      if (offer) return offer;
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      if (mayBeTheChoice(error, request)) {
        const timeoutMs = supplier.config.timeoutMs.priceCheck - elapsed(startedAt);
        throwAny(await this.#wrongChoices(supplier, request, context, { purpose, timeoutMs }));
      }
      const field = error.refusal === 'extra_not_available' ? 'extras' : undefined;
      throw new ApiError([faultProblem(error, supplier, field)], {}, { cause: error });
    }
    throw new ApiError([refusalProblem('sold_out', supplier)]);
  }

  /** What is wrong with the choice by the offer's own list, asked for without it; empty where that cannot be told either. */
  async #wrongChoices(
    supplier: Supplier,
    request: RentalRequest,
    context: RequestContext,
    how: Asking,
  ): Promise<Problem[]> {
    try {
      const offer = await this.#ask(supplier, { ...request, extras: [], coverages: [] }, undefined, context, how);
      return offer ? unlistedChoices(request, offer) : [];
    } catch (error) {
      // Observed and logged as every call; the caller gets what the supplier said first.
      if (error instanceof SupplierError) return [];
      throw error;
    }
  }

  #placesOf(
    pickupText: string,
    dropoffText: string,
    owner: { readonly supplier: string; readonly brand: string },
    kind: PricedKey['kind'],
  ): Pick<RentalRequest, 'pickup' | 'dropoff'> {
    const pickup = resolvePlace(pickupText, 'pickup_location', owner, this.#key);
    const dropoff = resolvePlace(dropoffText, 'dropoff_location', owner, this.#key);
    if (isProblem(pickup) || isProblem(dropoff)) throw noLongerValid(kind);
    return { pickup: placeFor(pickup, owner.supplier), dropoff: placeFor(dropoff, owner.supplier) };
  }

  #ask(
    supplier: Supplier,
    request: RentalRequest,
    car: string | undefined,
    context: RequestContext,
    { purpose, ...how }: Asking,
  ): Promise<SupplierOffer | undefined> {
    const options: CallOptions = { ...how, scenarioOperation: purpose === 'change' ? 'recheck' : purpose };
    const ask = async (adapter: SupplierAdapter, call: SupplierContext): Promise<SupplierOffer | undefined> => {
      const [item] = (await adapter.priceCheck?.(request, call))?.items ?? [];
      // Data that cannot be written are that supplier's failure, like in a search.
      if (item) new RentalViews(this.facts).prepare(supplier.id, item);
      if (item && car !== undefined && isOtherCar(car, item)) {
        throw new SupplierError('rejected', `it prices another car: asked for "${car}", told "${carOf(item)}"`, true, {
          refusal: 'sold_out',
        });
      }
      return item;
    };
    return this.calls.call(supplier, 'priceCheck', context, ask, options);
  }
}

/** Suppliers refuse an extra they do not have with less than a reason: then it is worth asking what they have. */
function mayBeTheChoice({ fault, refusal }: SupplierError, { extras, coverages }: RentalRequest): boolean {
  if (extras.length + coverages.length === 0) return false;
  return fault === 'rejected' && (refusal === undefined || refusal === 'extra_not_available');
}

/** The answer to an id of ours that is over: expired, or its supplier, brand or place is not sold any more. */
function noLongerValid(kind: PricedKey['kind']): ApiError {
  return ApiError.of('resource_failure', `The ${kind} is not valid any more. Search again for a fresh offer.`, {
    field: `${kind}_id`,
    cause: 'rate_expired',
  });
}

/** The driver's age at pickup, as requested. Throws 400 where the date of birth makes no driver. */
function ageAt(
  pickupDate: string,
  { age, dateOfBirth, dateOfBirthField = 'date_of_birth' }: PriceRequest,
): number | undefined {
  if (dateOfBirth === undefined) return age;
  const years = ageOn(pickupDate, dateOfBirth);
  const problem = ageProblem(years, dateOfBirthField);
  if (problem) throw new ApiError([problem]);
  return years;
}

function throwAny([first, ...rest]: readonly Problem[]): void {
  if (first) throw new ApiError([first, ...rest]);
}
