import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { freePort } from '../support/child.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { newDataFolder, spawnGateway, startGateway } from '../support/start-gateway.js';

describe('start and stop', () => {
  test('SIGTERM under load loses no request: every accepted one gets a complete answer, and the exit code is 0', async () => {
    const gateway = await startGateway({ config: { tiers: ROOMY }, env: { DRAIN_MS: '500' } });
    const client = await Client.of(gateway);
    const token = await client.token();
    const paths = [locationsPath('BOS'), vehiclesPath({ max_results: '5' })];
    const results: (number | string)[] = [];
    const unanswered: string[] = [];
    let stopping = false;
    const worker = async (index: number): Promise<void> => {
      for (let call = 0; ; call += 1) {
        const id = `under-load-${index}-${call}`;
        try {
          const answer = await client.get(paths[index % 2] ?? '', {
            token,
            headers: { 'x-sandbox-scenario': 'bravo=slow(100)', 'x-request-id': id },
          });
          results.push(answer.status);
        } catch (error) {
          const code = String((error as NodeJS.ErrnoException).code ?? error);
          // The port is closed, and a connection that only the kernel had accepted is reset: then the gateway must not
          // have seen the request.
          if (!stopping || !['ECONNREFUSED', 'ECONNRESET'].includes(code)) results.push(code);
          else unanswered.push(id);
          return;
        }
      }
    };
    const workers = Array.from({ length: 12 }, (_, index) => worker(index));
    while (results.length < 24) await client.get('/health/live', { token: null });
    stopping = true;
    const code = await gateway.stop();
    await Promise.all(workers);
    // A 206 is also complete: on a busy machine a simulator may be late.
    expect([code, results.filter((result) => result !== 200 && result !== 206)]).toEqual([0, []]);
    expect(unanswered.filter((id) => gateway.child.output().includes(`"requestId":"${id}"`))).toEqual([]);
    expect(gateway.child.output()).toContain('"requestId":"under-load-');
    client.close();
  });

  test('if a port is taken, says so and uses the next; while draining, /health/ready answers 503 and answers close their connection', async () => {
    const port = await freePort();
    const occupier = createServer().listen(port, '127.0.0.1');
    await once(occupier, 'listening');
    const gateway = await startGateway({ env: { PORT: String(port), DRAIN_MS: '1500' } });
    expect(gateway.port).toBeGreaterThan(port);
    expect(gateway.child.output()).toContain(`Port ${port} is in use`);
    occupier.close();
    const client = await Client.of(gateway);
    await client.token();
    const stopped = gateway.stop();
    const deadline = Date.now() + 1_200;
    let ready = await client.get('/health/ready', { token: null });
    while (ready.status === 200 && Date.now() < deadline) ready = await client.get('/health/ready', { token: null });
    const answer = await client.get(locationsPath('BOS'));
    expect([ready.status, answer.status, answer.headers.connection]).toEqual([503, 200, 'close']);
    expect(await stopped).toBe(0);
    client.close();
  });

  test('the embedded database rejects a second process with instructions, and survives kill -9: the next start serves the same credentials', async () => {
    const dataFolder = await newDataFolder(true);
    const first = await startGateway({ dataFolder });
    const other = spawnGateway({ DATA_DIR: dataFolder });
    expect(await other.exited).toBe(1);
    expect(other.output()).toMatch(/data folder is in use by process \d+.*DATA_DIR.*DATABASE_URL/);
    expect((await fetch(`${first.baseUrl}/health/ready`)).status).toBe(200);
    const client = await Client.of(first);
    await client.token();
    await first.child.stop('SIGKILL');
    client.close();
    const second = await startGateway({ dataFolder });
    expect(second.credentials()).toEqual(first.credentials());
    const again = await Client.of(second);
    // On a busy machine, a supplier may be late: 206.
    expect([200, 206]).toContain((await again.get(locationsPath('BOS'))).status);
    again.close();
    await second.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  claim.each([
    ['an unreadable variable', { PORT: 'many' }, /PORT.*"many" is not a number/],
    [
      'a timeout without a margin below the budget',
      { REQUEST_BUDGET_MS: '2000' },
      /timeoutMs.*100 ms below http\.requestBudgetMs/,
    ],
    ['a short secret', { FORECOURT_SECRET: 'short' }, /secret/],
  ])(
    'API8',
    'An invalid setting stops the start, and the message names the setting.',
    '%s',
    async (_case, env, message) => {
      const dataFolder = await newDataFolder(false);
      const child = spawnGateway({ DATA_DIR: dataFolder, ...env });
      expect(await child.exited).toBe(1);
      expect(child.output()).toMatch(message);
      rmSync(dataFolder, { recursive: true, force: true });
    },
  );
});
