import type { ModifyRequest } from '../../model/bookings.js';
import { UnreadableAmountError } from '../../model/money.js';
import {
  type BookingTraits,
  type CreateAdapter,
  type SupplierAdapter,
  type SupplierAnswer,
  type SupplierContext,
  SupplierError,
  type SupplierSettings,
} from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import { fixedHeaders, sessionOf } from './auth.js';
import { type BookingHandlers, book, cancel, modify, retrieve } from './bookings.js';
import { Evaluation, EvaluationLimit, type Expression } from './expression.js';
import { searchLocations } from './location-search.js';
import { mapOffers, type OfferFrame } from './offer-mapping.js';
import { type Manifest, manifestSchema } from './options.js';
import { pricedOffer } from './price-check.js';
import { reads } from './request.schema.js';
import { type RequestValues, RequestWriter } from './requests.js';
import { RestApi } from './rest-api.js';

type Open = (context: SupplierContext) => RestApi;
/**
 * The part of the adapter that one operation contributes. An undefined key would count as a capability, so unsupported
 * operations are omitted.
 */
type Operations = Partial<Omit<SupplierAdapter, 'brandsPerCall' | 'authenticate'>>;

const EMPTY: SupplierAnswer<never> = { items: [], warnings: [] };

/**
 * A REST supplier described by a manifest (docs/rest-manifest.md), the `options` of its file. An operation missing
 * from the manifest is a capability that the supplier lacks. Throws a ZodError that names every invalid key.
 */
export const createRestAdapter: CreateAdapter = (settings) => {
  const { credentials, brands } = settings;
  const manifest = manifestSchema({ credentials: Object.keys(credentials), brands }).parse(settings.options);
  const authHeaders = fixedHeaders(manifest.auth, credentials);
  const open: Open = (context) => new RestApi(manifest, authHeaders, context);
  const writer = new RequestWriter(manifest);
  const authenticate = sessionOf(manifest, credentials);
  return {
    brandsPerCall: manifest.brandsPerCall,
    ...(authenticate && { authenticate: (context) => withinLimits(() => authenticate(context)) }),
    ...locationOperation(manifest, settings, writer, open),
    ...offerOperations(manifest, settings, writer, open),
    ...bookingOperations(manifest, writer, open),
  };
};

function locationOperation(
  manifest: Manifest,
  { brands }: SupplierSettings,
  writer: RequestWriter,
  open: Open,
): Operations {
  const { searchLocations: step, location } = manifest;
  if (!step || !location) return {};
  return {
    searchLocations: (request, context) =>
      withinLimits(async () => {
        const missing = missingNeed(step.needs, writer.locations(request, { page: 1 }, context));
        if (missing) return { items: [], warnings: oneWarning('not_sent', `the request has no value for ${missing}`) };
        return searchLocations(step, request, { location, brands, writer, api: open(context), context });
      }),
  };
}

type Requested = Pick<OfferFrame, 'pickup' | 'dropoff' | 'pickupDate' | 'dropoffDate' | 'status'>;

function offerOperations(
  manifest: Manifest,
  { brands }: SupplierSettings,
  writer: RequestWriter,
  open: Open,
): Operations {
  const { searchVehicles, priceCheck, offer, location } = manifest;
  if (!offer || !location) return {};
  const frameOf = ({ pickup, dropoff, pickupDate, dropoffDate, status }: Requested): OfferFrame => ({
    offer,
    location,
    brands,
    pickup,
    dropoff,
    pickupDate,
    dropoffDate,
    status,
  });
  const namesOffer = priceCheck !== undefined && reads(priceCheck.request, 'ref');
  return {
    ...(searchVehicles && {
      searchVehicles: (request, context) =>
        withinLimits(async () => {
          const values = writer.vehicles(request, context);
          const missing = missingNeed(searchVehicles.needs, values);
          if (missing)
            return { items: [], warnings: oneWarning('not_sent', `the request has no value for ${missing}`) };
          const reader = await open(context).ask(searchVehicles, { values, repeatable: true, accepted: ['empty'] });
          if (!reader) return EMPTY;
          const { items, warnings } = mapOffers(frameOf(request), reader);
          return { items: items.filter(({ brand }) => request.brands.includes(brand)), warnings };
        }),
    }),
    ...(priceCheck && {
      priceCheck: (request, context) =>
        withinLimits(async () => {
          const values = writer.rental(request, context);
          requireNeeds(priceCheck.needs, values);
          const reader = await open(context).ask(priceCheck, { values, repeatable: true, accepted: ['empty'] });
          if (!reader) return EMPTY;
          return pricedOffer(mapOffers(frameOf(request), reader), namesOffer ? undefined : request.ref);
        }),
    }),
  };
}

