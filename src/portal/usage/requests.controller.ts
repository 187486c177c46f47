import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { RequestLog } from '../../records/request-log.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { Pages } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { chosenIds } from './chosen-ids.js';
import { explainPage } from './explain-page.js';
import { notKeptPage } from './not-kept-page.js';
import { requestsPage, sameIdPage } from './requests-page.js';
import { cursorOf, explainQuery, filterOf, requestsQuery } from './requests-query.js';

const PAGE_SIZE = 50;

/** The request log of the account's applications, and the page that explains one request. */
@Pages('requests')
@SignedIn()
export class RequestsController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly log: RequestLog,
    private readonly views: HeavyViews,
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const query = requestsQuery.parse(given);
    const own = await this.applications.list(visitor.accountId);
    const ids = chosenIds(own, query.application);
    const found = await this.views.run(visitor.accountId, () =>
      this.log.list(ids, filterOf(query), cursorOf(query.before), PAGE_SIZE),
    );
    return requestsPage(visitor, own, query, found, this.config.records);
  }

  /** Another account's request is treated like an unknown one. */
  @Get(':id')
  async explain(@Req() request: FastifyRequest, @Param('id') id: string, @Query() given: unknown): Promise<Answer> {
    const { at, again } = explainQuery.parse(given);
    const visitor = visitorOf(request);
    const own = await this.applications.list(visitor.accountId);
    const found = await this.log.find(chosenIds(own, undefined), id);
    const record = found.find((one) => String(one.at) === at) ?? found[0];
    if (!record) return notKeptPage(visitor, id, again !== undefined, this.config.records);
    if (found.length > 1 && String(record.at) !== at) return sameIdPage(visitor, own, found);
    return explainPage(visitor, own, record, (supplier) => this.registry.byId(supplier)?.name ?? supplier);
  }
}
