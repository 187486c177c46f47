import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Source } from '../../scripts/sources.mjs';
import { PROJECT } from '../support/project.js';

/** What a citation may point to. */
export interface Targets {
  /** Sections, rules and lines of docs/requirements.md: `7`, `7.2`, `7.2-3`. */
  readonly sections: ReadonlySet<string>;
  readonly rulings: ReadonlySet<number>;
  readonly decisions: ReadonlySet<number>;
}

/** Reads the targets from docs/. */
export function readTargets(): Targets {
  const decisions = readdirSync(join(PROJECT, 'docs', 'decisions')).flatMap((name) => /^\d{4}/.exec(name)?.[0] ?? []);
  return {
    sections: sectionsOf(page('requirements.md')),
    rulings: new Set([...page('rulings.md').matchAll(/^\| (\d+) \|/gm)].map(([, row]) => Number(row))),
    decisions: new Set(decisions.map(Number)),
  };
}

/** Citations of a text that point nowhere, as `path:line: citation`. Sections of an RFC are not resolved. */
export function danglingIn({ path, text }: Source, targets: Targets): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [
        ...danglingSections(line, targets.sections),
        ...danglingNumbers(line, /\b[Rr]ulings? (\d[\d–, -]*(?:and \d+)?)/g, targets.rulings),
        ...danglingNumbers(line, /\b[Dd]ecisions?[ /](\d{1,4}\b)/g, targets.decisions),
        ...danglingPages(line, path),
        ...(path.startsWith('docs/') ? danglingPaths(line) : []),
      ].map((citation) => `${path}:${index + 1}: ${citation}`),
    );
}

/** Ids of the first column and all their prefixes; `Rule 2:` of a line of §7.3 makes `7.3.2`. */
function sectionsOf(requirements: string): Set<string> {
  const ids = new Set<string>();
  for (const [, section = '', line = '', text = ''] of requirements.matchAll(/^\| §([\d.]+)-(\d+) \|(.*)$/gm)) {
    ids.add(`${section}-${line}`);
    const rule = /^ Rule (\d+):/.exec(text)?.[1];
    if (rule !== undefined) ids.add(`${section}.${rule}`);
    for (const part of partsOf(section)) ids.add(part);
  }
  return ids;
}

/** `7.3.2` → `7`, `7.3`, `7.3.2`. */
function partsOf(section: string): string[] {
  const numbers = section.split('.');
  return numbers.map((_number, index) => numbers.slice(0, index + 1).join('.'));
}

function danglingSections(line: string, known: ReadonlySet<string>): string[] {
  return [...line.matchAll(/§(\d+(?:\.\d+)*(?:-\d+)?)(?: rules? (\d+(?:(?:,| and| to) \d+)*))?/g)]
    .filter((match) => !isOfRfc(line.slice(0, match.index)))
    .filter(([, section = '', rules]) => {
      const cited = rules === undefined ? [section] : numbersOf(rules).map((rule) => `${section}.${rule}`);
      return cited.some((id) => !known.has(id));
    })
    .map(([citation]) => citation);
}

/** Whether the last document named is an RFC and not our specification. */
function isOfRfc(before: string): boolean {
  return before.search(/RFC \d+(?!.*\b[Ss]pec\b)/) >= 0;
}

function danglingNumbers(line: string, pattern: RegExp, known: ReadonlySet<number>): string[] {
  return [...line.matchAll(pattern)]
    .filter(([, numbers = '']) => numbersOf(numbers).some((number) => !known.has(number)))
    .map(([citation]) => citation.trim());
}

/** `1–3, 5 and 7` → 1, 2, 3, 5, 7. */
function numbersOf(text: string): number[] {
  return [...text.matchAll(/(\d+)(?:(?:–| to )(\d+))?/g)].flatMap(([, from = '', to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_none, index) => Number(from) + index),
  );
}

function danglingPages(line: string, path: string): string[] {
  return [...line.matchAll(/(?<![\w./{}<>*$-])((?:[\w.-]+\/|\/)*[\w-][\w.-]*\.md)(?:#([\w-]+))?(?![\w/])/g)]
    .filter(([, file = '', anchor]) => {
      const found = pageFiles(file, path).find((candidate) => existsSync(join(PROJECT, candidate)));
      return found === undefined || (anchor !== undefined && !anchorsOf(found).has(anchor));
    })
    .map(([citation]) => citation);
}

/** Where a page may be: below the root, next to the text that names it, or in docs/. */
function pageFiles(file: string, from: string): string[] {
  const name = file.replace(/^\//, '');
  return [name, join(dirname(from), name), join('docs', name)];
}

function anchorsOf(file: string): Set<string> {
  const headings = readFileSync(join(PROJECT, file), 'utf8').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .trim()
        .replace(/\s+/g, '-'),
    ),
  );
}

/** What a reader of docs/adding-a-supplier.md creates and deletes. */
const MADE_BY_TUTORIAL = new Set(['src/adapters/osprey/']);

/** Paths of the repository in backticks; one with a placeholder or a wildcard doesn't name a single file. */
function danglingPaths(line: string): string[] {
  return [...line.matchAll(/`((?:src|test|docs|scripts|bench|load|deploy)\/[\w./-]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !MADE_BY_TUTORIAL.has(path) && !existsSync(join(PROJECT, path)));
}

function page(name: string): string {
  return readFileSync(join(PROJECT, 'docs', name), 'utf8');
}
