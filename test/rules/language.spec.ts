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
  'src/end.ts': ['export const end = 1;', '// Told.', '/** Nobody shall begin anew. */'],
  'src/page.tsx': ['export const page = <p title="look into it">The store is away</p>;'],
  'test/some.spec.ts': [
    "test('is told', () => {",
    "  expect('nobody is told').toBe('x');",
    '});',
    "claim.each([1])('API1', 'Nobody is asked.', '%s', () => {});",
  ],
  'docs/limits.md': ['Begin anew.', '', '```sh', 'shall', '```', '', '| is no page | `shall` |', '|---|---|'],
  'src/look.css': ['.nobody { color: red } /* Nobody', ' * is told. */'],
  'src/some.lua': ["local nobody = 1 -- nobody's"],
  'config/some.yaml': ['# Which nobody reads.', 'name: nobody reads'],
  'deploy/alerts.yml': [
    '- alert: nobody',
    "  summary: 'It can not be read'",
    '  description: nobody reads it # Told.',
    '  expr: |',
    '    sum(nobody) > 0',
  ],
  'src/fragments.ts': [
    '/** Of a timeout. It delays no request, which is ours. */',
    '/**',
    ' * A request that is over by then.',
    ' * Of two requests, one waits for whoever is first. Of course, it needs no token.',
    ' */',
    'export const three = 3;',
  ],
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
    'deploy/alerts.yml:2:16: can not',
    'deploy/alerts.yml:3:16: nobody',
    'deploy/alerts.yml:3:34: Told',
    'docs/limits.md:1:7: anew',
    'docs/limits.md:7:3: is no ',
    'src/end.ts:2:4: Told',
    'src/end.ts:3:5: Nobody',
    'src/end.ts:3:12: shall',
    'src/end.ts:3:24: anew',
    'src/fragments.ts:1:5: Of ',
    'src/fragments.ts:1:22: delays no ',
    'src/fragments.ts:1:50: ours',
    'src/fragments.ts:3:19: is over',
    'src/fragments.ts:4:4: Of ',
    'src/fragments.ts:4:35: whoever',
    'src/look.css:1:27: Nobody',
    'src/look.css:2:7: told',
    'src/messages.ts:1:13: shall',
    'src/messages.ts:4:32: nobody',
    'src/messages.ts:6:47: at once',
    'src/page.tsx:1:31: look into',
    'src/page.tsx:1:55: is away',
    'src/some.lua:1:21: nobody',
    'test/some.spec.ts:1:10: told',
    'test/some.spec.ts:4:26: Nobody',
  ]);
});

it('fails and counts the hits of each room', () => {
  expect(status).toBe(1);
  expect(output).toContain('   18 src\n');
  expect(output).toContain('26 hits');
});

it('asks you to delete an exception that is no longer needed', () => {
  expect(output).toContain('"vendor" is no longer in src/adapters/ota-xml/: delete it');
});
