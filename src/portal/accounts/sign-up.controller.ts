import { Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SignUpService } from '../../accounts/sign-up.service.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { hasOutbox } from '../../config/outbox-rules.js';
import type { Answer } from '../../http/answer.js';
import { readSubmitted } from '../shell/form.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { emailForm, signUpForm } from './account-forms.js';
import { Attempts } from './attempts.js';
import { HOME } from './log-in.controller.js';
import { type MailAbout, type MailFate, resendPage, sentPage, signUpPage } from './sign-up-pages.js';

/** Sign-up, up to the activation email. */
@Pages()
export class SignUpController {
  constructor(
    private readonly signUps: SignUpService,
    private readonly attempts: Attempts,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('signup')
  form(@Req() request: FastifyRequest): Answer {
    return visitorIf(request) ? seeOther(HOME) : signUpPage();
  }

  @Submit('signup')
  async signUp(@Req() request: FastifyRequest): Promise<Answer> {
    const submitted = readSubmitted(request, signUpForm);
    if (!submitted.ok) return signUpPage(submitted);
    await this.attempts.countSignUp(request);
    await this.signUps.signUp(submitted.values);
    return seeOther('/sent?about=signup');
  }

  @Get('sent')
  sent(@Req() request: FastifyRequest, @Query('about') about?: string): Answer {
    const known = (['verify', 'reset'] as const satisfies readonly MailAbout[]).find((one) => one === about);
    return sentPage(known ?? 'signup', this.#fateOfMail(), visitorIf(request));
  }

  @Get('resend')
  resendForm(): Answer {
    return resendPage();
  }

  @Submit('resend')
  async resend(@Req() request: FastifyRequest): Promise<Answer> {
    const submitted = readSubmitted(request, emailForm);
    if (!submitted.ok) return resendPage(submitted);
    await this.attempts.countMail(request);
    await this.signUps.resend(submitted.values.email);
    return seeOther('/sent?about=verify');
  }

  #fateOfMail(): MailFate {
    if (this.config.mail.smtpUrl !== undefined) return 'sent';
    return hasOutbox(this.config) ? 'outbox' : 'stays';
  }
}
