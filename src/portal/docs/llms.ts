import type { DocsLibrary } from './docs-library.js';
import { type DocsEntry, markdownPath } from './docs-page.js';

const HEAD = `# Forecourt

> One API over many car-rental suppliers. It asks them all at once, gives one clean answer, says which supplier gave nothing and why, and books
> without doubling. REST with JSON; OAuth 2.0 client credentials; no webhooks.
`;

/** The documentation for machines that read (llmstxt.org): what there is, one line and one link each. Only pages that are files. */
export function llmsTxt(library: DocsLibrary, baseUrl: string): string {
  const files = library.entries.filter(({ slug }) => library.page(slug));
  const groups = [...new Set(files.map(({ group }) => group))];
  const line = ({ slug, title, summary }: DocsEntry): string =>
    `- [${title}](${baseUrl}${markdownPath(slug)}): ${summary}`;
  const section = (group: string): string =>
    [`## ${group}`, '', ...files.filter((entry) => entry.group === group).map(line)].join('\n');
  const machines = [
    '## For machines',
    '',
    `- [OpenAPI 3.1](${baseUrl}/openapi.json): every operation, field and answer`,
    `- [Postman collection](${baseUrl}/postman.json): a request for each operation`,
    `- [All of these pages in one](${baseUrl}/llms-full.txt): as plain markdown`,
  ].join('\n');
  return [HEAD, ...groups.map((group) => `${section(group)}\n`), machines, ''].join('\n');
}

/** Every page that llmsTxt lists, one after the other. */
export function llmsFullTxt(library: DocsLibrary): string {
  return [HEAD, ...library.entries.flatMap(({ slug }) => library.page(slug)?.markdown ?? [])].join('\n\n');
}
