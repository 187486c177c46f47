import { z } from 'zod';
import { reasons } from './reasons.js';

/** The status container on the wire (spec §2.2), for the API description. */
const errorEntry = z.strictObject({
  code: z.string().describe('HTTP status code.'),
  message: z.string().describe('HTTP status text; for 429 the text published in the specification.'),
  reason: z.enum(Object.keys(reasons) as [string, ...string[]]),
  details: z.string(),
  field: z.string().optional().describe('Parameter or body field at fault.'),
  supplier: z.string().optional().describe('Id of the supplier that gave nothing.'),
  brand: z.string().optional().describe('Brand of that supplier, when only that brand is missing.'),
  cause: z
    .string()
    .optional()
    .describe('For machines: timeout, unavailable, throttled, rejected, bad_payload, circuit_open, …'),
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

/** A body that holds nothing but errors. */
export const errorBody = z.strictObject({ status: statusWire }).meta({ id: 'ErrorBody' });
