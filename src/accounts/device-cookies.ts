import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { cookieIn } from './cookies.js';

const COOKIE = '__Host-forecourt-device';
const VALUE = /^([\w-]{22})\.([\w-]{43})$/;
/** Browsers keep cookies for at most 400 days. */
const LIFE_SECONDS = 400 * 86_400;

/**
 * Remembers in a browser that someone logged in to an account with it, so that guesses from elsewhere don't lock it out
 * (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The cookie grants nothing else. It is a random id
 * with an HMAC over id and address; a browser is known for the account that it logged in to last.
 */
@Injectable()
export class DeviceCookies {
  readonly #keys: AcceptedKeys;

  constructor(@Inject(KEYS) keys: Keys) {
    this.#keys = acceptedKeys(keys, 'device_cookie');
  }

  /**
   * The Set-Cookie header after a login, or after a link from an email to this address (in lowercase) set the password. A
   * browser that is known for the address (by its Cookie header) keeps its id, and with it its limit.
   */
  issue(email: string, cookieHeader?: string): string {
    const id = this.idOf(cookieHeader, email) ?? randomBytes(16).toString('base64url');
    const value = `${id}.${macOf(id, email, this.#keys[0]).toString('base64url')}`;
    return `${COOKIE}=${value}; Path=/; Max-Age=${LIFE_SECONDS}; Secure; HttpOnly; SameSite=Strict`;
  }

  /** The id of the browser that sent this Cookie header; undefined if it is not known for the address. */
  idOf(cookieHeader: string | undefined, email: string): string | undefined {
    const [, id, mac] = VALUE.exec(cookieIn(cookieHeader, COOKIE) ?? '') ?? [];
    if (id === undefined || mac === undefined) return undefined;
    const given = Buffer.from(mac, 'base64url');
    const isKnown = this.#keys.some((key) => {
      const expected = macOf(id, email, key);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    return isKnown ? id : undefined;
  }
}

function macOf(id: string, email: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`${id}\n${email}`).digest();
}
