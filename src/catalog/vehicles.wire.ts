import { z } from 'zod';
import { offerWire } from '../representations/offers.wire.js';
import type { WireView } from '../representations/wire-view.js';
import { statusWire } from '../status/status.wire.js';

/** One row of `suppliers[]`. */
export const supplierRowWire = z.strictObject({
  supplier: z.string(),
  outcome: z.enum(['answered', 'empty', 'failed', 'skipped']),
  cause: z.string().optional(),
  offers: z.int().describe('Offers that pass the filters, before max_results.'),
  filtered: z.int().optional().describe('Offers of a supplier without results that the filters took away.'),
  duration_ms: z.number(),
  shared: z.boolean().optional().describe('The call was shared with an identical search under way.'),
});

/** Answer of GET and POST /cars/catalog/v1/vehicles. */
export const vehiclesAnswer = z
  .strictObject({
    status: statusWire,
    search_id: z.string(),
    request: z.looseObject({}).describe('The search as understood, defaults filled in.'),
    vehicles: z.array(offerWire),
    vehicles_found: z.int().describe('Offers that pass the filters; more than vehicles holds when max_results cuts.'),
    suppliers: z.array(supplierRowWire),
  })
  .meta({ id: 'VehiclesAnswer' });

/** The members of an availability answer beside `status`. */
export type VehiclesMembers = Omit<WireView<typeof vehiclesAnswer>, 'status'>;
