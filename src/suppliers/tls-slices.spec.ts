import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent, buildConnector, request } from 'undici';
import { describeWith } from '../../test/support/binaries.js';
import { freePort } from '../../test/support/child.js';
import { claim } from '../../test/support/claim.js';
import { certificateEnd } from '../metrics/supplier-certificates.js';
import { SupplierError } from '../model/supplier.js';
import { SupplierHttpClient } from './http-client.js';
import { sliceTls } from './tls-slices.js';

const MOST_BYTES = 2_000_000;
const GET = { method: 'GET', path: '/' } as const;

describeWith('openssl')('suppliers by TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-tls-'));
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'certificate.pem');
  const trusted = getCACertificates('default');

  beforeAll(() => {
    execFileSync(
      'openssl',
      // biome-ignore format: an option and its value per pair
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', certificate,
        '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
      { stdio: 'pipe' },
    );
    setDefaultCACertificates([...trusted, readFileSync(certificate, 'utf8')]);
  });
  afterAll(() => {
    setDefaultCACertificates(trusted);
    rmSync(folder, { recursive: true });
  });

  claim(
    ['API4', 'API10', 'suppliers'],
    'A supplier that sends session tickets without end is cut off after 32 KB; it does not hold up other requests.',
    async () => {
      const port = await freePort();
      // biome-ignore format: an option and its value per pair
      const words = ['s_server', '-accept', `127.0.0.1:${port}`, '-key', key, '-cert', certificate, '-tls1_3', '-num_tickets', '60000', '-www', '-quiet'];
      const server = spawn('openssl', words, { stdio: 'ignore' });
      const delays: number[] = [];
      let failure: unknown;
      try {
        for (let attempt = 0; attempt < 3; attempt += 1) {
          // A new client: the server sends no tickets when a session is resumed.
          const client = new SupplierHttpClient(`https://localhost:${port}`, 1, MOST_BYTES);
          const delay = monitorEventLoopDelay({ resolution: 1 });
          // Until the server listens, connections are refused.
          do {
            delay.reset();
            delay.enable();
            failure = await client.send(GET, {}, {}).catch((error: unknown) => error);
          } while (String(failure).includes('ECONNREFUSED'));
          delay.disable();
          delays.push(delay.max / 1e6);
          await client.close();
        }
      } finally {
        server.kill('SIGKILL');
      }
      expect(failure).toMatchObject({ fault: 'bad_payload', message: expect.stringContaining('TLS connection') });
      // The least disturbed one: other processes on the same processor make each of them slower.
      expect(Math.min(...delays)).toBeLessThan(100);
    },
    20_000,
  );

  test('answers are complete, also large ones on the same connection', async () => {
    let connections = 0;
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
      response.end(Buffer.alloc(Number(request.url?.slice(1)), 'a'));
    });
    server.on('secureConnection', () => {
      connections += 1;
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    const client = new SupplierHttpClient(url, 1, MOST_BYTES);
    expect(certificateEnd(url)).toBeUndefined();
    for (const size of [0, 1, 16_384, 100_000, 1_999_999, 10]) {
      const { status, body } = await client.send({ ...GET, path: `/${size}` }, {}, {});
      expect([status, body.length]).toEqual([200, size]);
    }
    expect(connections).toBe(1);
    const daysLeft = ((certificateEnd(url) ?? 0) - Date.now()) / 86_400_000;
    expect([daysLeft > 1.9, daysLeft <= 2]).toEqual([true, true]);
    await client.close();
    server.close();
  });

  claim(
    ['API4', 'API10', 'suppliers'],
    'A supplier cannot make the gateway compute with a prime of its choice or check a long chain of certificates.',
    async () => {
      const rsa = join(folder, 'rsa.pem');
      // biome-ignore format: an option and its value per pair
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', rsa, '-out', `${rsa}.crt`, '-days', '2',
        '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'], { stdio: 'pipe' });
      setDefaultCACertificates([...getCACertificates('default'), readFileSync(`${rsa}.crt`, 'utf8')]);
      const answerOf = async (options: ServerOptions) => {
        const server = createServer(options, (_request, response) => response.end());
        await once(server.listen(0, '127.0.0.1'), 'listening');
        const { port } = server.address() as AddressInfo;
        const client = new SupplierHttpClient(`https://localhost:${port}`, 1, MOST_BYTES);
        const answer = await client.send(GET, {}, {}).catch((error: unknown) => error);
        await client.close();
        server.close();
        return answer;
      };
      const own = { key: readFileSync(rsa), cert: readFileSync(`${rsa}.crt`, 'utf8'), maxVersion: 'TLSv1.2' } as const;
      expect(await answerOf({ ...own, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).toMatchObject({ status: 200 });
      expect(await answerOf({ ...own, ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' })).toMatchObject({
        fault: 'unavailable',
        sent: false,
      });
      expect(await answerOf({ ...own, cert: own.cert.repeat(5) })).toMatchObject({ status: 200 });
      expect(await answerOf({ ...own, cert: own.cert.repeat(40) })).toMatchObject({
        fault: 'bad_payload',
        sent: false,
      });
    },
  );

  claim(
    ['API4', 'API10', 'suppliers'],
    'A supplier that resets its TLS connections, whenever it does, fails its own calls and nothing else.',
    async () => {
      const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) });
      server.on('secureConnection', (socket) => socket.on('error', () => undefined));
      const target = await listening(server);
      // In front of it: resets each connection some time after the server's first bytes, around the end of the handshake.
      let connections = 0;
      const front = createTcpServer((caller) => {
        connections += 1;
        const afterMs = connections % 5;
        const behind = connect(target, '127.0.0.1');
        for (const socket of [caller, behind]) socket.on('error', () => undefined);
        caller.pipe(behind);
        caller.once('close', () => behind.destroy());
        behind.on('data', (bytes) => caller.write(bytes));
        behind.once('data', () => setTimeout(() => caller.resetAndDestroy(), afterMs));
      });
      const port = await listening(front);
      const client = new SupplierHttpClient(`https://localhost:${port}`, 4, MOST_BYTES);
      const failures: unknown[] = [];
      const call = async () => {
        for (let round = 0; round < 60; round += 1)
          failures.push(await client.send(GET, {}, {}).catch((error: unknown) => error));
      };
      await Promise.all(Array.from({ length: 4 }, call));
      await client.close();
      front.close();
      server.close();
      expect(failures.filter((failure) => !(failure instanceof SupplierError))).toEqual([]);
    },
  );

  test('a certificate of another name is refused before anything is sent', async () => {
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) =>
      response.end(),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = new SupplierHttpClient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, 1, MOST_BYTES);
    await expect(client.send(GET, {}, {})).rejects.toMatchObject({ fault: 'unavailable', sent: false });
    await client.close();
    server.close();
  });

  claim('suppliers', 'An HTTPS supplier or webhook without a port in its URL is called on port 443.', async () => {
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) =>
      response.end('served'),
    );
    const port = await listening(server);
    const asked: string[] = [];
    const direct = buildConnector({});
    // Ports below 1,024 need rights: the connection goes to another one.
    const connect = sliceTls((options, callback) => {
      asked.push(options.port);
      direct({ ...options, port: String(port) }, callback);
    });
    const agent = new Agent({ connect });
    try {
      for (const url of ['https://localhost/', 'https://localhost:443/', 'https://localhost:8443/']) {
        const { body } = await request(url, { dispatcher: agent });
        expect(await body.text()).toBe('served');
      }
      expect(asked).toEqual(['443', '443', '8443']);
    } finally {
      await agent.destroy();
      server.closeAllConnections();
      server.close();
    }
  });
});

/** The port of 127.0.0.1 on which the server listens from now on. */
async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
