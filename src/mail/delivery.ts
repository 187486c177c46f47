import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { countMails } from '../metrics/operation-metrics.js';
import { masked } from './masked.js';
import { domainOf, type KeptMail, Outbox } from './outbox.js';
import { SmtpSockets } from './smtp-sockets.js';

/** Time limits for the SMTP server: to greet, and between any two responses. */
const SMTP_TIMEOUTS = { greetingTimeout: 4_000, socketTimeout: 8_000 };
/** Together shorter than the lease of an email (outbox.ts). */
const SOCKET_LIMITS = { connectMs: 4_000, longestMs: 30_000 };
/** How long emails that are being sent have before the gateway ends. */
const FINISH_MS = 3_000;
/** How many emails a gateway sends concurrently; of sign-ups, and of others while sign-ups wait; and of one of both to one domain. */
const MOST_CONCURRENT = 5;
const MOST_OF_KIND = 4;
const MOST_OF_DOMAIN = 2;
const FIRST_RETRY_MS = 1_000;
/** Also how often a gateway checks for emails left by another one. */
const LONGEST_PAUSE_MS = 60_000;
/** Links in older emails have expired. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/**
 * Delivers emails from the outbox to the SMTP server, several concurrently, those that were not tried yet first, and retries each for a day
 * with growing pauses. An email is leased while it is sent and removed afterwards, so it is delivered at least once, and twice only if the
 * gateway or the database fails between. Emails that the server is slow to accept hold up only others to the same domain. However many emails of
 * sign-ups wait, one place is kept for others, which come first; while both wait, one place is for sign-ups (decision 0094).
 */
