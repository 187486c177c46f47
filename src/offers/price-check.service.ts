import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import type { SupplierState } from '../config/supplier-config.schema.js';
import type { RequestContext } from '../context/request-context.js';
import { keptTerms } from '../currencies/display-price.js';
import { ExchangeRates } from '../currencies/exchange-rates.service.js';
import { elapsed } from '../metrics/elapsed.js';
import type { RentalRequest } from '../model/bookings.js';
import type { Money } from '../model/money.js';
import type { DisplayTerms, SupplierOffer } from '../model/offers.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { carOf, isOtherCar } from '../representations/offer-id.js';
import { rentalView } from '../representations/rental-view.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { retryAfterUntil } from '../status/maintenance-retry-after.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { questionOf } from '../suppliers/resilience/caller.js';
import { type CallOptions, SupplierCalls } from '../suppliers/supplier-call.js';
import { mayBeCausedByChoices, unlistedChoices, unsupportedChoices } from './choice-problems.js';
import { countPriceCheck, notePrice } from './count-price-check.js';
import { ageOn, ageProblem } from './driver-age.js';
import { refuseUnkept } from './kept-view.js';
import { hasSameChoices, type PriceChange, priceChange } from './price-change.js';
import { type PricedKey, unknownId } from './priced-key.js';
import { faultProblem, refusalProblem, searchOnly } from './refusal.js';
import { isProblem, placeFor, resolvePlace } from './resolve-place.js';

/**
 * What the caller requests instead of the values in the id; absent = as in the id (for an offer: no choices, the age
 * searched for).
 */
export interface PriceRequest extends Pick<RentalRequest, 'rateGuarantee'> {
  readonly extras?: RentalRequest['extras'] | undefined;
  /** Codes. */
  readonly coverages?: readonly string[] | undefined;
  /** The driver's age at pickup, in years. */
  readonly age?: number | undefined;
  /** The driver's date of birth, YYYY-MM-DD; takes precedence over `age`. */
  readonly dateOfBirth?: string | undefined;
  /** The locations if already known, so that those of the id need not be resolved again. */
  readonly places?: Pick<RentalRequest, 'pickup' | 'dropoff'> | undefined;
  /** The currency in which to show the price, instead of what the id says. */
  readonly display?: DisplayTerms | undefined;
  /** The body field of `dateOfBirth`; default date_of_birth. */
  readonly dateOfBirthField?: string | undefined;
}

/** An offer as it is now. */
export interface CheckedPrice {
  readonly supplier: Supplier;
  /** The request that was priced, with the offer's new supplierRef, ready to book. */
  readonly request: RentalRequest;
  /** `price.total` includes the choices; `price.display` is for `display`. */
  readonly offer: SupplierOffer;
  /** The currency that the caller requested, and the rate at which the offer is shown if one is known. */
  readonly display?: DisplayTerms;
  /** The total in the id. */
  readonly previous: Money;
  /** The price change since the id was issued, apart from new choices; absent = none. */
  readonly change?: PriceChange;
  /** An amount in another currency, at the current rate; undefined if none is known. */
  readonly convert?: (amount: Money, currency: string) => Money | undefined;
}

/** Why a price is checked: for a quote, again before a booking, or before a reservation is changed. */
type Purpose = 'priceCheck' | 'recheck' | 'change';

/** In maintenance, the answer is a 503 instead. */
const SELLING: readonly SupplierState[] = ['live', 'canary', 'maintenance'];

/** Options of a price check call; `timeoutMs` if less than the supplier's timeout. */
interface Asking {
  readonly purpose: Purpose;
  readonly timeoutMs?: number;
}

/** Gets the current price of an offer from its supplier. */
@Injectable()
export class PriceCheckService {
  readonly #keys: AcceptedKeys;

