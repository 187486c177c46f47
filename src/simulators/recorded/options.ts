import { z } from 'zod';
import { moneyForm } from '../../model/money-form.js';
import { nodeOf } from './expression.js';

const expression = z.string().refine(parses, 'is not an expression');
const field = expression.optional();
const fields = z.record(z.string(), expression);
const texts = z.record(z.string(), z.string());

/** `json` as in the file: text is an expression, other values are constants. */
const request = z.object({
  method: z.string(),
  path: z.string(),
  query: fields.default({}),
  form: fields.optional(),
  json: z.unknown().optional(),
  xml: z.undefined('XML requests cannot be simulated from recorded answers').optional(),
});
const status = z.union([z.number(), z.string()]);
const rule = z.object({
  status: z.union([status, z.array(status)]).optional(),
  header: z.object({ name: z.string().toLowerCase(), equals: z.string() }).optional(),
  when: field,
  means: z.string(),
  refusal: z.string().optional(),
});
const step = z.object({ request, errors: z.array(rule).default([]), expects: field });

const auth = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('header'), headers: texts }),
  z.object({
    kind: z.literal('basic'),
    username: z.string().default('username'),
    password: z.string().default('password'),
  }),
  z.object({ kind: z.literal('oauth2'), path: z.string() }),
  z.object({ kind: z.literal('token'), request, token: expression, headers: texts }),
]);

/**
 * A manifest as plain data (docs/rest-manifest.md): the parts that the simulator needs, with the documented defaults.
 * The adapter validates the rest.
 */
export const manifestSchema = z.object({
  format: z.literal('json', 'XML answers cannot be simulated from recorded ones; use json').default('json'),
  auth: auth.default({ kind: 'none' }),
  money: z.union([z.enum(['decimal', 'minor']), moneyForm]).default('decimal'),
  times: z
    .object({ read: z.string().default('iso'), write: z.string().default('iso'), zone: z.string().optional() })
    .prefault({}),
  tables: z.object({ offerStatus: texts.optional(), bookingStatus: texts.optional() }).prefault({}),
  errors: z.array(rule).default([]),
  location: z.object({ code: expression, iataCode: field }).optional(),
  offer: z
    .object({
      rows: expression,
      ref: fields,
      status: field,
      currency: expression,
      zone: field,
      rentalDays: expression,
      pickup: expression,
      pickupDate: field,
      dropoffDate: field,
      dropoffZone: field,
      vehicle: z.object({ sippCode: field }),
      price: z.object({ total: expression }),
    })
    .optional(),
  booking: z
    .object({
      status: expression,
      confirmationNumber: expression,
      reference: field,
      ref: fields.default({}),
      currency: field,
      total: field,
      sippCode: field,
      pickupDate: field,
      pickupZone: field,
      dropoffDate: field,
      dropoffZone: field,
    })
    .optional(),
  searchLocations: step
    .extend({ rows: expression, pages: z.object({ first: z.number().default(1) }).optional() })
    .optional(),
  searchVehicles: step.optional(),
  priceCheck: step.optional(),
  book: step
    .extend({
      booking: expression,
      hold: step.extend({ ref: fields, total: expression, currency: expression, release: step }).optional(),
    })
    .optional(),
  retrieve: z
    .object({
      byNumber: step.extend({ booking: expression }),
      byReference: step.extend({ rows: expression }).optional(),
    })
    .optional(),
  modify: step.extend({ booking: expression }).optional(),
  cancel: step.extend({ fee: field, currency: field }).optional(),
});

/** A manifest that can be simulated. */
export type Manifest = z.infer<typeof manifestSchema>;
/** A call with its own rules and the condition of its success. */
export type Step = z.infer<typeof step>;
/** A rule for the meaning of an answer. */
export type ErrorRule = z.infer<typeof rule>;

function parses(text: string): boolean {
  try {
    nodeOf(text);
    return true;
  } catch {
    return false;
  }
}
