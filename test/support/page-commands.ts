import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from './child.js';
import { PROJECT } from './project.js';

const MARK = '=====block';

/** What a block of commands printed, and how long it took. */
export interface PrintedBlock {
  readonly text: string;
  readonly seconds: number;
}

/**
 * Runs the blocks of a page, as printed, in one shell that stops at the first failure: each block ```sh below a comment
 * `<!-- test:name -->`, in the order of the page. Returns what each block printed by its name, and prints the times. Rejects
 * with everything printed if a command fails.
 */
export async function runPage(
  page: string,
  environment: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, PrintedBlock>> {
  const blocks = [
    ...readFileSync(join(PROJECT, page), 'utf8').matchAll(/<!-- test:([\w-]+) -->\s*```sh\n([\s\S]*?)```/g),
  ];
  const clock = '$(date +%s.%N)';
  const script = blocks
    .map(([, name = '', commands = '']) => `printf '\\n${MARK} ${name} %s\\n' "${clock}"\n${commands}`)
    .join('\n');
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment };
  const words = ['-c', `set -eu\n${script}\nprintf '\\n${MARK} over %s\\n' "${clock}"`];
  const shell = startChild('bash', words, { cwd: PROJECT, env });
  const code = await shell.exited;
  if (code !== 0) throw new Error(`the commands of ${page} ended with ${code}:\n${shell.output()}`);
  const parts = [
    ...shell.output().matchAll(new RegExp(`\\n${MARK} ([\\w-]+) ([\\d.]+)\\n([\\s\\S]*?)(?=\\n${MARK}|$)`, 'g')),
  ];
  const printed = new Map(
    parts
      .slice(0, -1)
      .map(([, name = '', at, text = ''], index) => [
        name,
        { text, seconds: Number(parts[index + 1]?.[2]) - Number(at) },
      ]),
  );
  console.log(`${page}: ${[...printed].map(([name, { seconds }]) => `${name} ${seconds.toFixed(2)} s`).join(', ')}`);
  return printed;
}
