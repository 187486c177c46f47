import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { RequestContext } from '../context/request-context.js';
import { ApiError } from '../status/api-error.js';
import { sendError } from './error-answer.js';
import type { RouteSettings } from './route-settings.js';

const STARTED_AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const shout: RouteSettings = {
  writeError: ({ status }) => ({ body: `{"shout":${status}}`, headers: { pragma: 'no-cache' } }),
};

const keyed: RouteSettings = {
  errorHeaders: ({ status }, { headers: { key } }): Record<string, string> =>
    key ? { again: `${status} ${key}`, 'retry-after': '1' } : {},
};

describe('sendError', () => {
  const server = fastify();
  const context = new RequestContext('req_1', STARTED_AT, true);
  let baseUrl: string;

  beforeAll(async () => {
    server.addHook('onRequest', (request, _reply, done) => {
      Object.assign(request, { context });
      done(request.headers['x-early'] === undefined ? undefined : ApiError.of('timeout'));
    });
    server.setErrorHandler((error, _request, reply) => sendError(reply, error as ApiError));
    server.setNotFoundHandler((_request, reply) => sendError(reply, ApiError.of('resource_failure', 'Nothing here.')));
    const fail = (): never => {
      throw ApiError.of('maintenance', 'Later.', { headers: { 'retry-after': '9' } });
    };
    server.get('/plain', fail);
    server.get('/keyed', { config: keyed as object }, fail);
    server.get('/shout', { config: shout as object }, fail);
    baseUrl = await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => server.close());

  test('writes a status container with the headers of the error and forbids caching', async () => {
    const answer = await fetch(`${baseUrl}/plain`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('9');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual({
      status: {
        request_time: new Date(STARTED_AT).toISOString(),
        request_errors: 1,
        errors: [{ code: '503', message: 'Service Unavailable', reason: 'maintenance', details: 'Later.' }],
      },
    });
    expect(context.trace?.entries).toContainEqual(expect.objectContaining({ reason: 'maintenance' }));
  });

  test("uses the route's error format, with the headers of both", async () => {
    const answer = await fetch(`${baseUrl}/shout`);
    expect([answer.status, await answer.text()]).toEqual([503, '{"shout":503}']);
    expect([answer.headers.get('retry-after'), answer.headers.get('pragma')]).toEqual(['9', 'no-cache']);
  });

  test("has the route's headers of errors, which may depend on the request, and the error's own", async () => {
    const [one, other] = [await fetch(`${baseUrl}/keyed`), await fetch(`${baseUrl}/keyed`, { headers: { key: '1' } })];
    expect([one, other].map(({ headers }) => headers.get('retry-after'))).toEqual(['9', '9']);
    expect([one, other].map(({ headers }) => headers.get('again'))).toEqual([null, '503 1']);
  });

  test("uses the route's error format if the request fails before the handler", async () => {
    const answer = await fetch(`${baseUrl}/shout`, { headers: { 'x-early': '1' } });
    expect([answer.status, await answer.text()]).toEqual([408, '{"shout":408}']);
  });

  test('writes a status container if no route matched', async () => {
    const answer = await fetch(`${baseUrl}/shout/further`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { status: { request_errors: 1 } }]);
  });
});
