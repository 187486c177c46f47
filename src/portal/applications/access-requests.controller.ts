import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import { AccessRequests } from '../../auth/access-requests.js';
import { ChangeRefused } from '../../auth/change-refused.js';
import { Answer } from '../../http/answer.js';
import { Delivery } from '../../mail/delivery.js';
import type { FormState } from '../shell/field.js';
import { readSubmitted } from '../shell/form.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { ForOps, SignedIn, visitorOf } from '../shell/portal.guard.js';
import { accessDecisionPage, accessPreviewPage } from './access-decision-pages.js';
import { accessRequestsPage, type ShownWithRequests } from './access-requests-page.js';
import { ApplicationHandlers } from './application-handlers.js';
import { carryOut } from './carry-out.js';
import { CertificationReader } from './certification/certification-reader.service.js';
import { accessRequestPage } from './confirm-pages.js';
import { accessRequestForm, decisionForm } from './forms.js';

/** Production access requests (spec §1.4): developers submit them and operators decide. */
@Pages()
@SignedIn()
export class AccessRequestsController {
  constructor(
    private readonly requests: AccessRequests,
    private readonly handlers: ApplicationHandlers,
    private readonly delivery: Delivery,
    private readonly certifications: CertificationReader,
    private readonly views: HeavyViews,
  ) {}

  @Get('applications/:id/production-access')
  async blank(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return accessRequestPage(visitorOf(request), await this.handlers.find(request, id));
  }

  @Submit('applications/:id/production-access')
  async ask(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.handlers.find(request, id);
    const form = readSubmitted(request, accessRequestForm);
    if (!form.ok) return accessRequestPage(visitor, application, form);
    const ask = () => this.#ask(id, form.values.message, visitor);
    return await carryOut(form.typed, ask, (state) => accessRequestPage(visitor, application, state));
  }

  @Get('ops/access-requests')
  @ForOps()
  async list(
    @Req() request: FastifyRequest,
    @Query('notice') notice: unknown,
    @Query('after') after: unknown,
  ): Promise<Answer> {
    return await this.#page(visitorOf(request), cursorOf(after), { notice: noticeOf(notice) });
  }

  /** The page's paths in earlier releases. */
  @Get(['access-requests', 'launches'])
  @ForOps()
  moved(): Answer {
    return new Answer(301, '', { location: '/ops/access-requests', 'content-type': 'text/plain' });
  }

  @Get('ops/access-requests/:id')
  @ForOps()
  async review(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('after') after: unknown,
  ): Promise<Answer> {
    return await this.#review(visitorOf(request), id, cursorOf(after), {});
  }

  /** The first time shows the effect of the decision, which is confirmed by the second. */
  @Submit('ops/access-requests/:id')
  @ForOps()
  async decide(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('after') given: unknown,
  ): Promise<Answer> {
    const after = cursorOf(given);
    const visitor = visitorOf(request);
    const form = readSubmitted(request, decisionForm);
    const refused = (state: FormState): Promise<Answer> => this.#review(visitor, id, after, state);
    if (!form.ok) return await refused(form);
    const work = form.values.confirmed === 'yes' ? this.#decide : this.#preview;
    return await carryOut(form.typed, () => work.call(this, id, form.values, visitor, after), refused);
  }

  async #ask(id: string, message: string, visitor: Visitor): Promise<Answer> {
    await this.requests.ask(id, message, visitor);
    return seeOther(`/applications/${id}?notice=access_requested`);
  }

  async #decide(
    id: string,
    { decision, reason, copied }: z.output<typeof decisionForm>,
    visitor: Visitor,
    after: string | undefined,
  ): Promise<Answer> {
    if (decision === 'approve') await this.requests.approve(id, reason, visitor, copied);
    else await this.requests.refuse(id, reason, visitor);
    this.delivery.wake();
    const page = after === undefined ? '' : `&after=${after}`;
    return seeOther(`/ops/access-requests?notice=access_${decision === 'approve' ? 'approved' : 'rejected'}${page}`);
  }

  async #preview(
    id: string,
    values: z.output<typeof decisionForm>,
    visitor: Visitor,
    after: string | undefined,
  ): Promise<Answer> {
    const row = await this.requests.find(id);
    if (!row) throw new ChangeRefused('This request does not exist, or was already decided.');
    if (values.decision === 'approve' && values.copied !== row.copied)
      throw new ChangeRefused('The application changed since you opened this page. Check it again, then decide.');
    if (values.decision === 'refuse' && values.reason === '')
      throw new ChangeRefused('Enter a reason, so that the developer knows what to change.', 'reason');
    return accessPreviewPage(visitor, { row, after }, values);
  }

  /** The request with its form, or the list if it isn't open. */
  async #review(visitor: Visitor, id: string, after: string | undefined, state: FormState): Promise<Answer> {
    const row = await this.requests.find(id);
    const problems = state.problems ?? { form: 'This request does not exist, or was already decided.' };
    if (!row) return await this.#page(visitor, after, { refused: { ...state, problems } });
    const certification = await this.views.run(visitor.accountId, () => this.certifications.of(row.applicationId));
    return accessDecisionPage(visitor, { row, after }, certification, state);
  }

  /** Decided requests are only on the first page. */
  async #page(visitor: Visitor, after: string | undefined, shown: ShownWithRequests): Promise<Answer> {
    const decided = after === undefined ? await this.requests.decided() : [];
    return accessRequestsPage(visitor, { ...(await this.requests.open(after)), after, decided }, shown);
  }
}

/** Undefined: the first page. */
function cursorOf(after: unknown): string | undefined {
  return typeof after === 'string' && /^[\w.]{1,60}$/.test(after) ? after : undefined;
}
