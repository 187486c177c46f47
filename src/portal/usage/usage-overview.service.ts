import { Injectable } from '@nestjs/common';
import type { OwnApplication } from '../../auth/own-applications.js';
import { ProductsService } from '../../products/products.service.js';
import { type OperationDurations, UsageReader } from '../../records/usage-reader.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { chosenIds } from './chosen-ids.js';
import { PERIODS, type PeriodName } from './periods.js';
import type { Quota, UsageChoice } from './usage-page.js';
import { type UsageView, usageView } from './usage-totals.js';

/** The data of the usage page. */
export interface UsageOverview {
  readonly choice: UsageChoice;
  readonly view: UsageView;
  readonly durations: readonly OperationDurations[];
  readonly quotas: readonly Quota[];
}

/** How long an overview is shown again instead of being read again. */
const KEPT_MS = 5_000;

/** What is read for an overview. */
interface Read {
  readonly from: number;
  readonly now: number;
  readonly view: UsageView;
  readonly durations: readonly OperationDurations[];
  readonly today: ReadonlyMap<string, number>;
}

/** Call counts and quotas of an account's applications. */
@Injectable()
export class UsageOverviews {
  /** By applications and period, oldest first. */
  readonly #kept = new Map<string, { readonly until: number; readonly read: Promise<Read> }>();

  constructor(
    private readonly usage: UsageReader,
    private readonly products: ProductsService,
    private readonly views: HeavyViews,
  ) {}

  /** For the application with this id, or for all if there is none. Up to five seconds old. Errors: HeavyViews. */
  async of(
    accountId: string,
    own: readonly OwnApplication[],
    application: string | undefined,
    period: PeriodName,
  ): Promise<UsageOverview> {
    const ids = chosenIds(own, application);
    const { from, now, view, durations, today } = await this.#recent(accountId, ids, period);
    const quotas = own
      .filter(({ id }) => ids.includes(id))
      .map(({ id, name, tier, accountTier }) => ({
        name,
        used: today.get(id) ?? 0,
        perDay: this.products.limitsOf(tier, accountTier).application.perDay,
      }));
    const choice = { own, application: ids.length === 1 ? application : undefined, period, from, now };
    return { choice, view, durations, quotas };
  }

  /** Concurrent views of the same overview share one read; one that fails isn't kept. */
  async #recent(accountId: string, ids: readonly string[], period: PeriodName): Promise<Read> {
    const key = `${accountId} ${period} ${ids.join(' ')}`;
    const now = Date.now();
    for (const [name, { until }] of this.#kept) if (until <= now) this.#kept.delete(name);
    const kept = this.#kept.get(key);
    if (kept) return await kept.read;
    const read = this.views.run(accountId, () => this.#read(ids, period));
    this.#kept.set(key, { until: now + KEPT_MS, read });
    read.catch(() => this.#kept.delete(key));
    return await read;
  }

  async #read(ids: readonly string[], period: PeriodName): Promise<Read> {
    const { lengthMs, stepSeconds } = PERIODS[period];
    const now = Date.now();
    const from = Math.floor((now - lengthMs) / (stepSeconds * 1000)) * stepSeconds * 1000;
    const points = await this.usage.points(ids, from, stepSeconds);
    const durations = await this.usage.durations(ids, from);
    const today = await this.usage.limitedCalls(ids, new Date(now).setUTCHours(0, 0, 0, 0));
    return { from, now, view: usageView(points), durations, today };
  }
}
