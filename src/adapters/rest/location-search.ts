import type { LocationSearch, SupplierLocation } from '../../model/locations.js';
import { type SupplierAnswer, type SupplierContext, SupplierError } from '../../model/supplier.js';
import { mapLocation } from './location-mapping.js';
import type { LocationMapping } from './mapping.schema.js';
import { readRows } from './offer-mapping.js';
import type { Manifest } from './options.js';
import type { RequestWriter } from './requests.js';
import type { RestApi } from './rest-api.js';
import type { AnswerReader } from './wire.js';

type SearchStep = NonNullable<Manifest['searchLocations']>;

/** What a location search works with. */
export interface LocationDesk {
  readonly location: LocationMapping;
  readonly brands: readonly string[];
  readonly writer: RequestWriter;
  readonly api: RestApi;
  readonly context: SupplierContext;
}

/** Where the next page is: its number and, where the supplier names it so, its cursor or the query of its link. */
interface Page {
  readonly page: number;
  readonly cursor?: unknown;
  readonly query?: string;
}

/**
 * The counters of the brands asked for, each once. All pages one after the other, as far as the manifest's cap; what lies beyond it is a warning, and so
 * is a page that repeats what was there before: there is no getting further. The operation's deadline covers them all. Throws SupplierError: a page that
 * fails fails the search, for half a list would look like all of it.
 */
export async function searchLocations(
  step: SearchStep,
  request: LocationSearch,
  desk: LocationDesk,
): Promise<SupplierAnswer<SupplierLocation>> {
  const counters = new Map<string, SupplierLocation>();
  const warnings: string[] = [];
  let next: Page | undefined = { page: step.pages?.first ?? 1 };
  for (let read = 0; next && read < (step.pages?.most ?? 1); read += 1) {
    const current: Page = next;
    const values = desk.writer.locations(request, current, desk.context);
    const reader = await desk.api.ask(step, { values, repeatable: true, accepted: ['empty'], query: current.query });
    next = undefined;
    if (!reader) break;
    const found = readRows(step.rows.text, reader.rows(step.rows, reader.answer), (row) =>
      mapLocation(desk.location, reader, row, desk.brands),
    );
    warnings.push(...found.warnings);
    const knownBefore = counters.size;
    for (const counter of found.items) counters.set(`${counter.brand} ${counter.code}`, counter);
    if (found.items.length > 0 && counters.size === knownBefore)
      warnings.push(`page ${current.page} repeats what was there before`);
    else next = step.pages && nextPage(step.pages, current, reader);
  }
  if (next && step.pages) warnings.push(`there are more than ${step.pages.most} pages`);
  return { items: [...counters.values()].filter(({ brand }) => request.brands.includes(brand)), warnings };
}

/** Undefined after the last one. Throws SupplierError bad_payload when there is one that cannot be asked for. */
function nextPage(
  { by, next }: NonNullable<SearchStep['pages']>,
  { page }: Page,
  reader: AnswerReader,
): Page | undefined {
  if (!reader.holds(next, reader.answer)) return undefined;
  if (by === 'number') return { page: page + 1 };
  const cursor = reader.text(next, reader.answer);
  const query = by === 'link' && cursor !== undefined ? queryOf(cursor) : undefined;
  // Without its query a link would be the first page once more, and unfiltered.
  if (cursor === undefined || query === '')
    throw new SupplierError('bad_payload', `the next page cannot be asked for by "${next.text}"`);
  return by === 'cursor' ? { page: page + 1, cursor } : { page: page + 1, query };
}

/** Of a link only the query is taken: where to send credentials is not for an answer to say. */
function queryOf(link: string): string {
  const query = link.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '';
  return new URLSearchParams(query).toString();
}