@Injectable()
export class Delivery implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #transport: Transporter | undefined;
  readonly #sockets = new SmtpSockets(SOCKET_LIMITS);
  readonly #workers = new Set<Promise<void>>();
  /** The emails that are being sent. */
  readonly #sending = new Set<KeptMail>();
  /** The last lease: each begins when the one before has an email or none, so that all are counted. */
  #leasing: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #working = 0;
  #wakes = 0;
  #stopped = false;
  /** No email can be delivered now: the workers stop. */
  #isDown = false;
  #failures = 0;

  constructor(
    private readonly outbox: Outbox,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { mail } = config;
    if (mail.smtpUrl === undefined) return;
    const isolated = { disableFileAccess: true, disableUrlAccess: true };
    const options = { url: mail.smtpUrl, ...SMTP_TIMEOUTS, ...isolated, getSocket: this.#sockets.open };
    this.#transport = createTransport(options, { from: mail.from });
  }

  /** Emails left by other gateways are background work; those written by this one are not, because someone waits for them. */
  onApplicationBootstrap(): void {
    if (this.config.backgroundWork) this.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const timer = setTimeout(() => this.#sockets.close(), FINISH_MS);
    await Promise.all(this.#workers);
    clearTimeout(timer);
  }

  /** Call when there may be something to deliver. Does nothing without an SMTP server. */
  wake(): void {
    this.#wakes += 1;
    clearTimeout(this.#timer);
    if (this.#transport) this.#start(this.#transport);
  }

  #start(transport: Transporter): void {
    if (this.#stopped || this.#isDown || this.#working >= MOST_CONCURRENT) return;
    const worker = this.#work(transport).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #work(transport: Transporter): Promise<void> {
    this.#working += 1;
    try {
      if (this.#working === 1) await this.#dropOld();
      await this.#deliverAll(transport);
    } catch (error) {
      this.#reportDatabase(error);
      this.#isDown = true;
    }
    this.#working -= 1;
    if (this.#working === 0 && !this.#stopped) await this.#rest();
  }

  async #dropOld(): Promise<void> {
    const lost = await this.outbox.dropOlder(LONGEST_WAIT_MS);
    countMails('lost', lost);
    if (lost > 0)
      this.logger.error({ mails: lost }, 'emails were dropped because they could not be delivered within a day');
  }

  /** Sends emails until none is due. Rejects if the database is unavailable. */
  async #deliverAll(transport: Transporter): Promise<void> {
    while (!this.#stopped && !this.#isDown) {
      const wakes = this.#wakes;
      const mail = await this.#lease();
      if (!mail && wakes === this.#wakes) return;
      if (!mail) continue;
      this.#start(transport);
      await this.#deliver(transport, mail);
    }
  }

  /** The next email to send, which then counts as being sent. */
  async #lease(): Promise<KeptMail | undefined> {
    const leasing = this.#leasing.then(async () => {
      const isTurnOfSignUps = this.#sendingOf(false).length >= MOST_OF_KIND;
      const mail = (await this.#leaseOf(isTurnOfSignUps)) ?? (await this.#leaseOf(!isTurnOfSignUps));
      if (mail) this.#sending.add(mail);
      return mail;
    });
    this.#leasing = leasing.catch(() => undefined);
    return await leasing;
  }

  async #leaseOf(isSignUp: boolean): Promise<KeptMail | undefined> {
    const sending = this.#sendingOf(isSignUp);
    if (isSignUp && sending.length >= MOST_OF_KIND) return undefined;
    const domains = sending.map(({ to }) => domainOf(to));
    const full = domains.filter((domain) => domains.filter((other) => other === domain).length >= MOST_OF_DOMAIN);
    return await this.outbox.lease(isSignUp, full);
  }

  #sendingOf(isSignUp: boolean): readonly KeptMail[] {
    return [...this.#sending].filter((mail) => mail.isSignUp === isSignUp);
  }

  async #deliver(transport: Transporter, mail: KeptMail): Promise<void> {
    const outcome = await this.#offer(transport, mail);
    this.#sending.delete(mail);
    countMails(outcome === 'sent' || outcome === 'refused' ? outcome : 'failed');
    if (outcome === 'unreachable') this.#isDown = true;
    if (outcome === 'sent' || outcome === 'refused') await this.outbox.remove(mail.id);
    else await this.outbox.postpone(mail.id, FIRST_RETRY_MS, LONGEST_PAUSE_MS);
  }

  /** Sets when to continue: when the next email is due, or with growing pauses if none can be delivered. */
  async #rest(): Promise<void> {
    this.#failures = this.#isDown ? this.#failures + 1 : 0;
    this.#isDown = false;
    let pauseMs = FIRST_RETRY_MS * 2 ** (this.#failures - 1);
    try {
      if (this.#failures === 0) pauseMs = await this.outbox.dueInMs();
    } catch (error) {
      this.#reportDatabase(error);
    }
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const boundedMs = Math.min(Math.max(pauseMs, FIRST_RETRY_MS), LONGEST_PAUSE_MS);
    this.#timer = setTimeout(() => this.wake(), boundedMs).unref();
  }

  #reportDatabase(error: unknown): void {
    this.logger.error({ err: error }, 'emails could not be delivered');
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
  /** Which timeout it was, if it was one. */
  readonly timeoutType?: string;
  /** The system call that failed, if the socket did. */
  readonly syscall?: string;
}

function outcomeOf(error: SmtpError): Outcome {
  const { code, responseCode = 0, command } = error;
  if (isLost(error)) return 'postponed';
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return 'unreachable';
  // A rejected sender is a configuration error, which operators can fix within the day.
  const isPermanent = responseCode >= 500 && responseCode < 600 && command !== 'MAIL FROM';
  return isPermanent ? 'refused' : 'postponed';
}

/** Whether an open connection fell silent or was closed, which may be due to this email: another one may be accepted. */
function isLost({ code, timeoutType, syscall }: SmtpError): boolean {
  if (code === 'ESOCKET') return syscall !== 'connect';
  return code === 'ECONNECTION' || timeoutType === 'SOCKET_TIMEOUT';
}
