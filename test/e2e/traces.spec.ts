import { eventually } from '../support/booking.js';
import { Client } from '../support/client.js';
import { accept, type Collector, hangOn, type ReceivedSpan, startCollector } from '../support/collector.js';
import { ROOMY } from '../support/config-folder.js';
import { type FakeSupplier, reset, startFakeSupplier } from '../support/fake-supplier.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
/** Shorter than the test may take, and longer than any answer of the simulators on a busy machine. */
const EXPORT_MS = 1_000;
const HANG_MS = 2_000;
const timeoutMs = { searchLocations: HANG_MS, searchVehicles: HANG_MS };

describe('traces', () => {
  let collector: Collector;
  let bravo: FakeSupplier;
  let gateway: Gateway;
  let client: Client;
  const ofBravo: string[] = [];

  beforeAll(async () => {
    [collector, bravo] = await Promise.all([startCollector(), startFakeSupplier()]);
    bravo.behave((socket, request) => {
      ofBravo.push(/^traceparent: (.*)\r$/im.exec(request)?.[1] ?? 'none');
      reset(socket, request);
    });
    gateway = await startGateway({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20the%20collector',
        OTEL_EXPORTER_OTLP_TIMEOUT: String(EXPORT_MS),
        OTEL_SERVICE_NAME: 'cars',
        SUPPLIER_BRAVO_URL: bravo.url,
      },
      config: {
        settings: { tracing: { share: 1 } },
        tiers: ROOMY,
        suppliers: { alpine: { timeoutMs }, bravo: { timeoutMs }, dune: { timeoutMs } },
      },
    });
    client = await Client.of(gateway);
  });
  afterEach(() => collector.behave(accept));
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([collector.close(), bravo.close()]);
  });

  const spansOf = (traceId: string, count: number): Promise<readonly ReceivedSpan[]> =>
    eventually(
      () => Promise.resolve(collector.spans.filter((span) => span.traceId === traceId)),
      (spans) => spans.length >= count,
    );
  const lost = async (reason: string): Promise<number> =>
    Number(
      new RegExp(`^forecourt_spans_lost_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(
        await gateway.metrics(),
      )?.[1] ?? 0,
    );

  test('a search with a failing supplier is a tree of spans in the trace of the caller; suppliers get its ids', async () => {
    const sentAt = Date.now();
    const answer = await client.get(vehiclesPath({ brand: 'Alpine,Bravo,Dune' }), {
      headers: { traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'Ada-Sample-1' },
    });
    // A gateway without processor time may reject an answer of the others.
    expect([answer.status, answer.missing]).toEqual([206, expect.arrayContaining(['500 bravo unavailable'])]);
    expect(answer.headers['x-trace-id']).toBe(TRACE);
    const spans = await spansOf(TRACE, 4);
    expect(collector.faults).toEqual([]);
    expect(spans).toHaveLength(4);
    const request = spans.find(({ kind }) => kind === 2);
    if (!request) throw new Error('there is no span of the request');
    expect(request).toMatchObject({
      parentSpanId: PARENT,
      name: 'GET /cars/catalog/v1/vehicles',
      attributes: {
        'http.response.status_code': 206,
        'forecourt.application': 'app_demo',
        'forecourt.reasons': ['supplier_failure'],
        'forecourt.kept': 'partial',
      },
      resource: { 'service.name': 'cars', 'deployment.environment.name': 'sandbox' },
    });
    const calls = spans.filter((span) => span !== request);
    expect(calls.map(({ name }) => name).sort()).toEqual([
      'searchVehicles alpine',
      'searchVehicles bravo',
      'searchVehicles dune',
    ]);
    for (const call of calls) {
      expect(call).toMatchObject({
        kind: 3,
        parentSpanId: request.spanId,
        attributes: { 'server.address': '127.0.0.1' },
      });
      // Times have 19 digits, so texts have the same order.
      const times = [request.startTimeUnixNano, call.startTimeUnixNano, call.endTimeUnixNano, request.endTimeUnixNano];
      expect(times).toEqual([...times].sort());
    }
    // The clock of the request has whole milliseconds.
    expect(Number(request.startTimeUnixNano) / 1e6).toBeGreaterThanOrEqual(sentAt - 1);
    expect(Number(request.endTimeUnixNano) / 1e6).toBeLessThanOrEqual(Date.now() + 1);
    const failed = calls.find(({ name }) => name.endsWith('bravo'));
    expect(failed).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'unavailable', 'server.port': Number(new URL(bravo.url).port) },
    });
    // The retry of a read belongs to the same span.
    expect(ofBravo.length).toBeGreaterThan(0);
    expect([...new Set(ofBravo)]).toEqual([`00-${TRACE}-${failed?.spanId}-01`]);
    expect(collector.exports.at(-1)).toMatchObject({ 'x-key': 'of the collector' });
    // The caller's request id may hold anything.
    expect(JSON.stringify(collector.spans)).not.toContain('Ada');
    await eventually(
      () =>
        Promise.resolve(
          gateway.child
            .output()
            .split('\n')
            .filter((line) => line.includes(`"traceId":"${TRACE}"`)),
        ),
      (lines) =>
        lines.some((line) => line.includes('"supplier failed"')) &&
        lines.some((line) => line.includes('"requestId":"Ada-Sample-1"') && line.includes('"status":206')),
    );
  });

  test('errors have the trace id beside the request id, even before the caller is known; health checks are not traced', async () => {
    const health = await client.get('/health/live', { token: null });
    const answer = await client.get(locationsPath('BOS'), { token: null });
    const traceId = String(answer.headers['x-trace-id']);
    expect([answer.status, answer.headers['x-request-id']]).toEqual([401, expect.stringMatching(/^req_/)]);
    const [span] = await spansOf(traceId, 1);
    expect(span?.attributes).toMatchObject({
      'http.response.status_code': 401,
      'forecourt.request_id': answer.headers['x-request-id'],
      'forecourt.reasons': ['authentication_failure'],
    });
    // Its span would have come before or with that of the later request.
    expect(collector.spans.filter(({ traceId: other }) => other === health.headers['x-trace-id'])).toEqual([]);
  });

  test.each([
    ['a list', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ['zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['markup', '<script>alert(1)</script>'],
    ['a card number', '00-00000000000000004111111111111111-00f067aa0ba902b7-01'],
    ['8 KB', `01-${TRACE}-${PARENT}-01-${'x'.repeat(8_000)}`],
  ])('%s in traceparent is ignored: the request begins a trace', async (_, traceparent) => {
    const answer = await client.get(locationsPath('BOS', { brand: 'Alpine' }), { headers: { traceparent } });
    expect([answer.status, answer.headers['x-trace-id']]).toEqual([200, expect.stringMatching(/^[\da-f]{32}$/)]);
    expect([TRACE, '0'.repeat(32)]).not.toContain(answer.headers['x-trace-id']);
  });

  test('a hanging collector doesn’t delay requests; its spans are counted as lost', async () => {
    const before = await lost('unavailable');
    const exports = collector.exports.length;
    collector.behave(hangOn);
    const path = locationsPath('BOS', { brand: 'Alpine' });
    await client.get(path);
    await eventually(
      () => Promise.resolve(collector.exports.length),
      (count) => count > exports,
    );
    // The export hangs now. A request that waited for it would take EXPORT_MS.
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.get(path)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await lost('unavailable')).toBe(before);
    await eventually(
      () => lost('unavailable'),
      (count) => count > before,
    );
    collector.behave(accept);
    await eventually(
      async () => {
        await client.get(path);
        return gateway.child.output();
      },
      (output) => output.includes('the collector gets all traces again'),
    );
    expect(await lost('failed')).toBe(0);
  });
});
