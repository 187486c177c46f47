import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { Delivery } from './delivery.js';
import { masked } from './masked.js';
import { type Mail, Outbox } from './outbox.js';

/** How many mails the outbox page has at most. */
export const OUTBOX_MOST = 200;

/**
 * Sends mails. `send` resolves when the mail stands in the database, and never waits for the SMTP server: it is delivered in the background, by
 * whatever gateway comes to it (delivery.ts). Rejects when the database is away.
 */
@Injectable()
export class Mailer {
  constructor(
    private readonly outbox: Outbox,
    private readonly delivery: Delivery,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async send(mail: Mail): Promise<void> {
    await this.outbox.put(mail);
    if (this.config.mail.smtpUrl !== undefined) {
      this.delivery.wake();
      return;
    }
    await this.outbox.keepNewest(OUTBOX_MOST);
    this.logger.warn(
      { recipient: masked(mail.to), subject: mail.subject },
      'no SMTP server is set: the mail stays in the outbox',
    );
  }
}
