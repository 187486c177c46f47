import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { OwnApplications } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { PageError } from '../shell/page-error.js';
import { Pages } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { usageExport } from './usage-export.js';
import { type UsageOverview, UsageOverviews } from './usage-overview.service.js';
import { usagePage } from './usage-page.js';

const day = z.string().max(10).optional().catch(undefined);
/** Invalid values are ignored, so the page is always shown. */
const query = z.object({
  application: z.string().optional().catch(undefined),
  period: z.enum(['hour', 'day', 'week', 'month', 'custom']).catch('day'),
  from: day,
  to: day,
});

/** The usage page of the account's applications, and its tables as CSV. */
@Pages('usage')
@SignedIn()
export class UsageController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly overviews: UsageOverviews,
    private readonly registry: SupplierRegistry,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    return usagePage(visitorOf(request), await this.#overview(request, given), this.#nameOf);
  }

  @Get('csv/:table')
  async csv(@Req() request: FastifyRequest, @Param('table') name: string, @Query() given: unknown): Promise<Answer> {
    const answer = usageExport(name, await this.#overview(request, given), this.#nameOf);
    if (!answer) throw new PageError(404);
    return answer;
  }

  readonly #nameOf = (supplier: string): string => this.registry.byId(supplier)?.name ?? supplier;

  async #overview(request: FastifyRequest, given: unknown): Promise<UsageOverview> {
    const { accountId } = visitorOf(request);
    const { application, ...chosen } = query.parse(given);
    return await this.overviews.of(accountId, await this.applications.list(accountId), application, chosen);
  }
}
