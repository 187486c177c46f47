import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { supplierConfigSchema } from '../../config/supplier-config.schema.js';
import { SupplierError } from '../../model/supplier.js';
import { SupplierConnection } from '../../suppliers/supplier-connection.js';
import { outcomeOf } from './fixtures/replies.js';
import { adapterOf, tiny } from './fixtures/tiny.js';

interface Asked {
  readonly call: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `afterMs`: the supplier's response time. */
type Answer = readonly [status: number, body: object | string, afterMs?: number];

let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

/** A supplier on its own socket, behind a manifest with `auth`; `search` asks it for places. */
async function supplierWith(auth: object, answer: (asked: Asked) => Answer, errors: readonly object[] = []) {
  const asked: Asked[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const one = {
      call: `${request.method} ${request.url}`,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    asked.push(one);
    const [status, body, afterMs = 0] = answer(one);
    await setTimeout(afterMs);
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const adapter = adapterOf({ ...tiny, auth, errors });
  const config = supplierConfigSchema.parse({ id: 'tiny', name: 'Tiny', adapter: 'rest', brands: ['Tiny'] });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  const connection = new SupplierConnection(config, adapter, url);
  stop = async () => {
    await connection.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const search = async () => {
    const { context, run } = connection.open('req_one', 'sandbox', {});
    return run(async () => adapter.searchLocations?.({ keyword: 'Quarry', brands: ['Tiny'] }, context));
  };
  /** A write, which is refused like any adapter refuses a 401. */
  const send = (method: 'PUT'): Promise<number | string> => {
    const { context, run } = connection.open('req_one', 'sandbox', {});
    return outcomeOf(
      run(async () => {
        const { status } = await context.http.send({ method, path: '/booking' });
        if (status === 401) throw new SupplierError('auth', 'answered 401');
      }),
    );
  };
  return { asked, search, send };
}

const NOTHING: Answer = [200, { places: [] }];

describe('without a session', () => {
  it.each([
    ['none', { kind: 'none' }, undefined, undefined],
    ['header', { kind: 'header', headers: { 'X-Key': 'k {key}' } }, undefined, 'k secret-key'],
    ['basic', { kind: 'basic' }, `Basic ${Buffer.from('ada:p:w').toString('base64')}`, undefined],
  ] as const)('%s: every call carries what it must', async (_kind, auth, authorization, key) => {
    const { asked, search } = await supplierWith(auth, () => NOTHING);
    await search();
    expect(asked).toMatchObject([{ call: 'GET /base/places?q=Quarry' }]);
    expect([asked[0]?.headers.authorization, asked[0]?.headers['x-key']]).toEqual([authorization, key]);
  });
});

describe('oauth2', () => {
  const auth = { kind: 'oauth2', path: '/oauth/token', scope: 'cars' };
  const tokens = (call: (token: string | undefined) => Answer) => {
    let given = 0;
    return ({ call: made, headers }: Asked): Answer => {
      if (made !== 'POST /base/oauth/token') return call(headers.authorization);
      given += 1;
      return [200, { access_token: `token-${given}`, token_type: 'Bearer', expires_in: 600 }];
    };
  };

  it('fetches a token once for all calls', async () => {
    const { asked, search } = await supplierWith(
      auth,
      tokens(() => NOTHING),
    );
    await Promise.all([search(), search()]);
    await search();
    expect(asked.map(({ call }) => call.split('?')[0])).toEqual([
      'POST /base/oauth/token',
      ...Array(3).fill('GET /base/places'),
    ]);
    expect(asked[0]?.body).toBe('grant_type=client_credentials&scope=cars');
    expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('id:hush').toString('base64')}`);
    expect(asked[1]?.headers.authorization).toBe('Bearer token-1');
  });

  it('renews a token once after a 401 and repeats the call', async () => {
    const { asked, search } = await supplierWith(
      auth,
      tokens((token) => (token === 'Bearer token-2' ? NOTHING : [401, ''])),
    );
    expect(await search()).toEqual({ items: [], warnings: [] });
    expect(asked.map(({ call }) => call.split(' ')[0])).toEqual(['POST', 'GET', 'POST', 'GET']);
  });

  it('renews an expired token once for all calls, however long each took', async () => {
    let refusals = 0;
    let revoked = false;
    const refused = (): Answer => {
      refusals += 1;
      return [401, '', refusals * 3];
    };
    const { asked, search } = await supplierWith(
      auth,
      tokens((token) => (revoked && token === 'Bearer token-1' ? refused() : NOTHING)),
    );
    await search();
    revoked = true;
    await Promise.all(Array.from({ length: 20 }, search));
    expect(asked.filter(({ call }) => call.startsWith('POST'))).toHaveLength(2);
  });

  it('renews a token that a write was refused with for the next call, without repeating the write', async () => {
    const { asked, send } = await supplierWith(
      auth,
      tokens((token) => (token === 'Bearer token-1' ? [401, ''] : NOTHING)),
    );
    expect([await send('PUT'), await send('PUT')]).toEqual(['auth', 'done']);
    expect(asked.map(({ call }) => call.split(' ')[0])).toEqual(['POST', 'PUT', 'POST', 'PUT']);
  });

  it('ignores the rules for other answers, which have a different form', async () => {
    const errors = [{ status: 200, when: 'ok != `1`', means: 'unknown' }];
    const { asked, search } = await supplierWith(
      auth,
      tokens(() => [200, { ok: 1, places: [] }]),
      errors,
    );
    expect(await search()).toEqual({ items: [], warnings: [] });
    expect(asked).toHaveLength(2);
  });

  it('sends the secret in the body if the supplier requires it there', async () => {
    const { asked, search } = await supplierWith(
      { ...auth, sendSecret: 'body' },
      tokens(() => NOTHING),
    );
    await search();
    expect(asked[0]?.body).toBe('grant_type=client_credentials&scope=cars&client_id=id&client_secret=hush');
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    [[400, { error: 'invalid_client' }], 'auth'],
    [[401, ''], 'auth'],
    [[429, ''], 'throttled'],
    [[503, '<html>'], 'unavailable'],
    [[200, '<html>'], 'bad_payload'],
    [[200, {}], 'bad_payload'],
    [[200, { access_token: 'a\r\nx-evil: 1' }], 'bad_payload'],
    [[200, { access_token: 7 }], 'bad_payload'],
    [[200, 'null'], 'bad_payload'],
  ] as const)('fails with %j as %s', async (answer, fault) => {
    const { asked, search } = await supplierWith(auth, () => answer);
    expect(await outcomeOf(search())).toBe(fault);
    expect(asked).toHaveLength(1);
  });
});

describe('a token requested with headers', () => {
  const auth = {
    kind: 'token',
    request: {
      method: 'POST',
      path: '/login',
      headers: { 'x-user': '{username}' },
      json: { password: 'password', id: 'requestId' },
    },
    token: 'session.id',
    expiresInSeconds: 'session.seconds',
    headers: { 'X-Session': 'S-{token}' },
  };

  it('is requested with the secrets and sent as the manifest defines', async () => {
    const { asked, search } = await supplierWith(auth, ({ call }) =>
      call.endsWith('/login') ? [200, { session: { id: 4_711, seconds: '60' } }] : NOTHING,
    );
    await search();
    expect(asked).toMatchObject([
      { call: 'POST /base/login', headers: { 'x-user': 'ada' }, body: '{"password":"p:w","id":"req_one"}' },
      { call: 'GET /base/places?q=Quarry', headers: { 'x-session': 'S-4711' } },
    ]);
  });

  it('is never sent if it contains a line break', async () => {
    const { search } = await supplierWith(auth, () => [200, { session: { id: 'a\r\nx-evil: 1' } }]);
    expect(await outcomeOf(search())).toBe('bad_payload');
  });

  it('may be as long as real tokens', async () => {
    const token = 'x'.repeat(3_000);
    const { asked, search } = await supplierWith(auth, ({ call }) =>
      call.endsWith('/login') ? [200, { session: { id: token } }] : NOTHING,
    );
    await search();
    expect(asked[1]?.headers['x-session']).toBe(`S-${token}`);
  });

  it('is a bad payload if missing from the answer', async () => {
    const { search } = await supplierWith(auth, () => [200, { session: {} }]);
    expect(await outcomeOf(search())).toBe('bad_payload');
  });
});
