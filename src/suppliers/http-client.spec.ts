import { createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { threadMs } from '../../test/support/thread-time.js';
import { SupplierHttpClient } from './http-client.js';

const MOST_BYTES = 2_000_000;
const GET = { method: 'GET', path: '/' } as const;

const clients: SupplierHttpClient[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) server.close();
});

/** A supplier that answers the first bytes of each connection with these. */
async function supplierWith(answer: Buffer): Promise<SupplierHttpClient> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
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
    'A compressed answer that takes long to decompress, although it contains nothing, does not hold up other requests.',
    async () => {
      const supplier = await supplierWith(gzipped(emptyBlocks(MOST_BYTES - 100)));
      const sent = supplier.send(GET, {}, {});
      expect(await timeOf(sent)).toBeLessThan(100);
      await expect(sent).rejects.toMatchObject({ fault: 'bad_payload' });
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

  test('a bomb of a few kilobytes is a bad payload', async () => {
    const supplier = await supplierWith(gzipped(gzipSync(Buffer.alloc(12_000_000))));
    await expect(supplier.send(GET, {}, {})).rejects.toMatchObject({ fault: 'bad_payload' });
  });
});

/** A gzip stream of dynamic Huffman blocks without content, each with a table to build: RFC 1951, 3.2.7. */
function emptyBlocks(bytes: number): Buffer {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let at = 0; at < count; at += 1) bits.push((value >> at) & 1);
  };
  put(0, 1); // not the last block
  put(2, 2); // dynamic codes
  put(0, 5); // 257 literal codes
  put(0, 5); // 1 distance code
  put(14, 4); // 18 code lengths
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1];
  for (const symbol of order) put(symbol === 18 ? 1 : symbol < 2 ? 2 : 0, 3);
  bits.push(0); // 138 zeros
  put(127, 7);
  bits.push(0); // 118 zeros
  put(107, 7);
  bits.push(1, 1, 1, 1); // the end of the block, and one distance, have one bit
  bits.push(0); // the end of the block
  const blocks = Math.floor((bytes * 8) / bits.length);
  const stream = Buffer.alloc(Math.ceil((blocks * bits.length) / 8));
  for (let block = 0, at = 0; block < blocks; block += 1)
    for (const bit of bits) {
      if (bit === 1) stream[at >> 3] = (stream[at >> 3] ?? 0) | (1 << (at & 7));
      at += 1;
    }
  return Buffer.concat([gzipSync('').subarray(0, 10), stream]);
}
