import type { IncomingMessage, ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import type { Config } from '../config/config.module.js';
import { ERROR_HEADERS, errorText } from './error-answer.js';
import { listenNear } from './listen.js';
import { sideServer } from './side-server.js';

/** A running server of /metrics. */
export interface MetricsServer {
  readonly url: string;
  close(): void;
}

/**
 * Serves metrics, which `collect` returns as text, on an address of their own (settings `metrics.host`, `metrics.port`), because they
 * require no authentication: neither callers nor the proxies in front of the gateway reach it. Every other path is 404. If `collect` rejects: 503.
 */
export async function serveMetrics(
  { metrics: { host, port } }: Config,
  collect: () => Promise<string>,
): Promise<MetricsServer> {
  const server = sideServer((request, response) => void answer(request, response, collect));
  const origin = await listenNear(server, host, port);
  return {
    url: `${origin}/metrics`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  collect: () => Promise<string>,
): Promise<void> {
  if (method !== 'GET' || url?.split('?', 1)[0] !== '/metrics') {
    const problem = { reason: 'resource_failure', details: 'This port serves GET /metrics only.' } as const;
    response.writeHead(404, ERROR_HEADERS).end(errorText([problem], Date.now()));
    return;
  }
  try {
    const text = await collect();
    response
      .writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE, 'cache-control': 'no-store' })
      .end(text);
  } catch {
    const problem = { reason: 'maintenance', details: 'A worker did not report its metrics in time.' } as const;
    response.writeHead(503, ERROR_HEADERS).end(errorText([problem], Date.now()));
  }
}
