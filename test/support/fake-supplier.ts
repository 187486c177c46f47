import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What a fake supplier does with a request once it has arrived completely (head and body as text). */
export type Behaviour = (socket: Socket, request: string) => void;

/** A supplier on a raw socket that does exactly what a test defines. */
export interface FakeSupplier {
  readonly url: string;
  /** Takes effect with the next request. */
  behave(behaviour: Behaviour): void;
  /** Requests received so far. */
  requests(): number;
  /** Resolves when a request has arrived since the call. */
  nextRequest(): Promise<Socket>;
  close(): Promise<void>;
}

/** A small XML document with an entity of a billion characters. */
export const ENTITY_BOMB = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, level) => `<!ENTITY ${'bcdefghij'[level]} "${`&${'abcdefghi'[level]};`.repeat(10)}">`).join('')}]><x>&j;</x>`;

/** Starts one on a free port of 127.0.0.1; by default it never answers. */
export async function startFakeSupplier(): Promise<FakeSupplier> {
  const sockets = new Set<Socket>();
  let behaviour: Behaviour = hang;
  let count = 0;
  const waiting = new Set<(socket: Socket) => void>();
  // Written in parts, an answer would otherwise wait 40 ms for the other side's delayed acknowledgment.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Some tests expect a caller to disconnect.
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end === -1 || text.length < end + 4 + length) return;
      const request = text.slice(0, end + 4 + length);
      text = text.slice(request.length);
      count += 1;
      for (const resolve of waiting) resolve(socket);
      waiting.clear();
      behaviour(socket, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    behave: (next) => {
      behaviour = next;
    },
    requests: () => count,
    nextRequest: () => new Promise((resolve) => waiting.add(resolve)),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Never answers. */
export const hang: Behaviour = () => undefined;

/** Cuts the connection with a TCP reset. */
export const reset: Behaviour = (socket) => {
  socket.resetAndDestroy();
};

/** Answers with a complete HTTP message. */
export function reply(
  body: string | Buffer,
  contentType = 'text/xml; charset=utf-8',
  status = '200 OK',
  encoding: 'identity' | 'gzip' = 'identity',
): Behaviour {
  const sent = encoding === 'gzip' ? gzipSync(body) : body;
  return (socket) => {
    socket.write(
      `HTTP/1.1 ${status}\r\ncontent-type: ${contentType}\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${Buffer.byteLength(sent)}\r\n\r\n`,
    );
    socket.write(sent);
  };
}

/** Answers with an OTA message in the namespace of the dialect. */
export function replyOta(message: string, inner: string, encoding?: 'gzip'): Behaviour {
  return reply(
    `<?xml version="1.0" encoding="UTF-8"?><${message} xmlns="http://www.opentravel.org/OTA/2003/05" Version="2.001">${inner}</${message}>`,
    undefined,
    undefined,
    encoding,
  );
}
