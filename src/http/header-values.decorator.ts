import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Handler parameter: all values of a header (name in lowercase); empty if the header was not sent. */
export const HeaderValues = createParamDecorator((name: string, host: ExecutionContext): readonly string[] => {
  const { raw, headers } = host.switchToHttp().getRequest<FastifyRequest>();
  const distinct = raw.headersDistinct as NodeJS.Dict<string[]> | undefined;
  // Absent from a call in this process, whose headers have one value each.
  return distinct ? (distinct[name] ?? []) : [headers[name] ?? []].flat();
});
