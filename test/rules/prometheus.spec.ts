import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { sources } from '../../scripts/sources.mjs';
import { describeWith } from '../support/binaries.js';
import { PROJECT } from '../support/project.js';
import { files, promtool, read, rulesOf, type TestFile } from './prometheus-rules.js';

const RUNBOOKS = join(PROJECT, 'docs/runbooks');
const rules = files.flatMap(rulesOf);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const names = new Set(alerts.map(({ alert }) => alert));

describe('the alerts of deploy/prometheus', () => {
  it('are at least 14, each with a severity, a text and a runbook; no runbook is left over', () => {
    expect(names.size).toBe(alerts.length);
    expect(names.size).toBeGreaterThanOrEqual(14);
    const named = alerts.map(({ labels, annotations }) => {
      expect(labels?.severity).toMatch(/^(critical|warning)$/);
      expect(annotations).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
      return /^docs\/runbooks\/([\w-]+\.md)$/.exec(annotations?.runbook_url ?? '')?.[1] ?? 'none';
    });
    expect([...new Set(named)].sort()).toEqual(
      readdirSync(RUNBOOKS)
        .filter((page) => page !== 'README.md')
        .sort(),
    );
  });

  it.each(readdirSync(RUNBOOKS).filter((page) => page !== 'README.md'))(
    'the runbook %s says what it means, where the fault is, what to read and do, and how to verify the fix',
    (page) => {
      const text = readFileSync(join(RUNBOOKS, page), 'utf8');
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, head]) => head)).toEqual([
        'What it means',
        'Where the fault is',
        'What to read',
        'What to do',
        'How to verify the fix',
      ]);
      const listed = alerts.filter(({ annotations }) => annotations?.runbook_url?.endsWith(`/${page}`));
      for (const { alert } of listed) expect(text).toContain(`\`${alert}\``);
      expect(readFileSync(join(RUNBOOKS, 'README.md'), 'utf8')).toContain(`](${page})`);
    },
  );

  it('use only metrics that the gateway has', () => {
    const code = sources(PROJECT)
      .filter(({ path }) => /^src\/metrics\/.*(?<!\.spec)\.ts$/.test(path))
      .map(({ text }) => text)
      .join('\n');
    const used = new Set(rules.flatMap(({ expr }) => expr.match(/\bforecourt_\w+/g) ?? []));
    expect(used.size).toBeGreaterThan(14);
    const unknown = [...used].filter(
      (name) => !code.includes(`'${name}'`) && !code.includes(`'${name.replace(/_(count|sum|bucket)$/, '')}'`),
    );
    expect(unknown).toEqual([]);
  });
});

describeWith('promtool')('promtool (Debian: prometheus)', () => {
  it('accepts the rules', async () => {
    const { code, text } = await promtool('check', 'rules', ...files.map((file) => `rules/${file}`));
    expect([code, text]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it.each(files)(
    'runs the tests of %s',
    async (file) => {
      const { code, text } = await promtool('test', 'rules', `tests/${file}`);
      expect([code, text]).toEqual([0, expect.stringContaining('SUCCESS')]);
    },
    60_000,
  );

  it('has a test of each alert that expects it to fire and one that expects it not to', () => {
    const missing = files.flatMap((file) => {
      const { tests } = parse(read(`tests/${file}`)) as TestFile;
      const checks = tests.flatMap(
        ({ promql_expr_test: all }) => all as readonly { expr: string; exp_samples: readonly unknown[] }[],
      );
      return rulesOf(file).flatMap(({ alert }) => {
        const own = checks.filter(({ expr }) => expr.includes(`"${alert}"`));
        const isComplete =
          own.some((one) => one.exp_samples.length > 0) && own.some((one) => one.exp_samples.length < 2);
        return alert === undefined || isComplete ? [] : [alert];
      });
    });
    expect(missing).toEqual([]);
  });
});
