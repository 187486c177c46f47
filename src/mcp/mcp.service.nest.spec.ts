import { claim } from '../../test/support/claim.js';
import { configSchema } from '../config/config.schema.js';
import { RequestContext } from '../context/request-context.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { McpService } from './mcp.service.js';

const headers = { accept: 'application/json, text/event-stream' };
const context = new RequestContext('req_1', 0);
const request = { policy: { applicationId: 'app_a', accountId: 'acc_a' }, headers, context } as never;
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nothing', arguments: {} } };

claim(
  'API4',
  'Messages of the Model Context Protocol that the store answers together are handled in turns of 8 ms.',
  async () => {
    const run = async () => {
      for (const end = performance.now() + 5; performance.now() < end; );
      return { content: [] };
    };
    const service = new McpService({ run } as never, {} as never, new MemoryStore(1_000), configSchema.parse({}));
    // What is loaded once.
    await service.answer(call, request, {} as never);
    let longestMs = 0;
    let isOver = false;
    const watch = async (): Promise<void> => {
      for (let last = performance.now(); !isOver; last = performance.now()) {
        await new Promise((resolve) => setImmediate(resolve));
        longestMs = Math.max(longestMs, performance.now() - last);
      }
    };
    const watching = watch();
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 40 }, () => service.answer(call, request, {} as never)));
    isOver = true;
    await watching;
    expect(longestMs).toBeLessThan((performance.now() - startedAt) / 3);
  },
);

claim(
  'API4',
  'A message of the Model Context Protocol with more than 200 members and items is refused before the library reads it.',
  async () => {
    let read = 0;
    const run = async () => {
      read += 1;
      return { content: [] };
    };
    const service = new McpService({ run } as never, {} as never, new MemoryStore(1_000), configSchema.parse({}));
    const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, at]));
    const withArguments = (count: number) => ({ ...call, params: { name: 'search', arguments: names(count) } });
    for (const message of [
      withArguments(195),
      withArguments(1_900),
      { ...call, params: { ...call.params, _meta: names(1_900) } },
      { ...call, params: { name: 'search', arguments: { more: [names(900), names(900)] } } },
      { ...call, ...names(1_900) },
      { ...call, params: names(1_900) },
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: names(1_900) },
      { jsonrpc: '2.0', result: Array.from({ length: 1_900 }, () => 1) },
    ]) {
      const { status, body } = await service.answer(message, request, {} as never);
      expect([status, JSON.parse(String(body))]).toMatchObject([400, { error: { code: -32_600 } }]);
      expect(body).toContain('at most 200 members');
    }
    expect(read).toBe(0);
    // 4 of the message and 2 of its parameters.
    expect((await service.answer(withArguments(194), request, {} as never)).status).toBe(200);
    expect(read).toBe(1);
  },
);

claim('API4', 'Messages that only look like calls of tools are limited also if they are sent together.', async () => {
  let read = 0;
  const run = async () => {
    read += 1;
    for (const end = performance.now() + 1; performance.now() < end; );
    return { content: [] };
  };
  const service = new McpService({ run } as never, {} as never, new MemoryStore(1_000), configSchema.parse({}));
  const answers = await Promise.allSettled(
    Array.from({ length: 600 }, () => service.answer(call, request, {} as never)),
  );
  expect(answers.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(400);
  // 60, those of a turn, and two per second.
  expect(read).toBeLessThan(150);
});

test('calls of tools that don’t call an operation are refused without being read once they are too many', async () => {
  let read = 0;
  const tools = {
    run: async () => {
      read += 1;
      return { content: [] };
    },
  };
  const service = new McpService(tools as never, {} as never, new MemoryStore(1_000), configSchema.parse({}));
  const ends: unknown[] = [];
  for (let index = 0; index < 300; index += 1)
    ends.push(
      await service.answer(call, request, {} as never).then(
        ({ status }) => status,
        (error: { status: number }) => error.status,
      ),
    );
  expect([ends[0], ends.at(-1)]).toEqual([200, 429]);
  // 60, and two per second.
  expect(read).toBeLessThan(150);
});
