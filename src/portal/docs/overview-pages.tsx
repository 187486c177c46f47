import type { DocsEntry, Section } from './docs-page.js';
import { docsPath } from './docs-page.js';
import { WithCode } from './linked-text.js';
import type { SearchSection } from './search-index.js';

/** The pages of a section, each with its summary. */
export function SectionOverview({ section, entries }: { section: Section; entries: readonly DocsEntry[] }) {
  return (
    <>
      <h1>{section.title}</h1>
      <p class="lead">{section.lead}</p>
      {[...Map.groupBy(entries, ({ tag }) => tag)].map(([tag, tagged]) => (
        <section key={tag}>
          {tag && <h2 id={anchorOf(tag)}>{tag}</h2>}
          <EntryList entries={tagged} />
        </section>
      ))}
    </>
  );
}

/** Pages with their summaries. */
export function EntryList({ entries }: { entries: readonly DocsEntry[] }) {
  return (
    <ul class="overview">
      {entries.map(({ slug, title, summary }) => (
        <li key={slug}>
          <a href={docsPath(slug)}>{title}</a>
          <p>
            <WithCode text={summary} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The id that the heading also has in docs/README.md, so that results of the search lead to it. */
export function anchorOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

/** The results of a search. docs.js shows the list while typing. */
export function SearchResults({ query, found }: { query: string; found: readonly SearchSection[] }) {
  return (
    <>
      <h1>Search</h1>
      <p role="status" id="result-count">
        {countOf(query, found.length)}
      </p>
      {found.length > 0 && (
        <ol class="overview" id="results">
          {found.map(({ path, page, heading, excerpt }) => (
            <li key={path}>
              <a href={path}>{heading === '' ? page : `${page}: ${heading}`}</a>
              <p>{excerpt}</p>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function countOf(query: string, count: number): string {
  if (query.trim() === '') return 'Enter one or more words, such as price_changed or webhook signature.';
  if (count === 0) return 'No page has all of these words. Try fewer words, or the beginning of a word.';
  return count === 1 ? '1 result' : `${count} results`;
}
