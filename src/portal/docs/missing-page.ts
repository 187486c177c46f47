import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SessionsService } from '../../accounts/sessions.service.js';
import type { ContextRequest } from '../../http/open-request.js';
import { ApiError } from '../../status/api-error.js';
import { type Store, StoreUnavailableError } from '../../store/store.js';
import { errorPage } from '../shell/error-page.js';
import { acceptLocalCookies } from '../shell/local-cookies.js';
import { countForNetwork } from '../shell/page-limits.js';

/** API paths. Clients get the status container, whatever they accept. */
const OF_PROGRAMS = /^\/(?:cars|oauth|health|metrics|openapi\.json|\.well-known)(?:\/|$)/;

/** Shows a page to browsers that request an unknown path; other clients get the status container. */
export function showMissingPages(fastify: FastifyInstance, sessions: SessionsService, store: Store): void {
  fastify.addHook('preHandler', async (request: ContextRequest, reply) => {
    if (!request.is404 || !isBrowserAtAPage(request)) return;
    acceptLocalCookies(request);
    const text = "This page doesn't exist. Check its address, or continue from one of these:";
    const page = errorPage(404, text, request.context?.id ?? '', await visitorIfKnown(request, sessions, store));
    await reply.code(page.status).headers(page.headers).send(page.body);
  });
}

function isBrowserAtAPage({ method, headers, originalUrl }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    headers.accept?.includes('text/html') === true &&
    !OF_PROGRAMS.test(originalUrl.split('?', 1)[0] ?? '')
  );
}

/**
 * Undefined also if the store is unavailable or the network has used up its pages, because the page is useful without
 * login. It counts as one of them.
 */
async function visitorIfKnown(request: FastifyRequest, sessions: SessionsService, store: Store) {
  try {
    await countForNetwork(store, request.ip);
    return await sessions.visitor(request.headers.cookie);
  } catch (error) {
    if (error instanceof StoreUnavailableError || error instanceof ApiError) return undefined;
    throw error;
  }
}
