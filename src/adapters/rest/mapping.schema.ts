import { z } from 'zod';
import { expression } from './expression.schema.js';

/** An optional value: absent if the manifest doesn't map it or the supplier doesn't return it. */
const field = expression.optional();

/**
 * Members that later calls for an offer, hold or booking need: JSON scalars as the supplier wrote them, named by the
 * manifest.
 */
const ref = z.record(
  z
    .string()
    .regex(
      /^[a-zA-Z]\w{0,39}$/,
      'is not a valid name; use up to 40 letters, digits and underscores, beginning with a letter',
    ),
  expression,
);

/** A location. Expressions are over one row or node of an answer. */
export const locationMapping = z.strictObject({
  brand: field,
  code: expression,
  iataCode: field,
  /** Not an expression: codes of three letters are the supplier's own, and never those of airports. */
  ownCodes: z.boolean().default(false),
  name: expression,
  type: field,
  counter: field,
  lines: field,
  city: field,
  region: field,
  postalCode: field,
  countryCode: expression,
  latitude: field,
  longitude: field,
  phone: field,
  openingHours: z.strictObject({ rows: expression, day: expression, open: expression, close: expression }).optional(),
  afterHoursReturn: field,
  services: field,
  public: field,
});

const vehicle = z.strictObject({
  sippCode: field,
  name: field,
  make: field,
  model: field,
  orSimilar: field,
  classCode: field,
  className: field,
  seats: field,
  doors: field,
  bagsLarge: field,
  bagsSmall: field,
  imageUrl: field,
  transmission: field,
  airConditioning: field,
  fuel: field,
});

const items = z.strictObject({
  rows: expression,
  kind: field,
  code: field,
  description: expression,
  amount: expression,
  currency: field,
  includedInTotal: field,
  optional: field,
  percent: field,
  quantity: field,
});

/** One vehicle at one rate; `rows` is over the answer, everything else over a row. */
export const offerMapping = z.strictObject({
  rows: expression,
  brand: field,
  status: field,
  ref,
  expiresAt: field,
  currency: expression,
  rentalDays: expression,
  zone: field,
  pickup: expression,
  pickupDate: field,
  dropoff: expression,
  dropoffDate: field,
  dropoffZone: field,
  payment: expression,
  rateCode: field,
  rateType: field,
  discountsApplied: field,
  inclusive: field,
  vehicle,
  price: z.strictObject({
    total: expression,
    base: field,
    dueNow: field,
    display: z.strictObject({ amount: expression, currency: expression }).optional(),
    items: z.array(items).default([]),
  }),
  distance: z
    .strictObject({ unlimited: field, included: field, unit: field, per: field, overage: field, currency: field })
    .optional(),
  fuelPolicy: field,
  coverages: z
    .strictObject({
      rows: expression,
      code: expression,
      type: field,
      name: expression,
      included: field,
      perDay: field,
      total: field,
      currency: field,
      excess: field,
      excessCurrency: field,
    })
    .optional(),
  extras: z
    .strictObject({
      rows: expression,
      code: expression,
      type: field,
      name: expression,
      perDay: field,
      total: field,
      currency: field,
      maxQuantity: field,
    })
    .optional(),
  deposit: z.strictObject({ amount: expression, currency: field, takenAt: field }).optional(),
  cancellation: z.strictObject({ refundable: expression, freeUntil: field, fee: field, currency: field }).optional(),
  changes: z.strictObject({ allowed: field, penalty: field }).optional(),
  creditCardRequired: field,
  acceptedCards: field,
  minAge: field,
  maxAge: field,
  terms: z.strictObject({ rows: expression, kind: expression, url: field, text: field }).optional(),
});

/** A booking or hold; expressions are over its node. */
export const bookingMapping = z.strictObject({
  status: expression,
  confirmationNumber: expression,
  reference: field,
  ref: ref.default({}),
  currency: field,
  total: field,
  pickupDate: field,
  pickupZone: field,
  dropoffDate: field,
  dropoffZone: field,
  sippCode: field,
  extras: z.strictObject({ rows: expression, code: expression, quantity: field, status: field }).optional(),
});

/** How locations are read. */
export type LocationMapping = z.infer<typeof locationMapping>;
/** How offers are read. */
export type OfferMapping = z.infer<typeof offerMapping>;
/** How bookings are read. */
export type BookingMapping = z.infer<typeof bookingMapping>;
