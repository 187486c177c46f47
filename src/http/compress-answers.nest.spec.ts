import { Readable } from 'node:stream';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { claim } from '../../test/support/claim.js';
import type { RequestContext } from '../context/request-context.js';
import { byteJobs } from './byte-jobs.js';
import { compressAnswers } from './compress-answers.js';
import { answerHeadAndOptions } from './head-and-options.js';
import type { ContextRequest } from './open-request.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const LONG = JSON.stringify({ text: 'ä and more, '.repeat(1_000) });

describe('compressed answers', () => {
  let server: FastifyInstance;
  beforeAll(async () => {
    server = fastify();
    compressAnswers(server, { hold: () => undefined });
    server.addHook('onRequest', (request: ContextRequest, _reply, done) => {
      const { 'x-account': accountId } = request.headers;
      if (typeof accountId === 'string') request.context = { accountId } as unknown as RequestContext;
      done();
    });
    answerHeadAndOptions(server, { isRegistered: () => false });
    server.get('/cars/long/:status', (request, reply) =>
      reply
        .code(Number((request.params as { status: string }).status))
        .type(JSON_TYPE)
        .headers({ etag: '"3"', vary: 'authorization' })
        .send(Buffer.from(LONG)),
    );
    server.get('/cars/text', (_request, reply) => reply.type(JSON_TYPE).send(LONG));
    server.get('/cars/short', (_request, reply) => reply.type(JSON_TYPE).send('{}'));
    server.get('/cars/page', (_request, reply) => reply.type('text/html').send(LONG));
    server.get('/cars/lines', (_request, reply) => reply.type('application/x-ndjson').send(Readable.from([LONG])));
    server.get('/cars/late', (_request, reply) => {
      reply.type(JSON_TYPE).send(LONG);
      // What a budget that runs out while the answer is being compressed does.
      reply.raw.writeHead(408).end('late');
    });
    await server.ready();
  });
  afterAll(() => server.close());

  const get = (url: string, accepted?: string, method: 'GET' | 'HEAD' = 'GET') =>
    server.inject({ method, url, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } });

  it.each([200, 206, 400, 500])('%i, with gzip and zstd', async (status) => {
    for (const [coding, decompress] of [
      ['gzip', gunzipSync],
      ['zstd', zstdDecompressSync],
    ] as const) {
      const answer = await get(`/cars/long/${status}`, coding);
      expect(answer.statusCode).toBe(status);
      expect(answer.headers).toMatchObject({
        'content-encoding': coding,
        'content-type': JSON_TYPE,
        'content-length': String(answer.rawPayload.length),
        vary: 'authorization, Accept-Encoding',
        etag: 'W/"3"',
      });
      expect(decompress(answer.rawPayload).toString()).toBe(LONG);
      expect(answer.rawPayload.length).toBeLessThan(LONG.length / 10);
    }
  });

  it('text as well as bytes', async () => {
    const answer = await get('/cars/text', 'zstd');
    expect(zstdDecompressSync(answer.rawPayload).toString()).toBe(LONG);
  });

  it('not without Accept-Encoding, but caches learn that it matters', async () => {
    const answer = await get('/cars/long/200');
    expect([answer.body, answer.headers.vary, answer.headers.etag, answer.headers['content-encoding']]).toEqual([
      LONG,
      'authorization, Accept-Encoding',
      '"3"',
      undefined,
    ]);
  });

  it.each(['/cars/short', '/cars/page', '/cars/lines'])('never %s', async (url) => {
    const { headers } = await get(url, 'gzip, zstd');
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
  });

  claim('API4', 'HEAD compresses nothing: it has the headers of GET, without the length.', async () => {
    const compress = jest.spyOn(byteJobs, 'tryCompress');
    const head = await get('/cars/long/206', 'gzip', 'HEAD');
    expect(compress).not.toHaveBeenCalled();
    compress.mockRestore();
    const got = await get('/cars/long/206', 'gzip');
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([206, '', undefined]);
    for (const name of ['content-type', 'content-encoding', 'vary', 'etag'])
      expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
    const plain = await get('/cars/long/206', undefined, 'HEAD');
    expect([plain.headers['content-length'], plain.headers['content-encoding']]).toEqual([
      String(Buffer.byteLength(LONG)),
      undefined,
    ]);
  });

  it.each([
    ['of the account', { 'x-account': 'acc_a' }, 'acc_a'],
    ['of the network, if there is no account', {}, '127.0.0.1'],
  ])('in turns %s', async (_whose, headers, caller) => {
    const compress = jest.spyOn(byteJobs, 'tryCompress');
    await server.inject({ url: '/cars/text', headers: { 'accept-encoding': 'gzip', ...headers } });
    expect(compress.mock.calls.map(([whose]) => whose)).toEqual([caller]);
    compress.mockRestore();
  });

  it('leaves alone what was answered meanwhile', async () => {
    const answer = await get('/cars/late', 'gzip');
    expect([answer.statusCode, answer.body]).toEqual([408, 'late']);
    expect((await get('/cars/text')).statusCode).toBe(200);
  });

  it('sends answers as they are when too many wait to be compressed, and loses none', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => get('/cars/long/206', 'gzip')));
    const plain = answers.filter(({ headers }) => headers['content-encoding'] === undefined);
    expect(plain.length).toBeGreaterThan(0);
    expect(plain.length).toBeLessThan(100);
    expect(plain.every(({ body, headers }) => body === LONG && headers.etag === '"3"')).toBe(true);
    const packed = answers.filter((answer) => !plain.includes(answer));
    expect(packed.every(({ rawPayload }) => gunzipSync(rawPayload).toString() === LONG)).toBe(true);
  });
});
