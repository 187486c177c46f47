import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from '../status/api-error.js';
import { reasons } from '../status/reasons.js';
import { ERROR_HEADERS, errorText } from './error-answer.js';

/** Time for a client to read the last answer on its connection; what it still sends is thrown away. */
const LINGER_MS = 1_000;

/** The newest answer of each connection. Its request is the one that unreadable bytes belong to, or come after. */
const newestAnswers = new WeakMap<Duplex, ServerResponse>();
/** Connections that are ending: the parser reports every further piece of them, too. */
const ending = new WeakSet<Duplex>();

/**
 * Answers bytes that are no readable HTTP and closes the connection (ruling 18). One request never gets two answers, and none gets the answer
 * of another: what was asked properly before is answered first; a broken body whose request has its answer already closes without one.
 */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (ending.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const newest = newestAnswers.get(socket);
  if (newest && !newest.req.complete) answerBroken(newest, socket, problemOf(error));
  else if (newest && !newest.writableFinished) {
    ending.add(socket);
    newest.once('close', () => {
      ending.delete(socket);
      answerUnreadable(error, socket);
    });
  } else endWith(socket, problemOf(error));
}

/** Answers what Node would answer itself, outside the contract: CONNECT (closed silently) and unknown expectations (417). */
export function answerBeyondRoutes(server: Server): void {
  server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (response.socket) newestAnswers.set(response.socket, response);
  });
  server.on('connect', (_request, socket) => endWith(socket, { reason: 'resource_failure' }));
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    newestAnswers.set(request.socket, response);
    endResponse(response, {
      reason: 'invalid_request',
      details: 'The Expect header asks for something that is not done here.',
    });
  });
}

/** The request of `response` breaks off inside its body. Through the response, so that answers asked for before go out before. */
function answerBroken(response: ServerResponse, socket: Duplex, problem: Problem): void {
  if (response.headersSent) endWith(socket);
  else {
    ending.add(socket);
    endResponse(response, problem);
    destroySoon(socket);
  }
}

function problemOf(error: Error & { code?: string }): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return { reason: 'timeout' };
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return { reason: 'invalid_request', details: 'The request headers are too long.' };
  return {
    reason: 'invalid_format',
    details: 'The request is not valid HTTP. Percent-encode what is not ASCII in the URL.',
  };
}

/** Ends a connection with an answer of its own, or with none. */
function endWith(socket: Duplex, problem?: Problem): void {
  ending.add(socket);
  socket.end(problem === undefined ? undefined : messageOf(problem));
  destroySoon(socket);
}

/** A client that does not close its side keeps the connection no longer than LINGER_MS; destroyed at once, it might lose the answer. */
function destroySoon(socket: Duplex): void {
  // Read, or the client's own close would never be seen.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function messageOf(problem: Problem): string {
  const { code, message } = reasons[problem.reason];
  const body = errorText([problem], Date.now());
  const head = [`HTTP/1.1 ${code} ${message}`, ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const HEADERS = { ...ERROR_HEADERS, connection: 'close' } as const;

function endResponse(response: ServerResponse, problem: Problem): void {
  response.writeHead(reasons[problem.reason].code, HEADERS).end(errorText([problem], Date.now()));
}
