/** A page listed in the documentation index. */
export interface DocsEntry {
  /** The path after /docs/; empty for the index. */
  readonly slug: string;
  readonly title: string;
  /** One line. */
  readonly summary: string;
  /** Its heading in the index; may be empty. */
  readonly group: string;
}

/** A page rendered from a file. */
export interface DocsPage extends DocsEntry {
  readonly markdown: string;
  readonly html: string;
}

/** The complete documentation, written by scripts/render-docs.mjs and read by DocsLibrary. */
export interface RenderedDocs {
  /** In the order of the index, including the generated page of operations. */
  readonly entries: readonly DocsEntry[];
  readonly pages: readonly DocsPage[];
}

const INDEX = 'README.md';
const DECISIONS = 'decisions/README.md';

/** Path of a documentation page. */
export function docsPath(slug: string): string {
  return slug === '' ? '/docs' : `/docs/${slug}`;
}

/** Path of a page's Markdown. It matches the file name, so links between files work. */
export function markdownPath(slug: string): string {
  return `/docs/${fileOf(slug)}`;
}

/** The file of a page, relative to docs/. */
export function fileOf(slug: string): string {
  if (slug === '') return INDEX;
  return slug === 'decisions' ? DECISIONS : `${slug}.md`;
}

/** The slug of the page for a file in docs/. */
export function slugOf(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
}
