import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { boundedPipelining, countPipelined } from './pipelining.js';
import { disconnectStalled } from './stalled.js';

const LIMITS: ServerOptions = {
  ...boundedPipelining,
  maxHeaderSize: 8_192,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
};
/** Before the headers can begin; Node's own limit is 120 s. */
const HANDSHAKE_MS = 5_000;
const MOST_CONNECTIONS = 50;

/**
 * A server for programs of operators, on a port of its own (metrics, the admin API): at most 50 connections, each with one
 * request at a time. A connection is closed if its next request doesn't wait for the answer, if nothing of an answer is
 * read for 10 s, and if headers take longer than 5 s or a request longer than 10 s. With `tls`, it speaks only TLS from 1.2 on, whose
 * handshake may take 5 s.
 */
export function sideServer(
  listener: RequestListener,
  {
    tls,
    stallMs = 10_000,
  }: { readonly tls?: Pick<TlsOptions, 'cert' | 'key'> | undefined; readonly stallMs?: number } = {},
): Server {
  const secure = { handshakeTimeout: HANDSHAKE_MS, minVersion: 'TLSv1.2' } as const;
  const server = tls ? createTlsServer({ ...LIMITS, ...tls, ...secure }) : createServer(LIMITS);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('request', (request, response) => {
    countPipelined(request, response);
    if (response.socket === null) {
      request.socket.destroy();
      return;
    }
    disconnectStalled(response, stallMs);
    listener(request, response);
  });
  server.on('upgrade', (_request, socket: Duplex) => {
    // The server handles no errors of this socket anymore; unhandled, one reset would stop the process.
    socket.on('error', () => undefined);
    socket.destroy();
  });
  return server;
}
