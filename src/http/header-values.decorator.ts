import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Parameter of a handler: the values of a header (name in lower case), one for each time it was sent; empty = it was not sent. */
export const HeaderValues = createParamDecorator(
  (name: string, host: ExecutionContext): readonly string[] =>
    host.switchToHttp().getRequest<FastifyRequest>().raw.headersDistinct[name] ?? [],
);
