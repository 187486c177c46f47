import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Answer } from '../../http/answer.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { Pages } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { OverviewService } from './overview.service.js';
import { overviewPage, overviewPart } from './overview-page.js';

/** How long a browser waits before it asks again, in milliseconds. */
const RETRY_MS = 5_000;

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

  /**
   * Server-sent events with one event per connection: the browser connects again after five seconds. So the session is
   * checked each time, no connection stays open, and a restart of the gateway is not noticed.
   */
  @Get('events')
  async events(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const part = overviewPart(await this.views.run(visitor.accountId, () => this.overviews.of(visitor)));
    const lines = part.split(/\r?\n|\r/).map((line) => `data: ${line}\n`);
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
    return new Answer(200, `retry: ${RETRY_MS}\n${lines.join('')}\n`, headers);
  }
}
