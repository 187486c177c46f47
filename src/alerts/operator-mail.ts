import { Inject, Injectable } from '@nestjs/common';
import { and, eq, isNotNull } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accounts } from '../database/schema.js';
import { Mailer } from '../mail/mailer.js';
import { renderEmail } from '../mail/render-email.js';
import { SiteAddress } from '../mail/site-address.js';
import { type Notice, wordsOf } from './alert-words.js';

const MOST_RECIPIENTS = 50;

/** Emails alerts to the verified accounts of operators of this environment, at most 50 of them. */
@Injectable()
export class OperatorMail {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
    private readonly mailer: Mailer,
    private readonly site: SiteAddress,
  ) {}

  /** Resolves when the emails are in the outbox. Rejects if the database is unavailable. */
  async send(alert: Notice): Promise<void> {
    const isOperator = and(
      eq(accounts.environment, this.config.environment),
      eq(accounts.role, 'ops'),
      isNotNull(accounts.email),
      isNotNull(accounts.verifiedAt),
    );
    const { tables } = this.database;
    const found = await tables
      .select({ name: accounts.name, email: accounts.email })
      .from(accounts)
      .where(isOperator)
      .orderBy(accounts.createdAt)
      .limit(MOST_RECIPIENTS);
    for (const { name, email } of found)
      if (email !== null) await this.mailer.send({ to: email, ...this.#email(alert, name) });
  }

  #email(alert: Notice, name: string) {
    const { summary, description, runbook } = wordsOf(alert);
    const { endedAt, startedAt } = alert;
    const since = `Since ${utc(startedAt)}${endedAt === undefined ? '' : `, until ${utc(endedAt)}`}.`;
    return renderEmail({
      subject: `${endedAt === undefined ? 'Alert' : 'Resolved'} (${this.config.environment}): ${summary}`,
      greeting: `Hello ${name},`,
      paragraphs: [`${summary}.`, description, since, `What to do: ${runbook} in the repository of the gateway.`],
      action: { label: 'Open the platform', url: this.site.url('/') },
    });
  }
}

function utc(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
