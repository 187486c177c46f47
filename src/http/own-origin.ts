import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.module.js';

/** Hosts that are safe in a shell command without quoting. */
const PLAIN_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * The origin of this gateway, such as `https://api.example.com`: the configured one, or that of the request. For pages
 * only, never for emails.
 */
export function ownOrigin({ protocol, host }: FastifyRequest, { http }: Config): string {
  if (http.publicUrl !== undefined) return http.publicUrl.replace(/\/+$/, '');
  return PLAIN_HOST.test(host) ? `${protocol}://${host}` : `http://${http.host}:${http.port}`;
}
