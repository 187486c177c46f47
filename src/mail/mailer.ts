import { Inject, Injectable } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { outbox } from '../database/schema.js';

/** A letter to one person, as text and as HTML. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mails by SMTP; without `mail.smtpUrl` they go to the outbox. */
@Injectable()
export class Mailer {
  readonly #smtp: Transporter | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DATABASE) private readonly database: Database,
  ) {
    this.#smtp = config.mail.smtpUrl === undefined ? undefined : createTransport(config.mail.smtpUrl);
  }

  /** Rejects when the SMTP server has not taken the mail. */
  async send({ to, subject, text, html }: Mail): Promise<void> {
    if (this.#smtp) await this.#smtp.sendMail({ from: this.config.mail.from, to, subject, text, html });
    else await this.database.tables.insert(outbox).values({ recipient: to, subject, text, html });
  }
}
