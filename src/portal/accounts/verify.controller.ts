import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountLinks, type LinkOwner } from '../../accounts/account-links.js';
import { DeviceCookies } from '../../accounts/device-cookies.js';
import { LogInService } from '../../accounts/log-in.service.js';
import { type Activation, SignUpService } from '../../accounts/sign-up.service.js';
import { ClientSecrets } from '../../auth/client-secrets.js';
import { firstApplication } from '../../auth/first-application.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import type { ContextRequest } from '../../http/open-request.js';
import { ProductList } from '../products/product-list.js';
import { readSubmitted } from '../shell/form.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { activationForm } from './account-forms.js';
import { linkPage, linkSecretOf } from './link-page.js';
import { HOME } from './log-in.controller.js';
import { deadVerifyPage, verifyPage } from './verify-pages.js';

/** The link in the activation email. The form behind it activates the account, creates its first application in a sandbox, and logs in. */
@Pages('verify')
export class VerifyController {
  constructor(
    private readonly links: AccountLinks,
    private readonly signUps: SignUpService,
    private readonly logIns: LogInService,
    private readonly devices: DeviceCookies,
    private readonly secrets: ClientSecrets,
    private readonly products: ProductList,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('link')
  link(): Answer {
    return linkPage('verify');
  }

  @Submit('link')
  async show(@Req() request: FastifyRequest): Promise<Answer> {
    const secret = linkSecretOf(request);
    const link = await this.links.look(secret, 'verify');
    return link.state === 'live' ? verifyPage(secret, link, visitorIf(request)) : deadVerifyPage(link.state);
  }

  @Submit('')
  async activate(@Req() request: ContextRequest): Promise<Answer> {
    const secret = linkSecretOf(request);
    const link = await this.links.look(secret, 'verify');
    if (link.state !== 'live') return deadVerifyPage(link.state);
    const submitted = readSubmitted(request, activationForm(link.email));
    if (!submitted.ok) return verifyPage(secret, link, visitorIf(request), submitted);
    const { name, new_password: password } = submitted.values;
    if (!(await this.#activate(secret, link, { name, password }, request))) return deadVerifyPage('used');
    return await this.#logIn(link, request.headers.cookie);
  }

  async #activate(secret: string, link: LinkOwner, values: Activation, { context }: ContextRequest): Promise<boolean> {
    const { environment } = this.config;
    if (environment !== 'sandbox') return await this.signUps.activate(secret, link, values, context);
    const products = this.products.openTo({ id: '', environment, products: [] });
    const along = firstApplication(this.secrets, link.accountId, products);
    return await this.signUps.activate(secret, link, values, context, along);
  }

  /** The password of the form was just set, so entering it again would prove nothing. */
  async #logIn({ accountId, email }: LinkOwner, oldCookie: string | undefined): Promise<Answer> {
    const device = this.devices.issue(email);
    const logIn = await this.logIns.afterActivation(accountId, oldCookie);
    if (!logIn) return seeOther('/login?notice=verified', { 'set-cookie': device });
    return seeOther(logIn.needsCode ? '/login/code' : HOME, { 'set-cookie': [logIn.cookie, device] });
  }
}
