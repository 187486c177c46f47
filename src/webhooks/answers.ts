import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { statusContainer } from '../status/status-container.js';

/** A response about endpoints, which no cache may store: it may have a secret. */
export function webhookAnswer(status: number, members: object, { startedAt }: RequestContext): Answer {
  const body = { status: statusContainer(startedAt, status, []), ...members };
  return Answer.json(status, body, { 'cache-control': 'no-store' });
}
