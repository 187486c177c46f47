import { createSocket, type Socket } from 'node:dgram';
import { type LookupAddress, lookup } from 'node:dns';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hostLookup } from './host-lookup.js';

const A = 1;
const AAAA = 28;
const CNAME = 5;

/** A name server on loopback. Names that start with `silent` get no answer; `records` has the addresses of others. */
class NameServer {
  readonly asked: string[] = [];
  readonly #socket: Socket = createSocket('udp4');

  constructor(private readonly records: Record<string, Partial<Record<number, Buffer>>>) {
    this.#socket.on('message', (query, { port }) => {
      const answer = this.#answer(query);
      if (answer) this.#socket.send(answer, port, '127.0.0.1');
    });
  }

  async start(): Promise<string> {
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size));
      at += 1 + size;
    }
    const name = labels.join('.');
    const type = query.readUInt16BE(at + 1);
    this.asked.push(`${name} ${type}`);
    const record = this.records[name];
    const kind = record?.[type] ? type : CNAME;
    const answer = record?.[kind];
    if (name.startsWith('silent') || (record && answer?.length === 0)) return undefined;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(record ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(answer ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const question = query.subarray(12, at + 5);
    if (!answer) return Buffer.concat([header, question]);
    const fixed = Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, answer.length]);
    return Buffer.concat([header, question, fixed, answer]);
  }
}

describe('hostLookup', () => {
  const v4 = Buffer.from([192, 0, 2, 7]);
  const v6 = Buffer.from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
  const nameServer = new NameServer({
    'uno.example': { [A]: v4, [AAAA]: v6 },
    'four.example': { [A]: v4 },
    'six.example': { [AAAA]: v6 },
    'half.example': { [A]: v4, [AAAA]: Buffer.alloc(0) },
    'empty.example': {},
    'alias.example': { [CNAME]: Buffer.from('\x05other\x07example\0') },
  });
  let find: LookupFunction;
  beforeAll(async () => {
    const address = await nameServer.start();
    find = hostLookup([address]);
  });
  beforeEach(() => {
    nameServer.asked.length = 0;
  });
  afterAll(() => {
    nameServer.stop();
  });

  const found = (name: string, all = true) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      find(name, { all }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
    });

  it('finds IPv4 addresses first, then IPv6', async () => {
    expect(await found('uno.example')).toEqual([
      { address: '192.0.2.7', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]);
    expect(await found('UNO.example', false)).toBe('192.0.2.7');
    expect(await found('four.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(await found('six.example')).toEqual([{ address: '2001:db8::7', family: 6 }]);
  });

  it('reports names without an address', async () => {
    await expect(found('empty.example')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(found('unknown.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    // An alias whose target has none: the resolver finds the name, without an address.
    for (const all of [true, false])
      await expect(found('alias.example', all)).rejects.toMatchObject({ code: 'ENODATA', hostname: 'alias.example' });
  });

  it('leaves names without a dot and those of the hosts file to the operating system', async () => {
    expect(await found('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(nameServer.asked).toEqual([]);
  });

  it('asks once for the connections that need a host at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => found('uno.example')));
    expect(nameServer.asked.sort()).toEqual(['uno.example 1', 'uno.example 28']);
    await found('uno.example');
    expect(nameServer.asked).toHaveLength(4);
  });

  it('does not wait for a server that answers only for IPv4', async () => {
    const start = performance.now();
    expect(await found('half.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    // Milliseconds; a question without an answer is given up after seconds.
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('is not delayed by suppliers whose name servers do not answer, and doesn’t delay lookups of the operating system', async () => {
    const silent = Array.from({ length: 10 }, (_, index) => found(`silent${index}.example`));
    const errors = Promise.allSettled(silent);
    const start = performance.now();
    const system = new Promise((resolve) => {
      lookup('localhost', resolve);
    });
    await Promise.all([found('uno.example'), found('localhost'), system]);
    // Milliseconds; the silent servers are given up after seconds.
    expect(performance.now() - start).toBeLessThan(1_000);
    for (const { reason } of (await errors) as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'ETIMEOUT' });
    expect(performance.now() - start).toBeLessThan(8_000);
  }, 20_000);
});
