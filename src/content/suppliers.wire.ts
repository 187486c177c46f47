import { z } from 'zod';
import { statusWire } from '../status/status.wire.js';

const named = z.strictObject({ value: z.string(), name: z.string().describe('In the language of the answer.') });
const can = z.boolean();

/** What a supplier can do through this gateway. */
const capabilities = z
  .strictObject({
    locations: can,
    location_details: can,
    availability: can,
    price_check: can,
    book: can,
    retrieve: can,
    retrieve_by_reference: can.describe('A booking whose response was lost can be found without its number.'),
    cancel: can,
    modify: can,
    changes: z
      .array(z.enum(['contact', 'arrival', 'remark', 'extras', 'coverages', 'rental']))
      .describe('What PATCH and PUT can change. Empty = nothing.'),
    extras: can,
    coverages: can,
  })
  .meta({ id: 'SupplierCapabilities' });

/** A supplier as callers see it. */
export const supplierWire = z
  .strictObject({
    supplier: z.string().describe('Id, as in offers and reservations.'),
    name: z.string(),
    brands: z.array(z.string()).describe('Brands that can be searched for now.'),
    countries: z.array(z.string()).describe('Pickup countries, ISO 3166-1 alpha-2. Empty = no restriction.'),
    state: z
      .enum(['available', 'maintenance', 'closed'])
      .describe('maintenance: skipped for now. closed: only existing reservations are served.'),
    capabilities,
    payments: z.array(named).describe('Values of payment.type that bookings with this supplier can have.'),
    cards: z.array(named).describe('Cards accepted at the counter. Empty = not stated.'),
    logo_url: z.string().describe('Path of a neutral mark on this gateway (SVG), not of a trademark.'),
    support_phone: z.string().optional().describe('For renters, in E.164 format.'),
    terms: z
      .array(
        z.strictObject({
          kind: z.string(),
          language: z.string().describe('Language of the text or page (BCP 47): it is not translated.'),
          url: z.string().optional(),
          text: z.string().optional(),
        }),
      )
      .describe('General terms of the supplier; an offer can have others.'),
  })
  .meta({ id: 'Supplier' });

/** Answer of GET /cars/suppliers/v1: all suppliers, in the order of answers. */
export const suppliersAnswer = z
  .strictObject({ status: statusWire, suppliers: z.array(supplierWire) })
  .meta({ id: 'SuppliersAnswer' });

/** Answer of GET /cars/suppliers/v1/{supplier}. */
export const supplierAnswer = z
  .strictObject({ status: statusWire, supplier: supplierWire })
  .meta({ id: 'SupplierAnswer' });

/** These operations have no parameters but those of the path and headers. */
export const noQuery = z.strictObject({});
