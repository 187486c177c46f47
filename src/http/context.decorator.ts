import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../context/request-context.js';
import type { ContextRequest } from './open-request.js';

/** Handler parameter: the context of the request. */
export const Context = createParamDecorator(
  (_nothing: unknown, host: ExecutionContext): RequestContext =>
    contextOf(host.switchToHttp().getRequest<FastifyRequest>()),
);

/** The context that the request hook attached to a request. Throws if the hook didn't run, which is a bug. */
export function contextOf(request: FastifyRequest): RequestContext {
  const { context } = request as ContextRequest;
  if (!context) throw new Error('the request has no context');
  return context;
}
