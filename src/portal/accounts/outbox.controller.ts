import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { cookieIn } from '../../accounts/cookies.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { hasOutbox } from '../../config/outbox-rules.js';
import type { Answer } from '../../http/answer.js';
import { OUTBOX_MOST } from '../../mail/mailer.js';
import { Outbox } from '../../mail/outbox.js';
import { OutboxKey } from '../../mail/outbox-key.js';
import { isFromHere } from '../shell/local-cookies.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { linkPage, linkSecretOf } from './link-page.js';
import { outboxPage } from './outbox-page.js';

const COOKIE = '__Host-forecourt-outbox';

/**
 * The emails of a sandbox without a mail server, for a browser on the same machine that was given the key of the page with the link
 * that `npm start` prints; otherwise the page is a 404.
 */
@Pages('outbox')
export class OutboxController {
  constructor(
    private readonly outbox: Outbox,
    private readonly key: OutboxKey,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<Answer> {
    this.#checkOrigin(request);
    if (!this.key.opens(cookieIn(request.headers.cookie, COOKIE)))
      throw new PageError(
        404,
        'To open the outbox, use the link that npm start printed, or urls.outbox in first-steps.json.',
      );
    return outboxPage(await this.outbox.newest(OUTBOX_MOST), visitorIf(request));
  }

  @Get('link')
  link(@Req() request: FastifyRequest): Answer {
    this.#checkOrigin(request);
    return linkPage('outbox');
  }

  @Submit('link')
  open(@Req() request: FastifyRequest): Answer {
    this.#checkOrigin(request);
    const key = linkSecretOf(request);
    if (!this.key.opens(key))
      throw new PageError(404, 'This link is invalid. It changes whenever the gateway starts: copy the newest one.');
    return seeOther('/outbox', { 'set-cookie': `${COOKIE}=${key}; Path=/; Secure; HttpOnly; SameSite=Strict` });
  }

  #checkOrigin(request: FastifyRequest): void {
    if (!hasOutbox(this.config) || !isFromHere(request)) throw new PageError(404);
  }
}
