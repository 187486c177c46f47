import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Visitor } from '../../../accounts/sessions.service.js';
import { TestClocks } from '../../../auth/test-clocks.js';
import type { Answer } from '../../../http/answer.js';
import { TestClockService } from '../../../reservations/test-clock.service.js';
import type { FormState } from '../../shell/field.js';
import { readSubmitted } from '../../shell/form.js';
import { noticeOf } from '../../shell/notices.js';
import { seeOther } from '../../shell/page.js';
import { Pages, Submit } from '../../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../../shell/portal.guard.js';
import { ApplicationHandlers } from '../application-handlers.js';
import { carryOut } from '../carry-out.js';
import { clockForm } from './clock-form.js';
import { type ClockFacts, clockPage } from './clock-page.js';

/** The test clocks of an account's own sandbox applications (decision 0087). */
@Pages('applications/:id/clock')
@SignedIn()
export class ClockController {
  constructor(
    private readonly handlers: ApplicationHandlers,
    private readonly clocks: TestClocks,
    private readonly service: TestClockService,
  ) {}

  @Get()
  async show(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('notice') notice: unknown,
  ): Promise<Answer> {
    const application = await this.handlers.findInSandbox(request, id);
    return clockPage(visitorOf(request), application, this.#factsOf(id), {}, noticeOf(notice));
  }

  @Submit('')
  async move(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.handlers.findInSandbox(request, id);
    const form = readSubmitted(request, clockForm);
    if (!form.ok) return clockPage(visitor, application, this.#factsOf(id), form);
    const show = (state: FormState) => clockPage(visitor, application, this.#factsOf(id), state);
    return await carryOut(form.typed, () => this.#moved(visitor, id, form.values), show);
  }

  async #moved(visitor: Visitor, id: string, { now: to, outcome, back }: z.output<typeof clockForm>): Promise<Answer> {
    await this.service.set(id, { to, outcome }, visitor);
    const page = back === undefined ? `/applications/${id}/clock` : `/reservations/${back}`;
    return seeOther(`${page}?notice=clock_moved`);
  }

  @Submit('reset')
  async reset(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    await this.handlers.findInSandbox(request, id);
    await this.service.reset(id, visitorOf(request));
    return seeOther(`/applications/${id}/clock?notice=clock_reset`);
  }

  #factsOf(id: string): ClockFacts {
    return { now: this.clocks.now(id), clock: this.clocks.of(id) };
  }
}
