import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { networkOf } from '../http/client-network.js';
import type { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import type { LimitRate } from '../store/gcra.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { ApplicationsService, type CredentialCheck } from './applications.service.js';

/** Forms of one network, whatever they say: far more than all applications behind one address send. */
const FORMS_OF_NETWORK: LimitRate = { perMinute: 6_000, burst: 6_000 };

/**
 * Checks credentials and limits how often an address may send wrong ones. Limits apply to an address (as reported by
 * trusted proxies), never to a client id alone, so that guessing can't lock out the owner of a client id.
 */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly applications: ApplicationsService,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Checks credentials sent from an address. Throws ApiError `throttled` if that address has sent too many wrong ones.
   */
  async check(clientId: string, clientSecret: string, address: string): Promise<CredentialCheck> {
    const rate = this.config.tokens.failures;
    const key = `failures-${networkOf(address)}`;
    // A cost of 0 only reads the limit: correct credentials don't count.
    if ((await this.store.take(key, rate, 0)).remaining < 1) throw tooManyFailures(rate);
    const check = await this.applications.check(clientId, clientSecret, this.config.environment);
    // Only as many concurrent guesses as the limit allows learn that they were wrong.
    if (!check.ok && check.why === 'wrong' && !(await this.store.take(key, rate, 1)).allowed)
      throw tooManyFailures(rate);
    return check;
  }

  /** Counts a form by the network of its address, before it is read. Throws ApiError `throttled` beyond the limit. */
  async countForNetwork(address: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take(`forms-${networkOf(address)}`, FORMS_OF_NETWORK, 1);
    if (!allowed) throw throttled(retryAfterSeconds, 'Your network address sent too many calls.');
  }

  /**
   * Counts a call of an OAuth operation by client id and address. Throws ApiError `throttled` if it exceeds
   * `throttling.tokenOperation`.
   */
  async count(clientId: string, address: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take(
      callsKey(clientId, address),
      this.config.throttling.tokenOperation,
      1,
    );
    if (!allowed) throw throttled(retryAfterSeconds, 'Your address sent too many calls with this client_id.');
  }
}

/** The store key under which calls of the token operations (GET and POST) are counted for a client id and address. */
export function callsKey(clientId: string, address: string): string {
  return `client-${createHash('sha256')
    .update(`${networkOf(address)}\n${clientId}`)
    .digest('base64url')}`;
}

function tooManyFailures(rate: LimitRate): ApiError {
  return throttled(Math.ceil(60 / rate.perMinute), 'Your address sent too many wrong credentials.');
}