  constructor(
    private readonly registry: SupplierRegistry,
    private readonly calls: SupplierCalls,
    private readonly facts: LocationFactsCache,
    private readonly rates: ExchangeRates,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /**
   * Prices an offer or quote as requested. Throws ApiError: 404 resource_failure for an unknown id or another
   * application's and, with cause rate_expired, for an expired one; 404 no_results with cause sold_out; 400 for choices
   * that the offer does not have and for refusals (ruling 24); 500 supplier_failure if the supplier fails; 503 if it is
   * in maintenance.
   */
  async check(
    priced: PricedKey,
    requested: PriceRequest,
    context: RequestContext,
    purpose: Purpose,
  ): Promise<CheckedPrice> {
    if (priced.application !== context.policy.applicationId) throw unknownId(priced.kind);
    if (priced.expiresAt * 1000 <= context.startedAt) throw noLongerValid(priced.kind);
    const supplier = this.#sellerOf(priced, purpose, context);
    const request = this.#requestOf(priced, requested, supplier.id);
    throwAny(unsupportedChoices(request, supplier.connection.adapter.booking, supplier));
    const offer = await this.#offerNow(supplier, request, priced, context, purpose);
    throwAny(unlistedChoices(request, offer));
    const change = priceChange(priced, request, offer);
    // Another age, new choices (which may have no price in the offer) or a scenario, then or now, may change a price that is still right.
    const isSame = request.age === priced.search[5] && hasSameChoices(priced, request);
    if (isSame) notePrice(priced, supplier.id, context, change);
    const isSimulated = context.scenario !== undefined || priced.origin === 'scenario';
    // A quote's price is from a price check, not from a search.
    if (priced.kind === 'offer' && isSame && !isSimulated)
      countPriceCheck(supplier, priced, context, change !== undefined);
    const terms = requested.display ?? priced.display;
    const shown = this.rates.shown(offer, terms, context.startedAt);
    return {
      supplier,
      request: { ...request, ref: offer.supplierRef },
      offer: shown,
      ...(terms ? { display: keptTerms(shown.price, terms) } : {}),
      previous: priced.total,
      ...(change === undefined ? {} : { change }),
      convert: ({ amountMinor, currency }, other) =>
        this.rates.rate(currency, other, context.startedAt)?.conversion.of(amountMinor),
    };
  }

  /**
   * Suppliers that are off, in drain or in shadow sell nothing new, but their existing bookings can still be changed. Those
   * in canary sell what they showed: an offer shows that its search belonged to the share.
   */
  #sellerOf({ supplier: id, brand, kind }: PricedKey, purpose: Purpose, { trace }: RequestContext): Supplier {
    const supplier = this.registry.byId(id);
    const state = this.registry.stateOf(id);
    const sells = purpose === 'change' || SELLING.includes(state);
    if (!sells || !supplier?.config.brands.includes(brand)) throw noLongerValid(kind);
    const isOff = purpose !== 'change' && this.registry.isOff(brand);
    if (state === 'maintenance' || isOff) {
      trace?.skipped.push(id);
      const what = state === 'maintenance' ? supplier.name : brand;
      const end = this.registry.skippedUntil(supplier);
      throw ApiError.of('maintenance', `${what} is in maintenance. Retry later.`, {
        supplier: id,
        headers: { 'retry-after': retryAfterUntil(end, this.config.maintenance.retryAfterSeconds) },
      });
    }
    if (!supplier.connection.adapter.priceCheck) throw new ApiError([searchOnly(supplier, `${kind}_id`)]);
    return supplier;
  }

