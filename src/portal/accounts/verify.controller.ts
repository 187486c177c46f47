import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountLinks } from '../../accounts/account-links.js';
import { SignUpService } from '../../accounts/sign-up.service.js';
import type { Answer } from '../../http/answer.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { linkPage, linkSecretOf } from './link-page.js';
import { deadVerifyPage, verifyPage } from './verify-pages.js';

/** The link in the activation email. */
@Pages('verify')
export class VerifyController {
  constructor(
    private readonly links: AccountLinks,
    private readonly signUps: SignUpService,
  ) {}

  @Get('link')
  link(): Answer {
    return linkPage('verify');
  }

  @Submit('link')
  async show(@Req() request: FastifyRequest): Promise<Answer> {
    const secret = linkSecretOf(request);
    const link = await this.links.look(secret, 'verify');
    return link.state === 'live' ? verifyPage(secret, link.email) : deadVerifyPage(link.state);
  }

  @Submit('')
  async activate(@Req() request: FastifyRequest): Promise<Answer> {
    if (await this.signUps.activate(linkSecretOf(request))) return seeOther('/login?notice=verified');
    return await this.show(request);
  }
}
