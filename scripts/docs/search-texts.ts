import { readdirSync, readFileSync } from 'node:fs';
import { type DocsPage, docsPath, operationSlug } from '../../src/portal/docs/docs-page.js';
import type { SearchText } from '../../src/portal/docs/search-index.js';
import { causes } from '../../src/status/causes.js';
import { ERROR_ROWS } from '../../src/status/error-rows.js';
import { reasons } from '../../src/status/reasons.js';
import { partsOf } from './markdown.js';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
}

/** A page by its headings. */
export function textsOf({ slug, title, html, group }: DocsPage): readonly SearchText[] {
  return partsOf(html).map(({ id, text, depth, content }) => ({
    path: depth === 1 ? docsPath(slug) : `${docsPath(slug)}#${id}`,
    page: title,
    heading: depth === 1 ? '' : text,
    text: content,
    isAside: group === 'For contributors',
    isReference: slug === 'errors' || slug === 'limits',
  }));
}

/** The reasons of the errors page, which it lists below its text, and their causes. */
export function reasonTexts(): readonly SearchText[] {
  const pathOf = (reason: string): string => `${docsPath('errors')}#${reason}`;
  const ofReasons = [...Map.groupBy(ERROR_ROWS, ({ reason }) => reason)].map(([reason, rows]) => ({
    path: pathOf(reason),
    page: 'Errors',
    heading: `${reasons[reason].code} ${reason}`,
    text: rows.map(({ meaning, next }) => `${meaning}. ${next}`).join(' '),
    isReference: true,
  }));
  const ofCauses = Object.entries(causes).map(([cause, { reason, did, next }]) => ({
    path: pathOf(reason),
    page: 'Errors',
    heading: cause,
    text: `${reason}: the supplier ${did}. ${next}`,
    isReference: true,
  }));
  return [...ofReasons, ...ofCauses];
}

/** The operations of the newest API description in releases/, each as one text. */
export function operationTexts(project: string): readonly SearchText[] {
  const [newest] = readdirSync(`${project}releases`)
    .flatMap((name) => /^openapi-v([\d.]+)\.json$/.exec(name)?.[1] ?? [])
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  const { paths } = JSON.parse(readFileSync(`${project}releases/openapi-v${newest}.json`, 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !/Alias\d+$/.test(operationId))
      .map(([method, { operationId, summary, description = '', tags, parameters }]) => ({
        path: docsPath(operationSlug(operationId)),
        page: summary,
        heading: '',
        text: [
          `${method.toUpperCase()} ${path}. ${description}`,
          operationId,
          ...tags,
          ...parameters.map((one) => `${one.name} ${one.description ?? ''}`),
        ].join(' '),
      })),
  );
}
