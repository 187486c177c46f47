import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reasons } from '../../src/status/reasons.js';
import { Client } from '../support/client.js';
import { PROJECT } from '../support/project.js';
import { type DemoName, type Gateway, startGateway } from '../support/start-gateway.js';

interface Row {
  readonly code: number;
  readonly reason: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly application: DemoName;
  readonly times: number;
}

/** The rows of docs/sandbox.md: the page is the source, so that it cannot rot. */
function rows(): Row[] {
  const text = readFileSync(join(PROJECT, 'docs', 'sandbox.md'), 'utf8');
  // The bookings have a table and a test of their own.
  return text
    .slice(0, text.indexOf('## Bookings'))
    .split('\n')
    .filter((line) => /^\| \d{3} /.test(line))
    .map((line) => {
      const [, code = '', reason = '', how = ''] = line.split('|').map((cell) => cell.trim());
      const [request = '', ...more] = [...how.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
      const headers = more
        .filter((part) => part.includes(': '))
        .map((part) => part.split(/: (.*)/s, 2) as [string, string]);
      const application = more.find((part) => part.startsWith('demo')) ?? 'demo';
      return {
        code: Number(code),
        reason,
        path: request.replace('GET ', ''),
        headers: Object.fromEntries(headers),
        application: application as DemoName,
        times: how.includes('the second time') ? 2 : 1,
      };
    });
}

describe('docs/sandbox.md', () => {
  let gateway: Gateway;
  let client: Client;
  beforeAll(async () => {
    gateway = await startGateway();
    client = await Client.of(gateway);
  }, 60_000);
  afterAll(async () => {
    client.close();
    await gateway.stop();
  });

  const table = rows();

  it('has a row for every reason of spec §7.3', () => {
    expect(table.length).toBeGreaterThan(20);
    expect([...new Set(table.map((row) => row.reason))].filter((reason) => reason !== '').sort()).toEqual(
      Object.keys(reasons).sort(),
    );
  });

  it.each(table)(
    '$code $reason: GET $path $headers as $application',
    async (row) => {
      const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
      const path = row.path.replace('{dates}', `pickup_date=${day(30)}T10:00:00&dropoff_date=${day(33)}T10:00:00`);
      const token = row.headers.Authorization === undefined ? await client.token(row.application) : null;
      let answer = await client.get(path, { token, headers: row.headers });
      for (let time = 1; time < row.times; time += 1) answer = await client.get(path, { token, headers: row.headers });
      expect(answer.status).toBe(row.code);
      if (row.reason === '') expect(answer.reasons).toEqual([]);
      else expect(answer.reasons).toContain(row.reason);
    },
    20_000,
  );
});
