import { z } from 'zod';
import { cost, locationShape, offerShape, openingHours, terms, text } from './shape.js';

const option = z.strictObject({
  code: text,
  type: text,
  name: text,
  prices: z.array(z.strictObject({ amount: cost, per: text })),
  most: cost.optional(),
  text: text.optional(),
});

/** The details of a location. */
export const locationDetailsShape = z.strictObject({
  location: locationShape,
  minAge: z.int().positive().optional(),
  maxAge: z.int().positive().optional(),
  shuttle: z.strictObject({ openingHours, texts: terms }).optional(),
  fees: z.array(
    z.strictObject({
      kind: z.enum(['tax', 'fee', 'surcharge']),
      name: text,
      prices: option.shape.prices,
      percent: z
        .string()
        .regex(/^\d+(\.\d+)?$/)
        .optional(),
      most: cost.optional(),
      text: text.optional(),
    }),
  ),
  coverages: z.array(option),
  extras: z.array(option),
  vehicles: z.array(offerShape.shape.vehicle),
  terms,
});
