import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The caller's preferences for the answer (RFC 7240). */
export interface Preferences {
  /** `partial=200`: 200 instead of 206. */
  readonly partialAs200: boolean;
  /** `return=representation`: the reservation instead of an empty answer. */
  readonly representation: boolean;
}

const NONE: Preferences = { partialAs200: false, representation: false };

/** Handler parameter: the parsed Prefer header of the request. */
export const Prefer = createParamDecorator(
  (_nothing: unknown, host: ExecutionContext): Preferences =>
    parsePrefer(host.switchToHttp().getRequest<FastifyRequest>().headers.prefer),
);

/** Parses a Prefer header; unknown preferences are ignored. */
export function parsePrefer(header: string | string[] | undefined): Preferences {
  if (header === undefined) return NONE;
  const parts = (Array.isArray(header) ? header.join(',') : header).split(',');
  return {
    partialAs200: parts.some((part) => /^\s*partial\s*=\s*"?200"?\s*$/i.test(part)),
    representation: parts.some((part) => /^\s*return\s*=\s*"?representation"?\s*$/i.test(part)),
  };
}
