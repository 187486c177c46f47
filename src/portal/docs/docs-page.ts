import type { ChangelogEntry } from './changelog.js';
import type { SearchIndex } from './search-index.js';

/** A page listed in the documentation index. */
export interface DocsEntry {
  /** The path after /docs/; empty for the index. */
  readonly slug: string;
  readonly title: string;
  /** One line. */
  readonly summary: string;
  /** Its heading in the index; may be empty. */
  readonly group: string;
  /** A heading within the group; undefined for most. */
  readonly tag?: string;
}

/** A heading of a page that links can lead to. */
export interface Heading {
  readonly id: string;
  readonly text: string;
  /** 2 or 3. */
  readonly depth: number;
}

/** A page rendered from a file. */
export interface DocsPage extends DocsEntry {
  readonly markdown: string;
  readonly html: string;
  /** In their order, without the title. */
  readonly headings: readonly Heading[];
}

/** The complete documentation, written by scripts/render-docs.mjs and read by DocsLibrary. */
export interface RenderedDocs {
  /** In the order of the index, including the generated page of operations. */
  readonly entries: readonly DocsEntry[];
  readonly pages: readonly DocsPage[];
  readonly search: SearchIndex;
  /** Newest first. */
  readonly changelog: readonly ChangelogEntry[];
}

/** A part of the documentation with a navigation of its own. Each page belongs to one. */
export interface Section {
  readonly slug: string;
  /** The heading of its pages in the index. */
  readonly group: string;
  readonly title: string;
  readonly lead: string;
}

/** In the order of the index. */
export const SECTIONS: readonly Section[] = [
  {
    slug: 'developers',
    group: 'For developers',
    title: 'Guides for developers',
    lead: 'Search, price and book cars of many suppliers through one API.',
  },
  { slug: 'operations', group: 'API reference', title: 'API reference', lead: '' },
  {
    slug: 'operators',
    group: 'For operators',
    title: 'Guides for operators',
    lead: 'Run a gateway, connect suppliers, and find out what needs a person.',
  },
  {
    slug: 'contributors',
    group: 'For contributors',
    title: 'For contributors',
    lead: 'How Forecourt is built, and why it is built this way.',
  },
];

const INDEX = 'README.md';
/** Folders of docs/ with an index of their own. */
export const FOLDERS = ['decisions', 'runbooks'] as const;

/** Path of a documentation page. */
export function docsPath(slug: string): string {
  return slug === '' ? '/docs' : `/docs/${slug}`;
}

/** The slug of an operation's page. */
export function operationSlug(operationId: string): string {
  return `operations/${operationId}`;
}

/** The slug of the page of an object that operations share. */
export function objectSlug(schema: string): string {
  return `objects/${schema}`;
}

/** Path of a page's Markdown. It matches the file name, so links between files work. */
export function markdownPath(slug: string): string {
  return `/docs/${fileOf(slug)}`;
}

/** The file of a page, relative to docs/. */
export function fileOf(slug: string): string {
  if (slug === '') return INDEX;
  return FOLDERS.some((folder) => folder === slug) ? `${slug}/${INDEX}` : `${slug}.md`;
}

/** The slug of the page for a file in docs/. */
export function slugOf(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
}
