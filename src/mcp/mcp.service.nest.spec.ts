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
