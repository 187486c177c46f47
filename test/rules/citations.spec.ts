import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sources } from '../../scripts/sources.mjs';
import { PROJECT } from '../support/project.js';
import { danglingIn, readTargets } from './citations.js';

const targets = readTargets();
const isThisSpec = (path: string) => path.startsWith('test/rules/citations.');

describe('citations in source, tests and docs', () => {
  it('all point to a section, a ruling, a decision or a file of the repository', () => {
    const all = sources(PROJECT).filter(({ path }) => !isThisSpec(path));
    expect(all.length).toBeGreaterThan(500);
    expect(all.flatMap((source) => danglingIn(source, targets))).toEqual([]);
  });

  it.each([
    'spec §7.4',
    'spec §7.2-99',
    'spec §9 rules 4 and 12',
    'spec §7.3 rule 7',
    'unlike RFC 6749, spec §7.4',
    'ruling 31',
    'rulings 14 and 31',
    'rulings 29–31',
    'decision 0999',
    'docs/decisions/0999',
    'docs/nothing.md',
    'nothing.md',
    'docs/model.md#nothing',
    '`src/nothing/`',
  ])('finds "%s", which points nowhere', (text) => {
    expect(danglingIn({ path: 'docs/example.md', text }, targets)).toHaveLength(1);
  });

  it.each([
    'spec §7.2, §7.3 rule 2 and §9 rules 4 to 7',
    '§7.2-3',
    'RFC 9110 §7.2, and for the rest §99.1',
    'rulings 1–3, 5 and 30',
    'decision 0014, docs/decisions/0008',
    'docs/model.md#offer, versions.md, /docs/errors.md',
    'docs/<name>.md, `docs/*.md`',
  ])('accepts "%s"', (text) => {
    expect(danglingIn({ path: 'docs/example.md', text }, targets)).toEqual([]);
  });
});

describe('docs/glossary.md', () => {
  it('names only what exists in src/', () => {
    const page = readFileSync(join(PROJECT, 'docs', 'glossary.md'), 'utf8');
    const names = [...page.matchAll(/`([A-Za-z_]+)`/g)].map(([, name = '']) => name);
    const code = sources(PROJECT).filter(({ path }) => path.startsWith('src/'));
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !code.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
  });
});

describe('docs/rulings.md and docs/requirements.md', () => {
  const OPEN = 'open: no Designed version has a mock';

  it('describe the gateway as it is, and nothing that is not built except the mock of a Designed version', () => {
    const lines = ['rulings.md', 'requirements.md'].flatMap((name) =>
      readFileSync(join(PROJECT, 'docs', name), 'utf8').split('\n'),
    );
    const stale = /\bplanned\b|\bnot (?:yet )?(?:built|covered|implemented)\b|\btoday\b|\| open\b/i;
    expect(lines.filter((line) => stale.test(line) && !line.includes(OPEN))).toEqual([]);
    expect(lines.filter((line) => line.includes(OPEN))).toHaveLength(1);
  });
});

describe('docs/requirements.md', () => {
  it('numbers the lines of each section from 1, and gives a proof for each line', () => {
    const page = readFileSync(join(PROJECT, 'docs', 'requirements.md'), 'utf8');
    const rows = [...page.matchAll(/^\| §([\d.]+)-(\d+) \| (.+) \| (.+) \|$/gm)];
    const counted = new Map<string, number>();
    for (const [, section = ''] of rows) counted.set(section, (counted.get(section) ?? 0) + 1);
    const next = new Map<string, number>();
    const misnumbered = rows.filter(([, section = '', line]) => {
      next.set(section, (next.get(section) ?? 0) + 1);
      return Number(line) !== next.get(section);
    });
    expect(misnumbered.map(([row]) => row)).toEqual([]);
    expect(rows.length).toBe(
      page.split('\n').filter((line) => line.startsWith('| §') && !line.startsWith('| § |')).length,
    );
    expect(rows.length).toBeGreaterThan(90);
  });

  it('names a spec that every run of `npm test` has for each line that a spec shows', () => {
    const page = readFileSync(join(PROJECT, 'docs', 'requirements.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| §') && /\.spec\.ts`/.test(line));
    expect(rows.length).toBeGreaterThan(80);
    expect(
      rows.filter((row) => [...row.matchAll(/[\w./-]+\.spec\.ts/g)].every(([path]) => path.includes('.long.'))),
    ).toEqual([]);
  });
});
