import { createHash } from 'node:crypto';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { InjectThrottlerOptions, ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../auth/principal.js';
import { GcraThrottlerStorage } from './gcra-throttler-storage.js';
import { throttled, writeLimitHeaders } from './limit-headers.js';

/**
 * Limits by application, not by address (spec §8). An authenticated call was counted by the bearer guard's store call already and is only
 * judged here; a public route (the token operation) is counted by client_id and address, so that nobody can lock out somebody else.
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
    const decision = request.user?.decision ?? (await this.storage.increment(anonymousKey(request), ttl, limit)).decision;
    writeLimitHeaders(http.getResponse<FastifyReply>(), request.user ? 'application' : 'token', decision);
    if (!decision.allowed) throw throttled(decision);
    return true;
  }

  protected override async shouldSkip(_context: ExecutionContext): Promise<boolean> {
    return false;
  }
}

function anonymousKey(request: FastifyRequest): string {
  const clientId = String(request.headers.client_id ?? request.headers['client-id'] ?? '');
  return `anonymous-${createHash('sha256').update(`${request.ip}\n${clientId}`).digest('base64url')}`;
}
