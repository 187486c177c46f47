import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SessionsService } from '../../accounts/sessions.service.js';
import type { ContextRequest } from '../../http/open-request.js';
import { StoreUnavailableError } from '../../store/store.js';
import { errorPage } from '../shell/error-page.js';

/** Where programs call: they get the status container, whatever they accept. */
const OF_PROGRAMS = /^\/(?:cars|oauth|health|metrics|openapi\.json|\.well-known)(?:\/|$)/;

/** Answers a browser that asks for a path that does not exist with a page; everybody else keeps the status container. */
export function showMissingPages(fastify: FastifyInstance, sessions: SessionsService): void {
  fastify.addHook('preHandler', async (request: ContextRequest, reply) => {
    if (!request.is404 || !isBrowserAtAPage(request)) return;
    const text =
      'There is no such page. What there is: the documentation (/docs), the console (/console), your applications (/applications).';
    const page = errorPage(404, text, request.context?.id ?? '', await visitorOrNobody(request, sessions));
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

/** The page is worth showing also while nobody can tell who asks for it. */
async function visitorOrNobody(request: FastifyRequest, sessions: SessionsService) {
  try {
    return await sessions.visitor(request.headers.cookie);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}
