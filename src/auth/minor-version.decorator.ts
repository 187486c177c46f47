import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { versionOf } from '../products/served-version.js';

/**
 * Handler parameter: the minor of the served version, so that the handler can omit later additions. For routes of
 * products only.
 */
export const MinorVersion = createParamDecorator(
  (_nothing: unknown, context: ExecutionContext): number =>
    versionOf(context.switchToHttp().getRequest<FastifyRequest>()).minor,
);
