import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import { AccessRequests } from '../../auth/access-requests.js';
import type { Answer } from '../../http/answer.js';
import { Delivery } from '../../mail/delivery.js';
import type { FormState } from '../shell/field.js';
import { readSubmitted } from '../shell/form.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { ForOps, SignedIn, visitorOf } from '../shell/portal.guard.js';
import { accessRequestsPage } from './access-requests-page.js';
import { ApplicationHandlers } from './application-handlers.js';
import { carryOut } from './carry-out.js';
import { accessRequestPage } from './confirm-pages.js';
import { accessRequestForm, decisionForm } from './forms.js';

/** The way to production (spec §1.4): developers ask, ops decide. */
@Pages()
@SignedIn()
export class AccessRequestsController {
  constructor(
    private readonly launches: AccessRequests,
    private readonly desk: ApplicationHandlers,
    private readonly delivery: Delivery,
  ) {}

  @Get('applications/:id/launch')
  async blank(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return accessRequestPage(visitorOf(request), await this.desk.find(request, id));
  }

  @Submit('applications/:id/launch')
  async ask(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.desk.find(request, id);
    const form = readSubmitted(request, accessRequestForm);
    if (!form.ok) return accessRequestPage(visitor, application, form);
    const ask = () => this.#ask(id, form.values.message, visitor);
    return await carryOut(form.typed, ask, (state) => accessRequestPage(visitor, application, state));
  }

  @Get('launches')
  @ForOps()
  async list(@Req() request: FastifyRequest, @Query('notice') notice: unknown): Promise<Answer> {
    return accessRequestsPage(visitorOf(request), await this.launches.list(), { notice: noticeOf(notice) });
  }

  @Submit('launches/:id')
  @ForOps()
  async decide(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const form = readSubmitted(request, decisionForm);
    const refused = async (state: FormState): Promise<Answer> =>
      accessRequestsPage(visitor, await this.launches.list(), { refused: { id, state } });
    if (!form.ok) return await refused(form);
    return await carryOut(form.typed, () => this.#decide(id, form.values, visitor), refused);
  }

  async #ask(id: string, message: string, { accountId }: Visitor): Promise<Answer> {
    await this.launches.ask(id, message, accountId);
    return seeOther(`/applications/${id}?notice=launch_requested`);
  }

  async #decide(
    id: string,
    { decision, reason }: z.output<typeof decisionForm>,
    { accountId }: Visitor,
  ): Promise<Answer> {
    await this.launches[decision](id, reason, accountId);
    this.delivery.wake();
    return seeOther(`/launches?notice=launch_${decision === 'approve' ? 'approved' : 'refused'}`);
  }
}
