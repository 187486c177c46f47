import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type FaultName, type FaultProxy, startFaultProxy } from './fault-proxy.js';

/** Timers may fire a little early. */
const EARLY_MS = 5;
/** Long enough that something would have arrived. */
const SILENCE_MS = 250;

let server: Server;
let proxy: FaultProxy;
let received = 0;
const callers: Socket[] = [];

beforeAll(async () => {
  // Echoes what it gets.
  server = createServer((socket) => {
    socket.on('error', () => undefined).pipe(socket);
    socket.on('data', ({ length }: Buffer) => {
      received += length;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  proxy = await startFaultProxy((server.address() as AddressInfo).port);
});
afterAll(async () => {
  for (const caller of callers) caller.destroy();
  await proxy.close();
  server.close();
});

/** A connection through the proxy that has been used. */
async function caller(): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  callers.push(socket);
  await echo(socket, 'hello');
  return socket;
}

/** Sends a text and resolves, when as many bytes have come back, with these and how long it took. */
function echo(socket: Socket, text: string): Promise<{ readonly text: string; readonly ms: number }> {
  const begunAt = performance.now();
  return new Promise((resolve) => {
    let back = '';
    const listen = (bytes: Buffer): void => {
      back += bytes.toString();
      if (back.length < text.length) return;
      socket.off('data', listen);
      resolve({ text: back, ms: performance.now() - begunAt });
    };
    socket.on('data', listen);
    socket.write(text);
  });
}

it.each<[FaultName, number, number]>([
  ['latency', 10, 300],
  ['slow drip', 5, 500],
  // 8,000 bytes take half a second in each direction.
  ['bandwidth', 8_000, 1_000],
])(
  '%s delays %d bytes and their echo by at least %d ms, and no longer after its end',
  async (fault, length, leastMs) => {
    const socket = await caller();
    const text = 'abcdefghij'.repeat(length / 10 + 1).slice(0, length);
    proxy.begin(fault);
    const slow = await echo(socket, text);
    proxy.end();
    expect([slow.text, (await echo(socket, text)).text]).toEqual([text, text]);
    expect(slow.ms).toBeGreaterThan(leastMs - EARLY_MS);
    expect((await echo(socket, 'x')).ms).toBeLessThan(leastMs);
  },
);

it('jitter delays differently and keeps the order', async () => {
  const socket = await caller();
  proxy.begin('jitter');
  const times: number[] = [];
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) times.push((await echo(socket, text)).ms);
  const sent = 'abcdefghijkl';
  const back = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.length === sent.length) resolve(text);
    });
  });
  for (const letter of sent) {
    socket.write(letter);
    await wait(5);
  }
  expect(await back).toBe(sent);
  proxy.end();
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(30);
});

it('one-way loss lets the request through, and the answer only after its end', async () => {
  const socket = await caller();
  proxy.begin('one-way loss');
  const before = received;
  let isBack = false;
  const back = echo(socket, 'request').then((answer) => {
    isBack = true;
    return answer.text;
  });
  await wait(SILENCE_MS);
  expect([received - before, isBack]).toEqual([7, false]);
  proxy.end();
  expect(await back).toBe('request');
});

it('reset ends open and new connections with ECONNRESET', async () => {
  const socket = await caller();
  const ended = once(socket, 'error');
  proxy.begin('reset');
  const fresh = connect(proxy.port, '127.0.0.1');
  const [[first], [second]] = await Promise.all([ended, once(fresh, 'error')]);
  proxy.end();
  expect([first, second]).toMatchObject([{ code: 'ECONNRESET' }, { code: 'ECONNRESET' }]);
});

it('half-open passes nothing, ends nothing, and stays so for its connections', async () => {
  const socket = await caller();
  proxy.begin('half-open');
  const before = received;
  let isOver = false;
  for (const event of ['close', 'end', 'data']) socket.on(event, () => (isOver = true));
  socket.write('lost');
  await wait(SILENCE_MS);
  proxy.end();
  socket.write('lost as well');
  await wait(SILENCE_MS);
  expect([received - before, isOver]).toEqual([0, false]);
  expect((await echo(await caller(), 'new')).text).toBe('new');
});

it('acts before a text is passed on, once', async () => {
  const socket = await caller();
  const before = received;
  let acted = 0;
  proxy.beforeSending('BOOK', () => {
    acted += 1;
    proxy.begin('half-open');
  });
  await echo(socket, 'price');
  socket.write('BOOK it');
  await wait(SILENCE_MS);
  proxy.end();
  expect([acted, received - before]).toEqual([1, 5]);
  await echo(await caller(), 'BOOK again');
  expect(acted).toBe(1);
});
