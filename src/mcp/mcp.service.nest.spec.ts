import { configSchema } from '../config/config.schema.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { McpService } from './mcp.service.js';

test('calls of tools that call no operation are refused without being read once they are too many', async () => {
  let read = 0;
  const tools = {
    run: async () => {
      read += 1;
      return { content: [] };
    },
  };
  const service = new McpService(tools as never, {} as never, new MemoryStore(1_000), configSchema.parse({}));
  const headers = { accept: 'application/json, text/event-stream' };
  const request = { policy: { applicationId: 'app_a' }, headers } as never;
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nothing', arguments: {} } };
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
