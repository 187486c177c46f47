import { Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountService } from '../../accounts/account.service.js';
import { LogInService } from '../../accounts/log-in.service.js';
import { SessionsService, type Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { ContextRequest } from '../../http/open-request.js';
import { readSubmitted } from '../shell/form.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { changePasswordForm, nameForm } from './account-forms.js';
import { type AccountForms, accountPage } from './account-page.js';
import { Attempts } from './attempts.js';

const EVENTS = 20;
const WRONG = 'The password is incorrect.';

/** The account page. */
@Pages()
@SignedIn()
export class AccountController {
  constructor(
    private readonly accounts: AccountService,
    private readonly logIns: LogInService,
    private readonly sessions: SessionsService,
    private readonly attempts: Attempts,
  ) {}

  @Get('account')
  async show(@Req() request: FastifyRequest, @Query('notice') notice?: string): Promise<Answer> {
    return await this.#page(visitorOf(request), {}, noticeOf(notice));
  }

  @Submit('account/name')
  async changeName(@Req() request: ContextRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const submitted = readSubmitted(request, nameForm);
    if (!submitted.ok) return await this.#page(visitor, { name: submitted });
    const { name, name_password } = submitted.values;
    if (!(await this.#confirms(request, name_password)))
      return await this.#page(visitor, { name: { typed: submitted.typed, problems: { name_password: WRONG } } });
    await this.accounts.changeName(visitor, name);
    return seeOther('/account?notice=name_changed');
  }

  @Submit('account/password')
  async changePassword(@Req() request: ContextRequest): Promise<Answer> {
    // First, because rating the new password takes milliseconds.
    const visitor = await this.#countAttempt(request);
    const submitted = readSubmitted(request, changePasswordForm(visitor));
    if (!submitted.ok) return await this.#page(visitor, { password: submitted });
    const { password, new_password } = submitted.values;
    if (!(await this.#isRight(request, password)))
      return await this.#page(visitor, { password: { problems: { password: WRONG } } });
    const cookie = await this.accounts.changePassword(visitor, new_password, request.headers.cookie, request.context);
    return seeOther('/account?notice=password_changed', { 'set-cookie': cookie });
  }

  @Submit('logout/everywhere')
  async logOutEverywhere(@Req() request: FastifyRequest): Promise<Answer> {
    await this.accounts.logOutEverywhere(visitorOf(request));
    return seeOther('/login?notice=logged_out_everywhere', {
      'set-cookie': await this.sessions.end(request.headers.cookie),
    });
  }

  async #countAttempt(request: FastifyRequest): Promise<Visitor> {
    const visitor = visitorOf(request);
    await this.attempts.countConfirmation(visitor.accountId);
    return visitor;
  }

  async #confirms(request: ContextRequest, password: string): Promise<boolean> {
    await this.#countAttempt(request);
    return await this.#isRight(request, password);
  }

  /** After the attempt was counted. */
  async #isRight(request: ContextRequest, password: string): Promise<boolean> {
    const isRight = await this.logIns.isPasswordOf(visitorOf(request), password, request.context);
    if (!isRight) await this.attempts.countWrongPassword(request);
    return isRight;
  }

  async #page(visitor: Visitor, forms: AccountForms, notice?: string): Promise<Answer> {
    return accountPage(visitor, await this.accounts.newestEvents(visitor.accountId, EVENTS), forms, notice);
  }
}
