import type { LocationSearch, SupplierLocation } from '../../models.js';
import type { SupplierAnswer, SupplierContext } from '../../supplier.js';
import type { AnswerReader } from './answer-reader.js';
import { mapLocation } from './location-mapping.js';
import type { Manifest } from './manifest.schema.js';
import type { LocationMapping } from './mapping.schema.js';
import { readRows } from './offer-mapping.js';
import type { RequestWriter } from './request-values.js';
import type { RestApi } from './rest-api.js';

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

/** All pages one after the other, as far as the manifest's cap; what lies beyond it is a warning. The operation's deadline covers them all. */
export async function searchLocations(
  step: SearchStep,
  request: LocationSearch,
  desk: LocationDesk,
): Promise<SupplierAnswer<SupplierLocation>> {
  const items: SupplierLocation[] = [];
  const warnings: string[] = [];
  let next: Page | undefined = { page: step.pages?.first ?? 1 };
  for (let read = 0; next && read < (step.pages?.most ?? 1); read += 1) {
    const current: Page = next;
    const values = desk.writer.locations(request, current, desk.context);
    const reader = await desk.api.ask(step, { values, repeatable: true, accepted: ['empty'], query: current.query });
    if (!reader) break;
    const found = readRows(step.rows.text, reader.rows(step.rows, reader.answer), (row) =>
      mapLocation(desk.location, reader, row, desk.brands),
    );
    items.push(...found.items);
    warnings.push(...found.warnings);
    next = step.pages && nextPage(step.pages, current, reader);
  }
  if (next && step.pages) warnings.push(`there are more than ${step.pages.most} pages`);
  return { items, warnings };
}

/** Undefined after the last one. */
function nextPage({ by, next }: NonNullable<SearchStep['pages']>, { page }: Page, reader: AnswerReader): Page | undefined {
  if (by === 'number') return reader.holds(next, reader.answer) ? { page: page + 1 } : undefined;
  const cursor = reader.text(next, reader.answer);
  if (cursor === undefined) return undefined;
  return by === 'cursor' ? { page: page + 1, cursor } : { page: page + 1, query: queryOf(cursor) };
}

/** Of a link only the query is taken: where to send credentials is not for an answer to say. */
function queryOf(link: string): string {
  const query = link.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '';
  return new URLSearchParams(query).toString();
}
