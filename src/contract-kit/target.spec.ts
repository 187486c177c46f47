import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { openTarget } from './target.js';

const config = { id: 'evil' } as SupplierConfig;
const STATS = JSON.stringify({ requests: 0, byVerb: {}, dialectFailures: 0 });
const servers: Server[] = [];
const asked: string[] = [];

afterEach(() => {
  asked.length = 0;
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Its loopback URL, and one at which this machine is reached like another one. */
async function started(answer: RequestListener): Promise<{ readonly here: string; readonly there: string }> {
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { here: `http://127.0.0.1:${port}`, there: `http://0.0.0.0:${port}` };
}

describe('a supplier that claims to be a simulator', () => {
  it('is accepted, and called at all, only at a loopback URL or if the caller says so', async () => {
    const { here, there } = await started((_request, response) => response.end(STATS));
    expect(await openTarget(config, there)).toMatchObject({ simulated: false });
    expect(asked).toEqual([]);
    expect(await openTarget(config, here)).toMatchObject({ simulated: true });
    expect(await openTarget(config, there, true)).toMatchObject({ simulated: true });
  });

  it('is rejected if its response never ends, and the rest isn’t read', async () => {
    const { here } = await started((_request, response) => {
      const write = (): void =>
        void (response.destroyed || response.write(' '.repeat(16_384), () => setImmediate(write)));
      write();
    });
    expect(await openTarget(config, here)).toMatchObject({ simulated: false });
  });

  it('is refused if the caller says that it is one, and it is not', async () => {
    const { here } = await started((_request, response) => response.writeHead(404).end());
    await expect(openTarget(config, here, true)).rejects.toThrow('--simulator');
    await expect(openTarget(config, undefined, true)).rejects.toThrow('no simulator');
  });
});

it('a simulator that redirects to other bookings shows none, and the address is not called', async () => {
  const { here } = await started(({ url }, response) => {
    if (url === '/__sim/stats') response.end(STATS);
    else if (url === '/elsewhere') response.end('{"bookings":[]}');
    else response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const target = await openTarget(config, here);
  await expect(target.bookings()).rejects.toThrow('does not show its bookings');
  expect(asked).toEqual(['/__sim/stats', '/__sim/bookings']);
});
