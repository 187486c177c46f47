import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../status/api-error.js';
import { principalOf } from './principal.js';
import { PRODUCT } from './public.decorator.js';

/** 403 unless the application has subscribed to the route's product (ruling 14). Runs after the bearer and throttling guards. */
@Injectable()
export class ProductGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const product = this.reflector.getAllAndOverride<string | undefined>(PRODUCT, [context.getHandler(), context.getClass()]);
    if (product === undefined) return true;
    const { policy } = principalOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (policy.products.includes(product)) return true;
    throw ApiError.of('permissions_failure', `The application is not subscribed to the product ${product}.`);
  }
}
