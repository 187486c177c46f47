import { Get, Param } from '@nestjs/common';
import { AccountLinks } from '../../accounts/account-links.js';
import { SignUpService } from '../../accounts/sign-up.service.js';
import type { Answer } from '../../http/answer.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { deadVerifyPage, verifyPage } from './verify-pages.js';

/** The link in the activation email. */
@Pages('verify')
export class VerifyController {
  constructor(
    private readonly links: AccountLinks,
    private readonly signUps: SignUpService,
  ) {}

  @Get(':secret')
  async show(@Param('secret') secret: string): Promise<Answer> {
    const link = await this.links.look(secret, 'verify');
    return link.state === 'live' ? verifyPage(link.email) : deadVerifyPage(link.state);
  }

  @Submit(':secret')
  async activate(@Param('secret') secret: string): Promise<Answer> {
    if (await this.signUps.activate(secret)) return seeOther('/login?notice=verified');
    return await this.show(secret);
  }
}
