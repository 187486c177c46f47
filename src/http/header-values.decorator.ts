import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Handler parameter: all values of a header (name in lowercase); empty if the header was not sent. */
export const HeaderValues = createParamDecorator(
  (name: string, host: ExecutionContext): readonly string[] =>
    host.switchToHttp().getRequest<FastifyRequest>().raw.headersDistinct[name] ?? [],
);
