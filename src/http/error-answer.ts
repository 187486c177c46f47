import type { FastifyReply } from 'fastify';
import type { RequestContext } from '../context/request-context.js';
import type { ApiError, Problem } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import { allowPage } from './cors.js';
import { routeSettings } from './route-settings.js';

/** Headers of every error answer. */
export const ERROR_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const;

/** The body of an error answer: a status container and nothing else (spec §7.1). */
export function errorText(problems: readonly Problem[], at: number): string {
  return JSON.stringify({ status: statusContainer(at, undefined, problems) });
}

/** Sends an error in the format of the route and adds it to the request's trace. */
export function sendError(reply: FastifyReply, error: ApiError): void {
  const { context } = reply.request as { context?: RequestContext };
  context?.trace?.setEntries(error.problems);
  const settings = routeSettings(reply.request);
  const special = settings.writeError?.(error);
  const ofRoute = settings.errorHeaders?.(error, reply.request);
  reply.code(error.status).headers({ ...ERROR_HEADERS, ...ofRoute, ...error.headers, ...special?.headers });
  if (context) allowPage(context, reply);
  reply.send(special?.body ?? errorText(error.problems, context?.startedAt ?? Date.now()));
}
