import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { type DocsEntry, type DocsPage, type RenderedDocs, slugOf } from './docs-page.js';

/** Written by scripts/render-docs.mjs at build time. */
const RENDERED = new URL('../../docs.json', import.meta.url);

/** The pages of docs/, rendered at build time. */
@Injectable()
export class DocsLibrary {
  /** The pages listed in the navigation and llms.txt, in the order of the index. */
  readonly entries: readonly DocsEntry[];
  readonly #pages: ReadonlyMap<string, DocsPage>;

  constructor() {
    const { entries, pages } = JSON.parse(readFileSync(RENDERED, 'utf8')) as RenderedDocs;
    this.entries = entries;
    this.#pages = new Map(pages.map((page) => [page.slug, page]));
  }

  /** Undefined if there is none. Doesn't include the generated page of operations. */
  page(slug: string): DocsPage | undefined {
    return this.#pages.get(slug);
  }

  /** The page of a file in docs/, such as `errors.md`. */
  pageOfFile(file: string): DocsPage | undefined {
    return this.page(slugOf(file));
  }

  /** The previous and next page in the index. */
  neighbors(slug: string): { readonly previous?: DocsEntry | undefined; readonly next?: DocsEntry | undefined } {
    const at = this.entries.findIndex((entry) => entry.slug === slug);
    return at === -1 ? {} : { previous: this.entries[at - 1], next: this.entries[at + 1] };
  }
}
