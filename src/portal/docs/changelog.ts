import { escaped } from '../shell/escaped.js';

/** A version of the API description and what it added. */
export interface ChangelogEntry {
  /** Such as `v1.4`. */
  readonly version: string;
  /** ISO 8601; undefined while it is not released. */
  readonly date?: string;
  /** Sentences of releases/changelog.json. */
  readonly notes: readonly string[];
  /** What the description has that the one before does not: groups of names, none of them empty. */
  readonly added: readonly { readonly title: string; readonly names: readonly string[] }[];
}

/** The released versions as an Atom feed (RFC 4287) of the gateway at `origin`. Its ids do not depend on the origin. */
export function atomFeed(entries: readonly ChangelogEntry[], origin: string): string {
  const released = entries.flatMap((entry) => (entry.date === undefined ? [] : { ...entry, date: entry.date }));
  const at = (date: string): string => `${date}T00:00:00Z`;
  const page = `${origin}/docs/changelog`;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<title>Forecourt API changelog</title>',
    '<id>urn:forecourt:changelog</id>',
    `<updated>${at(released[0]?.date ?? '1970-01-01')}</updated>`,
    '<author><name>Forecourt</name></author>',
    `<link rel="self" type="application/atom+xml" href="${escaped(`${page}.atom`)}"/>`,
    `<link rel="alternate" type="text/html" href="${escaped(page)}"/>`,
    ...released.map((entry) =>
      [
        '<entry>',
        `<title>API description ${escaped(entry.version)}</title>`,
        `<id>urn:forecourt:changelog:${escaped(entry.version)}</id>`,
        `<updated>${at(entry.date)}</updated>`,
        `<link rel="alternate" type="text/html" href="${escaped(`${page}#${anchorOf(entry.version)}`)}"/>`,
        `<content type="html">${escaped(contentOf(entry))}</content>`,
        '</entry>',
      ].join('\n'),
    ),
    '</feed>\n',
  ].join('\n');
}

/** The id of a version's heading in docs/changelog.md. */
function anchorOf(version: string): string {
  return version.replaceAll('.', '');
}

function contentOf({ notes, added }: ChangelogEntry): string {
  const list = (items: readonly string[]): string => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  const groups = added.map(
    ({ title, names }) => `<p>${title}</p>${list(names.map((name) => `<code>${escaped(name)}</code>`))}`,
  );
  return [list(notes.map(escaped)), ...groups].join('');
}
