import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.module.js';

/** Hosts that are safe in a shell command without quoting. */
const PLAIN_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Where this gateway is, for pages and documents. Never for emails. */
export interface OwnOrigin {
  /** Such as `https://api.example.com`. */
  readonly origin: string;
  /** The Cache-Control of a document that contains it: an origin from a Host header must not reach anyone else. */
  readonly caching: 'no-store' | 'public, max-age=300';
}

/** The origin of this gateway: the configured one, or that of the request. */
export function ownOrigin({ protocol, host }: FastifyRequest, { http }: Config): OwnOrigin {
  if (http.publicUrl !== undefined)
    return { origin: http.publicUrl.replace(/(?<!\/)\/+$/, ''), caching: 'public, max-age=300' };
  const origin = PLAIN_HOST.test(host) ? `${protocol}://${host}` : `http://${http.host}:${http.port}`;
  return { origin, caching: 'no-store' };
}
