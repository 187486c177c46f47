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

/** All of the documentation: what scripts/render-docs.mjs writes and DocsLibrary reads. */
export interface RenderedDocs {
  /** In the order of the index; with the page of operations, which no file makes. */
  readonly entries: readonly DocsEntry[];
  readonly pages: readonly DocsPage[];
}

const INDEX = 'README.md';
const DECISIONS = 'decisions/README.md';

/** Path of a page of the documentation. */
export function docsPath(slug: string): string {
  return slug === '' ? '/docs' : `/docs/${slug}`;
}

/** Path of its plain markdown: that of its file, so that links from file to file lead on. */
export function markdownPath(slug: string): string {
  return `/docs/${fileOf(slug)}`;
}

/** The file of a page, below docs/. */
export function fileOf(slug: string): string {
  if (slug === '') return INDEX;
  return slug === 'decisions' ? DECISIONS : `${slug}.md`;
}

/** The page of a file below docs/. */
export function slugOf(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
}
