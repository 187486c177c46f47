import { Injectable } from '@nestjs/common';
import type { OwnApplication } from '../../auth/own-applications.js';
import { ProductsService } from '../../products/products.service.js';
import { type SupplierUsage, SupplierUsageReader } from '../../records/supplier-usage-reader.js';
import { type ApplicationUsage, type OperationDurations, UsageReader } from '../../records/usage-reader.js';
import { type Booked, BookedReader } from '../../reservations/booked-reader.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { chosenIds } from './chosen-ids.js';
import { type Range, type RangeChoice, rangeOf } from './periods.js';
import { type UsageView, usageView } from './usage-totals.js';

/** The chosen applications and period. */
export interface UsageChoice {
  readonly own: readonly OwnApplication[];
  /** Undefined: all. */
  readonly application: string | undefined;
  readonly range: Range;
}

/** An application's calls on this UTC day and its daily limit, if it has one. */
export interface Quota {
  readonly used: number;
  readonly perDay: number | undefined;
}

/** The data of the usage page. */
export interface UsageOverview {
  readonly choice: UsageChoice;
  readonly view: UsageView;
  readonly durations: readonly OperationDurations[];
  /** The usage in the period and the one before it. */
  readonly byApplication: readonly ApplicationUsage[];
  readonly suppliers: readonly SupplierUsage[];
  readonly booked: readonly Booked[];
  /** By id, of the chosen applications. */
  readonly quotas: ReadonlyMap<string, Quota>;
}

/** How long an overview is shown again instead of being read again. */
const KEPT_MS = 5_000;

/** What is read for an overview. */
type Read = Omit<UsageOverview, 'choice' | 'quotas'> & {
  readonly range: Range;
  readonly today: ReadonlyMap<string, number>;
};

/** Call counts, bookings and quotas of an account's applications. */
@Injectable()
export class UsageOverviews {
  /** By applications and period, oldest first. */
  readonly #kept = new Map<string, { readonly until: number; readonly read: Promise<Read> }>();

  constructor(
    private readonly usage: UsageReader,
    private readonly suppliers: SupplierUsageReader,
    private readonly booked: BookedReader,
    private readonly products: ProductsService,
    private readonly views: HeavyViews,
  ) {}

  /** For the application with this id, or for all if there is none. Up to five seconds old. Errors: HeavyViews. */
  async of(
    accountId: string,
    own: readonly OwnApplication[],
    application: string | undefined,
    chosen: RangeChoice,
  ): Promise<UsageOverview> {
    const ids = chosenIds(own, application);
    const { range, today, ...read } = await this.#recent(accountId, ids, chosen);
    const quotas = own
      .filter(({ id }) => ids.includes(id))
      .map(({ id, tier, accountTier }): [string, Quota] => {
        const { perDay } = this.products.limitsOf(tier, accountTier).application;
        return [id, { used: today.get(id) ?? 0, perDay }];
      });
    const isOne = own.some(({ id }) => id === application);
    return { choice: { own, application: isOne ? application : undefined, range }, ...read, quotas: new Map(quotas) };
  }

  /** Concurrent views of the same overview share one read; one that fails isn't kept. */
  async #recent(accountId: string, ids: readonly string[], chosen: RangeChoice): Promise<Read> {
    const now = Date.now();
    const { period, from, to } = chosen;
    const key = [accountId, period, ...(period === 'custom' ? [from, to] : []), ...ids].join(' ');
    for (const [name, { until }] of this.#kept) if (until <= now) this.#kept.delete(name);
    const kept = this.#kept.get(key);
    if (kept) return await kept.read;
    const read = this.views.run(accountId, () => this.#read(ids, rangeOf(chosen, Date.now())));
    this.#kept.set(key, { until: now + KEPT_MS, read });
    read.catch(() => this.#kept.delete(key));
    return await read;
  }

  async #read(ids: readonly string[], range: Range): Promise<Read> {
    const { from, to, stepSeconds } = range;
    const points = await this.usage.points(ids, from, stepSeconds, to);
    return {
      range,
      view: usageView(points),
      durations: await this.usage.durations(ids, from, to),
      byApplication: await this.usage.byApplication(ids, range),
      suppliers: await this.suppliers.read(ids, range),
      booked: await this.booked.read(ids, range),
      today: await this.usage.limitedCalls(ids, new Date().setUTCHours(0, 0, 0, 0)),
    };
  }
}
