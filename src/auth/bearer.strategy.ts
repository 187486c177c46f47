import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { parseToken } from './credentials.js';
import type { Principal } from './principal.js';

/** passport-http-bearer's verification: token check and limit in one store call. False = not a live token of this environment. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    super({ passReqToCallback: true, realm: 'cars' });
  }

  async validate(request: FastifyRequest & { applicationId?: string }, token: string): Promise<Principal | false> {
    const parsed = parseToken(token);
    if (!parsed || parsed.environment !== this.config.environment) return false;
    const admission = await this.store.admit(parsed, parsed.digest, 1);
    if (!admission.known || admission.policy.environment !== this.config.environment) return false;
    request.applicationId = parsed.applicationId;
    return { policy: admission.policy, decision: admission.decision };
  }
}
