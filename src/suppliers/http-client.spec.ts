import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { slowed } from '../../test/support/slowness.js';
import { threadMs } from '../../test/support/thread-time.js';
import { loopLag } from '../metrics/loop-lag.js';
import { emptyBlocks } from './fixtures/empty-blocks.js';
import { SupplierHttpClient } from './http-client.js';

const MOST_BYTES = 2_000_000;
const GET = { method: 'GET', path: '/' } as const;

const clients: SupplierHttpClient[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) server.close();
});

/** A supplier that answers the first bytes of each connection with these, or all of them if it keeps connections. */
function supplierWith(answer: Buffer, keeps = false): Promise<SupplierHttpClient> {
  return serving((socket) => {
    if (keeps) socket.on('data', () => socket.write(answer));
    else socket.once('data', () => socket.end(answer));
  });
}

/** A supplier that never stops sending `more` after `beginning`, and how many bytes it has sent. */
async function endless(beginning: Buffer, more: Buffer): Promise<[SupplierHttpClient, () => number]> {
  let sent = 0;
  const supplier = await serving((socket) => {
    const send = (): void => {
      while (socket.writable && socket.write(more)) sent += more.length;
      sent += more.length;
    };
    socket.once('data', () => {
      socket.write(beginning);
      send();
      socket.on('drain', send);
    });
  });
  return [supplier, () => sent];
}

async function serving(serve: (socket: Socket) => void): Promise<SupplierHttpClient> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  servers.push(server);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as { port: number };
  const client = new SupplierHttpClient(`http://127.0.0.1:${port}`, 4, MOST_BYTES);
  clients.push(client);
  return client;
}

