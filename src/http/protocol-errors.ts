import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from '../status/api-error.js';
import { reasons } from '../status/reasons.js';
import { ERROR_HEADERS, errorText } from './error-answer.js';
import { countPipelined } from './pipelining.js';

/** Time that a client has to read the last answer on a connection; anything it still sends is discarded. */
const LINGER_MS = 1_000;

/** The newest answer of each connection. Unreadable bytes belong to its request or come after it. */
const newestAnswers = new WeakMap<Duplex, ServerResponse>();
/** Connections that are closing; the parser still reports their further bytes. */
const ending = new WeakSet<Duplex>();

/**
 * Answers bytes that aren't valid HTTP and closes the connection (ruling 18). Each request gets at most one answer, and
 * its own: earlier valid requests are answered first, and a broken body whose request was already answered only closes
 * the connection.
 */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (ending.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const newest = newestAnswers.get(socket);
  if (newest && !newest.writableFinished && (newest.req.complete || newest.headersSent)) {
    ending.add(socket);
    newest.once('close', () => {
      ending.delete(socket);
      answerUnreadable(error, socket);
    });
  } else if (newest && !newest.req.complete) answerBroken(newest, socket, problemOf(error));
  else endWith(socket, problemOf(error));
}

/**
 * Handles what Node would answer outside the contract: CONNECT (closed silently), unknown expectations (417), and
 * connections with too many unanswered requests (closed after their answers). The server has the options
 * `boundedPipelining`.
 */
export function answerBeyondRoutes(server: Server): void {
  server.on('connection', readOnAfterAnswer);
  server.prependListener('request', noteAnswer);
  server.on('upgrade', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    const newest = newestAnswers.get(socket);
    if (newest?.writableFinished === false) newest.once('close', () => endWith(socket));
    else endWith(socket);
  });
  server.on('connect', (_request, socket: Duplex) => {
    // The server handles no errors of this socket anymore; unhandled, one reset would stop the process.
    socket.on('error', () => socket.destroy());
    endWith(socket, { reason: 'resource_failure' });
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    noteAnswer(request, response);
    endResponse(response, {
      reason: 'invalid_request',
      details: 'The Expect header is not supported except for "100-continue".',
    });
  });
}

function noteAnswer(request: IncomingMessage, response: ServerResponse): void {
  newestAnswers.set(request.socket, response);
  countPipelined(request, response);
}

/**
 * Before a connection is closed after an answer, the rest of an unread body is read and discarded for up to LINGER_MS.
 * Otherwise the kernel would reset it: the client could lose the answer, and a proxy would take the gateway for broken.
 */
function readOnAfterAnswer(socket: Duplex & { destroySoon?: () => void }): void {
  const closeNow = socket.destroySoon?.bind(socket);
  socket.destroySoon = () => {
    if (newestAnswers.get(socket)?.req.complete === false) endWith(socket);
    else closeNow?.();
  };
}

/** Answers a request whose body broke off. Uses its response, so that answers to earlier requests are sent first. */
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
    return { reason: 'invalid_request', details: 'The request headers are too large.' };
  return {
    reason: 'invalid_format',
    details: 'The request is not valid HTTP. Percent-encode non-ASCII characters in the URL.',
  };
}

/** Closes a connection, optionally with a final answer. */
function endWith(socket: Duplex, problem?: Problem): void {
  ending.add(socket);
  socket.end(problem === undefined ? undefined : messageOf(problem));
  destroySoon(socket);
}

/**
 * Destroys the connection after LINGER_MS if the client doesn't close it. Destroying it immediately could lose the
 * answer.
 */
function destroySoon(socket: Duplex): void {
  // Keep reading to notice when the client closes the connection.
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
