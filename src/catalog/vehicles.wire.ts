import { z } from 'zod';
import { compactWire } from '../representations/compact.wire.js';
import type { CompactOffers } from '../representations/compact-offers.js';
import { offerWire } from '../representations/offers.wire.js';
import type { WireView } from '../representations/wire-view.js';
import { statusWire } from '../status/status.wire.js';
import { MATCHES } from './car-groups.js';
import { facetsWire } from './facets.wire.js';

/** One row of `suppliers[]`. */
export const supplierRowWire = z.strictObject({
  supplier: z.string(),
  outcome: z.enum(['answered', 'empty', 'failed', 'skipped']),
  cause: z
    .string()
    .optional()
    .describe('Of a failed supplier: as in its error entries. Of a skipped one: maintenance.'),
  offers: z.int().describe('Number of offers that pass the filters, before max_results applies.'),
  filtered: z.int().optional().describe('Number of offers removed by the filters, if none passed.'),
  unconverted: z
    .int()
    .optional()
    .describe(
      'Number of offers without price.display, because no exchange rate is known, before the filters. price_max removes them.',
    ),
  duration_ms: z.number(),
  until: z.iso
    .datetime()
    .optional()
    .describe('Of a skipped supplier: when its maintenance ends, if that is announced.'),
  shared: z.boolean().optional().describe('true if the call was shared with an identical search in progress.'),
  age_seconds: z
    .int()
    .optional()
    .describe('Seconds since the supplier answered, if the answer came from memory. Absent: it was called.'),
});

/** The exchange rates of an answer whose request has a currency. */
export const conversionWire = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/),
    as_of: z.iso.date().optional().describe('The day of the rates. Absent if the gateway has none.'),
    source: z.string().optional().describe('Publisher of the rates.'),
    stale: z.boolean().describe('true if the rates are older than the gateway allows, or it has none.'),
  })
  .describe('Present if the request has a currency: what price.display of the offers is converted with.')
  .meta({ id: 'Conversion' });

/** The same car of several suppliers. */
const groupWire = z
  .strictObject({
    offer: offerWire.describe('The cheapest.'),
    alternatives: z.array(offerWire).describe('The other offers, the cheapest first.'),
    matched_by: z
      .array(z.enum(MATCHES))
      .describe(
        'What all offers of the group have in common, as their suppliers state it. Empty without alternatives.',
      ),
  })
  .meta({ id: 'CarGroup' });
/** The position of a page in its search. */
const pageWire = z
  .strictObject({
    number: z.int().describe('From 1.'),
    count: z.int().describe('Number of pages.'),
    kept_until: z.iso
      .datetime()
      .optional()
      .describe(
        "When the last offer of the pages expires, and the pages with it. Absent if the pages couldn't be kept: then this is the only one.",
      ),
  })
  .describe('Present if the search has a page_size.')
  .meta({ id: 'SearchPage' });

const pageLinksWire = z
  .strictObject({ next: z.string().optional(), prev: z.string().optional() })
  .describe('Paths of the next and previous page, if there is one. Present if the search has a page_size.')
  .meta({ id: 'SearchPageLinks' });

/** Answer of GET and POST /cars/catalog/v1/vehicles. */
export const vehiclesAnswer = z
  .strictObject({
    status: statusWire,
    search_id: z.string(),
    request: z.looseObject({}).describe('The search with defaults filled in.'),
    conversion: conversionWire.optional(),
    vehicles: z.array(offerWire).describe('Empty with group_by: the offers are in groups.'),
    vehicles_found: z.int().describe('Number of offers that pass the filters, including those beyond max_results.'),
    suppliers: z.array(supplierRowWire),
    facets: facetsWire.optional(),
    groups_found: z.int().optional().describe('With group_by: number of groups, including those beyond max_results.'),
    groups: z.array(groupWire).optional().describe('With group_by: the groups, in the requested order.'),
    page: pageWire.optional(),
    links: pageLinksWire.optional(),
    compact: compactWire.optional(),
  })
  .meta({ id: 'VehiclesAnswer' });

/** The members of an availability response except `status`. */
export type VehiclesMembers = Omit<WireView<typeof vehiclesAnswer>, 'status' | 'groups' | 'compact'> & {
  readonly compact: CompactOffers | undefined;
};
