import { z } from 'zod';
import type { BookingKey, BookRequest, ModifyRequest, RentalRequest } from '../model/bookings.js';
import type { LocationDetailsRequest } from '../model/location-details.js';

/**
 * Schemas of request files for operations on one offer or booking; they mirror the requests in src/model/bookings.ts.
 */

const ref = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const localDateTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'must be YYYY-MM-DDTHH:mm:ss');
const country = z.string().regex(/^[A-Z]{2}$/, 'must be a two-letter country code');
const place = z.strictObject({
  supplierCode: z.string().optional(),
  iataCode: z.string().optional(),
  name: z.string().optional(),
  countryCode: country,
  latitude: z.number().optional(),
  longitude: z.number().optional(),
});
const loyalty = z.array(z.strictObject({ program: z.string().optional(), number: z.string() })).default([]);

const rental = {
  brand: z.string(),
  ref,
  pickup: place,
  dropoff: place,
  pickupDate: localDateTime,
  dropoffDate: localDateTime,
  countryCode: country,
  age: z.int().positive(),
  extras: z.array(z.strictObject({ code: z.string(), quantity: z.int().positive() })).default([]),
  coverages: z.array(z.string()).default([]),
};

const booking = {
  ...rental,
  reference: z.string().regex(/^\w{6,32}$/, 'must be 6 to 32 letters, digits or _'),
  total: z.strictObject({ amountMinor: z.int(), currency: z.string().regex(/^[A-Z]{3}$/) }),
  status: z.enum(['available', 'on_request']).default('available'),
  driver: z.strictObject({
    firstName: z.string(),
    lastName: z.string(),
    email: z.string(),
    phone: z.string().optional(),
    dateOfBirth: z.string().optional(),
    licence: z
      .strictObject({ number: z.string(), countryCode: country.optional(), region: z.string().optional() })
      .optional(),
    address: z
      .strictObject({
        lines: z.array(z.string()),
        city: z.string(),
        region: z.string().optional(),
        postalCode: z.string().optional(),
        countryCode: country,
      })
      .optional(),
    loyalty,
  }),
  additionalDrivers: z.array(z.strictObject({ firstName: z.string(), lastName: z.string() })).default([]),
  arrival: z
    .strictObject({ carrierCode: z.string(), flightNumber: z.string(), arrivesAt: localDateTime.optional() })
    .optional(),
  payment: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('counter') }),
      z.strictObject({ type: z.literal('voucher'), voucher: z.string() }),
      z.strictObject({
        type: z.literal('card'),
        card: z.strictObject({ number: z.string(), expiryMonth: z.int(), expiryYear: z.int(), holder: z.string() }),
      }),
    ])
    .default({ type: 'counter' }),
  remark: z.string().optional(),
  pickupLater: z.boolean().default(false),
  notifyCustomer: z.boolean().default(false),
};

/** Request of `locationDetails`. */
export const locationDetailsRequest: z.ZodType<LocationDetailsRequest> = z.strictObject({
  brand: z.string(),
  location: place,
});

/** Request of `priceCheck`. */
export const rentalRequest: z.ZodType<RentalRequest> = z.strictObject(rental);

/** Request of `book`. */
export const bookRequest: z.ZodType<BookRequest> = z.strictObject(booking);

/** Request of `modify`. */
export const modifyRequest: z.ZodType<ModifyRequest> = z.strictObject({
  ...booking,
  confirmationNumber: z.string(),
  changes: z.array(z.enum(['contact', 'arrival', 'remark', 'extras', 'coverages', 'rental'])).min(1),
  before: z.strictObject({ pickupDate: localDateTime, dropoffDate: localDateTime, extras: rental.extras }).optional(),
});

/** Request of `retrieve` and `cancel`. */
export const bookingKey: z.ZodType<BookingKey> = z.strictObject({
  brand: z.string(),
  ref: ref.default({}),
  reference: z.string(),
  confirmationNumber: z.string().optional(),
  firstName: z.string(),
  lastName: z.string(),
  pickup: place,
  pickupDate: localDateTime,
});
