import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { BookingLedger } from './bookings.js';
import { type SimulatorServer, type SimulatorServerOptions, startSimulatorServer } from './simulator-server.js';
import type { DialectSimulator, SimulatedRequest } from './world.js';

const JSON_TYPE = 'application/vnd.echo+json';

/** A dialect that echoes the request, with a non-ASCII letter so that lengths must be counted in bytes. */
function createEcho(): DialectSimulator & { readonly asked: SimulatedRequest[] } {
  const asked: SimulatedRequest[] = [];
  return {
    asked,
    ledger: new BookingLedger(Date.now),
    changesBookings: ({ path }) => path === '/book',
    answer(question) {
      asked.push(question);
      const { method, path, query, body, directive } = question;
      if (body === 'bug') throw new Error('no such car');
      return {
        status: directive.verb === 'throttled' ? 429 : 200,
        headers: { 'content-type': JSON_TYPE },
        body: JSON.stringify({ method, path, query: [...query], body, verb: directive.verb, city: 'Zürich' }),
      };
    },
  };
}

const servers: SimulatorServer[] = [];
const agent = new Agent();

async function start(options: Partial<SimulatorServerOptions> = {}) {
  const dialect = createEcho();
  const server = await startSimulatorServer({ dialect, seed: 1, latency: { medianMs: 0, sigma: 0 }, ...options });
  servers.push(server);
  const ask = (
    directive?: string,
    more: {
      path?: string;
      method?: 'GET' | 'POST';
      body?: string;
      headers?: Record<string, string>;
      signal?: AbortSignal;
    } = {},
  ) =>
    request(`${server.url}${more.path ?? '/cars'}?q=1`, {
      dispatcher: agent,
      method: more.method ?? 'GET',
      headers: { ...(directive === undefined ? {} : { 'x-sim-directive': directive }), ...more.headers },
      body: more.body ?? null,
      signal: more.signal ?? null,
    });
  return { server, dialect, ask };
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

afterAll(() => agent.close());

describe('verbs handled by the dialect', () => {
  it('reach the dialect complete: method, path, query, body, verb', async () => {
    const { ask } = await start();
    const { statusCode, headers, body } = await ask(undefined, { method: 'POST', body: 'Grüße' });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe(JSON_TYPE);
    expect(await body.json()).toEqual({
      method: 'POST',
      path: '/cars',
      query: [['q', '1']],
      body: 'Grüße',
      verb: 'ok',
      city: 'Zürich',
    });
  });

  it.each(['ok', 'empty', 'auth', 'throttled', 'sold_out', 'on_request', 'price(+5%)'])('%s', async (text) => {
    const { ask, dialect } = await start();
    const { statusCode, body } = await ask(text);
    expect(statusCode).toBe(text === 'throttled' ? 429 : 200);
    expect(await body.json()).toMatchObject({ verb: text.replace(/\(.*/, '') });
    expect(dialect.asked[0]?.directive).toEqual(text === 'price(+5%)' ? { verb: 'price', percent: 5 } : { verb: text });
  });
});

describe('verbs handled by the server', () => {
  it('slow(ms) answers normally, later', async () => {
    const { ask } = await start();
    const startedAt = performance.now();
    const { statusCode, body } = await ask('slow(120)');
    expect(await body.json()).toMatchObject({ verb: 'ok' });
    expect(statusCode).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(115);
  });

  it('slow(ms) books even if the client disconnected, but searches only for clients that wait', async () => {
    const { ask, dialect } = await start();
    const signal = AbortSignal.timeout(300);
    const search = expect(ask('slow(600)', { signal })).rejects.toThrow();
    const booking = expect(ask('slow(1000)', { path: '/book', method: 'POST', signal })).rejects.toThrow();
    await Promise.all([search, booking]);
    for (let tries = 0; dialect.asked.length === 0 && tries < 300; tries += 1) await delay(10);
    expect(dialect.asked.map(({ path }) => path)).toEqual(['/book']);
  });

  it('timeout never answers and leaves the call open until the client disconnects', async () => {
    const { ask, server, dialect } = await start();
    await expect(ask('timeout', { signal: AbortSignal.timeout(500) })).rejects.toThrow();
    for (let tries = 0; server.stats().open > 0 && tries < 100; tries += 1) await delay(10);
    expect(server.stats()).toMatchObject({ open: 0, maxOpen: 1, byVerb: { timeout: 1 } });
    expect(dialect.asked).toEqual([]);
  });

  it('timeout does not prevent the server from closing', async () => {
    const { ask, server } = await start();
    const hanging = expect(ask('timeout')).rejects.toThrow();
    while (server.stats().open === 0) await delay(5);
    await server.close();
    servers.splice(servers.indexOf(server), 1);
    await hanging;
  });

  it('reset cuts the connection with RST', async () => {
    const { ask } = await start();
    await expect(ask('reset')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('garbage is a 200 with the right content type and a body that is not text', async () => {
    const { ask } = await start();
    const { statusCode, headers, body } = await ask('garbage');
    const bytes = await body.bytes();
    expect([statusCode, headers['content-type'], bytes.length]).toEqual([200, JSON_TYPE, 512]);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow();
  });

  it('html is a 200 with a page', async () => {
    const { ask } = await start();
    const { statusCode, headers, body } = await ask('html');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await body.text()).toContain('<html>');
  });

  it('truncated announces the full length and ends after half of it', async () => {
    const { ask } = await start();
    const whole = Number(
      (await ask('ok').then(async ({ headers, body }) => [headers['content-length'], await body.text()]))[0],
    );
    const { statusCode, headers, body } = await ask('truncated');
    expect([statusCode, Number(headers['content-length'])]).toEqual([200, whole]);
    let received = 0;
    const reading = (async () => {
      for await (const chunk of body) received += chunk.length;
    })();
    await expect(reading).rejects.toThrow();
    expect(received).toBe(whole >> 1);
  });

  it.each([400, 404, 500, 503, 599])('error(%i) is that status with a page', async (status) => {
    const { ask } = await start();
    const { statusCode, headers, body } = await ask(`error(${status})`);
    expect([statusCode, headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(await body.text()).toContain(String(status));
  });
});

describe('lost answers', () => {
  it('lost_then_found does the work and cuts the connection before the answer', async () => {
    const { ask, dialect } = await start();
    await expect(ask('lost_then_found', { path: '/book' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(dialect.asked.map(({ path, directive }) => [path, directive.verb])).toEqual([['/book', 'ok']]);
  });

  it('lost_for_good cuts the connection and does nothing', async () => {
    const { ask, dialect } = await start();
    await expect(ask('lost_for_good', { path: '/book' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(dialect.asked).toEqual([]);
  });

  it.each(['lost_then_found', 'lost_for_good'])('%s does not affect calls that book nothing', async (verb) => {
    const { ask } = await start();
    const { statusCode, body } = await ask(verb);
    expect([statusCode, await body.json()]).toEqual([200, expect.objectContaining({ verb: 'ok' })]);
  });
});

describe('invalid requests', () => {
  it.each([
    ['an unknown verb', 'explode', {}],
    ['an argument out of range', 'error(200)', {}],
    ['a seed that is not a number', 'ok', { 'x-sim-seed': 'lucky' }],
  ])('%s is a 400', async (_, directive, headers) => {
    const { ask, dialect } = await start();
    const { statusCode, body } = await ask(directive, { headers });
    expect([statusCode, await body.json()]).toEqual([400, { error: expect.any(String) }]);
    expect(dialect.asked).toEqual([]);
  });

  it('a bug in the dialect is a 500 with an explanation and is counted', async () => {
    const { ask, server } = await start();
    const { statusCode, body } = await ask('ok', { method: 'POST', body: 'bug' });
    expect([statusCode, await body.json()]).toEqual([500, { error: 'the simulated dialect failed: no such car' }]);
    expect(server.stats().dialectFailures).toBe(1);
  });

  it('a body over the limit is a 413', async () => {
    const { ask } = await start();
    const { statusCode, body } = await ask('ok', { method: 'POST', body: 'x'.repeat(1_000_001) });
    await body.dump();
    expect(statusCode).toBe(413);
  });

  it('startSimulatorServer rejects if the port is in use', async () => {
    const { server } = await start();
    await expect(start({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('latency and chaos', () => {
  const chaos = { errorRate: 0.3, garbageRate: 0.3 };

  async function run(more: Partial<SimulatorServerOptions>, headers: Record<string, string> = {}) {
    const { ask } = await start(more);
    const seen: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      const { statusCode, body } = await ask(undefined, { headers });
      seen.push(`${statusCode} ${(await body.bytes()).length}`);
    }
    return seen.join(', ');
  }

  it('are deterministic by seed and count of the call', async () => {
    const first = await run({ chaos, seed: 5 });
    expect(await run({ chaos, seed: 5 })).toBe(first);
    expect(await run({ chaos, seed: 6 })).not.toBe(first);
    expect(first).toContain('503');
    expect(first).toContain('200 512');
  });

  it('use the seed of the call if it has one', async () => {
    const mine = await run({ chaos, seed: 5 }, { 'x-sim-seed': '7' });
    expect(await run({ chaos, seed: 5 }, { 'x-sim-seed': '7' })).toBe(mine);
    expect(await run({ chaos, seed: 5 }, { 'x-sim-seed': '8' })).not.toBe(mine);
  });

  it('do not affect calls with a directive', async () => {
    const { ask } = await start({ chaos: { errorRate: 1 } });
    expect((await ask('ok')).statusCode).toBe(200);
    expect((await ask()).statusCode).toBe(503);
  });

  it('delay answers', async () => {
    const { ask } = await start({ latency: { medianMs: 40, sigma: 0 } });
    const startedAt = performance.now();
    await (await ask()).body.dump();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(37);
  });
});

describe('/__sim/stats', () => {
  it('reports requests, verbs, open calls and saturation', async () => {
    const { ask, server } = await start();
    await (await ask()).body.dump();
    await (await ask('html')).body.dump();
    const { body } = await request(`${server.url}/__sim/stats`, { dispatcher: agent });
    expect(await body.json()).toEqual({
      requests: 2,
      byVerb: { ok: 1, html: 1 },
      open: expect.any(Number),
      maxOpen: expect.any(Number),
      p99QueueMs: expect.any(Number),
      dialectFailures: 0,
      bookings: 0,
    });
  });
});
