import { Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type CodeCheck, SecondFactors } from '../../accounts/second-factors.service.js';
import type { Visitor } from '../../accounts/sessions.service.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { Answer } from '../../http/answer.js';
import type { FormState } from '../shell/field.js';
import { readSubmitted, type Submitted } from '../shell/form.js';
import { requireFreshPassword } from '../shell/fresh-password.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { codeForm, enrollForm } from './account-forms.js';
import { Attempts } from './attempts.js';
import { localPath } from './local-path.js';
import { CODE_PROBLEMS } from './log-in-pages.js';
import { type FactorForms, managePage, recoveryCodesPage, setUpPage } from './second-factor-pages.js';

const PATH = '/account/two-factor';

/** Two-factor authentication of the visitor's account. All of it requires a recently entered password. */
@Pages('account/two-factor')
@SignedIn()
export class SecondFactorController {
  constructor(
    private readonly factors: SecondFactors,
    private readonly attempts: Attempts,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async show(
    @Req() request: FastifyRequest,
    @Query('next') next?: string,
    @Query('notice') notice?: string,
  ): Promise<Answer> {
    const visitor = this.#confirmed(request, request.originalUrl);
    if (visitor.hasSecondFactor) return await this.#manage(visitor);
    return setUpPage(visitor, this.factors.offer(visitor), { next: localPath(next), notice: noticeOf(notice) });
  }

  @Submit('')
  async enroll(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = this.#confirmed(request);
    if (visitor.hasSecondFactor) return seeOther(PATH);
    const submitted = readSubmitted(request, enrollForm);
    const next = localPath(submitted.typed.next);
    if (!submitted.ok) return this.#again(visitor, submitted.typed.offer, next, submitted);
    const wrong = { problems: { code: CODE_PROBLEMS.wrong } };
    const answer = await this.#enroll(visitor, submitted.values, next, request.headers.cookie);
    return answer ?? this.#again(visitor, submitted.values.offer, next, wrong);
  }

  @Submit('codes')
  async replaceCodes(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = this.#confirmed(request);
    const submitted = await this.#readCode(request, visitor);
    if (!submitted.ok) return await this.#manage(visitor, { codes: submitted });
    const codes = await this.factors.replaceRecoveryCodes(visitor, submitted.values.code);
    if (typeof codes === 'string') return await this.#manage(visitor, { codes: refusalOf(codes) });
    return recoveryCodesPage(visitor, codes, PATH, 'New recovery codes were created. The earlier ones no longer work.');
  }

  @Submit('off')
  async turnOff(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = this.#confirmed(request);
    const submitted = await this.#readCode(request, visitor);
    if (!submitted.ok) return await this.#manage(visitor, { off: submitted });
    const check = await this.factors.remove(visitor, submitted.values.code);
    if (check !== 'right') return await this.#manage(visitor, { off: refusalOf(check) });
    return seeOther('/account?notice=factor_off');
  }

  /** The visitor, after a recently entered password; `next` is where to continue after entering it. */
  #confirmed(request: FastifyRequest, next = PATH): Visitor {
    const visitor = visitorOf(request);
    requireFreshPassword(visitor, this.config.portal.confirmMinutes, next);
    return visitor;
  }

  /** Counts an attempt. */
  async #readCode(request: FastifyRequest, { accountId }: Visitor): Promise<Submitted<z.output<typeof codeForm>>> {
    const submitted = readSubmitted(request, codeForm);
    if (submitted.ok) await this.attempts.countCode(accountId);
    return submitted;
  }

  /**
   * The recovery codes, under a new session; undefined if the code is wrong. Throws PageError, which leads to the login, if
   * the session was revoked.
   */
  async #enroll(
    visitor: Visitor,
    { offer: sealed, code }: z.output<typeof enrollForm>,
    next: string | undefined,
    cookie: string | undefined,
  ): Promise<Answer | undefined> {
    const offer = this.factors.offerIn(sealed, visitor);
    if (!offer) return undefined;
    await this.attempts.countCode(visitor.accountId);
    const made = await this.factors.enroll(visitor, offer, code, cookie);
    if (made === 'expired') throw PageError.login(undefined);
    if (made === 'wrong') return undefined;
    const notice = 'Two-factor authentication is on. You were logged out on all other devices.';
    const page = recoveryCodesPage(visitor, made.recoveryCodes, next ?? '/account', notice);
    return Answer.of(page, { 'set-cookie': made.cookie });
  }

  /** The form again, with the same secret unless it can't be read. */
  #again(visitor: Visitor, sealed: string | undefined, next: string | undefined, state: FormState): Answer {
    const offer = this.factors.offerIn(sealed ?? '', visitor) ?? this.factors.offer(visitor);
    return setUpPage(visitor, offer, { next, state });
  }

  async #manage(visitor: Visitor, forms: FactorForms = {}): Promise<Answer> {
    const left = await this.factors.recoveryCodesLeft(visitor.accountId);
    return left === undefined ? seeOther(PATH) : managePage(visitor, left, forms);
  }
}

function refusalOf(check: Exclude<CodeCheck, 'right'>): FormState {
  return { problems: { code: CODE_PROBLEMS[check] } };
}
