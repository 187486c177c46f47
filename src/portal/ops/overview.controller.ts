import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Answer } from '../../http/answer.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { livePart } from '../shell/live-part.js';
import { Pages } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { OverviewService } from './overview.service.js';
import { overviewPage, overviewPart } from './overview-page.js';

/** The first page of operators. */
@Pages('ops')
@ForOperators()
export class OpsOverviewController {
  constructor(
    private readonly overviews: OverviewService,
    private readonly views: HeavyViews,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    return overviewPage(visitor, await this.views.run(visitor.accountId, () => this.overviews.of(visitor)));
  }

  @Get('events')
  async events(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const part = overviewPart(await this.views.run(visitor.accountId, () => this.overviews.of(visitor)));
    return livePart(part, 5_000);
  }
}
