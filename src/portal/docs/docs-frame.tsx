import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../accounts/sessions.service.js';
import { type Page, page } from '../shell/page.js';
import type { DocsLibrary } from './docs-library.js';
import { type DocsEntry, docsPath, FOLDERS, type Heading, SECTIONS, type Section } from './docs-page.js';

interface DocsFrame {
  readonly library: DocsLibrary;
  readonly visitor: Visitor | undefined;
  readonly slug: string;
  readonly title: string;
  /** Links to them are beside the page; none for fewer than three. */
  readonly headings?: readonly Heading[];
  /** What was searched for. */
  readonly query?: string;
}

/** Headings of the third level are left out of a navigation that would be longer. */
const MOST_HEADINGS = 24;

/** A documentation page: search and the pages of its section on the left, its headings on the right, its neighbors below. */
export function docsPage(frame: DocsFrame, content: ComponentChildren): Page {
  const { library, visitor, slug, title, headings = [], query } = frame;
  const { previous, next } = library.neighbors(slug);
  return page(
    { title, visitor, section: '/docs', styles: ['docs.css'], scripts: ['docs.js'] },
    <div class="docs">
      <div class="aside">
        <Search query={query} />
        <Contents library={library} slug={slug} />
      </div>
      <div class="prose">
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
      {headings.length > 2 && <OnThisPage headings={headings} />}
    </div>,
  );
}

/** HTML that scripts/docs/markdown.ts rendered from a file of docs/, with all text escaped. */
export function Article({ html }: { html: string }) {
  return <article dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The entrance of the documentation: the complete width, with the search inside of the content. */
export function entrancePage(
  { visitor, title }: Pick<DocsFrame, 'visitor' | 'title'>,
  content: ComponentChildren,
): Page {
  return page(
    { title, visitor, section: '/docs', styles: ['docs.css'], scripts: ['docs.js'] },
    <div class="entrance">{content}</div>,
  );
}

/** Works without scripts; docs.js shows results while typing, and focuses it at `/`. */
export function Search({ query }: { query?: string | undefined }) {
  return (
    <search>
      <form action="/docs/search" method="get" class="find">
        <label for="find" class="hidden">
          Search the documentation
        </label>
        <input
          id="find"
          type="search"
          name="q"
          value={query}
          placeholder="Search docs ( / )"
          autocomplete="off"
          maxLength={200}
        />
        <div id="found" aria-live="polite" hidden />
      </form>
    </search>
  );
}

function Contents({ library, slug }: { library: DocsLibrary; slug: string }) {
  const section = library.sectionOf(slug);
  return (
    <nav aria-label="Documentation">
      <ul class="sections">
        {SECTIONS.map(({ slug: path, title }) => (
          <li key={path}>
            <a
              href={docsPath(path)}
              aria-current={path === slug ? 'page' : path === section?.slug ? 'true' : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
      {section && <SectionPages library={library} section={section} slug={slug} />}
    </nav>
  );
}

/** On narrow windows they show only if the box is checked, so that the page begins near the top. */
function SectionPages({ library, section, slug }: { library: DocsLibrary; section: Section; slug: string }) {
  const entries = library.entries.filter(({ group }) => group === section.group);
  const chosen = FOLDERS.find((folder) => slug.startsWith(`${folder}/`)) ?? slug;
  return (
    <div class="pages">
      <input type="checkbox" id="show-pages" />
      <label for="show-pages">Show all pages</label>
      {[...Map.groupBy(entries, ({ tag }) => tag)].map(([tag, tagged]) => (
        <div key={tag}>
          {tag && <p class="quiet">{tag}</p>}
          <ul>
            {tagged.map((entry: DocsEntry) => (
              <li key={entry.slug}>
                <a href={docsPath(entry.slug)} aria-current={entry.slug === chosen ? 'page' : undefined}>
                  {entry.title}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

function OnThisPage({ headings }: { headings: readonly Heading[] }) {
  const shown = headings.length > MOST_HEADINGS ? headings.filter(({ depth }) => depth === 2) : headings;
  return (
    <nav class="here" aria-label="On this page">
      <p class="quiet">On this page</p>
      <ul>
        {shown.map(({ id, text, depth }) => (
          <li key={id} class={depth > 2 ? 'deeper' : undefined}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
