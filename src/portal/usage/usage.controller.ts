import { Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { OwnApplications } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { Pages } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { UsageOverviews } from './usage-overview.service.js';
import { usagePage } from './usage-page.js';

/** Invalid values are ignored, so the page is always shown. */
const query = z.object({
  application: z.string().optional().catch(undefined),
  period: z.enum(['hour', 'day', 'week']).catch('day'),
});

/** The usage page of the account's applications. */
@Pages('usage')
@SignedIn()
export class UsageController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly overviews: UsageOverviews,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const { application, period } = query.parse(given);
    const own = await this.applications.list(visitor.accountId);
    const { choice, view, durations, quotas } = await this.overviews.of(visitor.accountId, own, application, period);
    return usagePage(visitor, choice, view, durations, quotas);
  }
}
