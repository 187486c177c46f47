import { z } from 'zod';
import { reasons } from './reasons.js';

/** The schema of the status container (spec §2.2), for the API description. */
const errorEntry = z.strictObject({
  code: z.string().describe('HTTP status code.'),
  message: z.string().describe('HTTP status text; for 429, the text published in the specification.'),
  reason: z.enum(Object.keys(reasons) as [string, ...string[]]),
  details: z.string(),
  field: z.string().optional().describe('The invalid parameter or body field.'),
  supplier: z.string().optional().describe('Id of the supplier without results.'),
  brand: z.string().optional().describe('Brand of that supplier, if only this brand is missing.'),
  cause: z
    .string()
    .optional()
    .describe('Machine-readable cause: timeout, unavailable, throttled, rejected, bad_payload, circuit_open, …'),
  total: z
    .strictObject({ amount: z.string(), currency: z.string() })
    .optional()
    .describe(
      'With cause price_changed: the total now, to send as accepted_total. Absent if the supplier refused without stating it.',
    ),
});

const successEntry = z.strictObject({ code: z.string(), message: z.string(), details: z.string() });

export const statusWire = z
  .strictObject({
    request_time: z.iso.datetime().describe('ISO 8601, UTC.'),
    success: z.array(successEntry).optional(),
    request_errors: z.int().min(1).optional().describe('Number of entries in errors.'),
    errors: z.array(errorEntry).min(1).optional(),
  })
  .meta({ id: 'Status' });

/** A body that contains only errors. */
export const errorBody = z.strictObject({ status: statusWire }).meta({ id: 'ErrorBody' });
