import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';

/** A listener between a gateway and one supplier: forwards everything and records the calls. */
export interface SupplierTap {
  readonly url: string;
  /** `METHOD /path?query` of each call so far, oldest first. */
  readonly calls: readonly string[];
  /** The body of each of them. */
  readonly bodies: readonly string[];
  /** Changes the text of answers from now on, to one of the same length. */
  rewrite(change: (text: string) => string): void;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 for the supplier at `target`. */
export async function startTap(target: string): Promise<SupplierTap> {
  const calls: string[] = [];
  const bodies: string[] = [];
  let change: ((text: string) => string) | undefined;
  const changed = (parts: readonly Buffer[]): string => {
    const text = Buffer.concat(parts).toString();
    return change?.(text) ?? text;
  };
  const server = createServer((request, response) => {
    const nth = calls.push(`${request.method} ${request.url}`) - 1;
    bodies[nth] = '';
    request.on('data', (part: Buffer) => {
      bodies[nth] += part.toString();
    });
    const onward = httpRequest(
      new URL(request.url ?? '/', target),
      { method: request.method ?? 'GET', headers: request.headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.once('error', () => response.destroy());
        if (change) void answer.toArray().then((parts) => response.end(changed(parts)));
        else answer.pipe(response);
      },
    );
    // If the supplier breaks the connection, the gateway's connection breaks as well.
    onward.once('error', () => request.socket.resetAndDestroy());
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    bodies,
    rewrite: (next) => {
      change = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
