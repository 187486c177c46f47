import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterEach, expect, it } from '@jest/globals';
import { makeCertificates } from '../../test/drill/certificates.js';
import { describeWith } from '../../test/support/binaries.js';
import { claim } from '../../test/support/claim.js';
import { answersIn, rawConnect, untilClosed } from '../../test/support/raw-socket.js';
import { boundedPipelining } from './pipelining.js';
import { answerBeyondRoutes } from './protocol-errors.js';

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends `first`, a body in so many chunks and what follows it; resolves with everything that the server answered before it closed the connection. */
async function exchange(
  listener: RequestListener,
  chunk: string,
  count: number,
  rest = '',
  first = '',
): Promise<string> {
  server = createServer(boundedPipelining, listener);
  answerBeyondRoutes(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = await rawConnect((server.address() as AddressInfo).port);
  const all = untilClosed(socket, 10_000);
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n');
  socket.write(first + `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count) + rest);
  return await all;
}

claim.each<[string, RequestListener]>([
  ['is read', (request) => request.resume().on('data', () => undefined)],
  ['is never read', () => undefined],
  ['was answered before it arrived', (_request, response) => response.end('{}')],
])(
  'API4',
  'A body in more than 500 small chunks closes its connection, whether or not it is read: most of it is never parsed.',
  'a body that %s',
  async (_title, listener) => {
    let received = (): number => 0;
    await exchange(
      (request, response) => {
        received = () => request.socket.bytesRead;
        listener(request, response);
      },
      'x',
      200_000,
    );
    // Two packets of 64 KB, of 1.2 MB.
    expect(received()).toBeLessThan(140_000);
  },
);

it('a body that begins with large chunks may have no more small ones after them', async () => {
  const large = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(20);
  const listener: RequestListener = (request, response) => {
    request.resume().once('end', () => response.end('{}'));
  };
  // On average, they have 600 bytes.
  expect(await exchange(listener, 'x', 2_000, '0\r\n\r\n', large)).toBe('');
});

it('a body that is cut off does not end as if it were complete', async () => {
  const events: string[] = [];
  const listener: RequestListener = (request) => {
    for (const name of ['end', 'error']) request.on(name, () => events.push(name));
    request.resume();
  };
  // All of it is in one packet.
  expect(await exchange(listener, 'x', 3_000, '0\r\n\r\n')).toBe('');
  await wait(10);
  expect(events).toEqual(['error']);
});

it.each([
  ['500 chunks of one byte', 'x', 500],
  ['3,000 chunks of 1 KB', 'x'.repeat(1_024), 3_000],
])('a body in %s is read', async (_title, chunk, count) => {
  let length = 0;
  const listener: RequestListener = (request, response) => {
    request.on('data', (part: Buffer) => {
      length += part.length;
    });
    request.once('end', () => response.end('{}'));
  };
  expect(answersIn(await exchange(listener, chunk, count, '0\r\n\r\n')).map(({ status }) => status)).toEqual([200]);
  expect(length).toBe(chunk.length * count);
});

describeWith('openssl')('by TLS', () => {
  it('a body with a length in more than 500 small records closes its connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-chunks-'));
    const { key, cert } = makeCertificates(folder).valid;
    rmSync(folder, { recursive: true });
    let received = 0;
    const listener: RequestListener = (request, response) => {
      request.on('error', () => undefined).once('end', () => response.end('{}'));
      request.on('data', ({ length }: Buffer) => {
        received += length;
      });
    };
    server = createTlsServer({ ...boundedPipelining, key, cert }, listener);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3000\r\n\r\n');
    for (let byte = 0; byte < 3_000 && !socket.destroyed; byte += 1)
      await new Promise<void>((resolve) => socket.write('x', () => resolve()));
    if (!socket.closed) await once(socket, 'close');
    expect(received).toBe(500);
  });
});

it('a body with a length is read, even if each of its bytes arrives alone', async () => {
  let chunks = 0;
  server = createServer(boundedPipelining, (request, response) => {
    request.on('data', () => {
      chunks += 1;
    });
    request.once('end', () => response.end('{}'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = await rawConnect((server.address() as AddressInfo).port);
  socket.setNoDelay(true);
  const all = untilClosed(socket, 20_000);
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1500\r\n\r\n');
  for (let byte = 0; byte < 1_500; byte += 1) {
    socket.write('x');
    await wait(1);
  }
  expect(answersIn(await all).map(({ status }) => status)).toEqual([200]);
  // Otherwise, the bytes arrived together.
  expect(chunks).toBeGreaterThan(500);
});
