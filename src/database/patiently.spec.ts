import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { patiently } from './patiently.js';

/** A server that accepts connections and never answers. */
let silent: Server;
beforeEach(async () => {
  silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
});
afterEach(() => void silent.close());

async function connect(port: number): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, connectionTimeoutMillis: 30 });
  client.on('error', () => undefined);
  await client.connect();
}
const silentPort = (): number => (silent.address() as AddressInfo).port;

it('asks a database again that does not answer in time, and says so', async () => {
  const told: string[] = [];
  let asked = 0;
  const work = async (): Promise<string> => {
    asked += 1;
    if (asked <= 2) await connect(silentPort());
    return 'connected';
  };
  expect(await patiently(work, (message) => told.push(message))).toBe('connected');
  expect(told).toEqual(Array(2).fill('PostgreSQL did not answer in time. Asking again, since 0 s.'));
});

it('rejects when it never answers', async () => {
  const work = (): Promise<void> => connect(silentPort());
  await expect(patiently(work, () => undefined, 100)).rejects.toMatchObject({
    message: 'PostgreSQL did not answer in time for 0 s. Check DATABASE_URL and the load of the server.',
    cause: expect.objectContaining({ message: 'timeout expired' }),
  });
});

it('rejects immediately when the connection is refused', async () => {
  const told: string[] = [];
  await expect(
    patiently(
      () => connect(1),
      (message) => told.push(message),
    ),
  ).rejects.toThrow('ECONNREFUSED');
  expect(told).toEqual([]);
});
