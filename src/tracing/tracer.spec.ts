import { expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { configSchema } from '../config/config.schema.js';
import { TailSampler } from './tail-sampler.js';
import { Tracer } from './tracer.js';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

it('without a collector, no request has a span and no thread is started', async () => {
  const before = threads();
  const off = new Tracer(configSchema.parse({}), pino({ level: 'silent' }));
  expect([off.begin(TRACEPARENT), threads()]).toEqual([undefined, before]);
  await off.onApplicationShutdown();
  const on = new Tracer(configSchema.parse({ tracing: { endpoint: 'http://127.0.0.1:9' } }), pino({ level: 'silent' }));
  expect(on.begin(TRACEPARENT)).toMatchObject({ traceId: TRACEPARENT.slice(3, 35) });
  expect(threads()).toBeGreaterThan(before);
  await on.onApplicationShutdown();
});

it('a client disconnect alone doesn’t keep a trace, and health checks are never kept', () => {
  const reason = jest.spyOn(TailSampler.prototype, 'reasonToKeep');
  const tracer = new Tracer(configSchema.parse({ tracing: { share: 0 } }), pino({ level: 'silent' }));
  const span = { traceId: '1'.repeat(32), spanId: '1'.repeat(16), parentId: undefined, isSampled: false };
  const request = { span, method: 'GET', status: undefined, at: 0, startedAt: 0, durationMs: 10 };
  const unknown = { applicationId: undefined, version: undefined, requestId: undefined, trace: undefined };
  tracer.ended({ ...request, ...unknown, route: '/cars/locations/v1' });
  tracer.ended({ ...request, ...unknown, route: '/health/ready', status: 503 });
  expect(reason.mock.results.map(({ value }) => value as unknown)).toEqual([undefined]);
});
