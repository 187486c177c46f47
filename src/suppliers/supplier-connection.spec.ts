import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { type SupplierAdapter, SupplierError } from '../model/supplier.js';
import type { BulkheadRejection } from './resilience/bulkhead.js';
import { SupplierPolicy } from './resilience/supplier-policy.js';
import { SupplierConnection } from './supplier-connection.js';

const READ = { method: 'GET', path: '/read' } as const;
const WRITE = { method: 'POST', path: '/write' } as const;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A supplier that accepts only the token of session number `accepts`; other calls get 401. */
async function world(authenticate: SupplierAdapter['authenticate'] | undefined = undefined, more: object = {}) {
  const now = { accepts: 1 };
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { token } = request.headers;
    requests.push(`${request.url} ${token}`);
    const body = request.url === '/large' ? ' '.repeat(100_000) : '';
    response.writeHead(token === String(now.accepts) ? 200 : 401).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  let sessions = 0;
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    authenticate: authenticate ?? (async () => ({ headers: { token: String(++sessions) }, expiresInSeconds: 600 })),
  };
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url, ...more });
  const refused: BulkheadRejection[] = [];
  const nothing = () => undefined;
  const watch = { guarded: () => nothing, moved: nothing, retried: nothing, queued: nothing, paused: nothing };
  const policy = new SupplierPolicy(config, {
    ...watch,
    refused: (_supplier, _operation, why) => refused.push(why as BulkheadRejection),
  });
  const connection = new SupplierConnection(config, adapter, url, { policy });
  closing.push(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
  });
  const open = () =>
    connection.open('req_1', 'sandbox', {}, { operation: 'searchVehicles', endsAtMs: Number.POSITIVE_INFINITY });
  const send = async (call: typeof READ | typeof WRITE, repeatable: boolean) =>
    (await open().context.http.send(call, repeatable)).status;
  return { now, requests, sessions: () => sessions, open, send, refused };
}

describe('a session', () => {
  it('is fetched once for concurrent calls', async () => {
    const { send, sessions } = await world();
    expect(await Promise.all(Array.from({ length: 10 }, () => send(READ, true)))).toEqual(
      Array.from({ length: 10 }, () => 200),
    );
    expect(sessions()).toBe(1);
  });

  it('that the supplier revokes is renewed once for all calls in flight, and reads are retried', async () => {
    const { now, send, sessions, requests } = await world();
    await send(READ, true);
    now.accepts = 2;
    expect(await Promise.all(Array.from({ length: 20 }, () => send(READ, true)))).toEqual(
      Array.from({ length: 20 }, () => 200),
    );
    expect([sessions(), requests.length]).toEqual([2, 41]);
  });

  it('that expired before a write is renewed for the next call, and the write is not retried', async () => {
    const { now, send, requests } = await world();
    await send(READ, true);
    now.accepts = 2;
    expect([await send(WRITE, false), await send(WRITE, false)]).toEqual([401, 200]);
    expect(requests).toEqual(['/read 1', '/write 1', '/write 2']);
  });

  it('that comes in a large answer is rejected, because it would be read in this thread', async () => {
    const { send } = await world(async ({ http }) => {
      await http.send({ method: 'GET', path: '/large' });
      return { headers: { token: '1' }, expiresInSeconds: 600 };
    });
    await expect(send(READ, true)).rejects.toMatchObject({ fault: 'bad_payload' });
  });

  it('that cannot be fetched fails the waiting calls, and the next call tries again', async () => {
    let tries = 0;
    const { send } = await world(() => {
      tries += 1;
      if (tries === 1) throw new SupplierError('unavailable', 'no session', false);
      return Promise.resolve({ headers: { token: '1' }, expiresInSeconds: 600 });
    });
    const failed = await Promise.allSettled([send(READ, true), send(READ, true)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([await send(READ, true), tries]).toEqual([200, 2]);
  });
});

it('an aborted call does not use the quota', async () => {
  const { open, send, refused, requests } = await world(undefined, { quota: { perSecond: 0.1, burst: 1 } });
  const over = open();
  over.abort(new SupplierError('cancelled', 'nobody waits'));
  await expect(over.context.http.send(READ, true)).rejects.toMatchObject({ fault: 'cancelled' });
  expect([await send(READ, true), refused, requests.length]).toEqual([200, [], 1]);
});
