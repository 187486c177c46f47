import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { masked } from './masked.js';
import { type KeptMail, Outbox } from './outbox.js';

/** Time limits for the SMTP server: to accept a connection, to greet, and between any two responses. */
const SMTP_TIMEOUTS = { connectionTimeout: 4_000, greetingTimeout: 4_000, socketTimeout: 8_000 };
const FIRST_RETRY_MS = 1_000;
/** Also how often a gateway checks for emails left by another one. */
const LONGEST_PAUSE_MS = 60_000;
/** Links in older emails have expired. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/**
 * Delivers emails from the outbox to the SMTP server one at a time, oldest first, and retries for a day with exponential backoff. An email is
 * leased while it is sent and removed afterwards, so it is delivered at least once, and twice only if the gateway or the database fails between.
 */
@Injectable()
export class Delivery implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #transport: Transporter | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #failures = 0;

  constructor(
    private readonly outbox: Outbox,
    @Inject(CONFIG) { mail }: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    if (mail.smtpUrl === undefined) return;
    const options = { url: mail.smtpUrl, ...SMTP_TIMEOUTS, disableFileAccess: true, disableUrlAccess: true };
    this.#transport = createTransport(options, { from: mail.from });
  }

  onApplicationBootstrap(): void {
    this.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Call when there may be something to deliver. Does nothing without an SMTP server. */
  wake(): void {
    this.#again = true;
    const transport = this.#transport;
    if (!transport || this.#round || this.#stopped) return;
    clearTimeout(this.#timer);
    this.#round = this.#rounds(transport).finally(() => {
      this.#round = undefined;
      if (this.#stopped) return;
      const pauseMs = this.#failures === 0 ? LONGEST_PAUSE_MS : FIRST_RETRY_MS * 2 ** (this.#failures - 1);
      this.#timer = setTimeout(() => this.wake(), Math.min(pauseMs, LONGEST_PAUSE_MS)).unref();
    });
  }

  async #rounds(transport: Transporter): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        this.#failures = (await this.#deliverAll(transport)) ? 0 : this.#failures + 1;
      } catch (error) {
        this.#failures += 1;
        this.logger.error({ err: error }, 'emails could not be delivered');
      }
    }
  }

  /** Tries each waiting email once. False if one must be retried. Rejects if the database is unavailable. */
  async #deliverAll(transport: Transporter): Promise<boolean> {
    const lost = await this.outbox.dropBefore(new Date(Date.now() - LONGEST_WAIT_MS));
    if (lost > 0)
      this.logger.error({ mails: lost }, 'emails were dropped because they could not be delivered within a day');
    let isDone = true;
    for (let last = 0; !this.#stopped; ) {
      const mail = await this.outbox.leaseAfter(last);
      if (!mail) break;
      last = mail.id;
      const outcome = await this.#offer(transport, mail);
      if (outcome === 'sent' || outcome === 'refused') {
        await this.outbox.remove(mail.id);
        continue;
      }
      await this.outbox.release(mail.id);
      isDone = false;
      if (outcome === 'unreachable') break;
    }
    return isDone;
  }

  async #offer(transport: Transporter, { to, subject, text, html }: KeptMail): Promise<Outcome> {
    try {
      await transport.sendMail({
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return 'sent';
    } catch (error) {
      const { code, responseCode } = error as SmtpError;
      const outcome = outcomeOf(error as SmtpError);
      this.logger.warn(
        { recipient: masked(to), subject, code, responseCode, outcome },
        'the SMTP server did not accept an email',
      );
      return outcome;
    }
  }
}

/** `refused`: permanently; `postponed`: retry this email later; `unreachable`: no email can be delivered now. */
type Outcome = 'sent' | 'refused' | 'postponed' | 'unreachable';

/** The rejection of nodemailer. */
interface SmtpError {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

function outcomeOf({ code, responseCode = 0, command }: SmtpError): Outcome {
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return 'unreachable';
  // A rejected sender is a configuration error, which operators can fix within the day.
  const isPassing = (responseCode >= 400 && responseCode < 500) || command === 'MAIL FROM';
  return isPassing ? 'postponed' : 'refused';
}
