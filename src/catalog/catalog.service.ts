import type { KeyObject } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import { supplierRow } from '../suppliers/fan-out.js';
import { LocationFactsCache } from '../suppliers/location-view.js';
import { type Merged, merge } from '../suppliers/merge.js';
import type { PlaceRef, SupplierOffer, VehicleSearch } from '../suppliers/models.js';
import { type CallOutcome, foldCalls, type SupplierOutcome } from '../suppliers/outcome.js';
import type { Supplier } from '../suppliers/registry.js';
import type { Scenario } from '../suppliers/scenario.js';
import { type CallScope, type Plan, SupplierSearch } from '../suppliers/supplier-search.js';
import { fits, type RankedOffer, sortOffers } from './offer-rules.js';
import { OfferWriter } from './offer-view.js';
import type { ResolvedPlace } from './resolve-place.js';
import { requestEcho, type Understood } from './understand.js';

/** A finished search: what is missing, the JSON members beside `status`, ids of skipped suppliers. */
export interface FoundVehicles {
  readonly merged: Merged;
  readonly members: string;
  readonly skipped: readonly string[];
}

/** Who searches. */
export interface Searcher {
  readonly applicationId: string;
  readonly scenario: Scenario | undefined;
  readonly scope: CallScope & { readonly startedAt: number };
}

/** Availability over all suppliers (spec §4.3, rulings 1–8). */
@Injectable()
export class CatalogService {
  readonly #key: KeyObject;

  constructor(
    private readonly suppliers: SupplierSearch,
    private readonly facts: LocationFactsCache,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#key = keys('offer_id');
  }

  /** Throws ApiError 404 when nobody has a car, 500 when every supplier failed, 503 when all are in maintenance. */
  async find(search: Understood, searcher: Searcher): Promise<FoundVehicles> {
    const plan = this.#plan(search, searcher);
    const patience = { minSuppliers: search.minSuppliers, ...(search.timeoutMs === undefined ? {} : { timeoutMs: search.timeoutMs }) };
    const outcomes = foldCalls(
      (await this.suppliers.collect(plan, patience, searcher.scope)).map((outcome) => onlyFitting(outcome, search)),
    );
    const merged = merge(outcomes);
    const offers = sortOffers(
      outcomes.flatMap((outcome, supplierIndex) =>
        outcome.items.map((offer): RankedOffer => ({ supplier: outcome.supplier.id, supplierIndex, offer })),
      ),
      search,
    ).slice(0, search.maxResults);
    const writer = this.#writer(search, searcher);
    return {
      merged,
      members: `${head(search)},"vehicles":[${offers.map(({ supplier, offer }) => writer.write(supplier, offer)).join(',')}],"suppliers":${JSON.stringify(outcomes.map(supplierRow))}`,
      skipped: plan.skipped.map((supplier) => supplier.id),
    };
  }

  /**
   * The same search as NDJSON: a line with search_id and request, then one line a supplier call as it settles {supplier, outcome, …, vehicles},
   * and `status` with the final entries as the last line. Nothing is written before the first supplier has data: a search that ends
   * without any throws as `find` does.
   */
  async stream(search: Understood, searcher: Searcher): Promise<Readable> {
    const plan = this.#plan(search, searcher);
    const writer = this.#writer(search, searcher);
    const lines = new Lines(plan.calls.length, this.suppliers.stream(plan), search, searcher);
    await lines.firstData();
    return lines.readable(`{${head(search)}}\n`, writer);
  }

  #writer(search: Understood, searcher: Searcher): OfferWriter {
    return new OfferWriter(
      search,
      searcher.applicationId,
      this.facts,
      this.#key,
      searcher.scope.startedAt,
      this.config.search.offerTtlSeconds,
    );
  }

  #plan(search: Understood, { scenario, scope }: Searcher): Plan<SupplierOffer> {
    const { pickup, dropoff } = search;
    const onlyBrands = [pickup.onlyBrand, dropoff.onlyBrand].filter((brand) => brand !== undefined);
    const brands =
      onlyBrands.length === 0 ? search.brands : (search.brands ?? onlyBrands).filter((brand) => onlyBrands.every((only) => only === brand));
    const common = catalogViewOf(search, undefined);
    const country = pickup.ref.countryCode === '' ? undefined : pickup.ref.countryCode;
    return this.suppliers.planVehicles({ brands, countryCode: country, scenario, scope }, (supplier: Supplier) => {
      if ((pickup.onlySupplier ?? supplier.id) !== supplier.id || (dropoff.onlySupplier ?? supplier.id) !== supplier.id) return undefined;
      if (pickup.codeOf !== supplier.id && dropoff.codeOf !== supplier.id) return common;
      return catalogViewOf(search, supplier.id);
    });
  }
}

