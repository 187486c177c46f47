import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';

/** What Node tells of a socket whose answer has begun. */
type AnsweringSocket = Duplex & { _httpMessage?: { headersSent?: boolean } | null };

/** Answers a request that is no readable HTTP, on the bare socket, and closes it (ruling 18). Never writes into an answer that has begun. */
export function answerUnreadable(error: Error & { code?: string }, socket: AnsweringSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') endWith(socket, '408 Request Timeout', { reason: 'timeout' });
  else if (error.code === 'HPE_HEADER_OVERFLOW') {
    endWith(socket, '400 Bad Request', { reason: 'invalid_request', details: 'The request headers are too long.' });
  } else {
    const details = 'The request is not valid HTTP. Percent-encode what is not ASCII in the URL.';
    endWith(socket, '400 Bad Request', { reason: 'invalid_format', details });
  }
}

/** Answers what Node would answer itself, outside the contract: CONNECT (closed silently) and unknown expectations (417). */
export function answerBeyondRoutes(server: Server): void {
  server.on('connect', (_request, socket) => endWith(socket, '404 Not Found', { reason: 'resource_failure' }));
  server.on('checkExpectation', (_request, response) => {
    const body = containerOf({ reason: 'invalid_request', details: 'The Expect header asks for something that is not done here.' });
    response
      .writeHead(400, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', connection: 'close' })
      .end(body);
  });
}

function endWith(socket: Duplex, line: string, problem: Problem): void {
  const body = containerOf(problem);
  socket.end(
    `HTTP/1.1 ${line}\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function containerOf(problem: Problem): string {
  return JSON.stringify({ status: statusContainer(Date.now(), undefined, [problem]) });
}
