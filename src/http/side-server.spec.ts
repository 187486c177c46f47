import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { answersIn, rawConnect, untilClosed } from '../../test/support/raw-socket.js';
import { sideServer } from './side-server.js';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(listener: RequestListener, options: Parameters<typeof sideServer>[1] = {}): Promise<number> {
  server = sideServer(listener, options);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** How many connections are open: as soon as there are so many, or after so long. */
async function connections(expected: number, ms: number): Promise<number> {
  const count = () => new Promise<number>((resolve) => server.getConnections((_error, open) => resolve(open)));
  for (let waited = 0; (await count()) !== expected && waited < ms; waited += 50) await wait(50);
  return await count();
}

claim(
  'API4',
  'With TLS, the ports of metrics and the admin API close a connection whose handshake takes longer than 5 s.',
  async () => {
    const port = await serve(() => undefined, { tls: {} });
    const sockets = await Promise.all(Array.from({ length: 50 }, () => rawConnect(port)));
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    expect(await connections(50, 4_000)).toBe(50);
    expect(await connections(0, 9_000)).toBe(0);
  },
  20_000,
);

claim(
  'API4',
  'The ports of metrics and the admin API serve one request of a connection at a time, and close one that sends the next without waiting.',
  async () => {
    let served = 0;
    const port = await serve(() => {
      served += 1;
    });
    for (const requests of [2, 2_000]) {
      served = 0;
      const socket = await rawConnect(port);
      const closed = untilClosed(socket, 5_000);
      socket.write(GET.repeat(requests));
      expect(answersIn(await closed)).toEqual([]);
      expect(served).toBe(1);
    }
  },
);

claim(
  'API4',
  'The ports of metrics and the admin API close a connection that does not read its answer, and are free for others again.',
  async () => {
    const large = Buffer.alloc(16_000_000);
    const port = await serve(({ url }, response) => response.end(url === '/' ? large : 'small'), { stallMs: 200 });
    for (let count = 0; count < 50; count += 1) {
      const socket = await rawConnect(port);
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(GET);
    }
    expect(await connections(0, 5_000)).toBe(0);
    expect(await (await fetch(`http://127.0.0.1:${port}/small`)).text()).toBe('small');
  },
);

describe('a connection that waits for its answer', () => {
  it('is kept for the next request, and while nothing is to be read', async () => {
    const port = await serve((_request, response) => void setTimeout(() => response.end('{}'), 500), { stallMs: 100 });
    const socket = await rawConnect(port);
    const all = untilClosed(socket, 5_000);
    socket.write(GET);
    await once(socket, 'data');
    socket.write(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(answersIn(await all).map(({ status }) => status)).toEqual([200, 200]);
  });
});
