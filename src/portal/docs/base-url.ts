import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.module.js';

/** What may stand in a shell command as it is. */
const PLAIN_HOST = /^[\w.-]+(?::\d+)?$/;

/** Where a reader reaches this gateway: as configured, or as the request was addressed. */
export function baseUrlOf(request: FastifyRequest, { http }: Config): string {
  if (http.publicUrl !== undefined) return http.publicUrl.replace(/\/$/, '');
  return PLAIN_HOST.test(request.host) ? `${request.protocol}://${request.host}` : `http://${http.host}:${http.port}`;
}
