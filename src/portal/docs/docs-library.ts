import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { type DocsEntry, type DocsPage, type RenderedDocs, slugOf } from './docs-page.js';

/** Written by scripts/render-docs.mjs when the gateway is built. */
const RENDERED = new URL('../../docs.json', import.meta.url);

/** The pages of the folder docs/, as they were when the gateway was built. */
@Injectable()
export class DocsLibrary {
  /** In the order of the index; what the navigation and llms.txt list. */
  readonly entries: readonly DocsEntry[];
  readonly #pages: ReadonlyMap<string, DocsPage>;

  constructor() {
    const { entries, pages } = JSON.parse(readFileSync(RENDERED, 'utf8')) as RenderedDocs;
    this.entries = entries;
    this.#pages = new Map(pages.map((page) => [page.slug, page]));
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
