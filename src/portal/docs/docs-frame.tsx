import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../accounts/sessions.service.js';
import { type Page, page } from '../shell/page.js';
import type { DocsLibrary } from './docs-library.js';
import { type DocsEntry, docsPath } from './docs-page.js';

interface DocsFrame {
  readonly library: DocsLibrary;
  readonly visitor: Visitor | undefined;
  readonly slug: string;
  readonly title: string;
}

/** A documentation page, with the contents on the left and links to the previous and next page below. */
export function docsPage({ library, visitor, slug, title }: DocsFrame, content: ComponentChildren): Page {
  const { previous, next } = library.neighbors(slug);
  return page(
    { title, visitor, section: '/docs', styles: ['console.css', 'docs.css'] },
    <div class="beside">
      <Contents entries={library.entries} slug={slug} />
      <div class="what prose">
        {content}
        <nav class="around" aria-label="Previous and next page">
          {previous && (
            <a href={docsPath(previous.slug)} rel="prev">
              ← {previous.title}
            </a>
          )}
          {next && (
            <a href={docsPath(next.slug)} rel="next">
              {next.title} →
            </a>
          )}
        </nav>
      </div>
    </div>,
  );
}

/** HTML that scripts/docs/markdown.ts rendered from a file of docs/, with all text escaped. */
export function Article({ html }: { html: string }) {
  return <article dangerouslySetInnerHTML={{ __html: html }} />;
}

function Contents({ entries, slug }: { entries: readonly DocsEntry[]; slug: string }) {
  const chosen = slug.startsWith('decisions/') ? 'decisions' : slug;
  return (
    <nav aria-label="Documentation">
      <ul>
        <li>
          <a href="/docs" aria-current={slug === '' ? 'page' : undefined}>
            Overview
          </a>
        </li>
      </ul>
      {[...new Set(entries.map(({ group }) => group))].map((group) => (
        <div key={group}>
          <p class="quiet">{group}</p>
          <ul>
            {entries
              .filter((entry) => entry.group === group)
              .map((entry) => (
                <li key={entry.slug}>
                  <a href={docsPath(entry.slug)} aria-current={entry.slug === chosen ? 'page' : undefined}>
                    {entry.title}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
