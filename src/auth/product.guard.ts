import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { contextOf } from '../http/context.decorator.js';
import type { ContextRequest } from '../http/open-request.js';
import { noSuchVersion, type RoutedMessage } from '../http/version-router.js';
import { chooseVersion } from '../products/choose-version.js';
import { servedVersion, versionHeaders } from '../products/served-version.js';
import { VersionRegistry } from '../products/version-registry.js';
import { ApiError } from '../status/api-error.js';
import { PRODUCT } from './public.decorator.js';
import { TestClocks } from './test-clocks.js';

/** The time of the application's test clock, in the answers of products while the clock is ahead. */
const CLOCK_HEADER = 'x-sandbox-clock';

/**
 * Chooses the version of the route's product that answers (rulings 14, 20, 21) and names it in the answer. Sends 404
 * for a version hidden from the caller and 403 for a visible one without a subscription. Runs after the bearer and
 * throttling guards. If a route of a product was reached by a URL without a version of it (a spelling that only the
 * router accepts), it sends 404, so that the lifecycle can't be bypassed. The application's test clock decides about a sunset.
 */
@Injectable()
export class ProductGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly versions: VersionRegistry,
    private readonly clocks: TestClocks,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const productId = this.reflector.getAllAndOverride<string | undefined>(PRODUCT, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (productId === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<ContextRequest>();
    const requestContext = contextOf(request);
    const { policy } = requestContext;
    const target = (request.raw as RoutedMessage).routed?.target;
    const product = this.versions.product(productId);
    if (!product || target?.productId !== productId) throw noSuchVersion();
    const reply = http.getResponse<FastifyReply>();
    const clock = this.clocks.of(policy.applicationId);
    if (clock) {
      requestContext.clockAheadMs = clock.aheadMs;
      reply.header(CLOCK_HEADER, new Date(this.clocks.now(policy.applicationId)).toISOString());
    }
    const choice = chooseVersion(product, target, policy, clock && this.clocks.now(policy.applicationId) / 1_000);
    if ('refused' in choice) throw refusal(choice.refused, productId);
    request.served = servedVersion(productId, choice.version);
    reply.headers(versionHeaders(product, choice.version, request.raw.url ?? ''));
    return true;
  }
}

function refusal(why: 'not_subscribed' | 'subscribed_too_late' | 'hidden', productId: string): ApiError {
  if (why === 'hidden') return noSuchVersion();
  return ApiError.of(
    'permissions_failure',
    why === 'not_subscribed'
      ? `The application is not subscribed to the product ${productId}.`
      : `This version of ${productId} is deprecated: only applications that subscribed before its deprecation may call it. Use the newest version.`,
  );
}
