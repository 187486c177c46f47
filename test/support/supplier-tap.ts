import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';

/** A listener between a gateway and one supplier: passes everything on and keeps what was said. */
export interface SupplierTap {
  readonly url: string;
  /** `METHOD /path?query` of each call so far, oldest first. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 for the supplier at `target`. */
export async function startTap(target: string): Promise<SupplierTap> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const onward = httpRequest(
      new URL(request.url ?? '/', target),
      { method: request.method ?? 'GET', headers: request.headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.once('error', () => response.destroy());
      },
    );
    // A supplier that breaks the connection breaks it for the gateway, too.
    onward.once('error', () => request.socket.resetAndDestroy());
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
