import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { CONFIG, type Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import type { AdmittedMessage } from '../http/admission/admitting-server.js';
import { networkOf } from '../http/client-network.js';
import { contextOf } from '../http/context.decorator.js';
import type { RoutedMessage } from '../http/version-router.js';
import { ProductsService } from '../products/products.service.js';
import type { CallPlace, Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { parseToken } from './credentials.js';
import { FormerTokens } from './former-tokens.js';
import type { Principal } from './principal.js';

/**
 * Verifies a token and counts the call against its limits in one store call. False = not an active token of this
 * environment.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
    private readonly products: ProductsService,
    private readonly former: FormerTokens,
  ) {
    super({ passReqToCallback: true, realm: 'cars' });
  }

  async validate(request: FastifyRequest, token: string): Promise<Principal | false> {
    const parsed = parseToken(token);
    if (!parsed || parsed.environment !== this.config.environment) return false;
    contextOf(request).tokenDigest = parsed.digest;
    const cost = this.products.costOf((request.raw as RoutedMessage).routed?.target?.productId);
    const admission = await this.store.admit(parsed, parsed.digest, cost);
    const context = contextOf(request);
    if (!admission.known) {
      const owner = this.former.refused(parsed.digest, networkOf(request.ip));
      if (owner) context.recognize(owner);
      return false;
    }
    if (admission.place) this.#releaseWhenOver(admission.place, context);
    if (admission.policy.environment !== this.config.environment) return false;
    context.admit(admission.policy);
    this.former.admitted(parsed.digest, admission.policy, networkOf(request.ip));
    (request.raw as AdmittedMessage).accepted?.(token, admission.policy.accountId);
    return { policy: admission.policy, decision: admission.decision };
  }

  /** Runs however the request ends. Nothing waits for it; if it fails, the lease expires and ends the call. */
  #releaseWhenOver(place: CallPlace, context: RequestContext): void {
    context.onFinished(() => void this.store.release(place).catch(() => undefined));
  }
}
