import { Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { OwnApplications } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { ProductsService } from '../../products/products.service.js';
import { RequestLog } from '../../records/request-log.js';
import { UsageReader } from '../../records/usage-reader.js';
import { Pages } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { chosenIds } from './chosen-ids.js';
import { PERIODS } from './periods.js';
import { usagePage } from './usage-page.js';
import { usageView } from './usage-view.js';

/** What cannot be read is as if it had not been said: a page is always shown. */
const query = z.object({
  application: z.string().optional().catch(undefined),
  period: z.enum(['hour', 'day', 'week']).catch('day'),
});

/** How the account's applications use the API, in counts. */
@Pages('usage')
@SignedIn()
export class UsageController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly usage: UsageReader,
    private readonly log: RequestLog,
    private readonly products: ProductsService,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const { application, period } = query.parse(given);
    const own = await this.applications.list(visitor.accountId);
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
    return usagePage(
      visitor,
      { own, application: ids.length === 1 ? application : undefined, period, from, now },
      usageView(points),
      percentiles,
      quotas,
    );
  }
}
