import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { answersIn, rawConnect, untilClosed } from '../../test/support/raw-socket.js';
import { boundedPipelining, isFull } from './pipelining.js';
import { answerBeyondRoutes } from './protocol-errors.js';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Requests that reached the server: their responses, and whether their connection was full. */
let seen: { readonly response: ServerResponse; readonly isFull: boolean }[];
let server: Server;

beforeEach(async () => {
  seen = [];
  server = createServer(boundedPipelining, (request, response) => {
    seen.push({ response, isFull: isFull(request.socket) });
  });
  answerBeyondRoutes(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends bytes on a new connection; resolves when the server has received them. `statuses` resolve when it has closed. */
async function sent(bytes: string): Promise<{ statuses(): Promise<number[]> }> {
  const socket = await rawConnect((server.address() as AddressInfo).port);
  const all = untilClosed(socket, 5_000);
  socket.write(bytes);
  await once(server, 'request');
  return { statuses: async () => answersIn(await all).map(({ status }) => status) };
}

describe('requests of one connection', () => {
  claim('API4', 'At most 21 of thousands of requests in one packet are created.', async () => {
    const { statuses } = await sent(GET.repeat(2_000));
    expect(seen.map(({ isFull }) => isFull)).toEqual([...Array<boolean>(20).fill(false), true]);
    for (const { response } of seen) response.end('{}');
    expect(await statuses()).toEqual(Array(21).fill(200));
  });

  it('are closed after a newest answer that was already sent', async () => {
    const { statuses } = await sent(GET.repeat(22));
    for (const { response } of seen.toReversed()) response.end('{}');
    expect(await statuses()).toEqual(Array(21).fill(200));
  });

  it('may be any number if they are answered in time', async () => {
    server.on('request', (_request, response: ServerResponse) => response.end('{}'));
    const socket = await rawConnect((server.address() as AddressInfo).port);
    const all = untilClosed(socket, 5_000);
    for (let round = 0; round < 3; round += 1) {
      socket.write(GET.repeat(15));
      while (seen.filter(({ response }) => response.closed).length < 15 * (round + 1)) await turn();
    }
    socket.end();
    expect(answersIn(await all)).toHaveLength(45);
    expect(seen.some(({ isFull }) => isFull)).toBe(false);
  });

  it('that ask for an upgrade are answered without one', async () => {
    const { statuses } = await sent(
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    );
    seen[0]?.response.setHeader('connection', 'close').end('{}');
    expect(await statuses()).toEqual([200]);
  });
});
