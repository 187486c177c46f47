import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../config/config.module.js';
import { isLoopback } from '../../config/loopback.js';
import { hasOutbox } from '../../config/outbox-rules.js';
import type { Answer } from '../../http/answer.js';
import { OUTBOX_MOST } from '../../mail/mailer.js';
import { Outbox } from '../../mail/outbox.js';
import { PageError } from '../shell/page-error.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { outboxPage } from './outbox-page.js';

/** The emails of a sandbox without a mail server, for a browser on the same machine; otherwise the page is a 404. */
@Pages('outbox')
export class OutboxController {
  constructor(
    private readonly outbox: Outbox,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<Answer> {
    if (!hasOutbox(this.config) || !isFromHere(request)) throw new PageError(404);
    return outboxPage(await this.outbox.newest(OUTBOX_MOST), visitorIf(request));
  }
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** False if a proxy forwarded the request, or if the browser knows this machine by another name, as a page that rebinds its DNS name does. */
function isFromHere({ hostname, headers }: FastifyRequest): boolean {
  return isLoopback(hostname) && FORWARDED.every((name) => headers[name] === undefined);
}
