import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../config/config.module.js';

const TRIES = 20;

/**
 * Listens on the configured port or the next free one (reported on stderr). Returns the base URL. Rejects after 20
 * taken ports.
 */
export async function listen(app: NestFastifyApplication, config: Config): Promise<string> {
  const { host, port } = config.http;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // Fastify's own listen: Nest's would log a taken port as an error.
      await app
        .getHttpAdapter()
        .getInstance()
        .listen({ port: port === 0 ? 0 : port + attempt, host });
      break;
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || attempt >= TRIES) throw error;
      console.error(`Port ${port + attempt} is in use, trying ${port + attempt + 1}.`);
    }
  }
  const address = app.getHttpServer().address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${bound}`;
}
