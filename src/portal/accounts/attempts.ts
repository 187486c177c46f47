import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { networkOf } from '../../auth/client-authentication.js';
import type { ApiError } from '../../status/api-error.js';
import { throttled } from '../../status/throttled.js';
import type { LimitRate } from '../../store/gcra.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';

/** Limits per network address. An IPv6 /64 network counts as one address. */
const SIGN_UPS: LimitRate = { perMinute: 1, burst: 20 };
const MAILS: LimitRate = { perMinute: 1, burst: 10 };
const WRONG_PASSWORDS: LimitRate = { perMinute: 5, burst: 50 };
/** Per network address and account, including correct passwords, so that concurrent guesses can't exceed it. */
const PASSWORDS_FOR_ACCOUNT: LimitRate = { perMinute: 1, burst: 20 };

/**
 * Limits attempts per network address. Nothing is limited per account alone, so guessing a password doesn't lock its owner out. All methods
 * throw ApiError 429 with Retry-After, which PageErrorFilter shows as a page.
 */
@Injectable()
export class Attempts {
  constructor(@Inject(STORE) private readonly store: Store) {}

  /** Before a sign-up. */
  async countSignUp(request: FastifyRequest): Promise<void> {
    await this.#take(`sign-up-${networkOf(request.ip)}`, SIGN_UPS, 1);
  }

  /** Before an email is requested, whether or not the address has an account. */
  async countMail(request: FastifyRequest): Promise<void> {
    await this.#take(`ask-mail-${networkOf(request.ip)}`, MAILS, 1);
  }

  /** Before a password is checked. `email` is as entered, in lowercase. */
  async countPassword(request: FastifyRequest, email: string): Promise<void> {
    const network = networkOf(request.ip);
    const { remaining } = await this.store.take(`wrong-password-${network}`, WRONG_PASSWORDS, 0);
    if (remaining < 1) throw tooMany(Math.ceil(60 / WRONG_PASSWORDS.perMinute));
    const digest = createHash('sha256').update(`${network}\n${email}`).digest('base64url');
    await this.#take(`password-${digest}`, PASSWORDS_FOR_ACCOUNT, 1);
  }

  /** After a password was wrong. */
  async countWrongPassword(request: FastifyRequest): Promise<void> {
    await this.#take(`wrong-password-${networkOf(request.ip)}`, WRONG_PASSWORDS, 1);
  }

  async #take(key: string, rate: LimitRate, cost: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take(key, rate, cost);
    if (!allowed) throw tooMany(retryAfterSeconds);
  }
}

function tooMany(seconds: number): ApiError {
  const wait = seconds === 1 ? '1 second' : seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  const why = 'Too many attempts from your network address.';
  return throttled(seconds, why, `Wait ${wait}, then go back and try again.`);
}
