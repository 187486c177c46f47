import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PROJECT } from '../support/project.js';

const FILES = {
  'src/messages.ts': [
    '// A caller shall wait.',
    "import { provider } from 'some provider';",
    'export const provider = 1;',
    "export const text = 'No limit, nobody waits';",
    "export const code = 'provider';",
    'export const mixed = `asked ${provider} times at once`;',
    '/** `shall` is code here. */',
    'export const query = sql`select mended from whole table`;',
  ],
  'src/page.tsx': ['export const page = <p title="look into it">The store is away</p>;'],
  'test/some.spec.ts': ["test('is told', () => {", "  expect('nobody is told').toBe('x');", '});'],
  'docs/limits.md': ['Begin anew.', '', '```sh', 'shall', '```', '', '| is no page | `shall` |', '|---|---|'],
  'config/some.yaml': ['# Which nobody reads.', 'name: nobody reads'],
};

const root = mkdtempSync(join(tmpdir(), 'forecourt-words-'));
let output = '';
let status: number | null = 0;

beforeAll(() => {
  for (const [path, lines] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), lines.join('\n'));
  }
  const run = spawnSync(process.execPath, [join(PROJECT, 'scripts', 'lint-words.mjs')], {
    cwd: root,
    encoding: 'utf8',
  });
  output = run.stdout;
  status = run.status;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('finds the listed words in comments, messages, pages, titles and docs, and nowhere else', () => {
  const found = output.match(/^\S+:\d+:\d+: .+(?= => )/gm);
  expect(found).toEqual([
    'config/some.yaml:1:9: nobody',
    'docs/limits.md:1:7: anew',
    'docs/limits.md:7:3: is no ',
    'src/messages.ts:1:13: shall',
    'src/messages.ts:4:32: nobody',
    'src/messages.ts:6:47: at once',
    'src/page.tsx:1:31: look into',
    'src/page.tsx:1:55: is away',
    'test/some.spec.ts:1:10: told',
  ]);
});

it('fails and counts the hits of each room', () => {
  expect(status).toBe(1);
  expect(output).toContain('    5 src\n');
  expect(output).toContain('9 hits');
});

it('asks you to delete an exception that is no longer needed', () => {
  expect(output).toContain('"vendor" is no longer in src/adapters/ota-xml/: delete it');
});
