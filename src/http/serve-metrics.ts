import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.module.js';
import { metrics } from '../metrics/metrics.js';
import { ERROR_HEADERS, errorText } from './error-answer.js';
import { listenNear } from './listen.js';

/** A running server of /metrics. */
export interface MetricsServer {
  readonly url: string;
  close(): void;
}

/** A scraper sends one small request at a time. */
const LIMITS = {
  maxHeaderSize: 8_192,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
const MOST_CONNECTIONS = 50;

/**
 * Serves the metrics of this process on an address of their own (settings `metrics.host`, `metrics.port`), because they
 * require no authentication: neither callers nor the proxies in front of the gateway reach it. Every other path is 404.
 */
export async function serveMetrics({ metrics: { host, port } }: Config): Promise<MetricsServer> {
  const server = createServer(LIMITS, (request, response) => void answer(request, response));
  server.maxConnections = MOST_CONNECTIONS;
  const origin = await listenNear(server, host, port);
  return {
    url: `${origin}/metrics`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method === 'GET' && url?.split('?', 1)[0] === '/metrics') {
    const text = await metrics.metrics();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text);
    return;
  }
  const problem = { reason: 'resource_failure', details: 'This port serves GET /metrics only.' } as const;
  response.writeHead(404, ERROR_HEADERS).end(errorText([problem], Date.now()));
}
