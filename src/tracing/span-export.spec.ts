import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { accept, answerWith, type Collector, hangOn, startCollector } from '../../test/support/collector.js';
import { slowed } from '../../test/support/slowness.js';
import { metrics } from '../metrics/metrics.js';
import { type CallSpan, RequestTrace } from '../metrics/request-trace.js';
import exportBatch from './export-worker.js';
import { SpanExport } from './span-export.js';
import { type TracedRequest, traceLine } from './trace-line.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const AT = Date.UTC(2027, 4, 1);
const TIMEOUT_MS = 800;

let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
});
beforeEach(() => collector.behave(accept));
afterAll(() => collector.close());

const spanOf = (digit: string, traceId = TRACE): CallSpan => ({
  traceId,
  spanId: digit.repeat(16),
  isSampled: false,
  address: '[::1]:8443',
});
/** A search of two suppliers, 80 ms long: alpine answered, bravo failed; a third call was open when the request ended. */
function search(changes: Partial<TracedRequest> = {}): TracedRequest {
  const trace = new RequestTrace();
  const common = { brand: undefined, operation: 'searchVehicles', timeoutMs: 1_500, warnings: { list: [] } };
  const exchange = { queuedAt: 1_010, sentAt: 1_011, firstByteAt: 1_030, endedAt: 1_031.5 };
  trace.begin({
    ...{ ...common, supplier: 'alpine', startedAt: 1_010, exchanges: [exchange], shared: false, span: spanOf('a') },
  });
  trace.begin({
    ...{ ...common, supplier: 'bravo', startedAt: 1_010, exchanges: [], span: spanOf('b') },
    ...{ shared: true, joined: spanOf('f', '9'.repeat(31).concat('a')) },
  });
  trace.begin({ ...common, supplier: 'dune', startedAt: 1_010, exchanges: [], shared: false, span: spanOf('d') });
  trace.end({ supplier: 'alpine', brand: undefined, outcome: 'answered', cause: undefined, items: 3, durationMs: 22 });
  trace.end({
    supplier: 'bravo',
    brand: undefined,
    outcome: 'failed',
    cause: 'timeout',
    items: undefined,
    durationMs: 60,
  });
  trace.admittedAt = 1_002;
  trace.answeredAt = 1_079;
  trace.setEntries([{ reason: 'supplier_failure', supplier: 'bravo', cause: 'timeout', field: 'never-this' }]);
  return {
    span: { traceId: TRACE, spanId: '1'.repeat(16), parentId: '2'.repeat(16), isSampled: false },
    ...{ method: 'GET', route: '/cars/catalog/v1/vehicles', status: 206, at: AT, startedAt: 1_000, durationMs: 80 },
    ...{ applicationId: 'app_1', version: 'v1', requestId: undefined, trace, ...changes },
  };
}

function newSpans(bufferBytes = 1_000_000, timeoutMs = TIMEOUT_MS) {
  const lines: string[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) });
  const resource = { 'service.name': 'of-the-test' };
  const target = { url: `${collector.url}/v1/traces`, headers: { 'x-key': 'of-the-collector' }, timeoutMs, resource };
  const send = jest.fn((batch: string) => exportBatch({ ...target, lines: batch }));
  return { spans: new SpanExport(bufferBytes, send, logger), lines, send };
}

async function counts(): Promise<Record<string, number>> {
  const lost = (await metrics.getSingleMetric('forecourt_spans_lost_total')?.get())?.values ?? [];
  const exported = (await metrics.getSingleMetric('forecourt_spans_exported_total')?.get())?.values ?? [];
  return {
    ...Object.fromEntries(lost.map(({ labels, value }) => [String(labels.reason), value])),
    exported: exported[0]?.value ?? 0,
  };
}

