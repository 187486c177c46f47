import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.module.js';
import { openApiDocument } from '../../system/openapi.js';
import { apiOperations } from '../console/api-operations.js';
import type { ChangelogEntry } from './changelog.js';
import {
  type DocsEntry,
  type DocsPage,
  objectSlug,
  operationSlug,
  type RenderedDocs,
  SECTIONS,
  type Section,
  slugOf,
} from './docs-page.js';
import { SchemaFields } from './schema-fields.js';
import { findSections, type SearchIndex, type SearchSection } from './search-index.js';

/** Written by scripts/render-docs.mjs at build time. */
const RENDERED = new URL('../../docs.json', import.meta.url);

/** The pages of docs/, rendered at build time, and where each page is. */
@Injectable()
export class DocsLibrary {
  /** Every page of a section's navigation, in the order of the index; operations follow their overview. */
  readonly entries: readonly DocsEntry[];
  /** Newest first. */
  readonly changelog: readonly ChangelogEntry[];
  readonly #pages: ReadonlyMap<string, DocsPage>;
  readonly #search: SearchIndex;

  constructor(@Inject(CONFIG) settings: Config) {
    const { entries, pages, search, changelog } = JSON.parse(readFileSync(RENDERED, 'utf8')) as RenderedDocs;
    this.entries = entries.flatMap((entry) =>
      entry.slug === 'operations' ? [entry, ...operationEntries(entry, settings)] : entry,
    );
    this.#pages = new Map(pages.map((page) => [page.slug, page]));
    this.#search = search;
    this.changelog = changelog;
  }

  /** Undefined if there is none. Doesn't include the generated pages of operations. */
  page(slug: string): DocsPage | undefined {
    return this.#pages.get(slug);
  }

  /** The page of a file in docs/, such as `errors.md`. */
  pageOfFile(file: string): DocsPage | undefined {
    return this.page(slugOf(file));
  }

  /** The section of a page; undefined for the overview of all, and for the search. */
  sectionOf(slug: string): Section | undefined {
    if (slug.startsWith('operations/')) return SECTIONS.find((section) => section.slug === 'operations');
    const group = (this.entries.find((entry) => entry.slug === slug) ?? this.page(slug))?.group;
    return SECTIONS.find((section) => section.group === group || section.slug === slug);
  }

  /** The previous and next page in the same section. */
  neighbors(slug: string): { readonly previous?: DocsEntry | undefined; readonly next?: DocsEntry | undefined } {
    const section = this.sectionOf(slug);
    const inSection = this.entries.filter(({ group }) => group === section?.group);
    const at = inSection.findIndex((entry) => entry.slug === slug);
    return at === -1 ? {} : { previous: inSection[at - 1], next: inSection[at + 1] };
  }

  /** The best sections of pages for a query, at most 20. */
  find(query: string): readonly SearchSection[] {
    return findSections(this.#search, query);
  }
}

function operationEntries({ group }: DocsEntry, settings: Config): readonly DocsEntry[] {
  const document = openApiDocument(settings);
  const operations = apiOperations(document).map(({ id, method, path, summary, tag }) => ({
    slug: operationSlug(id),
    title: summary,
    summary: `${method} ${path}`,
    group,
    tag,
  }));
  const objects = [...new SchemaFields(document).ownPages].map((name) => ({
    slug: objectSlug(name),
    title: name,
    summary: `The fields of ${name}`,
    group,
    tag: 'Objects',
  }));
  return [...operations, ...objects];
}
