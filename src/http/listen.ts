import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type ListenOptions } from 'node:net';
import { promisify } from 'node:util';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../config/config.module.js';

const TRIES = 20;

/**
 * Node accepts one connection per listening socket and turn of the event loop. When turns are long, new connections would
 * wait for seconds, so that many sockets share the port (decision 0036).
 */
const ACCEPTORS = 16;

/** Listens on the configured port or the next free one. Returns the base URL. Rejects after 20 taken ports. */
export async function listen(app: NestFastifyApplication, config: Config): Promise<string> {
  const { host, port } = config.http;
  // Fastify's own listen: Nest's would log a taken port as an error.
  const fastify = app.getHttpAdapter().getInstance();
  const server = app.getHttpServer();
  let reusePort = true;
  const baseUrl = await near(server, host, port, async (at) => {
    reusePort &&= await isShareable(host, at);
    const options: ListenOptions = { port: at, host, reusePort };
    await fastify.listen(options);
  });
  if (reusePort) await addAcceptors(server, host);
  return baseUrl;
}

/** Whether several sockets may share the port. Rejects if another process has it, which sharing it would hide. */
async function isShareable(host: string, port: number): Promise<boolean> {
  await hold({ host, port });
  return await hold({ host, port, reusePort: true }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') throw error;
      return false;
    },
  );
}

/** Listens for a moment. */
async function hold(options: ListenOptions): Promise<void> {
  const probe = createNetServer().listen(options);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/** Adds listening sockets whose connections the server handles, and closes them with it. */
async function addAcceptors(server: Server, host: string): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const acceptors = Array.from({ length: ACCEPTORS - 1 }, () =>
    // As Node's HTTP server does.
    createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket)),
  );
  for (const acceptor of acceptors) {
    acceptor.listen({ host, port, reusePort: true });
    await once(acceptor, 'listening');
  }
  const closings = [server, ...acceptors].map((one) => promisify(one.close.bind(one)));
  server.close = (done) => {
    Promise.all(closings.map((close) => close())).then(() => done?.(), done);
    return server;
  };
}

/** Like `listen`, for a server without a framework. */
export function listenNear(server: Server, host: string, port: number): Promise<string> {
  return near(server, host, port, (at) => once(server.listen(at, host), 'listening'));
}

/** Tries ports, reporting taken ones on stderr. Port 0 means any free port. */
async function near(
  server: Server,
  host: string,
  port: number,
  listenAt: (port: number) => Promise<unknown>,
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await listenAt(port === 0 ? 0 : port + attempt);
      break;
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || attempt >= TRIES) throw error;
      console.error(`Port ${port + attempt} is in use, trying ${port + attempt + 1}.`);
    }
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${bound}`;
}
