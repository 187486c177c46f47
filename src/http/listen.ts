import { once } from 'node:events';
import type { Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type ListenOptions,
  type Server as NetServer,
} from 'node:net';
import { promisify } from 'node:util';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../config/config.module.js';

const TRIES = 20;

/**
 * Node accepts one connection per listening socket and turn of the event loop. When turns are long, new connections would
 * wait for seconds, so that many sockets share the port (decision 0036).
 */
const ACCEPTORS = 16;

/** A port that several processes will listen on. */
export interface ReservedPort {
  readonly port: number;
  /** Whether each has sockets of its own. Otherwise the primary process of the cluster accepts for all. */
  readonly reusePort: boolean;
}

/**
 * Finds the configured port or the next free one for the workers, before they start: each would otherwise find another
 * one. Rejects after 20 taken ports.
 */
export async function reservePort({ http: { host, port } }: Config): Promise<ReservedPort> {
  const probe = createNetServer();
  let reusePort = true;
  await near(probe, host, port, async (at) => {
    reusePort &&= await isShareable(host, at);
    await once(probe.listen(at, host), 'listening');
  });
  const { port: found } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return { port: found, reusePort };
}

/**
 * Listens on the reserved port, or else on the configured port or the next free one. Returns the base URL. Rejects after
 * 20 taken ports, or if the reserved one is taken.
 */
export async function listen(app: NestFastifyApplication, config: Config, reserved?: ReservedPort): Promise<string> {
  const { host } = config.http;
  // Fastify's own listen: Nest's would log a taken port as an error.
  const fastify = app.getHttpAdapter().getInstance();
  const server = app.getHttpServer();
  let reusePort = reserved?.reusePort ?? true;
  const listenAt = async (port: number): Promise<void> => {
    if (!reserved) reusePort &&= await isShareable(host, port);
    const options: ListenOptions = { port, host, reusePort };
    await fastify.listen(options);
  };
  const baseUrl = await near(server, host, reserved?.port ?? config.http.port, listenAt, reserved ? 0 : TRIES);
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
  server: NetServer,
  host: string,
  port: number,
  listenAt: (port: number) => Promise<unknown>,
  tries = TRIES,
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await listenAt(port === 0 ? 0 : port + attempt);
      break;
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || attempt >= tries) throw error;
      console.error(`Port ${port + attempt} is in use, trying ${port + attempt + 1}.`);
    }
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${bound}`;
}
