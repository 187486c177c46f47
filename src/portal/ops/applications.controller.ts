import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import { ApplicationAdmin, type ApplicationDetail } from '../../auth/application-admin.js';
import { APPLICATION_ID } from '../../auth/own-applications.js';
import { TierChanges } from '../../auth/tier-changes.js';
import type { Answer } from '../../http/answer.js';
import { ProductsService } from '../../products/products.service.js';
import { UsageReader } from '../../records/usage-reader.js';
import type { FormState } from '../shell/field.js';
import { filterText } from '../shell/filters.js';
import { readSubmitted } from '../shell/form.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { ApplicationList } from './application-list.service.js';
import { opsApplicationPage, opsApplicationsPage } from './applications-pages.js';
import { limitsForm } from './limits-form.js';
import { reasonField } from './switch-form.js';

const PAGE_SIZE = 200;
const WEEK_MS = 604_800_000;
const query = z.object({ text: filterText, show: filterText, notice: filterText });
const stateForm = z.object({ state: z.enum(['active', 'suspended']), reason: reasonField });

/** Applications of all accounts, their limits and their suspension. */
@Pages('ops/applications')
@ForOperators()
export class OpsApplicationsController {
  constructor(
    private readonly applications: ApplicationList,
    private readonly admin: ApplicationAdmin,
    private readonly usage: UsageReader,
    private readonly views: HeavyViews,
    private readonly tiers: TierChanges,
    private readonly products: ProductsService,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const { text, show } = query.parse(given);
    const read = () => this.applications.list({ text, show }, PAGE_SIZE);
    const { found, total } = await this.views.run(visitor.accountId, read);
    return opsApplicationsPage(visitor, found, { text, total });
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string, @Query() given: unknown): Promise<Answer> {
    const { notice } = query.parse(given);
    return await this.#page(visitorOf(request), id, { notice: noticeOf(notice) });
  }

  @Submit(':id/state')
  async change(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const form = readSubmitted(request, stateForm);
    await this.#find(id);
    if (!form.ok) return await this.#page(visitor, id, { state: form });
    const { state, reason } = form.values;
    await this.admin.setState(id, state, visitor, reason);
    return seeOther(`/ops/applications/${id}?notice=application_${state === 'active' ? 'resumed' : 'suspended'}`);
  }

  @Submit(':id/limits')
  async limit(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const form = readSubmitted(request, limitsForm(this.products.tiers));
    const { accountId } = await this.#find(id);
    if (!form.ok) return await this.#page(visitor, id, { limits: form });
    const { tier, account_tier, limits_reason } = form.values;
    await this.tiers.ofApplication(id, tier, visitor, limits_reason);
    await this.tiers.ofAccount(accountId, account_tier, visitor, limits_reason);
    return seeOther(`/ops/applications/${id}?notice=limits_set`);
  }

  async #find(id: string): Promise<ApplicationDetail> {
    const missing = new PageError(404, 'There is no application with this id.');
    if (!APPLICATION_ID.test(id)) throw missing;
    return await this.admin.read(id).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('there is no application')) throw missing;
      throw error;
    });
  }

  async #page(
    visitor: Visitor,
    id: string,
    {
      notice,
      state,
      limits,
    }: { readonly notice?: string | undefined; readonly state?: FormState; readonly limits?: FormState },
  ): Promise<Answer> {
    const detail = await this.#find(id);
    const now = Date.now();
    const tiers = {
      ...(await this.tiers.of(id)),
      all: this.products.tiers,
      limitsOf: this.products.limitsOf.bind(this.products),
    };
    const { usage, listed } = await this.views.run(visitor.accountId, async () => ({
      usage: await this.usage.points([id], now - WEEK_MS, 86_400),
      listed: await this.applications.list({ text: id, show: undefined }, 1),
    }));
    const owner = listed.found[0]?.accountName ?? '';
    return opsApplicationPage(visitor, detail, usage, { now, notice, state, limits, tiers, owner });
  }
}
