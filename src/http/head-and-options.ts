import { Readable } from 'node:stream';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';
import { answerPreflight, type OriginRegistry } from './cors.js';

/**
 * The API without the token operation, whose HEAD would issue a token (ruling 10). Pages stay without HEAD: a scanner that
 * follows links of emails must not use them.
 */
const PATHS = /^\/(?:cars\/|images\/|health|openapi\.json$)/;

/**
 * Adds two methods to every path of the API: HEAD where there is GET, with the same checks, limits and headers but no body; and OPTIONS, which
 * answers 204 with the path's methods in `Allow`, without a token, including for preflights of pages under /cars. Call it before routes are added.
 */
export function answerHeadAndOptions(fastify: FastifyInstance, registry: OriginRegistry): void {
  const methods = new Map<string, Set<string>>();
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const { url, method } = route;
    if (!PATHS.test(url) || method === 'HEAD' || method === 'OPTIONS') return;
    const known = methods.get(url);
    const all = known ?? new Set(['OPTIONS']);
    for (const one of [method].flat()) all.add(one);
    if (!known) {
      methods.set(url, all);
      const allow = (): string => [...all].join(', ');
      fastify.route({
        method: 'OPTIONS',
        url,
        handler: async (request, reply) => {
          if (url.startsWith('/cars/')) await answerPreflight(request, reply, allow(), registry);
          return reply.code(204).header('allow', allow()).send();
        },
      });
    }
    if (method !== 'GET') return;
    all.add('HEAD');
    fastify.route({ ...route, method: 'HEAD', onSend: withoutBody });
  });
}

/** Leaves the length of the body that GET has. A stream ends, so that its producer stops. */
const withoutBody: onSendHookHandler = (_request, reply, payload, done) => {
  if (payload instanceof Readable) payload.destroy();
  else if (typeof payload === 'string' || Buffer.isBuffer(payload))
    reply.header('content-length', Buffer.byteLength(payload));
  done(null, null);
};