const answerOf = (body: Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\n`), body]);

const gzipped = (body: Buffer): Buffer => answerOf(body, 'content-encoding: gzip', `content-length: ${body.length}`);

/** The processor time of this thread, in milliseconds, for one answer. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const startedAt = threadMs();
  await work.catch(() => undefined);
  return threadMs() - startedAt;
}

describe('hostile transfers', () => {
  const chunked = (chunk: string, count: number): Buffer =>
    answerOf(
      Buffer.from(`${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`),
      'transfer-encoding: chunked',
    );

  /** What a supplier sends without end, after a beginning. */
  const ENDLESS = [
    ['a status line', 'HTTP/1.1 200 aaaa', 'a'],
    ['line breaks before the status line', '', '\r\n'],
    ['a chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0'],
    ['a chunk extension', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'a'],
    ['a trailer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: ', 'a'],
  ] as const;

  claim(
    ['API10', 'suppliers'],
    'An answer whose framing never ends (its status line, a chunk size, extension or trailer) is cut off at its size limit.',
    async () => {
      for (const [name, beginning, more] of ENDLESS) {
        const [supplier, sent] = await endless(Buffer.from(beginning), Buffer.alloc(65_536, more));
        const error = await supplier.send(GET, {}, {}).catch((one: unknown) => one);
        expect([name, error]).toMatchObject([name, { fault: expect.stringMatching(/bad_payload|unavailable/) }]);
        // What was sent is in buffers of the kernel as well.
        expect([name, sent() < 3 * MOST_BYTES + 8_000_000]).toEqual([name, true]);
      }
    },
  );

  test('the limit is per answer: a connection may carry more in total', async () => {
    const body = Buffer.alloc(MOST_BYTES - 1_000, 'a');
    const supplier = await supplierWith(answerOf(body, `content-length: ${body.length}`), true);
    for (let call = 0; call < 4; call += 1) expect((await supplier.send(GET, {}, {})).body.length).toBe(body.length);
  });

  claim(
    ['API10', 'suppliers'],
    "An answer in a million tiny chunks is cut off after two thousand, as the supplier's fault.",
    async () => {
      const supplier = await supplierWith(chunked('a', 1_000_000));
      const sent = supplier.send(GET, {}, {});
      expect(await timeOf(sent)).toBeLessThan(150);
      await expect(sent).rejects.toMatchObject({ fault: 'bad_payload', sent: true });
    },
  );

  claim.each([
    ['headers', 'HTTP/1.1 200 OK\r\n'],
    ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n'],
  ])(
    ['API10', 'suppliers'],
    "An answer with a hundred thousand headers or trailers is cut off within milliseconds, as the supplier's fault.",
    '%s',
    async (_title, beginning) => {
      const supplier = await supplierWith(Buffer.from(beginning + 'a:\r\n'.repeat(100_000)));
      const times: number[] = [];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const sent = supplier.send(GET, {}, {});
        times.push(await timeOf(sent));
        await expect(sent).rejects.toMatchObject({ fault: 'bad_payload', sent: true });
      }
      // The least disturbed one. It takes 2 ms, and 250 if the parser doesn't stop.
      expect(Math.min(...times)).toBeLessThan(50);
    },
  );

  claim(
    ['API10', 'suppliers'],
    'An answer that never begins because of endless informational responses is cut off after five.',
    async () => {
      const supplier = await supplierWith(Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200_000)));
      const sent = supplier.send(GET, {}, {});
      expect(await timeOf(sent)).toBeLessThan(150);
      await expect(sent).rejects.toMatchObject({ fault: 'bad_payload', sent: true });
      const polite = `${`HTTP/1.1 103 Early Hints\r\n\r\n`.repeat(2)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`;
      const other = await supplierWith(Buffer.from(polite));
      expect((await other.send(GET, {}, {})).body.toString()).toBe('ok');
    },
  );

  claim(
    ['API10', 'suppliers'],
    'Suppliers are called by HTTP/1.1 only: no supplier can choose HTTP/2, to which the limits of an answer do not apply.',
    async () => {
      const hello = Promise.withResolvers<Buffer>();
      const server = createServer((socket) => {
        socket.once('data', (bytes) => {
          hello.resolve(bytes);
          socket.destroy();
        });
        socket.on('error', () => undefined);
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      server.unref();
      const client = new SupplierHttpClient(`https://127.0.0.1:${port}`, 1, MOST_BYTES);
      const sent = client.send(GET, {}, {}).catch((error: unknown) => error);
      // The protocols that the client offers, each after its length (RFC 7301).
      const offered = (await hello.promise).toString('latin1');
      expect([offered.includes('\x08http/1.1'), offered.includes('\x02h2')]).toEqual([true, false]);
      expect(await sent).toMatchObject({ fault: 'unavailable' });
      await client.close();
      server.close();
    },
  );

  claim(
    ['API10', 'suppliers'],
    'A compressed answer that takes long to decompress, although it contains nothing, does not hold up other requests.',
    async () => {
      const supplier = await supplierWith(gzipped(emptyBlocks(MOST_BYTES - 100)));
      // After work that held up this process, the time doesn't count as the supplier's (decompress.spec.ts).
      const lags = jest.spyOn(Object.getPrototypeOf(loopLag) as typeof loopLag, 'isLagging', 'get');
      lags.mockReturnValue(false);
      const times: number[] = [];
      const faults: unknown[] = [];
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const sent = supplier.send(GET, {}, {});
        times.push(await timeOf(sent));
        faults.push(await sent.catch(({ fault }) => fault));
      }
      lags.mockRestore();
      expect(faults).toEqual(['bad_payload', 'bad_payload', 'bad_payload']);
      // The least disturbed one: other processes on the same processor make each of them slower.
      expect(Math.min(...times)).toBeLessThan(slowed(100));
    },
  );

  test('answers in few or in large chunks, compressed or not, are complete', async () => {
    for (const [answer, length] of [
      [chunked('a', 1_500), 1_500],
      [chunked('a'.repeat(100), 15_000), 1_500_000],
      [gzipped(gzipSync(Buffer.alloc(1_900_000, 'ab'))), 1_900_000],
      [gzipped(gzipSync(Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * at * 31) % 251)))), 60_000],
    ] as const) {
      const supplier = await supplierWith(answer);
      expect((await supplier.send(GET, {}, {})).body.length).toBe(length);
    }
  });

  test.each(['gzip', 'GZIP', 'x-gzip', ' X-GZip '])(
    'the coding "%s" is gzip, and a body of no bytes has nothing to decompress',
    async (coding) => {
      const of = async (body: Buffer) => {
        const supplier = await supplierWith(
          answerOf(body, `content-encoding: ${coding}`, `content-length: ${body.length}`),
        );
        return String((await supplier.send(GET, {}, {})).body);
      };
      expect(await of(gzipSync('{"ok":true}'))).toBe('{"ok":true}');
      expect(await of(Buffer.alloc(0))).toBe('');
    },
  );

  test('a bomb of a few kilobytes is a bad payload', async () => {
    const supplier = await supplierWith(gzipped(gzipSync(Buffer.alloc(12_000_000))));
    await expect(supplier.send(GET, {}, {})).rejects.toMatchObject({ fault: 'bad_payload' });
  });
});