  #requestOf(
    { kind, brand, ref, search, extras, coverages, terms }: PricedKey,
    requested: PriceRequest,
    supplier: string,
  ): RentalRequest {
    const [pickupText, dropoffText, pickupDate, dropoffDate, countryCode, age] = search;
    const { pickup, dropoff } = requested.places ?? this.#placesOf(pickupText, dropoffText, { supplier, brand }, kind);
    return {
      brand,
      ref,
      pickup,
      dropoff,
      pickupDate,
      dropoffDate,
      countryCode,
      age: ageAt(pickupDate, requested) ?? age,
      extras: requested.extras ?? extras,
      coverages: requested.coverages ?? coverages,
      ...(terms?.onRequest && { status: 'on_request' }),
      ...(requested.rateGuarantee !== undefined && { rateGuarantee: requested.rateGuarantee }),
    };
  }

  async #offerNow(
    supplier: Supplier,
    request: RentalRequest,
    priced: PricedKey,
    context: RequestContext,
    purpose: Purpose,
  ): Promise<SupplierOffer> {
    const startedAt = performance.now();
    try {
      const offer = await this.#ask(supplier, request, priced, context, { purpose });
      if (offer) return offer;
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      if (mayBeCausedByChoices(error, request)) {
        const timeoutMs = supplier.config.timeoutMs.priceCheck - elapsed(startedAt);
        throwAny(await this.#wrongChoices(supplier, request, context, { purpose, timeoutMs }));
      }
      const field = error.refusal === 'extra_not_available' ? 'extras' : undefined;
      throw new ApiError([faultProblem(error, supplier, field)], {}, { cause: error });
    }
    throw new ApiError([refusalProblem('sold_out', supplier)]);
  }

  /** Prices the offer without choices to find out which of them it does not list; empty if that call fails as well. */
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
      // This call is observed and logged as usual; the caller gets the supplier's first error.
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
    const settings = { key: this.#keys, environment: this.config.environment };
    const pickup = resolvePlace(pickupText, 'pickup_location', owner, settings);
    const dropoff = resolvePlace(dropoffText, 'dropoff_location', owner, settings);
    if (isProblem(pickup) || isProblem(dropoff)) throw noLongerValid(kind);
    return { pickup: placeFor(pickup, owner.supplier), dropoff: placeFor(dropoff, owner.supplier) };
  }

  #ask(
    supplier: Supplier,
    request: RentalRequest,
    priced: PricedKey | undefined,
    context: RequestContext,
    { purpose, ...how }: Asking,
  ): Promise<SupplierOffer | undefined> {
    const options: CallOptions = {
      ...how,
      question: questionOf(JSON.stringify(request)),
      scenarioOperation: purpose === 'change' ? 'recheck' : purpose,
    };
    const ask = async (adapter: SupplierAdapter, call: SupplierContext): Promise<SupplierOffer | undefined> => {
      const [item] = (await adapter.priceCheck?.(request, call))?.items ?? [];
      // An offer that can't be written, or kept, counts as a supplier failure, as in a search.
      if (item) refuseUnkept(rentalView(supplier.id, item, this.facts));
      if (item && priced) refuseOther(priced, item);
      return item;
    };
    return this.calls.call(supplier, 'priceCheck', context, ask, options);
  }
}

/**
 * Throws SupplierError for a price of another car (`rejected`, sold_out) or in another currency than the id (`bad_payload`:
 * the amounts can't be compared, ruling 30).
 */
function refuseOther({ car, total }: PricedKey, item: SupplierOffer): void {
  if (car !== undefined && isOtherCar(car, item)) {
    const text = `the price is for another car: requested "${car}", received "${carOf(item) ?? ''}"`;
    throw new SupplierError('rejected', text, true, { refusal: 'sold_out' });
  }
  const { currency } = item.price.total;
  if (currency !== total.currency)
    throw new SupplierError('bad_payload', `the price is in ${currency}, the offer in ${total.currency}`);
}

/**
 * The error for a valid id that can no longer be used: expired, or its supplier, brand or location is no longer sold.
 */
function noLongerValid(kind: PricedKey['kind']): ApiError {
  return ApiError.of('resource_failure', `The ${kind} is no longer valid. Search again for a new offer.`, {
    field: `${kind}_id`,
    cause: 'rate_expired',
  });
}

/** The requested age of the driver at pickup. Throws ApiError 400 if the date of birth is out of range. */
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
