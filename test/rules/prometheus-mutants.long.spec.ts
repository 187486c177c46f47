import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { describeWith } from '../support/binaries.js';
import { files, promtool, type Rule, type RuleFile, read, rulesOf, type TestFile } from './prometheus-rules.js';

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

describeWith('promtool')('the tests of the alerts', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'forecourt-promtool-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

  it('fail if any rule is broken', async () => {
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
