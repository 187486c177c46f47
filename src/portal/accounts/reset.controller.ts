import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AccountService } from '../../accounts/account.service.js';
import { AccountLinks, type LinkOwner } from '../../accounts/account-links.js';
import { DeviceCookies } from '../../accounts/device-cookies.js';
import { AccountCredentials } from '../../auth/account-credentials.js';
import type { Answer } from '../../http/answer.js';
import type { ContextRequest } from '../../http/open-request.js';
import { readSubmitted } from '../shell/form.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { emailForm, resetForm } from './account-forms.js';
import { Attempts } from './attempts.js';
import { linkPage, linkSecretOf } from './link-page.js';
import { askResetPage, deadResetPage, resetPage } from './reset-pages.js';

/** Resets a password through an emailed link. */
@Pages('reset')
export class ResetController {
  constructor(
    private readonly accounts: AccountService,
    private readonly links: AccountLinks,
    private readonly attempts: Attempts,
    private readonly credentials: AccountCredentials,
    private readonly devices: DeviceCookies,
  ) {}

  @Get()
  askForm(@Req() request: FastifyRequest): Answer {
    return askResetPage(visitorIf(request));
  }

  @Submit('')
  async ask(@Req() request: FastifyRequest): Promise<Answer> {
    const submitted = readSubmitted(request, emailForm);
    if (!submitted.ok) return askResetPage(visitorIf(request), submitted);
    await this.attempts.countMail(request);
    await this.accounts.askReset(submitted.values.email);
    return seeOther('/sent?about=reset');
  }

  @Get('link')
  link(): Answer {
    return linkPage('reset');
  }

  @Submit('link')
  async show(@Req() request: FastifyRequest): Promise<Answer> {
    const secret = linkSecretOf(request);
    const link = await this.links.look(secret, 'reset');
    return link.state === 'live' ? resetPage(secret, link) : deadResetPage(link.state);
  }

  @Submit('password')
  async reset(@Req() request: ContextRequest): Promise<Answer> {
    const secret = linkSecretOf(request);
    const link = await this.links.look(secret, 'reset');
    if (link.state !== 'live') return deadResetPage(link.state);
    const submitted = readSubmitted(request, resetForm(link));
    if (!submitted.ok) return resetPage(secret, link, submitted);
    return await this.#reset(secret, link, submitted.values, request);
  }

  async #reset(
    secret: string,
    link: LinkOwner,
    values: z.output<ReturnType<typeof resetForm>>,
    { context }: ContextRequest,
  ): Promise<Answer> {
    const along = values.revoke ? this.credentials.revocation(link.accountId) : undefined;
    const isReset = await this.accounts.resetPassword(secret, link, values.new_password, context, along);
    if (!isReset) return deadResetPage('used');
    const notice = along ? 'password_set_revoked' : 'password_set';
    return seeOther(`/login?notice=${notice}`, { 'set-cookie': this.devices.issue(link.email) });
  }
}
