import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { untilReached } from './faults.js';
import { LoadClient } from './load.js';

test('waits for the gateway that reaches Redis last, although the load takes turns as well', async () => {
  const last: number[] = [];
  const servers: Server[] = Array.from({ length: 3 }, (_, at) =>
    createServer(({ headers }, response) => {
      const status = at === 2 && last.length < 3 ? 503 : 401;
      if (at === 2 && headers.authorization === 'Bearer token') last.push(status);
      // The load takes the turn of the last gateway.
      if (at === 1) void client.send('load');
      response.writeHead(status).end();
    }),
  );
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const client = new LoadClient(ports);
  await untilReached(client, 'token', ports);
  expect(last).toEqual([503, 503, 503, 401]);
  client.close();
  for (const server of servers) server.close();
});
