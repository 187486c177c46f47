import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/project.js';

const PAGE = readFileSync(join(PROJECT, 'docs', 'security.md'), 'utf8');

/** Sections of the page (`### …`): heading, and the tests named in it. */
const sections = PAGE.split(/^### /m)
  .slice(1)
  .map((text) => {
    const [heading = ''] = text.split('\n', 1);
    const body = text.split(/^## /m, 1)[0] ?? '';
    const proofs = [...body.matchAll(/^- `([^`]+)` › (.+)$/gm)].map(([, file = '', title = '']) => ({ file, title }));
    return { heading, proofs };
  });

/** Whether a test file contains exactly this title in quotes, with its %s and escapes. */
function has(file: string, title: string): boolean {
  const path = join(PROJECT, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8').replaceAll("\\'", "'");
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

describe('docs/security.md', () => {
  test('names tests that exist', () => {
    const all = sections.flatMap(({ proofs }) => proofs);
    expect(all.length).toBeGreaterThan(60);
    expect(all.filter(({ file, title }) => !has(file, title))).toEqual([]);
  });

  test('has a proof for each item of the OWASP API Security Top 10 and for every requirement it lists', () => {
    const items = sections.map(({ heading }) => /^API\d+/.exec(heading)?.[0]).filter((name) => name !== undefined);
    expect(items).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
    expect(sections.filter(({ proofs }) => proofs.length === 0).map(({ heading }) => heading)).toEqual([]);
  });

  test('every line that looks like a proof is one', () => {
    const lines = PAGE.split('\n').filter((line) => /^- `(test|src)\//.test(line));
    expect(lines).toHaveLength(sections.reduce((sum, { proofs }) => sum + proofs.length, 0));
  });
});