/** How the counters change while `work` runs; only those that change. */
async function counted(work: () => Promise<void>): Promise<Record<string, number>> {
  const before = await counts();
  await work();
  const changes = Object.entries(await counts()).map(([name, now]) => [name, now - (before[name] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

const NO_THREAD = async (): Promise<void> => undefined;
/** Exports one search of four spans. */
const exportOne = (export_ = newSpans()) =>
  counted(async () => {
    export_.spans.add(traceLine(search(), 'partial'));
    await export_.spans.close(NO_THREAD);
  });

describe('an exported trace', () => {
  it('is a tree: the request, and below it one span per call, with their own times', async () => {
    expect(await exportOne()).toEqual({ exported: 4 });
    expect(collector.faults).toEqual([]);
    const [request, alpine, bravo, dune] = collector.spans;
    const nano = (ms: number) => String(BigInt(AT) * 1_000_000n + BigInt(ms * 1_000) * 1_000n);
    expect(request).toMatchObject({
      ...{ traceId: TRACE, spanId: '1'.repeat(16), parentSpanId: '2'.repeat(16), kind: 2 },
      ...{ name: 'GET /cars/catalog/v1/vehicles', startTimeUnixNano: nano(0), endTimeUnixNano: nano(80) },
      resource: { 'service.name': 'of-the-test' },
    });
    expect(request?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/cars/catalog/v1/vehicles',
      'http.response.status_code': 206,
      'forecourt.application': 'app_1',
      'forecourt.version': 'v1',
      'forecourt.reasons': ['supplier_failure'],
      'forecourt.kept': 'partial',
    });
    const parentSpanId = request?.spanId;
    expect(alpine).toMatchObject({ traceId: TRACE, spanId: 'a'.repeat(16), parentSpanId, kind: 3 });
    expect([alpine?.startTimeUnixNano, alpine?.endTimeUnixNano]).toEqual([nano(10), nano(32)]);
    expect(alpine?.events).toEqual([
      { name: 'queued', timeUnixNano: nano(10) },
      { name: 'sent', timeUnixNano: nano(11) },
      { name: 'first_byte', timeUnixNano: nano(30) },
      { name: 'received', timeUnixNano: nano(31.5) },
    ]);
    expect(alpine?.attributes).toMatchObject({ 'server.address': '::1', 'server.port': 8443, 'forecourt.items': 3 });
    expect(bravo).toMatchObject({ parentSpanId, status: { code: 2 }, endTimeUnixNano: nano(70) });
    expect(bravo?.attributes).toMatchObject({
      'error.type': 'timeout',
      'forecourt.cause': 'timeout',
      'forecourt.shared': true,
    });
    expect(bravo?.links).toEqual([{ traceId: `${'9'.repeat(31)}a`, spanId: 'f'.repeat(16) }]);
    // It ends with the request, which didn't wait for it.
    expect([dune?.attributes['forecourt.outcome'], dune?.endTimeUnixNano]).toEqual(['open', nano(80)]);
    expect(collector.exports.at(-1)).toMatchObject({ 'x-key': 'of-the-collector' });
    expect(JSON.stringify(collector.spans.map(({ attributes }) => attributes))).not.toContain('never-this');
  });

  it.each([
    [{ status: 503, route: '', method: 'PURGE' }, { name: '_OTHER', 'error.type': '503' }, { code: 2 }],
    [{ status: undefined }, { name: 'GET /cars/catalog/v1/vehicles', 'error.type': 'client_disconnected' }, undefined],
    [{ status: 404 }, { name: 'GET /cars/catalog/v1/vehicles' }, undefined],
  ] as const)('of a request with %j says so', async (changes, { name, ...attributes }, status) => {
    const { spans } = newSpans();
    spans.add(traceLine(search({ ...changes, trace: undefined }), 'error'));
    await spans.close(NO_THREAD);
    const span = collector.spans.at(-1);
    expect([span?.name, span?.status, collector.faults]).toEqual([name, status, []]);
    expect(span?.attributes).toMatchObject(attributes);
    expect(span?.attributes['http.response.status_code']).toBe(changes.status);
  });
});

it('a request that waited for admission begins at a fraction of a millisecond', async () => {
  const { spans } = newSpans();
  spans.add(traceLine(search({ at: AT - 0.25, durationMs: 80.5 }), 'partial'));
  await spans.close(NO_THREAD);
  const { startTimeUnixNano, endTimeUnixNano } = collector.spans.at(-4) ?? {};
  expect([startTimeUnixNano, endTimeUnixNano]).toEqual([`${AT - 1}750000`, `${AT + 80}250000`]);
});

describe('a collector', () => {
  afterEach(() => expect(collector.faults).toEqual([]));

  it.each([
    [429, 1],
    [502, 0],
    [503, 0],
    [504, 0],
  ])('that answers %i gets the batch again, after Retry-After', async (status, seconds) => {
    const instants: number[] = [];
    collector.behave((response, spans) => {
      instants.push(performance.now());
      if (instants.length === 1) response.writeHead(status, { 'retry-after': String(seconds) }).end();
      else accept(response, spans);
    });
    expect(await exportOne(newSpans(1_000_000, 5_000))).toEqual({ exported: 4 });
    const [first = 0, second = 0] = instants;
    // Timers of Node may be a millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(seconds * 1_000 - 2);
  });

  it.each([400, 401, 404, 413, 500, 301])(
    'that answers %i gets the batch once; its spans are counted',
    async (status) => {
      const before = collector.exports.length;
      collector.behave(answerWith(status, { location: '/v1/traces' }));
      const export_ = newSpans();
      expect(await exportOne(export_)).toEqual({ refused: 4 });
      expect(collector.exports.length - before).toBe(1);
      expect(export_.lines.map((line) => JSON.parse(line))).toEqual([
        { level: 40, reason: 'refused', why: `status ${status}`, msg: 'the collector does not get all traces' },
      ]);
    },
  );

  it('that rejects some spans of a batch has the others', async () => {
    collector.behave(answerWith(200, {}, '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}'));
    expect(await exportOne()).toEqual({ rejected: 3, exported: 1 });
  });

  it.each(['', 'not JSON', 'null', '{"partialSuccess":null}', '[]', '{"partialSuccess":{"rejectedSpans":"many"}}'])(
    'that accepts a batch with the body %j has it',
    async (body) => {
      collector.behave(answerWith(200, {}, body));
      expect(await exportOne()).toEqual({ exported: 4 });
    },
  );

  it('that keeps answering 503 loses the batch after the time of an export', async () => {
    collector.behave(answerWith(503));
    const before = collector.exports.length;
    expect(await exportOne()).toEqual({ unavailable: 4 });
    expect(collector.exports.length - before).toBeGreaterThan(1);
  });

  it('that hangs loses the batch after the time of an export', async () => {
    collector.behave(hangOn);
    expect(await exportOne()).toEqual({ unavailable: 4 });
  });

  it('that cannot be reached loses the batch; the log says so once, and once that it is back', async () => {
    // The third batch has time: only the first two may be lost.
    const { spans, lines, send } = newSpans(10_000_000, 20_000);
    const refusing = createServer().listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const address = refusing.address();
    refusing.close();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1/traces`;
    const down = (batch: string) => exportBatch({ url, headers: {}, timeoutMs: 100, resource: {}, lines: batch });
    send.mockImplementationOnce(down).mockImplementationOnce(down);
    const changes = await counted(async () => {
      // Each is a batch of its own.
      for (let at = 0; at < 1_536; at += 1) spans.add(traceLine(search(), 'partial'));
      // Closing waits for at most a second.
      while (send.mock.calls.length < 3) await new Promise<void>((resolve) => setTimeout(resolve, 5));
      await send.mock.results[2]?.value;
      await spans.close(NO_THREAD);
    });
    expect(changes).toEqual({ unavailable: 4_096, exported: 2_048 });
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { level: 40, reason: 'unavailable', why: 'ECONNREFUSED', msg: 'the collector does not get all traces' },
      { level: 30, msg: 'the collector gets all traces again' },
    ]);
  });
});

describe('while a collector hangs', () => {
  it('the oldest traces make room for the newest and are counted; nothing waits', async () => {
    collector.behave(hangOn);
    const { spans, send } = newSpans(40_000, 60_000);
    const line = traceLine(search(), 'partial');
    const perLine = 2 * line.text.length + 100;
    const changes = await counted(async () => {
      for (let at = 0; at < 1_000; at += 1) spans.add(line);
      expect(send).not.toHaveBeenCalled();
    });
    const kept = Math.floor(40_000 / perLine);
    expect(kept).toBeGreaterThan(10);
    expect(changes).toEqual({ buffer_full: 4 * (1_000 - kept) });
    collector.behave(accept);
    expect(await counted(() => spans.close(NO_THREAD))).toEqual({ exported: 4 * kept });
  });

  it('the end of the process waits for a second at most, and the rest is counted as lost', async () => {
    collector.behave(hangOn);
    const { spans } = newSpans(10_000_000, 1_500);
    const startedAt = performance.now();
    let stoppedAfterMs = 0;
    const changes = await counted(async () => {
      for (let at = 0; at < 1_000; at += 1) spans.add(traceLine(search(), 'partial'));
      await spans.close(async () => {
        stoppedAfterMs = performance.now() - startedAt;
      });
    });
    expect(stoppedAfterMs).toBeGreaterThanOrEqual(998);
    expect(stoppedAfterMs).toBeLessThan(1_000 + slowed(450));
    expect(changes).toEqual({ shutdown: 1_952, unavailable: 2_048 });
  });
});
