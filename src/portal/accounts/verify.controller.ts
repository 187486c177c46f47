import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountLinks } from '../../accounts/account-links.js';
import { DeviceCookies } from '../../accounts/device-cookies.js';
import { SignUpService } from '../../accounts/sign-up.service.js';
import type { Answer } from '../../http/answer.js';
import { readSubmitted } from '../shell/form.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { activationForm } from './account-forms.js';
import { linkPage, linkSecretOf } from './link-page.js';
import { deadVerifyPage, verifyPage } from './verify-pages.js';

/** The link in the activation email. */
@Pages('verify')
export class VerifyController {
  constructor(
    private readonly links: AccountLinks,
    private readonly signUps: SignUpService,
    private readonly devices: DeviceCookies,
  ) {}

  @Get('link')
  link(): Answer {
    return linkPage('verify');
  }

  @Submit('link')
  async show(@Req() request: FastifyRequest): Promise<Answer> {
    const secret = linkSecretOf(request);
    const link = await this.links.look(secret, 'verify');
    return link.state === 'live' ? verifyPage(secret, link) : deadVerifyPage(link.state);
  }

  @Submit('')
  async activate(@Req() request: FastifyRequest): Promise<Answer> {
    const secret = linkSecretOf(request);
    const link = await this.links.look(secret, 'verify');
    if (link.state !== 'live') return deadVerifyPage(link.state);
    const submitted = readSubmitted(request, activationForm(link.email));
    if (!submitted.ok) return verifyPage(secret, link, submitted);
    const { name, new_password: password } = submitted.values;
    if (!(await this.signUps.activate(secret, link, { name, password }))) return deadVerifyPage('used');
    return seeOther('/login?notice=verified', { 'set-cookie': this.devices.issue(link.email) });
  }
}
