import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { WORDS } from './tables.js';

it('docs/rest-manifest.md lists the words of every closed table', () => {
  const page = readFileSync('docs/rest-manifest.md', 'utf8');
  const [, table = ''] = /<!-- test:words -->\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, kind = '', words = '']) => [
    kind,
    words.replaceAll('`', '').split(' '),
  ]);
  expect(Object.fromEntries(rows)).toEqual(WORDS);
});
