import type { DocsLibrary } from './docs-library.js';
import { type DocsEntry, markdownPath } from './docs-page.js';

const HEAD = `# Forecourt

> One API over many car-rental suppliers. Search them all with one call, get one normalized response that reports which suppliers failed and
> why, and retry bookings safely. REST with JSON; OAuth 2.0 client credentials; webhooks.
`;

/** The documentation index for language models (llmstxt.org), with one line and one link per page. Only pages with a file. */
export function llmsTxt(library: DocsLibrary, baseUrl: string): string {
  const files = library.entries.filter(({ slug }) => library.page(slug));
  const groups = [...new Set(files.map(({ group }) => group))];
  const line = ({ slug, title, summary }: DocsEntry): string =>
    `- [${title}](${baseUrl}${markdownPath(slug)}): ${summary}`;
  const section = (group: string): string =>
    [`## ${group}`, '', ...files.filter((entry) => entry.group === group).map(line)].join('\n');
  const machines = [
    '## For programs',
    '',
    `- [OpenAPI 3.1](${baseUrl}/openapi.json): every operation, field and response`,
    `- [Postman collection](${baseUrl}/postman.json): one request per operation`,
    `- [All of these pages in one file](${baseUrl}/llms-full.txt): as Markdown`,
  ].join('\n');
  return [HEAD, ...groups.map((group) => `${section(group)}\n`), machines, ''].join('\n');
}

/** All pages listed in llms.txt, concatenated. */
export function llmsFullTxt(library: DocsLibrary): string {
  return [HEAD, ...library.entries.flatMap(({ slug }) => library.page(slug)?.markdown ?? [])].join('\n\n');
}
