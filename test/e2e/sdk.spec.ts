import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../support/child.js';
import { compiled, installSdk } from '../support/installed-sdk.js';
import { PROJECT } from '../support/project.js';
import { sharedGateway } from '../support/shared-gateway.js';

const run = promisify(execFile);
const SDK = join(PROJECT, 'packages/sdk');

describe('the examples of the README of the SDK, with the built package', () => {
  const shared = sharedGateway();
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-sdk-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(async () => {
    await installSdk(folder);
    const readme = readFileSync(join(SDK, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/<!-- test:([\w-]+) -->\n```ts\n(.*?)```/gs)];
    for (const [, name, text = ''] of examples) writeFileSync(join(folder, `${name}.ts`), text);
    expect(await compiled(folder)).toBe('');
  }, 120_000);

  const environment = () => {
    const { gateway } = shared();
    const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = gateway.credentials();
    return { ...process.env, FORECOURT_URL: gateway.baseUrl, CLIENT_ID, CLIENT_SECRET, NODE_OPTIONS: '' };
  };
  const outputOf = async (name: string) =>
    (await run(process.execPath, [join(folder, `${name}.js`)], { env: environment() })).stdout;

  test('search and book', async () => {
    expect(await outputOf('search-and-book')).toMatch(/^booked: confirmed\nthen: cancelled\n$/m);
  });

  test('pages and streams', async () => {
    const [pages, ...lines] = (await outputOf('pages-and-streams')).trim().split('\n');
    // More than the first page.
    expect(Number(/^(\d+) offers in pages$/.exec(pages ?? '')?.[1])).toBeGreaterThan(50);
    expect(lines).toContain('alpine: answered');
    expect(lines).toContain('bravo: failed');
    expect(lines.at(-1)).toBe('complete: false');
  });

  test('webhooks', async () => {
    const port = await freePort();
    const secret = `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`;
    const env = { ...environment(), PORT: `${port}`, WEBHOOK_SECRET: secret };
    const receiver = spawn(process.execPath, [join(folder, 'webhooks.js')], { env });
    let printed = '';
    receiver.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    try {
      const body = JSON.stringify({ type: 'reservation.confirmed', data: { reservation_id: 'res_1' } });
      const at = new Date();
      const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}` };
      const signature = new Webhook(secret).sign('evt_1', at, body);
      const send = async (text: string): Promise<number> => {
        const all = { ...headers, 'webhook-signature': signature };
        for (let attempt = 0; ; attempt += 1) {
          const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: all, body: text }).catch(
            () => null,
          );
          if (answer) return answer.status;
          if (attempt === 200) throw new Error('the receiver does not answer');
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      expect([await send(body), await send(body), await send(`${body} `)]).toEqual([204, 204, 400]);
      expect(printed).toBe('reservation.confirmed res_1\n');
    } finally {
      receiver.kill();
    }
  });
});
