import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callsKey } from '../auth/client-authentication.js';
import type { Principal } from '../auth/principal.js';
import { GcraThrottlerStorage } from './gcra-throttler-storage.js';
import { limitExceeded, writeLimitHeaders, writeRateHeaders } from './limit-headers.js';

/**
 * Limits by application, not by address (spec §8). The bearer guard's store call has already counted an authenticated
 * call, so only its decision is applied here. A public route (the GET of the token operation) is counted by client_id
 * and address, so that a client can't lock out another one. The Retry-After of a 429 is computed in store/gcra.ts (`rateDecision`) and
 * written in status/throttled.ts.
 */
@Injectable()
export class ThrottlingGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @Inject(GcraThrottlerStorage) private readonly storage: GcraThrottlerStorage,
    reflector: Reflector,
  ) {
    super(options, storage, reflector);
  }

  protected override async handleRequest({ context, ttl, limit }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & { user?: Principal }>();
    const reply = http.getResponse<FastifyReply>();
    if (request.user) judge(request.user, reply);
    else await this.#count(request, reply, ttl, limit);
    return true;
  }

  protected override async shouldSkip(_context: ExecutionContext): Promise<boolean> {
    return false;
  }

  async #count(request: FastifyRequest, reply: FastifyReply, ttl: number, limit: number): Promise<void> {
    const { rate, decision } = await this.storage.increment(callsKey(clientIdOf(request), request.ip), ttl, limit);
    writeRateHeaders(reply, 'token', rate, decision);
    if (!decision.allowed) throw limitExceeded(decision, 'rate');
  }
}

function judge({ policy, decision }: Principal, reply: FastifyReply): void {
  writeLimitHeaders(reply, policy.limits, decision);
  if (!decision.allowed) throw limitExceeded(decision, decision.kind);
}

function clientIdOf({ headers }: FastifyRequest): string {
  return String(headers.client_id ?? headers['client-id'] ?? '');
}
