import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Answer } from '../../http/answer.js';
import { AllRequests, type AllRequestsFilter } from '../../records/all-requests.js';
import { FailedExchangeLog } from '../../records/failed-exchange-log.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { filterText } from '../shell/filters.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { Pages } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { filterOf, logsQuery } from '../usage/logs-query.js';
import { opsRequestPage, opsRequestsPage, type RequestsTyped, unloggedPage } from './requests-pages.js';

const PAGE_SIZE = 50;
const MOST_SAME = 50;
const query = z.object({
  id: filterText,
  application: filterText,
  supplier: filterText,
  cause: filterText,
  status: filterText,
  at: filterText,
});

/** Requests of all accounts. */
@Pages('ops/requests')
@ForOperators()
export class OpsRequestsController {
  constructor(
    private readonly requests: AllRequests,
    private readonly failures: FailedExchangeLog,
    private readonly registry: SupplierRegistry,
    private readonly views: HeavyViews,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const typed = query.parse(given);
    const found = await this.views.run(visitor.accountId, () => this.requests.list(filterFrom(typed), PAGE_SIZE));
    return opsRequestsPage(visitor, typed, found, this.#suppliers());
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const { at, application } = query.parse(given);
    const find = () => this.requests.list({ requestId: id, applicationId: application }, MOST_SAME);
    const found = await this.views.run(visitor.accountId, find);
    const failures = await this.failures.list({ requestId: id }, MOST_SAME);
    const record = found.find((one) => String(one.at) === at) ?? found[0];
    if (!record) return unloggedPage(visitor, id, failures);
    return opsRequestPage(visitor, record, failures, (supplier) => this.registry.byId(supplier)?.name ?? supplier);
  }

  #suppliers(): readonly string[] {
    return this.registry.configured.map(({ id }) => id);
  }
}

function filterFrom({ id, application, supplier, cause, status }: RequestsTyped): AllRequestsFilter {
  const range = filterOf(logsQuery.parse({ status })).status;
  return { requestId: id, applicationId: application, supplier, cause, status: range };
}
