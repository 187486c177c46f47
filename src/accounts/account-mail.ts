import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { Mailer } from '../mail/mailer.js';
import { SiteAddress } from '../mail/site-address.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import {
  passwordChangedEmail,
  passwordResetEmail,
  recoveryCodeUsedEmail,
  resetEmail,
  secondFactorAddedEmail,
  secondFactorRemovedEmail,
  takenEmail,
  verifyEmail,
} from './account-emails.js';
import { AccountLinks, linkPath } from './account-links.js';

/** The recipient of an email. */
export interface Addressee {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly verifiedAt: Date | null;
}

/** Too many emails of sign-ups are waiting to be sent, so nothing was stored. */
export class SignUpsPausedError extends Error {
  constructor() {
    super('too many emails of sign-ups are waiting to be sent');
    this.name = 'SignUpsPausedError';
  }
}

type Notified = Pick<Addressee, 'name' | 'email'>;

/**
 * Limits emails of one kind to one address, regardless of who requests them. The rate is slower than links expire (five minutes at least), so if other
 * people's requests used up the limit, the owner still has an email with a valid link.
 */
const MAIL_RATE = { perMinute: 0.25, burst: 5 };

/** Sends emails about an account. Their links are created here, so that the secrets are nowhere else. */
@Injectable()
export class AccountMail {
  constructor(
    private readonly mailer: Mailer,
    private readonly site: SiteAddress,
    private readonly links: AccountLinks,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Call before anything is stored for a sign-up. Throws SignUpsPausedError. */
  async requireRoomForSignUp(): Promise<void> {
    if (!(await this.hasRoomForSignUps())) throw new SignUpsPausedError();
  }

  /** Whether `sendVerify` may be called. */
  async hasRoomForSignUps(): Promise<boolean> {
    return await this.mailer.hasRoomForSignUps();
  }

  /** Sends a link to choose a password and activate the account. */
  async sendVerify({ id, email }: Addressee): Promise<void> {
    if (!(await this.#mayGet('verify', email))) return;
    const url = this.site.url(linkPath('verify', await this.links.make(id, 'verify')));
    await this.mailer.send({ to: email, ...verifyEmail(url, this.config.portal.linkHours) });
  }

  async sendTaken({ name, email }: Addressee): Promise<void> {
    if (!(await this.#mayGet('taken', email))) return;
    await this.mailer.send({ to: email, ...takenEmail(name, this.site.url('/login'), this.site.url('/reset')) });
  }

  async sendReset({ id, name, email }: Addressee): Promise<void> {
    if (!(await this.#mayGet('reset', email))) return;
    const url = this.site.url(linkPath('reset', await this.links.make(id, 'reset')));
    await this.mailer.send({ to: email, ...resetEmail(name, url, this.config.portal.resetMinutes) });
  }

  async sendPasswordChanged({ name, email }: Notified): Promise<void> {
    await this.mailer.send({ to: email, ...passwordChangedEmail(name, this.site.url('/reset')) });
  }

  async sendPasswordReset({ name, email }: Notified, isRevoked: boolean): Promise<void> {
    await this.mailer.send({ to: email, ...passwordResetEmail(name, isRevoked, this.site.url('/reset')) });
  }

  async sendSecondFactorAdded({ name, email }: Notified): Promise<void> {
    await this.mailer.send({ to: email, ...secondFactorAddedEmail(name, this.site.url('/reset')) });
  }

  async sendSecondFactorRemoved({ name, email }: Notified): Promise<void> {
    await this.mailer.send({ to: email, ...secondFactorRemovedEmail(name, false, this.site.url('/reset')) });
  }

  async sendRecoveryCodeUsed({ name, email }: Notified, left: number): Promise<void> {
    await this.mailer.send({ to: email, ...recoveryCodeUsedEmail(name, left, this.site.url('/reset')) });
  }

  async #mayGet(kind: 'verify' | 'reset' | 'taken', email: string): Promise<boolean> {
    const digest = createHash('sha256').update(email).digest('base64url');
    return (await this.store.take(`mail-${kind}-${digest}`, MAIL_RATE, 1)).allowed;
  }
}
