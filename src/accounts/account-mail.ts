import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { Mailer } from '../mail/mailer.js';
import { SiteAddress } from '../mail/site-address.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { chooseLetter, passwordChangedLetter, resetLetter, takenLetter, verifyLetter } from './account-letters.js';
import { AccountLinks } from './account-links.js';

/** Whom a mail goes to. */
export interface Addressee {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly verifiedAt: Date | null;
}

/**
 * Mails of one kind to one address, whoever asks for them. Slower than links end (five minutes at least), so that who is refused a mail because
 * others asked for many has one with a live link.
 */
const MAIL_RATE = { perMinute: 0.25, burst: 5 };

/** The mails about an account. Links in them are made here, so that their secrets are nowhere else. */
@Injectable()
export class AccountMail {
  constructor(
    private readonly mailer: Mailer,
    private readonly site: SiteAddress,
    private readonly links: AccountLinks,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The link that activates the account. */
  async sendVerify({ id, email }: Addressee): Promise<void> {
    if (!(await this.#mayGet('verify', email))) return;
    const url = this.site.url(`/verify/${await this.links.make(id, 'verify')}`);
    await this.mailer.send({ to: email, ...verifyLetter(url, this.config.portal.linkHours) });
  }

  /** A link that sets the password and activates the account. */
  async sendChoose({ id, email }: Addressee): Promise<void> {
    if (!(await this.#mayGet('reset', email))) return;
    const url = this.site.url(`/reset/${await this.links.make(id, 'reset')}`);
    await this.mailer.send({ to: email, ...chooseLetter(url, this.config.portal.resetMinutes) });
  }

  async sendTaken({ name, email }: Addressee): Promise<void> {
    if (!(await this.#mayGet('taken', email))) return;
    await this.mailer.send({ to: email, ...takenLetter(name, this.site.url('/login'), this.site.url('/reset')) });
  }

  async sendReset({ id, name, email, verifiedAt }: Addressee): Promise<void> {
    if (!(await this.#mayGet('reset', email))) return;
    const url = this.site.url(`/reset/${await this.links.make(id, 'reset')}`);
    await this.mailer.send({
      to: email,
      ...resetLetter(verifiedAt === null ? undefined : name, url, this.config.portal.resetMinutes),
    });
  }

  async sendPasswordChanged({ name, email }: Pick<Addressee, 'name' | 'email'>): Promise<void> {
    await this.mailer.send({ to: email, ...passwordChangedLetter(name, this.site.url('/reset')) });
  }

  async #mayGet(kind: 'verify' | 'reset' | 'taken', email: string): Promise<boolean> {
    const digest = createHash('sha256').update(email).digest('base64url');
    return (await this.store.take(`mail-${kind}-${digest}`, MAIL_RATE, 1)).allowed;
  }
}
