import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import {
  type DocsEntry,
  type DocsPage,
  docsPath,
  fileOf,
  type RenderedDocs,
  slugOf,
} from '../../src/portal/docs/docs-page.js';
import { renderMarkdown } from './markdown.js';

/** Made by OperationsService out of the OpenAPI document; listed after the first page. */
const OPERATIONS: Omit<DocsEntry, 'group'> = {
  slug: 'operations',
  title: 'Operations',
  summary: 'every operation: purpose, parameters, answers, limits, versions, an example',
};

/**
 * The files of the folder docs/ as pages: those that docs/README.md and docs/decisions/README.md list, and these two. Throws when a file that an
 * index names is missing. `project` ends in a slash.
 */
export function renderDocs(project: string): RenderedDocs {
  const read = (file: string): string => readFileSync(`${project}${file}`, 'utf8');
  const index = listed(read(`docs/${fileOf('')}`), '');
  const [first, ...rest] = index;
  if (!first) throw new Error('docs/README.md lists no page');
  const decisions = listed(read(`docs/${fileOf('decisions')}`), 'decisions/');
  const home: DocsEntry = { slug: '', title: 'Documentation', summary: '', group: '' };
  return {
    entries: [first, { ...OPERATIONS, group: first.group }, ...rest],
    pages: [home, ...index, ...decisions].map((entry) => pageOf(entry, read)),
  };
}

/** The list items (a linked title, a colon, a summary) of an index, below their headings. */
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

function pageOf(entry: DocsEntry, read: (file: string) => string): DocsPage {
  const file = fileOf(entry.slug);
  const markdown = withCommands(read(`docs/${file}`), () => read('README.md'));
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
function withCommands(markdown: string, readme: () => string): string {
  return markdown.replace(/<!-- readme:([\w-]+) -->/g, (_comment, name: string) => {
    const block = new RegExp(`<!-- test:${name} -->\\s*(\`\`\`sh\\n[\\s\\S]*?\`\`\`)`).exec(readme())?.[1];
    if (block === undefined) throw new Error(`README.md has no commands ${name}`);
    return block.replace(OF_NPM_START, '');
  });
}
