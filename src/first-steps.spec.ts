import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { claim } from '../test/support/claim.js';
import { configSchema } from './config/config.schema.js';
import { writeFirstSteps } from './first-steps.js';

const SECRET = 'demo-secret-that-is-long-enough';
const URLS = {
  baseUrl: 'http://127.0.0.1:4010',
  metricsUrl: 'http://127.0.0.1:4011/metrics',
  outboxLink: '/outbox/link#secret-key',
};

let dataFolder: string;
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'forecourt-steps-'));
});
afterEach(() => rmSync(dataFolder, { recursive: true }));

/** What is printed with these settings; the file has the credentials in any case. */
function printed(http: object): string {
  const print = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const config = configSchema.parse({ dataFolder, http });
  writeFirstSteps(
    config,
    URLS,
    [{ name: 'demo', client_id: 'app_demo', client_secret: SECRET, tier: 'sandbox', subscriptions: [] }],
    1,
  );
  expect(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')).toContain(SECRET);
  const text = print.mock.calls.join('\n');
  print.mockRestore();
  return text;
}

describe('the first steps', () => {
  test('print the demo credentials and commands with them to the person who started the gateway', () => {
    expect(printed({}).match(new RegExp(SECRET, 'g'))).toHaveLength(2);
  });

  test('print the link to the outbox with its key, if there is an outbox', () => {
    const link = 'http://127.0.0.1:4010/outbox/link#secret-key';
    const file = () => readFileSync(join(dataFolder, 'first-steps.json'), 'utf8');
    expect([printed({}).includes(link), file().includes(link)]).toEqual([true, true]);
    expect([printed({ host: '0.0.0.0' }).includes('#'), file().includes('outbox')]).toEqual([false, false]);
  });

  claim.each([
    ['an address of the network', { host: '0.0.0.0' }],
    ['a proxy', { trustedProxies: ['127.0.0.1'] }],
    ['a public address', { publicUrl: 'https://cars.example.com' }],
  ])('operation', 'A gateway that others can reach writes no credentials to its log.', '%s', (_case, http) => {
    expect(printed(http)).not.toContain(SECRET);
    expect(printed(http)).toContain('first-steps.json');
  });
});
