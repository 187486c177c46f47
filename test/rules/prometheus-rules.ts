import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findBinary } from '../support/binaries.js';
import { PROJECT } from '../support/project.js';

const FOLDER = join(PROJECT, 'deploy/prometheus');

/** The files of rules, by name; each has a file of tests of the same name. */
export const files: readonly string[] = readdirSync(join(FOLDER, 'rules'));

/** The text of a file of deploy/prometheus. */
export const read = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');

/** An alert, or a recorded series. */
export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a file of rules contains. */
export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** What a file of tests contains. */
export interface TestFile {
  readonly rule_files: readonly string[];
  readonly tests: readonly {
    readonly input_series: readonly { readonly series: string }[];
    readonly promql_expr_test: readonly { readonly expr: string }[];
  }[];
}

/** The rules of a file, in its order. */
export const rulesOf = (file: string): readonly Rule[] =>
  (parse(read(`rules/${file}`)) as RuleFile).groups.flatMap(({ rules }) => rules);
/** Runs promtool; `text` is all that it prints, to both streams in the order in which it does. */
export async function promtool(...words: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
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
