import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { SmtpSockets, type SocketLimits } from './smtp-sockets.js';

/** A connection that is made has the longer time, not that for connecting. */
const LIMITS: SocketLimits = { connectMs: 300, longestMs: 700 };
const MAIL = { from: 'a@example.com', to: 'b@example.com', text: 'Hello' };
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that greets, and then sends a line of an answer that never ends, every 50 ms. */
async function trickling(): Promise<{ port: number; ended: Promise<unknown> }> {
  let ended: (value: unknown) => void = () => undefined;
  const server = createServer((socket: Socket) => {
    socket.write('220 here\r\n');
    const timer = setInterval(() => socket.write('250-more\r\n'), 50);
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      clearInterval(timer);
      ended(undefined);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    ended: new Promise((resolve) => {
      ended = resolve;
    }),
  };
}

const transportTo = (port: number, sockets: SmtpSockets) =>
  createTransport({ url: `smtp://127.0.0.1:${port}`, socketTimeout: 8_000, getSocket: sockets.open });

it('end in time, even if the server goes on answering', async () => {
  const { port, ended } = await trickling();
  const begunAt = performance.now();
  await expect(transportTo(port, new SmtpSockets(LIMITS)).sendMail(MAIL)).rejects.toMatchObject({
    code: expect.stringMatching(/^(ESOCKET|ECONNECTION)$/),
  });
  const ms = performance.now() - begunAt;
  expect([ms > 650, ms < 5_000]).toEqual([true, true]);
  await ended;
});

it('all end when they are closed', async () => {
  const { port, ended } = await trickling();
  const sockets = new SmtpSockets({ ...LIMITS, longestMs: 60_000 });
  const sending = expect(transportTo(port, sockets).sendMail(MAIL)).rejects.toThrow();
  setTimeout(() => sockets.close(), 200);
  await sending;
  await ended;
});

it('end when they are closed before they are made, and no more are made', async () => {
  const { port } = await trickling();
  const sockets = new SmtpSockets({ connectMs: 60_000, longestMs: 60_000 });
  const opening = new Promise((_, reject) => sockets.open({ host: '127.0.0.1', port }, reject));
  sockets.close();
  await expect(opening).rejects.toThrow('the gateway is stopping');
  await expect(transportTo(port, sockets).sendMail(MAIL)).rejects.toThrow('the gateway is stopping');
});

it('report a server that refuses the connection', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  server.close();
  await expect(transportTo(port, new SmtpSockets(LIMITS)).sendMail(MAIL)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});
