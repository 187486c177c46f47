import { describe, expect, it } from '@jest/globals';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { renderDocs } from '../../scripts/docs/pages.js';
import { DocsEntrance } from '../../src/portal/docs/docs-entrance.js';
import type { DocsLibrary } from '../../src/portal/docs/docs-library.js';
import { docsPath } from '../../src/portal/docs/docs-page.js';
import { SectionOverview } from '../../src/portal/docs/overview-pages.js';
import { PROJECT } from '../support/project.js';

const { entries, pages } = renderDocs(`${PROJECT}/`);
const library = { entries, page: (slug: string) => pages.find((page) => page.slug === slug) } as unknown as DocsLibrary;
const html = renderToString(h(DocsEntrance, { library }));

describe('the entrance of the documentation', () => {
  it('begins with the search, then where developers and operators start', () => {
    const order = ['id="find"', 'id="for-developers"', '>First search<', '>Book<', '>Handle partial answers<'].concat(
      [
        '>Go to production<',
        'id="for-operators"',
        '>Run it<',
        '>Add a supplier<',
        '>Watch it<',
        'id="for-contributors"',
      ],
      'id="events"',
    );
    const places = order.map((part) => html.indexOf(part));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(Math.min(...places)).toBeGreaterThan(0);
  });

  it('starts lead to pages and headings that exist', () => {
    const links = [...html.matchAll(/class="card"><a href="\/docs\/([\w-]+)(?:#([\w-]+))?"/g)];
    expect(links).toHaveLength(7);
    for (const [, slug = '', anchor] of links) {
      const found = library.page(slug);
      expect([slug, found !== undefined]).toEqual([slug, true]);
      if (anchor) expect(found?.headings.map(({ id }) => id)).toContain(anchor);
    }
  });

  it('has the headings of docs/README.md, to which results of the search lead', () => {
    const headings = library.page('')?.headings ?? [];
    expect(headings.length).toBeGreaterThan(10);
    for (const { id } of headings) expect([id, html.includes(` id="${id}"`)]).toEqual([id, true]);
  });

  it('lists every guide once, with one line about it, in groups of at most eight', () => {
    const guides = entries.filter(({ slug, group }) => slug !== 'operations' && group !== 'API reference');
    expect(guides.length).toBeGreaterThan(50);
    for (const { slug, summary } of guides) {
      expect([slug, html.split(`<li><a href="${docsPath(slug)}">`).length]).toEqual([slug, 2]);
      expect([slug, summary === '']).toEqual([slug, false]);
    }
    const groups = Map.groupBy(guides, ({ group, tag }) => `${group}: ${tag}`);
    for (const [name, { length }] of groups) expect([name, length > 8]).toEqual([name, false]);
    expect([...groups.keys()]).toContain('For operators: Suppliers');
  });

  it('the page of a section has the same groups, with headings', () => {
    const group = 'For developers';
    const section = { slug: 'developers', group, title: 'Guides', lead: '' };
    const own = entries.filter((entry) => entry.group === group);
    const overview = renderToString(h(SectionOverview, { section, entries: own }));
    expect([...overview.matchAll(/<h2 id="([\w-]+)">/g)].map(([, id]) => id)).toEqual([
      'start',
      'search-and-book',
      'errors-and-limits',
      'account-and-production',
      'security',
    ]);
  });
});