function bookingOperations(manifest: Manifest, writer: RequestWriter, open: Open): Operations {
  const { booking: mapping, book: bookStep, retrieve: retrieveStep, modify: modifyStep, cancel: cancelStep } = manifest;
  if (!mapping) return {};
  const handlersOf = (context: SupplierContext): BookingHandlers => ({ mapping, writer, api: open(context), context });
  return {
    ...(bookStep && {
      book: (request, context) =>
        withinLimits(() => {
          requireNeeds(bookStep.needs, writer.booking(request, context));
          return book(bookStep, request, handlersOf(context));
        }),
      booking: traitsOf(manifest),
    }),
    ...(retrieveStep && {
      retrieve: (key, context) => withinLimits(() => retrieve(retrieveStep, key, handlersOf(context))),
    }),
    ...(modifyStep && {
      modify: (request, context) =>
        withinLimits(() => {
          requireNeeds(modifyStep.needs, writer.booking(request, context));
          refuseUntold(manifest, request);
          return modify(modifyStep, request, handlersOf(context));
        }),
    }),
    ...(cancelStep && { cancel: (key, context) => withinLimits(() => cancel(manifest, key, handlersOf(context))) }),
  };
}

/** What states something of the rental in a change: `ref` may also name the dates and the car. */
const RENTAL = ['pickupDate', 'dropoffDate', 'pickup', 'dropoff', 'ref', 'extras'];

/** What of a booking is unknown if only its reference is known. */
const BEYOND_REFERENCE = ['ref', 'pickup', 'pickupDate', 'confirmationNumber', 'hold', 'firstName', 'lastName'];

function traitsOf({ book: step, retrieve: retrieval, modify: change }: Manifest): BookingTraits {
  const takes = step?.takes ?? [];
  const byReference = retrieval?.byReference;
  const isAlone = byReference && !BEYOND_REFERENCE.some((name) => reads(byReference.request, name));
  // A change of the rental restates the booking: what it leaves out is lost.
  const isRestated = change?.changes.includes('rental') === true;
  const carries = (name: string) => booksWith(step, name) && (!isRestated || reads(change.request, name));
  return {
    findsByReference: byReference !== undefined,
    ...(isAlone ? { findsByReferenceAlone: true } : {}),
    takesCards: takes.includes('cards'),
    takesVouchers: takes.includes('vouchers'),
    takesExtras: takes.includes('extras'),
    takesCoverages: takes.includes('coverages'),
    takesAdditionalDrivers: carries('additionalDrivers'),
    takesLatePickup: carries('pickupLater'),
    changes: change?.changes ?? [],
    restates: () => change !== undefined && (isRestated || RENTAL.some((name) => reads(change.request, name))),
  };
}

/** Whether a booking carries a member of the request, in either of its calls. */
function booksWith(step: Manifest['book'], name: string): boolean {
  return step !== undefined && [step.request, step.hold?.request].some((request) => request && reads(request, name));
}

/** Throws for a change that would leave a late pickup untold, although bookings carry it. */
function refuseUntold({ book: step, modify: change }: Manifest, { changes, pickupLater }: ModifyRequest): void {
  const isTold = !change || reads(change.request, 'pickupLater') || !booksWith(step, 'pickupLater');
  if (pickupLater && changes.includes('arrival') && !isTold)
    throw new SupplierError('rejected', 'a change cannot carry a late pickup', false, {
      refusal: 'unsupported_by_supplier',
    });
}

/** Runs an operation. Exceeding the evaluation limits, or an amount that can't be read, becomes a bad payload. */
async function withinLimits<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof EvaluationLimit || error instanceof UnreadableAmountError)
      throw new SupplierError('bad_payload', error.message, true, { cause: error });
    throw error;
  }
}

/** The text of the first expression that does not hold. */
function missingNeed(needs: readonly Expression[], { open }: RequestValues): string | undefined {
  const evaluation = new Evaluation({ request: open });
  return needs.find((need) => !evaluation.holds(need, open))?.text;
}

function requireNeeds(needs: readonly Expression[], values: RequestValues): void {
  const missing = missingNeed(needs, values);
  if (missing) throw new SupplierError('rejected', `the offer has no ${missing}`, false, { refusal: 'invalid_rate' });
}
