import { Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DeviceCookies } from '../../accounts/device-cookies.js';
import { LogInService } from '../../accounts/log-in.service.js';
import { SessionsService } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { networkOf } from '../../http/client-network.js';
import type { ContextRequest } from '../../http/open-request.js';
import { readSubmitted } from '../shell/form.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorIf, visitorOf } from '../shell/portal.guard.js';
import { codeForm, confirmForm, logInForm } from './account-forms.js';
import { Attempts } from './attempts.js';
import { localPath } from './local-path.js';
import { CODE_PROBLEMS, codePage, confirmPage, logInPage } from './log-in-pages.js';

/** The home page of logged-in visitors. */
export const HOME = '/';

/** The person took too long between password and code. */
const TOO_LATE = seeOther('/login?notice=session_over');

const WRONG = { form: 'The email or password is incorrect. Try again or reset your password.' };

/** Login with password and code, logout and password confirmation. */
@Pages()
export class LogInController {
  constructor(
    private readonly logIns: LogInService,
    private readonly sessions: SessionsService,
    private readonly attempts: Attempts,
    private readonly devices: DeviceCookies,
  ) {}

  @Get('login')
  form(@Req() request: FastifyRequest, @Query('next') next?: string, @Query('notice') notice?: string): Answer {
    if (visitorIf(request)) return seeOther(localPath(next) ?? HOME);
    const lost = this.sessions.hasCookie(request.headers.cookie) ? 'session_over' : undefined;
    return logInPage(localPath(next), {}, noticeOf(notice ?? lost));
  }

  @Submit('login')
  async logIn(@Req() request: ContextRequest): Promise<Answer> {
    const submitted = readSubmitted(request, logInForm);
    const next = localPath(submitted.typed.next);
    if (!submitted.ok) return logInPage(next, submitted);
    const result = await this.#logIn(request, submitted.values);
    if (!result) return logInPage(next, { typed: submitted.typed, problems: WRONG });
    if (result.needsCode) return seeOther(codePath(next), { 'set-cookie': result.cookie });
    return this.#loggedIn(request, result.cookie, submitted.values.email, next);
  }

  @Get('login/code')
  async codeForm(@Req() request: FastifyRequest, @Query('next') next?: string): Promise<Answer> {
    if (visitorIf(request)) return seeOther(localPath(next) ?? HOME);
    return (await this.sessions.awaitingCode(request.headers.cookie)) ? codePage(localPath(next)) : TOO_LATE;
  }

  @Submit('login/code')
  async enterCode(@Req() request: FastifyRequest): Promise<Answer> {
    const submitted = readSubmitted(request, codeForm);
    const next = localPath(submitted.typed.next);
    if (!submitted.ok) return codePage(next, submitted);
    const result = await this.#enterCode(request, submitted.values.code);
    if (result === 'expired') return TOO_LATE;
    if (typeof result === 'string') return codePage(next, { problems: { code: CODE_PROBLEMS[result] } });
    return this.#loggedIn(request, result.cookie, result.email, next);
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
  async confirm(@Req() request: ContextRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const submitted = readSubmitted(request, confirmForm);
    const next = localPath(submitted.typed.next);
    if (!submitted.ok) return confirmPage(visitor, next, submitted);
    const result = await this.#confirm(request, submitted.values.password);
    if (result === 'expired') throw PageError.login(undefined);
    if (result === 'wrong') return confirmPage(visitor, next, { problems: { password: 'The password is incorrect.' } });
    return seeOther(next ?? HOME, { 'set-cookie': result.cookie });
  }

  /** Counts the attempt, and counts it again if the password is wrong. */
  async #logIn(
    request: ContextRequest,
    { email, password }: { readonly email: string; readonly password: string },
  ): ReturnType<LogInService['logIn']> {
    await this.attempts.countLogIn(request, email);
    const { headers, ip, context } = request;
    const browser = { cookie: headers.cookie, network: networkOf(ip), request: context };
    const result = await this.logIns.logIn(email, password, browser);
    if (result) await this.attempts.countCorrectLogIn(email);
    else await this.attempts.countWrongPassword(request);
    return result;
  }

  async #enterCode(request: FastifyRequest, code: string): ReturnType<LogInService['enterCode']> {
    const { cookie } = request.headers;
    const accountId = await this.sessions.awaitingCode(cookie);
    if (accountId === undefined) return 'expired';
    await this.attempts.countCode(accountId);
    return await this.logIns.enterCode(accountId, code, cookie);
  }

  #loggedIn(request: FastifyRequest, cookie: string, email: string, next: string | undefined): Answer {
    return seeOther(next ?? HOME, { 'set-cookie': [cookie, this.devices.issue(email, request.headers.cookie)] });
  }

  /** Counts the attempt, and counts it again if the password is wrong. */
  async #confirm(request: ContextRequest, password: string): ReturnType<LogInService['confirm']> {
    const visitor = visitorOf(request);
    await this.attempts.countConfirmation(visitor.accountId);
    const result = await this.logIns.confirm(visitor, password, request.headers.cookie, request.context);
    if (result === 'wrong') await this.attempts.countWrongPassword(request);
    return result;
  }
}

function codePath(next: string | undefined): string {
  return next === undefined ? '/login/code' : `/login/code?next=${encodeURIComponent(next)}`;
}
