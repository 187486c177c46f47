import { Article, Search } from './docs-frame.js';
import type { DocsLibrary } from './docs-library.js';
import { SECTIONS, type Section } from './docs-page.js';
import { anchorOf, EntryList } from './overview-pages.js';

/** Where readers begin. */
interface Start {
  readonly title: string;
  readonly text: string;
  readonly path: string;
}

/** By the slug of a section. */
const STARTS: Readonly<Record<string, readonly Start[]>> = {
  developers: [
    {
      title: 'First search',
      text: 'From an application to your first 200, 206 and 201, in four minutes with curl.',
      path: '/docs/getting-started',
    },
    {
      title: 'Book',
      text: 'Book an offer once, even if you have to retry, and follow its state.',
      path: '/docs/reservations',
    },
    {
      title: 'Handle partial answers',
      text: 'What a 206 contains, which supplier is missing and why, and when to retry.',
      path: '/docs/errors#partial-results',
    },
    {
      title: 'Go to production',
      text: 'Check your client’s behavior in the sandbox, then request access.',
      path: '/docs/applications#to-production',
    },
  ],
  operators: [
    { title: 'Run it', text: 'On one machine, behind a proxy, or on several gateways.', path: '/docs/deployment' },
    {
      title: 'Add a supplier',
      text: 'From two recorded responses to bookings, in half an hour and without a restart.',
      path: '/docs/adding-a-supplier',
    },
    {
      title: 'Watch it',
      text: 'What needs a person, whose fault a failure is, and the switch.',
      path: '/docs/operations-console',
    },
  ],
};

/** Machine-readable files. */
const FILES: readonly (readonly [path: string, name: string])[] = [
  ['/docs/operations', 'API reference'],
  ['/openapi.json', 'OpenAPI'],
  ['/postman.json', 'Postman collection'],
  ['/llms.txt', 'For language models'],
];

/** The first page of the documentation: the search, where to start, and every guide with its summary. */
export function DocsEntrance({ library }: { library: DocsLibrary }) {
  return (
    <>
      <h1>Documentation</h1>
      <p class="lead">
        One API over many car-rental suppliers: one call searches all of them, and the response says which failed and
        why.
      </p>
      <Search />
      <p class="actions">
        {FILES.map(([path, name]) => (
          <a key={path} href={path}>
            {name}
          </a>
        ))}
      </p>
      {SECTIONS.filter(({ slug }) => slug !== 'operations').map((section) => (
        <Guides key={section.slug} section={section} library={library} />
      ))}
      <Article html={eventsOf(library)} />
    </>
  );
}

function Guides({ section: { slug, group }, library }: { section: Section; library: DocsLibrary }) {
  const entries = library.entries.filter((entry) => entry.group === group);
  return (
    <section aria-labelledby={anchorOf(group)}>
      <h2 id={anchorOf(group)}>{group}</h2>
      {STARTS[slug] && (
        <ul class="starts">
          {STARTS[slug].map(({ title, text, path }) => (
            <li key={title} class="card">
              <a href={path}>{title}</a>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      )}
      <div class="guides">
        {[...Map.groupBy(entries, ({ tag }) => tag)].map(([tag, tagged]) => (
          <div key={tag}>
            {tag && <h3 id={anchorOf(tag)}>{tag}</h3>}
            <EntryList entries={tagged} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** The part about events of docs/README.md. */
function eventsOf(library: DocsLibrary): string {
  const html = library.page('')?.html ?? '';
  return html.slice(html.indexOf('<h2 id="events">'));
}
