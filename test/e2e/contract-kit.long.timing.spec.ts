import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { judge, type Verdict } from '../../src/contract-kit/judge.js';
import { closingLines } from '../../src/contract-kit/report.js';
import { startChild } from '../support/child.js';
import { GW } from '../support/gw.js';
import { PROJECT } from '../support/project.js';

const { suppliers } = loadConfig(join(PROJECT, 'config'), {});

const AT_ONCE = 2;

describe('every configured supplier fulfills the contract', () => {
  const runs = new Map<string, Promise<{ readonly code: number | string; readonly output: string }>>();
  beforeAll(() => {
    const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
    for (const [at, { id }] of suppliers.entries()) {
      const run = (lanes[at % AT_ONCE] ?? Promise.resolve()).then(() => testSupplier(id));
      runs.set(id, run);
      lanes[at % AT_ONCE] = run;
    }
  });

  test.each(suppliers.map(({ id }) => id))(
    '%s: gold by gw adapter test within a minute, and nothing skipped without a reason',
    async (id) => {
      const { code, output } = (await runs.get(id)) ?? { code: 'not run', output: '' };
      expect({ id, code, output }).toEqual({ id, code: 0, output: expect.stringMatching(/^\{/) });
      const verdict = JSON.parse(output) as Verdict & { badge: object };
      console.log(closingLines(verdict));
      expect(verdict).toMatchObject({
        supplier: id,
        level: 'gold',
        simulated: true,
        badge: { label: id, message: 'gold (simulator)' },
      });
      expect(verdict.ms).toBeLessThan(60_000);
      for (const { result, reason } of verdict.checks) if (result === 'skipped') expect(reason).toMatch(/\w+ .{10,}/);
    },
    180_000,
  );
});

async function testSupplier(id: string) {
  const child = startChild(process.execPath, [GW, 'adapter', 'test', id, '--json'], { cwd: PROJECT });
  return { code: await child.exited, output: child.output() };
}

test('rejects a reason to skip an unknown check, which may have been renamed', async () => {
  const [config] = suppliers;
  if (!config) throw new Error('no supplier is configured');
  const skip = { 'html.serachVehicles': 'They have no time to put it right before spring.' };
  await expect(judge({ ...config, contract: { skip } })).rejects.toThrow(
    'contract.skip: the kit has no check "html.serachVehicles"',
  );
});
