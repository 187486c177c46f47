import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../context/request-context.js';
import type { ContextRequest } from './open-request.js';

/** Parameter of a handler: the context of its request. */
export const Context = createParamDecorator(
  (_nothing: unknown, host: ExecutionContext): RequestContext =>
    contextOf(host.switchToHttp().getRequest<FastifyRequest>()),
);

/** The context that the request hook put on a request. Throws where the hook did not run, which is a bug. */
export function contextOf(request: FastifyRequest): RequestContext {
  const { context } = request as ContextRequest;
  if (!context) throw new Error('the request has no context');
  return context;
}