function head(search: Understood): string {
  return `"search_id":"sea_${randomBytes(12).toString('base64url')}","request":${JSON.stringify(requestEcho(search))}`;
}

/** The place in terms of a supplier: its own code only for the supplier whose code it is. */
function refFor({ ref, codeOf }: ResolvedPlace, supplier: string | undefined): PlaceRef {
  if (codeOf === supplier) return ref;
  const { supplierCode: _code, ...rest } = ref;
  return rest;
}

/** The search as a supplier gets it (undefined = one whose own codes do not occur in it); brands are added by the engine. */
export function catalogViewOf(search: Understood, supplier: string | undefined): Omit<VehicleSearch, 'brands'> {
  return {
    pickup: refFor(search.pickup, supplier),
    dropoff: refFor(search.dropoff, supplier),
    pickupDate: search.pickupDate,
    dropoffDate: search.dropoffDate,
    countryCode: search.countryCode,
    age: search.age,
    ...(search.dateOfBirth === undefined ? {} : { dateOfBirth: search.dateOfBirth }),
    ...(search.currency === undefined ? {} : { currency: search.currency }),
    sippCodes: search.sippCodes,
    discountCodes: search.discountCodes,
    loyalty: search.loyalty,
    additionalDrivers: search.additionalDrivers,
  };
}

/** Filters are part of the input: a supplier whose offers all fall away has nothing for it. */
function onlyFitting(outcome: CallOutcome<SupplierOffer>, search: Understood): CallOutcome<SupplierOffer> {
  if (outcome.kind !== 'answered') return outcome;
  const items = outcome.items.filter((offer) => fits(offer, search));
  return items.length > 0
    ? { ...outcome, items }
    : { kind: 'empty', supplier: outcome.supplier, durationMs: outcome.durationMs, shared: outcome.shared };
}

/** The lines of one streamed search: settles outcomes into text as they come. */
class Lines {
  readonly #outcomes: (CallOutcome<SupplierOffer> | undefined)[];
  readonly #early: CallOutcome<SupplierOffer>[] = [];
  readonly #first: Promise<void>;
  #emit: ((outcome: CallOutcome<SupplierOffer>) => void) | undefined;
  #end: (() => void) | undefined;
  #complete = false;

  constructor(
    count: number,
    source: Observable<{ index: number; outcome: CallOutcome<SupplierOffer> }>,
    private readonly search: Understood,
    private readonly searcher: Searcher,
  ) {
    this.#outcomes = new Array(count);
    this.#first = new Promise((resolve, reject) => {
      const subscription = source.subscribe({
        next: ({ index, outcome: raw }) => {
          const outcome = onlyFitting(raw, search);
          this.#outcomes[index] = outcome;
          if (this.#emit) this.#emit(outcome);
          else this.#early.push(outcome);
          if (outcome.kind === 'answered') resolve();
        },
        complete: () => {
          this.#complete = true;
          this.#end?.();
          try {
            merge(this.#folded());
            resolve();
          } catch (error) {
            reject(error);
          }
        },
      });
      searcher.scope.onCancel(() => subscription.unsubscribe());
    });
  }

  /** Resolves when a supplier has data (or all have settled partially); rejects with the ApiError of a search without any. */
  firstData(): Promise<void> {
    return this.#first;
  }

  readable(header: string, writer: OfferWriter): Readable {
    const stream = new Readable({ read: () => undefined });
    stream.push(header);
    let emitted = 0;
    this.#emit = (outcome) => {
      const [folded] = foldCalls([outcome]);
      if (!folded) return;
      const room = Math.max(0, this.search.maxResults - emitted);
      const offers = sortOffers(
        folded.items.map((offer) => ({ supplier: folded.supplier.id, supplierIndex: 0, offer })),
        this.search,
      ).slice(0, room);
      emitted += offers.length;
      const row = JSON.stringify({ ...supplierRow(folded), ...(outcome.brand === undefined ? {} : { brand: outcome.brand }) });
      stream.push(`${row.slice(0, -1)},"vehicles":[${offers.map(({ supplier, offer }) => writer.write(supplier, offer)).join(',')}]}\n`);
    };
    this.#end = () => {
      stream.push(`{"status":${JSON.stringify(this.#status())}}\n`);
      stream.push(null);
    };
    for (const outcome of this.#early) this.#emit(outcome);
    if (this.#complete) this.#end();
    return stream;
  }

  #status(): unknown {
    let problems: readonly Problem[] = [];
    let success: number | undefined = 200;
    try {
      const merged = merge(this.#folded());
      problems = merged.problems;
      success = merged.partial ? 206 : 200;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems = error.problems;
      success = undefined;
    }
    return statusContainer(this.searcher.scope.startedAt, success, problems);
  }

  #folded(): SupplierOutcome<SupplierOffer>[] {
    return foldCalls(this.#outcomes.filter((outcome) => outcome !== undefined));
  }
}
