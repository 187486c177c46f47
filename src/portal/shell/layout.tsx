import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../accounts/sessions.service.js';
import { assetPath } from './assets.js';

/** Everything about a page except its content. */
export interface PageFacts {
  /** Without the name of the site. */
  readonly title: string;
  readonly visitor: Visitor | undefined;
  /** Default 200. */
  readonly status?: number;
  /** Path of the navigation entry to highlight. */
  readonly section?: string;
  /** Additional scripts, loaded as modules, and style sheets below /assets/. The page must work without the scripts. */
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  /** Whether the page uses the complete width of the window, for wide tables. */
  readonly isWide?: boolean;
  /** Shown above the content: what was just done. */
  readonly notice?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The same for everyone; an entry of an account leads through the login. */
const ENTRIES = [
  ['/', 'Home'],
  ['/logs', 'Logs'],
  ['/reservations', 'Reservations'],
  ['/usage', 'Usage'],
  ['/applications', 'Applications'],
  ['/console', 'Console'],
  ['/docs', 'Docs'],
  ['/status', 'Status'],
] as const;

/** Where people look for the rest. */
const LINKS = [
  ['/products', 'Products'],
  ['/docs/getting-started', 'Getting started'],
  ['/docs/operations', 'API reference'],
  ['/docs/errors', 'Errors'],
  ['/openapi.json', 'OpenAPI'],
  ['/status', 'Status'],
] as const;

/** The mark of Forecourt: a canopy over two lanes. Its color is that of the text. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d="M2 4h20v5h-3v12h-4V9H9v12H5V9H2z" fill="currentColor" />
    </svg>
  );
}

function Footer() {
  return (
    <footer class="bottom">
      <nav aria-label="Footer">
        <ul>
          {LINKS.map(([path, name]) => (
            <li key={path}>
              <a href={path}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
      <p>Forecourt is open source under the Apache License 2.0.</p>
    </footer>
  );
}

/** The frame of every page. */
export function Layout({ facts, children }: { facts: PageFacts; children: ComponentChildren }) {
  const { title, visitor, section, scripts = [], styles = [], notice } = facts;
  const entry = ([path, name]: readonly [string, string]) => (
    <li key={path}>
      <a href={path} aria-current={section === path ? 'page' : undefined}>
        {name}
      </a>
    </li>
  );
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Forecourt`}</title>
        <link rel="icon" href={assetPath('icon.svg')} type="image/svg+xml" />
        {['portal.css', ...styles].map((path) => (
          <link key={path} rel="stylesheet" href={assetPath(path)} />
        ))}
        {['portal.js', ...scripts].map((path) => (
          <script key={path} type="module" src={assetPath(path)} />
        ))}
      </head>
      <body data-account={visitor?.accountId}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <Mark /> Forecourt
          </a>
          <nav aria-label="Main">
            <ul>
              {ENTRIES.map(entry)}
              {visitor?.role === 'ops' && entry(['/ops', 'Operations'])}
            </ul>
          </nav>
          <div class="who">
            {visitor ? (
              <>
                <a href="/account">{visitor.name}</a>
                <form method="post" action="/logout">
                  <button class="plain" type="submit">
                    Log out
                  </button>
                </form>
              </>
            ) : (
              <>
                <a href="/login">Log in</a>
                <a class="button" href="/signup">
                  Sign up
                </a>
              </>
            )}
          </div>
        </header>
        <main id="main" class={facts.isWide ? 'wide' : undefined}>
          {notice && (
            <p class="notice" role="status">
              {notice}
            </p>
          )}
          {children}
        </main>
        <Footer />
      </body>
    </html>
  );
}
