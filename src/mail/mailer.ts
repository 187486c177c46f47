import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { Delivery } from './delivery.js';
import { masked } from './masked.js';
import { type Mail, Outbox } from './outbox.js';

/** Most emails on the outbox page. */
export const OUTBOX_MOST = 200;
/** Sign-ups are refused while so many of their emails wait in this environment. Without a bound, all would wait longer than links are valid. */
const SIGN_UPS_MOST = 5_000;

/**
 * Sends emails. `send` resolves when the email is in the database and doesn't wait for the SMTP server: any gateway delivers it in the
 * background (delivery.ts). Rejects if the database is unavailable.
 */
@Injectable()
export class Mailer {
  constructor(
    private readonly outbox: Outbox,
    private readonly delivery: Delivery,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether emails of sign-ups are accepted: fewer than 5,000 wait. Emails about accounts in use always are. */
  async hasRoomForSignUps(): Promise<boolean> {
    return !(await this.outbox.hasSignUps(SIGN_UPS_MOST));
  }

  async send(mail: Mail): Promise<void> {
    await this.outbox.put(mail);
    if (this.config.mail.smtpUrl !== undefined) {
      this.delivery.wake();
      return;
    }
    await this.outbox.keepNewest(OUTBOX_MOST);
    this.logger.warn(
      { recipient: masked(mail.to), subject: mail.subject },
      'no SMTP server is configured; the email stays in the outbox',
    );
  }
}
