import type { LocationSearch, SupplierLocation } from '../../model/locations.js';
import { type SupplierAnswer, type SupplierContext, SupplierError } from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { mapLocation } from './location-mapping.js';
import type { LocationMapping } from './mapping.schema.js';
import { readRows } from './offer-mapping.js';
import type { Manifest } from './options.js';
import type { RequestWriter } from './requests.js';
import type { RestApi } from './rest-api.js';
import type { AnswerReader } from './wire.js';

type SearchStep = NonNullable<Manifest['searchLocations']>;

/** What a location search needs. */
export interface SearchContext {
  readonly location: LocationMapping;
  readonly brands: readonly string[];
  readonly writer: RequestWriter;
  readonly api: RestApi;
  readonly context: SupplierContext;
}

/** The position of the next page: its number and, if the supplier uses one, its cursor or the query of its link. */
interface Page {
  readonly page: number;
  readonly cursor?: unknown;
  readonly query?: string;
}

/**
 * The locations of the requested brands, without duplicates. Reads pages one after the other up to the manifest's cap;
 * pages beyond it give a warning. A page that repeats earlier results also gives a warning and ends the search. The
 * operation's deadline covers all pages. Throws SupplierError if any page fails, because a partial list would look
 * complete.
 */
export async function searchLocations(
  step: SearchStep,
  request: LocationSearch,
  search: SearchContext,
): Promise<SupplierAnswer<SupplierLocation>> {
  const locations = new Map<string, SupplierLocation>();
  const warnings = new Warnings();
  let next: Page | undefined = { page: step.pages?.first ?? 1 };
  for (let read = 0; next && read < (step.pages?.most ?? 1); read += 1) {
    const current: Page = next;
    const values = search.writer.locations(request, current, search.context);
    const reader = await search.api.ask(step, { values, repeatable: true, accepted: ['empty'], query: current.query });
    next = undefined;
    if (!reader) break;
    const found = readRows(step.rows.text, reader.rows(step.rows, reader.answer), (row) =>
      mapLocation(search.location, reader, row, search.brands),
    );
    warnings.addAll(found.warnings);
    const knownBefore = locations.size;
    for (const location of found.items) locations.set(`${location.brand} ${location.code}`, location);
    if (found.items.length > 0 && locations.size === knownBefore)
      warnings.add('contradiction', `page ${current.page} repeats earlier results`);
    else next = step.pages && nextPage(step.pages, current, reader);
  }
  if (next && step.pages)
    warnings.add('incomplete', `there are more than ${step.pages.most} pages; the rest were not read`);
  return {
    items: [...locations.values()].filter(({ brand }) => request.brands.includes(brand)),
    warnings: warnings.list,
  };
}

/** Undefined after the last page. Throws SupplierError bad_payload if there is a next page that can't be requested. */
function nextPage(
  { by, next }: NonNullable<SearchStep['pages']>,
  { page }: Page,
  reader: AnswerReader,
): Page | undefined {
  if (!reader.holds(next, reader.answer)) return undefined;
  if (by === 'number') return { page: page + 1 };
  const cursor = reader.text(next, reader.answer);
  const query = by === 'link' && cursor !== undefined ? queryOf(cursor) : undefined;
  // A link without a query would request the unfiltered first page again.
  if (cursor === undefined || query === '')
    throw new SupplierError('bad_payload', `"${next.text}" gives no usable cursor or link to the next page`);
  return by === 'cursor' ? { page: page + 1, cursor } : { page: page + 1, query };
}

/** Takes only the query of a link: an answer must not decide where credentials are sent. */
function queryOf(link: string): string {
  const query = link.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '';
  return new URLSearchParams(query).toString();
}
