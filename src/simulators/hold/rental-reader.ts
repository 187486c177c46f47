import { z } from 'zod';
import { Problem } from './answers.js';

const at = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
  .refine((local) => !Number.isNaN(Date.parse(`${local}Z`)), 'is not a date');
const country = z.string().regex(/^[A-Z]{2}$/);
const text = z.string().min(1).max(100);
const age = z.number().int().min(16).max(120);
const place = z.strictObject({ station: text, at });
const chosen = {
  extras: z.array(z.strictObject({ code: text, quantity: z.number().int().min(1).max(9) })).default([]),
  protections: z.array(text).default([]),
};

/** Body of POST /v1/availability. */
export const availabilityBody = z.strictObject({
  pickup: place,
  dropoff: place,
  driver: z.strictObject({ age, country }),
});

/** Body of POST /v1/prices. */
export const pricesBody = z.strictObject({ rateId: text, driver: z.strictObject({ age, country }), ...chosen });

const driver = z.strictObject({
  firstName: text,
  lastName: text,
  email: z.email(),
  phone: text.optional(),
  age,
  country,
  dateOfBirth: z.iso.date().optional(),
  licence: z.strictObject({ number: text, country: country.optional(), region: text.optional() }).optional(),
  address: z
    .strictObject({ lines: z.array(text), city: text, region: text.optional(), postalCode: text.optional(), country })
    .optional(),
  loyalty: z.array(z.strictObject({ program: text.optional(), number: text })).default([]),
});

/** Body of POST /v1/holds. Without `expectedTotal` any price is accepted. */
export const holdBody = z.strictObject({
  reference: z.string().regex(/^\w{6,32}$/),
  rateId: text,
  expectedTotal: z
    .strictObject({ amount: z.string().regex(/^\d+(\.\d+)?$/), currency: z.string().regex(/^[A-Z]{3}$/) })
    .optional(),
  driver,
  additionalDrivers: z.array(z.strictObject({ firstName: text, lastName: text })).default([]),
  flight: z.strictObject({ carrier: text, number: text, arrivesAt: at.optional() }).optional(),
  remark: z.string().max(500).optional(),
  latePickup: z.boolean().default(false),
  notifyDriver: z.boolean().default(false),
  ...chosen,
});

/** A request for a hold. */
export type HoldBody = z.infer<typeof holdBody>;
/** The extras and protections of a request for a price or a hold; empty = none. */
export type Chosen = Pick<HoldBody, 'extras' | 'protections'>;

/**
 * Parses the body of a request. Throws Problem INVALID_REQUEST with the error: not JSON, or a missing, unknown or
 * malformed member.
 */
export function readBody<T>(body: string, schema: z.ZodType<T>): T {
  const read = schema.safeParse(parsed(body));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Problem('INVALID_REQUEST', `${issue?.path.join('.') || 'body'}: ${issue?.message}`);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Problem('INVALID_REQUEST', 'the body is not JSON');
    throw error;
  }
}
