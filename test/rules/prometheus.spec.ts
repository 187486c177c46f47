import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { sources } from '../../scripts/sources.mjs';
import { describeWith, findBinary } from '../support/binaries.js';
import { PROJECT } from '../support/project.js';

const FOLDER = join(PROJECT, 'deploy/prometheus');
const RUNBOOKS = join(PROJECT, 'docs/runbooks');
const files = readdirSync(join(FOLDER, 'rules'));
const read = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}
interface TestFile {
  readonly rule_files: readonly string[];
  readonly tests: readonly {
    readonly input_series: readonly { readonly series: string }[];
    readonly promql_expr_test: readonly { readonly expr: string }[];
  }[];
}

const rulesOf = (file: string): readonly Rule[] =>
  (parse(read(`rules/${file}`)) as RuleFile).groups.flatMap(({ rules }) => rules);
const rules = files.flatMap(rulesOf);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const names = new Set(alerts.map(({ alert }) => alert));

/** Runs promtool; `text` is all that it prints, to both streams in the order in which it does. */
async function promtool(...words: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-promtool-output-'));
  const output = openSync(join(folder, 'output'), 'w+');
  try {
    const child = spawn(findBinary('promtool') ?? 'promtool', words, {
      cwd: FOLDER,
      stdio: ['ignore', output, output],
    });
    const [code] = (await once(child, 'close')) as [number];
    return { code, text: readFileSync(join(folder, 'output'), 'utf8') };
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true });
  }
}

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
    'the runbook %s says what it means, whose fault it is, what to read and do, and how to see that it is repaired',
    (page) => {
      const text = readFileSync(join(RUNBOOKS, page), 'utf8');
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, head]) => head)).toEqual([
        'What it means',
        'Us or them',
        'What to read',
        'What to do',
        'How to see that it is repaired',
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

/** A rule with one fault. */
interface Mutant {
  readonly file: string;
  readonly name: string;
  readonly change: string;
  readonly rule: Rule;
}

const INVERTED: Readonly<Record<string, string>> = { '>': '<=', '>=': '<', '<': '>=', '==': '!=' };

/** Every comparison inverted, every threshold never and always reached, `for` left out and ten times as long. */
function mutantsOf(file: string, rule: Rule): readonly Mutant[] {
  const name = rule.alert ?? rule.record ?? '';
  const exprs: [string, string][] = [];
  for (const { 0: found, index, groups } of rule.expr.matchAll(/ (?<op>>=|==|>|<)(?= )(?<number> -?[\d.]+)?/g)) {
    const { op = '', number } = groups ?? {};
    const replaced = (text: string): string => rule.expr.slice(0, index) + text + rule.expr.slice(index + found.length);
    exprs.push([`${found} inverted at ${index}`, replaced(` ${INVERTED[op]}${number ?? ''}`)]);
    if (number === undefined) continue;
    exprs.push([`${found} never at ${index}`, replaced(` ${op} 1e15`)]);
    // A share of nothing is not a number, so a lower bound changes nothing.
    if (rule.alert !== undefined) exprs.push([`${found} always at ${index}`, replaced(` ${op} -1e15`)]);
  }
  if (exprs.length === 0) exprs.push(['other objective', rule.expr.replace(/slo="\w+"/, 'slo="none"')]);
  const seconds = Number.parseInt(rule.for ?? '0', 10) * 60;
  return [
    ...exprs.map(([change, expr]) => ({ file, name, change, rule: { ...rule, expr } })),
    ...(rule.for === undefined
      ? []
      : [
          { file, name, change: 'without for', rule: { ...rule, for: '0s' } },
          { file, name, change: 'for ten times as long', rule: { ...rule, for: `${10 * seconds}s` } },
        ]),
  ];
}

describeWith('promtool')('promtool (Debian: prometheus)', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'forecourt-promtool-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

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

  it('fails if any rule is broken', async () => {
    const mutants = files.flatMap((file) => rulesOf(file).flatMap((rule) => mutantsOf(file, rule)));
    expect(mutants.length).toBeGreaterThan(100);
    const tests = mutants.map((mutant, number) => writeMutant(join(scratch, String(number)), mutant));
    // One process for all: starting it takes longer than most tests.
    const { text } = await promtool('test', 'rules', ...tests);
    const results = text.split(/^Unit Testing: +/m).slice(1);
    expect(results).toHaveLength(mutants.length);
    const survivors = results.flatMap((result, number) => {
      const { name = '', change = '' } = mutants[number] ?? {};
      expect(result.startsWith(tests[number] ?? 'none')).toBe(true);
      // A rule that can't be read is not a broken rule.
      const isKilled = /^ +FAILED:$/m.test(result) && !/parse|group ".*", rule \d/.test(result);
      return isKilled ? [] : [`${name}: ${change}: ${result}`];
    });
    expect(survivors).toEqual([]);
  }, 180_000);

  /** Writes the rules with the mutant and the tests that concern it; returns the path of the tests. */
  function writeMutant(path: string, { file, name, rule }: Mutant): string {
    const all = parse(read(`rules/${file}`)) as RuleFile;
    const isMutated = (one: Rule): boolean => (one.alert ?? one.record) === name;
    const groups = all.groups.map((group) => ({
      ...group,
      rules: group.rules.flatMap((one) => (isMutated(one) ? [rule] : one.alert === undefined ? [one] : [])),
    }));
    // Recorded rules are seen through the alerts for searches.
    const [seen] = rulesOf(file).filter(({ alert }) => (rule.alert ? alert === rule.alert : alert !== undefined));
    const isSlow = rule.record?.match(/slow|30m|6h/) !== null && rule.record !== undefined;
    const alert = isSlow ? 'ForecourtSearchesBurnSlow' : (seen?.alert ?? '');
    const withAlert = rule.alert === undefined ? [...rulesOf(file).filter((one) => one.alert === alert)] : [];
    const slo = /slo="(\w+)"/.exec(rulesOf(file).find((one) => one.alert === alert)?.expr ?? '')?.[1];
    const tests = parse(read(`tests/${file}`)) as TestFile;
    const own = tests.tests.flatMap((test) => {
      const checks = test.promql_expr_test.filter(({ expr }) => expr.includes(`"${alert}"`));
      const series = test.input_series.filter(
        (one) => slo === undefined || !/slo="/.test(one.series) || one.series.includes(`slo="${slo}"`),
      );
      return checks.length === 0 ? [] : [{ ...test, input_series: series, promql_expr_test: checks }];
    });
    const [first, ...rest] = groups;
    const kept = first ? [{ ...first, rules: [...first.rules, ...withAlert] }, ...rest] : [];
    writeFileSync(`${path}-rules.yml`, stringify({ groups: kept }));
    writeFileSync(`${path}-tests.yml`, stringify({ ...tests, rule_files: [`${path}-rules.yml`], tests: own }));
    return `${path}-tests.yml`;
  }
});
