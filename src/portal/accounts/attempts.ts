import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DeviceCookies } from '../../accounts/device-cookies.js';
import { networkOf } from '../../http/client-network.js';
import type { ApiError } from '../../status/api-error.js';
import { throttled } from '../../status/throttled.js';
import type { LimitRate } from '../../store/gcra.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';

/** Limits per network: an IPv4 address or an IPv6 /48 network. */
const SIGN_UPS: LimitRate = { perMinute: 1, burst: 20 };
const MAILS: LimitRate = { perMinute: 1, burst: 10 };
const WRONG_PASSWORDS: LimitRate = { perMinute: 5, burst: 50 };
/** For one account by one network, one known browser, or the sessions of the account. */
const PASSWORDS: LimitRate = { perMinute: 1, burst: 20 };
/** For one account by all unknown browsers together, from any network: 50, then 288 per day. */
const PASSWORDS_OF_STRANGERS: LimitRate = { perMinute: 0.2, burst: 50 };
/** Correct passwords of one account, from anywhere. Only someone who knows the password can use it up. */
const LOG_INS: LimitRate = { perMinute: 10, burst: 100 };
/** For one account, after the correct password. Each attempt has a chance of 3 in 1,000,000. */
const CODES: LimitRate = { perMinute: 0.2, burst: 10 };

const YOUR_NETWORK = 'Too many attempts from your network address.';
const THIS_BROWSER = 'Too many attempts in this browser.';
const THIS_ACCOUNT = 'Too many attempts to log in to this account from browsers that it was not used with before.';
const NEW_PASSWORD =
  ' If the account is yours, you can also reset the password: afterwards, this limit does not apply.';

/**
 * Limits attempts. All correct ones count, so that concurrent guesses can't exceed a limit. Guesses from many networks are limited per account,
 * but only for browsers that it wasn't used with before (DeviceCookies), so guessing doesn't lock its owner out. All methods throw ApiError 429
 * with Retry-After, which PageErrorFilter shows as a page.
 */
@Injectable()
export class Attempts {
  constructor(
    @Inject(STORE) private readonly store: Store,
    private readonly devices: DeviceCookies,
  ) {}

  /** Before a sign-up. */
  async countSignUp(request: FastifyRequest): Promise<void> {
    await this.#take(`sign-up-${networkOf(request.ip)}`, SIGN_UPS, YOUR_NETWORK);
  }

  /** Before an email is requested, whether or not the address has an account. */
  async countMail(request: FastifyRequest): Promise<void> {
    await this.#take(`ask-mail-${networkOf(request.ip)}`, MAILS, YOUR_NETWORK);
  }

  /** Before the password of a login is checked. `email` is as entered, in lowercase, whether or not it has an account. */
  async countLogIn(request: FastifyRequest, email: string): Promise<void> {
    const { remaining: logIns } = await this.store.take(logInsOf(email), LOG_INS, 0);
    if (logIns < 1) throw tooMany(Math.ceil(60 / LOG_INS.perMinute), 'Too many logins to this account.');
    const device = this.devices.idOf(request.headers.cookie, email);
    if (device !== undefined) return await this.#take(`password-device-${device}`, PASSWORDS, THIS_BROWSER);
    const network = networkOf(request.ip);
    const { remaining } = await this.store.take(`wrong-password-${network}`, WRONG_PASSWORDS, 0);
    if (remaining < 1) throw tooMany(Math.ceil(60 / WRONG_PASSWORDS.perMinute), YOUR_NETWORK);
    // The network first, so that one that is blocked doesn't use up the limit of all.
    await this.#take(`password-${digestOf(`${network}\n${email}`)}`, PASSWORDS, YOUR_NETWORK);
    await this.#take(`password-strangers-${digestOf(email)}`, PASSWORDS_OF_STRANGERS, THIS_ACCOUNT, NEW_PASSWORD);
  }

  /** After the password of a login was correct. */
  async countCorrectLogIn(email: string): Promise<void> {
    await this.store.take(logInsOf(email), LOG_INS, 1);
  }

  /** Before a logged-in visitor's password is checked again. */
  async countConfirmation(accountId: string): Promise<void> {
    await this.#take(`password-session-${accountId}`, PASSWORDS, 'Too many attempts.');
  }

  /** After a password was wrong. */
  async countWrongPassword(request: FastifyRequest): Promise<void> {
    await this.store.take(`wrong-password-${networkOf(request.ip)}`, WRONG_PASSWORDS, 1);
  }

  /** Before a code of the second factor is checked. */
  async countCode(accountId: string): Promise<void> {
    await this.#take(`code-${accountId}`, CODES, 'Too many codes were entered for this account.');
  }

  async #take(key: string, rate: LimitRate, why: string, more = ''): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take(key, rate, 1);
    if (!allowed) throw tooMany(retryAfterSeconds, why, more);
  }
}

function tooMany(seconds: number, why: string, more = ''): ApiError {
  const wait = seconds === 1 ? '1 second' : seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return throttled(seconds, why, `Wait ${wait}, then go back and try again.${more}`);
}

function logInsOf(email: string): string {
  return `logged-in-${digestOf(email)}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
