import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, expect, test } from '@jest/globals';
import { describeWith } from '../../test/support/binaries.js';
import { claim } from '../../test/support/claim.js';
import { configSchema } from '../config/config.schema.js';
import { ENDLESS_RESPONSES } from '../suppliers/fixtures/flood.js';
import { type Attempt, WebhookSender } from './webhook-sender.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function attemptAt(url: string): Promise<Attempt> {
  const sender = new WebhookSender(configSchema.parse({}));
  try {
    return await sender.send(url, {}, '{}');
  } finally {
    await sender.close();
  }
}

claim(
  ['API4', 'API10'],
  'A webhook endpoint that answers without end, or with headers without end, is cut off within milliseconds and does not hold up other requests.',
  async () => {
    for (const behave of ENDLESS_RESPONSES) {
      const port = await portOf(createServer(behave));
      const delays: number[] = [];
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const delay = monitorEventLoopDelay({ resolution: 1 });
        delay.enable();
        const { error, ms } = await attemptAt(`http://127.0.0.1:${port}/`);
        expect(['invalid_response', null]).toContain(error);
        expect(ms).toBeLessThan(5_000);
        delay.disable();
        delays.push(delay.max / 1e6);
      }
      // The least disturbed one: other processes on the same processor make each of them slower.
      expect(Math.min(...delays)).toBeLessThan(100);
    }
  },
  30_000,
);

describeWith('openssl')('endpoints by TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-hook-'));
  const key = join(folder, 'key.pem');
  afterAll(() => rmSync(folder, { recursive: true }));

  claim(
    ['API4', 'API10'],
    'A webhook endpoint cannot make the gateway compute with a prime of its choice or check a long chain of certificates.',
    async () => {
      // biome-ignore format: an option and its value per pair
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', `${key}.crt`, '-days', '2',
        '-subj', '/CN=localhost'], { stdio: 'pipe' });
      const own = { key: readFileSync(key), cert: readFileSync(`${key}.crt`, 'utf8') };
      const answerOf = async (options: object): Promise<[Attempt['error'], string | undefined]> => {
        const server = createTlsServer({ ...own, ...options });
        let refusal: string | undefined;
        server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
          refusal ??= error.code;
        });
        const { error } = await attemptAt(`https://127.0.0.1:${await portOf(server)}/`);
        return [error, refusal];
      };
      const old = { maxVersion: 'TLSv1.2', dhparam: 'auto' };
      expect(await answerOf({ ...old, ciphers: 'DHE-RSA-AES128-GCM-SHA256' })).toEqual([
        'unreachable',
        'ERR_SSL_NO_SHARED_CIPHER',
      ]);
      expect((await answerOf({ cert: own.cert.repeat(16) }))[0]).toBe('invalid_response');
      // A certificate that isn't trusted, in a chain of usual length.
      expect((await answerOf({}))[0]).toBe('unreachable');
    },
  );
});

test('an endpoint may answer slowly, with one informational response, and with more than is read of it', async () => {
  const head = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n';
  const port = await portOf(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => setTimeout(() => socket.write(head + 'x'.repeat(100_000)), 100));
    }),
  );
  expect(await attemptAt(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, error: null });
});
