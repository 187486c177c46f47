import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { versionOf } from '../products/served-version.js';

/** Parameter of a handler: the minor of the version served, by which it leaves out what came later. Only on routes of a product. */
export const MinorVersion = createParamDecorator(
  (_nothing: unknown, context: ExecutionContext): number =>
    versionOf(context.switchToHttp().getRequest<FastifyRequest>()).minor,
);
