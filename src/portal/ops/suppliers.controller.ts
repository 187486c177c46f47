import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { FailedExchangeLog } from '../../records/failed-exchange-log.js';
import { SupplierTimeline } from '../../records/supplier-timeline.js';
import { SupplierSwitch } from '../../supplier-states/supplier-switch.js';
import type { FormState } from '../shell/field.js';
import { readSubmitted } from '../shell/form.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { countedSinceOf } from './known-calls.js';
import { SPANS, type SpanName, spanOf } from './spans.js';
import { type SupplierFacts, SupplierFactsService, type SuppliersFacts } from './supplier-facts.service.js';
import { supplierPage } from './supplier-page.js';
import { suppliersPage } from './suppliers-page.js';
import { switchForm } from './switch-form.js';
import { switchPreview } from './switch-preview.js';

const MOST_FAILURES = 50;
const query = z.object({
  span: z
    .enum(Object.keys(SPANS) as [SpanName])
    .optional()
    .catch(undefined),
  notice: z.string().optional().catch(undefined),
});

/** Suppliers for operators: what fails, whose fault it is, and the switch. */
@Pages('ops/suppliers')
@ForOperators()
export class OpsSuppliersController {
  constructor(
    private readonly facts: SupplierFactsService,
    private readonly timeline: SupplierTimeline,
    private readonly failures: FailedExchangeLog,
    private readonly states: SupplierSwitch,
    private readonly views: HeavyViews,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    return suppliersPage(visitor, await this.views.run(visitor.accountId, () => this.facts.all()));
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string, @Query() given: unknown): Promise<Answer> {
    const { span, notice } = query.parse(given);
    return await this.#page(visitorOf(request), id, span, { notice: noticeOf(notice) });
  }

  /** First shows the effect; changes the state once that is confirmed. */
  @Submit(':id/switch')
  async change(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const form = readSubmitted(request, switchForm);
    if (!form.ok) return await this.#page(visitor, id, undefined, { state: form });
    if (form.values.confirmed) return await this.#switch(visitor, id, form.values);
    return await this.#preview(visitor, id, form.values);
  }

  async #preview(visitor: Visitor, id: string, values: z.output<typeof switchForm>): Promise<Answer> {
    const { supplier } = await this.#find(visitor, id);
    return switchPreview(visitor, supplier, values, await this.facts.effect(id));
  }

  async #switch(visitor: Visitor, id: string, values: z.output<typeof switchForm>): Promise<Answer> {
    const { state, until, reason, percent } = values;
    await this.#find(visitor, id);
    if (state === 'configured') await this.states.reset(id, visitor, reason);
    else if (state === 'canary') await this.states.canary(id, percent, visitor, reason);
    else await this.states.set(id, state, until, visitor, reason);
    return seeOther(`/ops/suppliers/${encodeURIComponent(id)}?notice=supplier_switched`);
  }

  async #find(
    visitor: Visitor,
    id: string,
  ): Promise<{ readonly facts: SuppliersFacts; readonly supplier: SupplierFacts }> {
    const facts = await this.views.run(visitor.accountId, () => this.facts.all());
    const supplier = facts.suppliers.find((one) => one.id === id);
    if (!supplier) throw new PageError(404, 'There is no supplier with this id.');
    return { facts, supplier };
  }

  async #page(
    visitor: Visitor,
    id: string,
    chosen: SpanName | undefined,
    shown: { readonly notice?: string | undefined; readonly state?: FormState },
  ): Promise<Answer> {
    const { facts, supplier } = await this.#find(visitor, id);
    const begun = supplier.problems.map(({ since }) => since ?? 0).filter((at) => at > 0);
    const span = chosen ?? spanOf(Math.min(facts.now, ...begun), facts.now);
    const { lengthMs, stepSeconds } = SPANS[span];
    const windows = [
      ...new Set([supplier.problems[0], ...supplier.problems].map((one) => countedSinceOf(one, facts.now))),
    ];
    const [points, counted, failures, changes] = await Promise.all([
      this.timeline.points(facts.now - lengthMs, stepSeconds, id),
      Promise.all(windows.map(async (from) => [from, await this.timeline.applications(id, from)] as const)),
      this.failures.list({ supplier: id }, MOST_FAILURES),
      this.facts.changes(id),
    ]);
    const applications = new Map(counted);
    return supplierPage(visitor, { facts, supplier, span, points, applications, failures, changes }, shown);
  }
}
