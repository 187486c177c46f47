import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { AdmittedMessage } from '../../http/admission/admitting-server.js';
import { Answer } from '../../http/answer.js';
import { contextOf } from '../../http/context.decorator.js';
import type { PortalRequest } from './portal.guard.js';

/** How long a browser may need for a part: some hundred kilobytes at most. */
const PART_MS = 30_000;
/** How often the account is checked. */
const CHECK_MS = 1_000;

/**
 * A file that is made as fast as the browser takes it, however long that is: its request has no place among those in progress (decision
 * 0036), and its budget begins again with each part. It ends without the rest if the account of the visitor logs out everywhere, is deleted or
 * gets another role, but not if another session replaces the one that began it. A browser that takes nothing is disconnected (`http.stallMs`).
 */
export function download(
  request: FastifyRequest,
  parts: AsyncIterable<string>,
  headers: { readonly 'content-type': string; readonly 'content-disposition': string },
): Answer & { readonly body: Readable } {
  (request.raw as AdmittedMessage).place?.leave();
  const body = Readable.from(inTime(request, parts), { highWaterMark: 1 });
  return Object.assign(new Answer(200, body, { ...headers, 'cache-control': 'no-store' }), { body });
}

async function* inTime(request: FastifyRequest, parts: AsyncIterable<string>): AsyncGenerator<string> {
  const context = contextOf(request);
  const { checkAccount } = request as PortalRequest;
  let checkedAt = performance.now();
  for await (const part of parts) {
    if (performance.now() - checkedAt >= CHECK_MS) {
      await checkAccount?.();
      checkedAt = performance.now();
    }
    context.resetBudget(PART_MS);
    yield part;
  }
}
