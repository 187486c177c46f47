import { Injectable } from '@nestjs/common';
import type { OwnApplication } from '../../auth/own-applications.js';
import { ProductsService } from '../../products/products.service.js';
import { type Percentiles, RequestLog } from '../../records/request-log.js';
import { UsageReader } from '../../records/usage-reader.js';
import { chosenIds } from './chosen-ids.js';
import { PERIODS, type PeriodName } from './periods.js';
import type { Quota, UsageChoice } from './usage-page.js';
import { type UsageView, usageView } from './usage-view.js';

/** The data of the usage page. */
export interface UsageOverview {
  readonly choice: UsageChoice;
  readonly view: UsageView;
  readonly percentiles: readonly Percentiles[];
  readonly quotas: readonly Quota[];
}

/** Call counts and quotas of an account's applications. */
@Injectable()
export class UsageOverviews {
  constructor(
    private readonly usage: UsageReader,
    private readonly log: RequestLog,
    private readonly products: ProductsService,
  ) {}

  /** For the application with this id, or for all if there is none. */
  async of(
    own: readonly OwnApplication[],
    application: string | undefined,
    period: PeriodName,
  ): Promise<UsageOverview> {
    const ids = chosenIds(own, application);
    const { lengthMs, stepSeconds } = PERIODS[period];
    const now = Date.now();
    const from = Math.floor((now - lengthMs) / (stepSeconds * 1000)) * stepSeconds * 1000;
    const [points, percentiles, today] = await Promise.all([
      this.usage.points(ids, from, stepSeconds),
      this.log.percentiles(ids, from),
      this.usage.limitedCalls(ids, new Date(now).setUTCHours(0, 0, 0, 0)),
    ]);
    const quotas = own
      .filter(({ id }) => ids.includes(id))
      .map(({ id, name, tier, accountTier }) => ({
        name,
        used: today.get(id) ?? 0,
        perDay: this.products.limitsOf(tier, accountTier).application.perDay,
      }));
    const choice = { own, application: ids.length === 1 ? application : undefined, period, from, now };
    return { choice, view: usageView(points), percentiles, quotas };
  }
}
