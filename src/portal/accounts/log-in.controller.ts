import { Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LogInService } from '../../accounts/log-in.service.js';
import { SessionsService } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { readSubmitted } from '../shell/form.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorIf, visitorOf } from '../shell/portal.guard.js';
import { confirmForm, logInForm } from './account-forms.js';
import { Attempts } from './attempts.js';
import { localPath } from './local-path.js';
import { confirmPage, logInPage, notVerifiedPage } from './log-in-pages.js';

/** The home page of logged-in visitors. */
export const HOME = '/applications';

const WRONG = { form: 'The email or password is incorrect. Try again or reset your password.' };

/** Login, logout and password confirmation. */
@Pages()
export class LogInController {
  constructor(
    private readonly logIns: LogInService,
    private readonly sessions: SessionsService,
    private readonly attempts: Attempts,
  ) {}

  @Get('login')
  form(@Req() request: FastifyRequest, @Query('next') next?: string, @Query('notice') notice?: string): Answer {
    if (visitorIf(request)) return seeOther(localPath(next) ?? HOME);
    const lost = this.sessions.hasCookie(request.headers.cookie) ? 'session_over' : undefined;
    return logInPage(localPath(next), {}, noticeOf(notice ?? lost));
  }

  @Submit('login')
  async logIn(@Req() request: FastifyRequest): Promise<Answer> {
    const submitted = readSubmitted(request, logInForm);
    const next = localPath(submitted.typed.next);
    if (!submitted.ok) return logInPage(next, submitted);
    const { email } = submitted.values;
    const result = await this.#logIn(request, submitted.values);
    if (result.ok) return seeOther(next ?? HOME, { 'set-cookie': result.cookie });
    if (result.why === 'not_verified') return notVerifiedPage(email);
    return logInPage(next, { typed: submitted.typed, problems: WRONG });
  }

  @Submit('logout')
  async logOut(@Req() request: FastifyRequest): Promise<Answer> {
    return seeOther('/login?notice=logged_out', { 'set-cookie': await this.sessions.end(request.headers.cookie) });
  }

  @Get('confirm')
  @SignedIn()
  confirmForm(@Req() request: FastifyRequest, @Query('next') next?: string): Answer {
    return confirmPage(visitorOf(request), localPath(next));
  }

  @Submit('confirm')
  @SignedIn()
  async confirm(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const submitted = readSubmitted(request, confirmForm);
    const next = localPath(submitted.typed.next);
    if (!submitted.ok) return confirmPage(visitor, next, submitted);
    const cookie = await this.#confirm(request, submitted.values.password);
    if (cookie !== undefined) return seeOther(next ?? HOME, { 'set-cookie': cookie });
    return confirmPage(visitor, next, { problems: { password: 'The password is incorrect.' } });
  }

  /** Counts the attempt, and counts it again if the password is wrong. */
  async #logIn(
    request: FastifyRequest,
    { email, password }: { readonly email: string; readonly password: string },
  ): ReturnType<LogInService['logIn']> {
    await this.attempts.countPassword(request, email);
    const result = await this.logIns.logIn(email, password, request.headers.cookie);
    if (!result.ok && result.why !== 'not_verified') await this.attempts.countWrongPassword(request);
    return result;
  }

  /** A new session cookie; undefined if the password is wrong. */
  async #confirm(request: FastifyRequest, password: string): Promise<string | undefined> {
    const visitor = visitorOf(request);
    await this.attempts.countPassword(request, visitor.email);
    const cookie = await this.logIns.confirm(visitor, password, request.headers.cookie);
    if (cookie === undefined) await this.attempts.countWrongPassword(request);
    return cookie;
  }
}
