import { z } from 'zod';

/**
 * The supplier's JSON as far as we read it. What a call cannot do without is demanded; anything else that does not fit is read as not
 * said. Unknown members are ignored. Amounts are decimal text in the currency of their answer.
 */

/** A member we can do without: absent when the supplier left it out or sent something else. */
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** A list whose rows stand for themselves: those that do not fit are left out. */
const rows = <T extends z.ZodType>(schema: T) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((all) =>
      all.flatMap((row) => {
        const read = schema.safeParse(row);
        return read.success ? [read.data] : [];
      }),
    );

const word = z.string().trim().min(1);
const amount = z.union([z.string(), z.number()]);
const money = z.object({ amount, currency: z.string() });
const count = z.number().int().nonnegative();
const clock = z.string().regex(/^\d{2}:\d{2}$/);
const webAddress = z.string().regex(/^https?:\/\//);
/** Wall clock; fraction and offset are cut off. */
const localTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/)
  .transform((text) => text.slice(0, 19))
  .refine((local) => !Number.isNaN(Date.parse(`${local}Z`)));

/** A station: code, name and country are demanded. */
export const stationWire = z.object({
  code: word,
  iata: maybe(z.string().regex(/^[A-Z]{3}$/)),
  name: word,
  type: maybe(z.enum(['airport', 'downtown', 'rail', 'port', 'hotel', 'dealer'])),
  counter: maybe(z.enum(['in_terminal', 'shuttle_on_airport', 'shuttle_off_airport', 'meet_and_greet', 'rental_center'])),
  address: z.object({
    lines: rows(word),
    city: maybe(word),
    region: maybe(word),
    postalCode: maybe(word),
    country: z.string().regex(/^[A-Z]{2}$/),
  }),
  latitude: maybe(z.number().min(-90).max(90)),
  longitude: maybe(z.number().min(-180).max(180)),
  phone: maybe(word),
  // All or nothing: a missing day would look like a closed one.
  openingHours: z.array(z.object({ day: z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), open: clock, close: clock })).catch([]),
  afterHoursReturn: maybe(z.boolean()),
  services: rows(z.string().regex(/^[a-z_]{1,40}$/)),
});
/** A station that was read. */
export type StationWire = z.infer<typeof stationWire>;

/** Answer of GET /v1/stations; the rows are read one by one. */
export const stationsWire = z.object({ stations: z.array(z.unknown()) });

const extraWire = z.object({
  code: word,
  name: word,
  perDay: maybe(amount),
  total: maybe(amount),
  maxQuantity: maybe(count.min(1)),
});
/** An extra of an answer; prices a day and for the whole rental. */
export type ExtraWire = z.infer<typeof extraWire>;

const protectionWire = z.object({
  code: word,
  name: word,
  included: z.boolean(),
  perDay: maybe(amount),
  total: maybe(amount),
  excess: maybe(amount),
});
/** A protection of a vehicle; an included one has no price. */
export type ProtectionWire = z.infer<typeof protectionWire>;

const priceWire = z.object({
  total: amount,
  base: maybe(amount),
  charges: rows(z.object({ code: word, name: word, amount, inTotal: z.boolean(), percent: maybe(z.number()) })),
  options: rows(z.object({ type: z.enum(['extra', 'protection']), code: word, name: word, quantity: count.min(1), amount })),
});
/** The price of a vehicle: charges and options explain the total. */
export type PriceWire = z.infer<typeof priceWire>;

/** A vehicle paid one way: rateId, payment and total are demanded. */
export const vehicleWire = z.object({
  rateId: word,
  onRequest: z.boolean().default(false),
  payment: z.enum(['prepaid', 'at_desk']),
  price: priceWire,
  sipp: maybe(z.string().regex(/^[A-Z]{4}$/)),
  name: maybe(word),
  orSimilar: maybe(z.boolean()),
  make: maybe(word),
  model: maybe(word),
  class: maybe(z.object({ code: maybe(word), name: maybe(word) })),
  seats: maybe(count),
  doors: maybe(z.union([count.min(1), z.string().regex(/^\d-\d$/)])),
  bags: maybe(z.object({ large: maybe(count), small: maybe(count) })),
  transmission: maybe(z.enum(['manual', 'automatic'])),
  fuel: maybe(word),
  airConditioning: maybe(z.boolean()),
  imageUrl: maybe(webAddress),
  distance: maybe(
    z.object({
      unlimited: z.boolean(),
      included: maybe(z.number().nonnegative()),
      unit: maybe(z.enum(['km', 'mi'])),
      per: maybe(z.enum(['rental', 'day', 'week', 'month', 'hour'])),
      overage: maybe(amount),
    }),
  ),
  fuelPolicy: maybe(z.enum(['full_to_full', 'full_to_empty', 'prepaid', 'same_to_same', 'electric'])),
  deposit: maybe(z.object({ amount, takenAt: maybe(z.enum(['booking', 'pickup'])) })),
  cancellation: maybe(z.object({ refundable: z.boolean(), freeUntil: maybe(localTime), fee: maybe(amount) })),
  protections: rows(protectionWire),
  minAge: maybe(count),
});
/** A vehicle that was read. */
export type VehicleWire = z.infer<typeof vehicleWire>;

/** Answer of availability and of prices; the vehicles are read one by one. */
export const vehiclesWire = z.object({
  currency: z.string(),
  days: count.min(1),
  pickup: stationWire,
  dropoff: stationWire,
  extras: rows(extraWire),
  terms: rows(z.object({ kind: word, url: webAddress })),
  vehicles: z.array(z.unknown()),
});
/** An answer whose vehicles are still unread. */
export type VehiclesWire = z.infer<typeof vehiclesWire>;

/** Answer of POST /v1/holds. */
export const holdWire = z.object({ holdId: word, status: z.enum(['held', 'on_request']), total: money });

/** A booking, or a hold that was not confirmed yet: the one has a number, the other a holdId. */
export const bookingWire = z
  .object({
    status: z.enum(['held', 'requested', 'confirmed', 'declined', 'cancelled']),
    number: maybe(word),
    holdId: maybe(word),
    reference: maybe(word),
    total: maybe(money),
    pickup: maybe(z.object({ at: maybe(localTime) })),
    dropoff: maybe(z.object({ at: maybe(localTime) })),
    sipp: maybe(z.string().regex(/^[A-Z]{4}$/)),
    extras: maybe(z.array(z.object({ code: word, quantity: count.min(1) }))),
  })
  .refine(({ status, number, holdId }) => (status === 'held' ? holdId : number) !== undefined, 'has no number of its own');
/** A booking or hold that was read. */
export type BookingWire = z.infer<typeof bookingWire>;

/** Answer of a confirmation and of GET /v1/bookings/{number}. */
export const oneBookingWire = z.object({ booking: bookingWire });

/** Answer of GET /v1/bookings?reference=; a row that cannot be read spoils it all, for it may be the one looked for. */
export const bookingsWire = z.object({ bookings: z.array(bookingWire) });

/** Answer of POST /v1/bookings/{number}/cancel. */
export const cancelledWire = z.object({
  status: z.literal('cancelled'),
  cancellationNumber: maybe(word),
  fee: maybe(money),
  refund: maybe(money),
});

/** Body of every refusal (application/problem+json). */
export const problemWire = z.object({ code: z.string() });

/** An amount that names its currency, both unchecked. */
export type MoneyWire = z.infer<typeof money>;
