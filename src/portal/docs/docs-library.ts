import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { renderMarkdown } from './markdown.js';

/** A page that the index of the documentation lists. */
export interface DocsEntry {
  /** Part of the path after /docs/; empty = the index itself. */
  readonly slug: string;
  readonly title: string;
  /** One line. */
  readonly summary: string;
  /** Heading that it stands below in the index; empty = none. */
  readonly group: string;
}

/** A page made of a file. */
export interface DocsPage extends DocsEntry {
  readonly markdown: string;
  readonly html: string;
}

/** Beside dist/ and src/, as config/ is. */
const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const INDEX = 'README.md';
const DECISIONS = 'decisions/README.md';

/** Made by OperationsController out of the OpenAPI document; listed after the first page. */
const OPERATIONS: Omit<DocsEntry, 'group'> = {
  slug: 'operations',
  title: 'Operations',
  summary: 'every operation: purpose, parameters, answers, limits, versions, an example',
};

/** The files of the folder docs/, read once: those that docs/README.md and docs/decisions/README.md list, and these two. */
@Injectable()
export class DocsLibrary {
  /** In the order of the index; what the navigation and llms.txt list. */
  readonly entries: readonly DocsEntry[];
  readonly #pages: ReadonlyMap<string, DocsPage>;

  /** Throws when a file that an index names is missing. */
  constructor() {
    const index = read(INDEX);
    const [first, ...rest] = listed(index, '');
    if (!first) throw new Error('docs/README.md lists no page');
    this.entries = [first, { ...OPERATIONS, group: first.group }, ...rest];
    const decisions = listed(read(DECISIONS), 'decisions/');
    const home: DocsEntry = { slug: '', title: 'Documentation', summary: '', group: '' };
    const files = [home, first, ...rest, ...decisions].map((entry) => pageOf(entry));
    this.#pages = new Map(files.map((page) => [page.slug, page]));
  }

  /** Undefined when there is none; the generated page of operations is none of these. */
  page(slug: string): DocsPage | undefined {
    return this.#pages.get(slug);
  }

  /** The page that is made of a file of docs/, such as `errors.md`. */
  pageOfFile(file: string): DocsPage | undefined {
    return this.page(slugOf(file));
  }

  /** What stands before and after a page in the index. */
  neighbours(slug: string): { readonly previous?: DocsEntry | undefined; readonly next?: DocsEntry | undefined } {
    const at = this.entries.findIndex((entry) => entry.slug === slug);
    return at === -1 ? {} : { previous: this.entries[at - 1], next: this.entries[at + 1] };
  }
}

/** Path of a page of the documentation. */
export function docsPath(slug: string): string {
  return slug === '' ? '/docs' : `/docs/${slug}`;
}

/** Path of its plain markdown: that of its file, so that links from file to file lead on. */
export function markdownPath(slug: string): string {
  return `/docs/${fileOf(slug)}`;
}

function read(file: string): string {
  return readFileSync(`${PROJECT}docs/${file}`, 'utf8');
}

function fileOf(slug: string): string {
  if (slug === '') return INDEX;
  return slug === 'decisions' ? DECISIONS : `${slug}.md`;
}

function slugOf(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
}

/** The list items `- [Title](<file>): summary` of an index, below their headings. */
function listed(index: string, folder: string): readonly DocsEntry[] {
  let group = '';
  return index.split('\n').flatMap((line) => {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const [, title, file, summary = ''] = /^- \[([^\]]+)\]\(([^)]+\.md)\)(?:: (.+))?$/.exec(line) ?? [];
    return title !== undefined && file !== undefined
      ? [{ slug: slugOf(`${folder}${file}`), title, summary, group }]
      : [];
  });
}

function pageOf(entry: DocsEntry): DocsPage {
  const file = fileOf(entry.slug);
  const markdown = withCommandsOfReadme(read(file));
  const html = renderMarkdown(markdown, (href) => linkFrom(file, href));
  return { ...entry, markdown, html };
}

/** Where a link of a file of docs/ leads in the portal. */
function linkFrom(file: string, href: string): string {
  if (/^(?:[a-z]+:|[#/])/.test(href)) return href;
  const [path = '', anchor] = href.split('#', 2);
  const target = posix.join(posix.dirname(file), path);
  return docsPath(slugOf(target)) + (anchor === undefined ? '' : `#${anchor}`);
}

/** Lines of README.md that read what `npm start` prints: who reads the portal has an application of his own. */
const OF_NPM_START = /^(?:STEPS|BASE|CLIENT_ID|CLIENT_SECRET)=.*\n/gm;

/** Puts the command block of README.md that a comment `<!-- readme:name -->` names in its place. Throws for a name that README.md lacks. */
function withCommandsOfReadme(markdown: string): string {
  return markdown.replace(/<!-- readme:([\w-]+) -->/g, (_comment, name: string) => {
    const block = new RegExp(`<!-- test:${name} -->\\s*(\`\`\`sh\\n[\\s\\S]*?\`\`\`)`).exec(
      readFileSync(`${PROJECT}README.md`, 'utf8'),
    )?.[1];
    if (block === undefined) throw new Error(`README.md has no commands ${name}`);
    return block.replace(OF_NPM_START, '');
  });
}
