import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.module.js';

/** What may stand in a shell command as it is. */
const PLAIN_HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Where a reader reaches this gateway, as in `https://api.example.com`: as configured, or as the request was addressed. For pages, never for mails. */
export function ownOrigin({ protocol, host }: FastifyRequest, { http }: Config): string {
  if (http.publicUrl !== undefined) return http.publicUrl.replace(/\/+$/, '');
  return PLAIN_HOST.test(host) ? `${protocol}://${host}` : `http://${http.host}:${http.port}`;
}
