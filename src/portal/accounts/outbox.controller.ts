import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { OUTBOX_MOST } from '../../mail/mailer.js';
import { Outbox } from '../../mail/outbox.js';
import { PageError } from '../shell/page-error.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { outboxPage } from './outbox-page.js';

/** The emails of a sandbox without a mail server; otherwise the page is a 404. */
@Pages('outbox')
export class OutboxController {
  constructor(
    private readonly outbox: Outbox,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<Answer> {
    if (!hasOutbox(this.config)) throw new PageError(404);
    return outboxPage(await this.outbox.newest(OUTBOX_MOST), visitorIf(request));
  }
}

/** Whether emails are shown on the outbox page. */
export function hasOutbox({ environment, mail }: Config): boolean {
  return environment === 'sandbox' && mail.smtpUrl === undefined;
}
