import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { judge } from '../../src/suppliers/contract-kit/judge.js';
import { caseLines, closingLines } from '../../src/suppliers/contract-kit/report.js';
import { PROJECT } from '../support/project.js';

const { suppliers } = loadConfig(join(PROJECT, 'config'), {});

describe('every configured supplier keeps the contract', () => {
  test.each(suppliers.map((config) => [config.id, config] as const))(
    '%s: gold within a minute, and nothing skipped but with a reason',
    async (id, config) => {
      const verdict = await judge(config);
      const failed = verdict.checks.filter(({ result }) => result === 'failed');
      console.log(`${failed.map((check) => caseLines([check])).join('\n')}${closingLines(verdict)}`);
      expect({ id, failed }).toEqual({ id, failed: [] });
      expect(verdict.level).toBe('gold');
      expect(verdict.ms).toBeLessThan(60_000);
      for (const { result, reason } of verdict.checks) if (result === 'skipped') expect(reason).toMatch(/\w+ .{10,}/);
    },
    120_000,
  );
});
