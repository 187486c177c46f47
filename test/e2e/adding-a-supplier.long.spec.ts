import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../support/child.js';
import { PROJECT } from '../support/project.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const MARK = '=====block';

/** Commands of the page and their expected output. `…` in an expected line matches anything. */
interface Block {
  readonly name: string;
  readonly commands: string;
  readonly exitCode: number;
  readonly expected: readonly string[];
}

/**
 * Blocks ```sh below a comment `<!-- test:name -->` or `<!-- test:name exit 1 -->`, each with the ```text that directly
 * follows it.
 */
function blocksOf(markdown: string): readonly Block[] {
  const form = /<!-- test:([\w-]+)(?: exit (\d))? -->\s*```sh\n([\s\S]*?)```(?:\n```text\n([\s\S]*?)```)?/g;
  return [...markdown.matchAll(form)].map(([, name = '', exit = '0', commands = '', text = '']) => ({
    name,
    commands,
    exitCode: Number(exit),
    expected: text.split('\n').filter((line) => line !== ''),
  }));
}

/** Whether the parts between `…` appear in a printed line, in order. */
function fits(printed: string, expected: string): boolean {
  let at = 0;
  return expected.split('…').every((part) => {
    const found = printed.indexOf(part.trim(), at);
    at = found + part.trim().length;
    return found >= 0;
  });
}

/** The tutorial, and the pages whose commands continue it. */
const pages = ['adding-a-supplier', 'supplier-dialects', 'supplier-states']
  .map((name) => readFileSync(join(PROJECT, 'docs', `${name}.md`), 'utf8'))
  .join('\n');
const blocks = blocksOf(pages);

describe('docs/adding-a-supplier.md and the pages after it, command by command in a copy of the project', () => {
  const project = mkdtempSync(join(tmpdir(), 'forecourt-tutorial-'));
  const printed = new Map<string, { readonly exitCode: number; readonly text: string; readonly seconds: number }>();
  let gateway: Gateway;

  beforeAll(async () => {
    for (const name of ['config', 'dist', 'docs', 'src', 'package.json'])
      cpSync(join(PROJECT, name), join(project, name), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'));
    gateway = await startGateway({ embedded: true, env: { CONFIG_DIR: join(project, 'config') } });
    await run();
    const seconds = [...printed].map(([name, part]) => `${name} ${part.seconds.toFixed(1)} s`);
    console.log(`docs/adding-a-supplier.md: ${seconds.join(', ')}`);
  }, 300_000);

  afterAll(async () => {
    await gateway.stop();
    rmSync(project, { recursive: true });
  });

  /** Runs blocks in one shell, so that variables persist; each ends with its exit code and the time. */
  async function run(): Promise<void> {
    const script = blocks.map(
      ({ name, commands }) =>
        `BEGUN=$(date +%s.%N)\n${commands}\nprintf '\\n${MARK} ${name} %s %s %s\\n' "$?" "$BEGUN" "$(date +%s.%N)"`,
    );
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = join(project, 'data', 'compiled') } = process.env;
    const env = { PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: gateway.dataFolder };
    const shell = startChild('bash', ['-c', `exec 2>&1\n${script.join('\n')}`], { cwd: project, env });
    await shell.exited;
    const ends = shell
      .output()
      .matchAll(new RegExp(`([\\s\\S]*?)\\n${MARK} ([\\w-]+) (\\d+) ([\\d.]+) ([\\d.]+)\\n`, 'g'));
    for (const [, text = '', name = '', code, begun, ended] of ends)
      printed.set(name, { text, exitCode: Number(code), seconds: Number(ended) - Number(begun) });
  }

  test('reaches bronze, silver and gold from nothing, then covers the other two ways and the states', () => {
    const names =
      'new head depots-recorded depots cars-recorded cars tables live kit-fails kit-bronze kit-silver booking-recorded kit-gold book';
    expect(blocks.map(({ name }) => name)).toEqual([
      ...names.split(' '),
      'recorded',
      'record',
      'ota',
      'code',
      'metrics',
      'states',
    ]);
  });

  test('runs every command on the pages', () => {
    expect(pages.match(/```sh\n/g)).toHaveLength(blocks.length);
  });

  test.each(blocks.map((block) => [block.name, block] as const))(
    '%s exits and prints as the page says',
    (name, { exitCode, expected }) => {
      const { text, ...ended } = printed.get(name) ?? { text: '', exitCode: undefined };
      const missing = expected.filter((line) => !text.split('\n').some((one) => fits(one, line)));
      expect({ text, exitCode: ended.exitCode, missing }).toEqual({ text, exitCode, missing: [] });
    },
  );

  test('books a car of the new supplier: 201 confirmed, or 202 if its car is on request', () => {
    expect(printed.get('book')?.text).toMatch(/"state":"(confirmed|on_request)"/);
  });

  test('completes its commands in less than three minutes, and twice that beside other tests on a slow machine', () => {
    const total = [...printed.values()].reduce((sum, { seconds }) => sum + seconds, 0);
    expect(total).toBeLessThan(360);
  });
});
