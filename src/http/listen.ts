import { once } from 'node:events';
import type { Server } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../config/config.module.js';

const TRIES = 20;

/** Listens on the configured port or the next free one. Returns the base URL. Rejects after 20 taken ports. */
export async function listen(app: NestFastifyApplication, config: Config): Promise<string> {
  const { host, port } = config.http;
  // Fastify's own listen: Nest's would log a taken port as an error.
  const fastify = app.getHttpAdapter().getInstance();
  return await near(app.getHttpServer(), host, port, (at) => fastify.listen({ port: at, host }));
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
