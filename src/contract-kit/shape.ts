import { z } from 'zod';
import { isCurrency } from '../model/money.js';
import { WARNING_KINDS, type WarningKind } from '../model/warnings.js';
import { isCountry } from '../places/places.js';

/**
 * The model as strict schemas that check each field of a result. Types guide the author of an adapter, but cannot check
 * a supplier's data; a field that the model does not have is a breach.
 */

/** A text or code of the model: not empty or padded, without signs of a broken charset or of missing decoding. */
export const text = z
  .string()
  .min(1)
  .refine((value) => value === value.trim(), 'is padded with blanks')
  .refine((value) => !/[\uFFFD\p{Cc}]/u.test(value), 'contains a broken or control character')
  .refine((value) => !/&(amp|lt|gt|quot|apos|#x?[\da-f]+);/i.test(value), 'contains an undecoded entity')
  .refine((value) => !/^(undefined|null|NaN|\[object .*)$/.test(value), 'is a missing value converted to text');
const localDateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'is not a local date and time without zone')
  .refine((value) => !Number.isNaN(Date.parse(`${value}Z`)), 'is not a date');
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/);
const country = z.string().refine((code) => isCountry(code) || code === 'ZZ', 'is not an ISO 3166-1 country');
const money = z.strictObject({
  amountMinor: z.int(),
  currency: z.string().refine(isCurrency, 'is not an ISO 4217 currency'),
});
/** An amount that is never negative. */
export const cost = money.refine(({ amountMinor }) => amountMinor >= 0, 'is negative');
const distance = z.strictObject({ value: z.number().nonnegative(), unit: z.enum(['km', 'mi']) });
const slot = { open: clock, close: clock };
const ref = z.record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]));

/** Weekly opening hours. */
export const openingHours = z.array(
  z.strictObject({ day: z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), ...slot }),
);

/** Terms and other texts. */
export const terms = z.array(z.strictObject({ kind: text, url: z.string().optional(), text: z.string().optional() }));

/** A rental location. */
export const locationShape = z.strictObject({
  brand: text,
  code: text,
  codeContext: z.enum(['iata', 'oag', 'supplier']),
  iataCode: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  name: text,
  type: z.enum(['airport', 'downtown', 'rail', 'port', 'hotel', 'dealer', 'other']),
  counter: z
    .enum(['in_terminal', 'shuttle_on_airport', 'shuttle_off_airport', 'meet_and_greet', 'rental_center', 'other'])
    .optional(),
  address: z.strictObject({
    lines: z.array(text),
    city: text.optional(),
    region: text.optional(),
    postalCode: text.optional(),
    countryCode: country,
  }),
  latitude: z.number().min(-90).max(90).optional(),
  longitude: z.number().min(-180).max(180).optional(),
  phone: text.optional(),
  openingHours,
  specialHours: z.array(
    z.strictObject({
      name: text.optional(),
      from: text.optional(),
      to: text.optional(),
      slots: z.array(z.strictObject(slot)),
    }),
  ),
  afterHoursReturn: z.boolean().optional(),
  services: z.array(z.string().regex(/^[a-z0-9_]+$/)),
  public: z.boolean(),
  distance: distance.optional(),
});

const vehicle = z.strictObject({
  sippCode: z
    .string()
    .regex(/^[A-Z]{4}$/)
    .optional(),
  name: text,
  make: text.optional(),
  model: text.optional(),
  orSimilar: z.boolean(),
  classCode: text.optional(),
  className: text.optional(),
  seats: z.int().positive().optional(),
  doors: z.union([z.int().positive(), z.string().regex(/^\d-\d$/)]).optional(),
  bagsLarge: z.int().nonnegative().optional(),
  bagsSmall: z.int().nonnegative().optional(),
  imageUrl: z.url().optional(),
  transmission: z.enum(['manual', 'automatic']).optional(),
  airConditioning: z.boolean().optional(),
  fuel: text.optional(),
});

const priceItem = z.strictObject({
  kind: z.enum([
    'rental',
    'one_way',
    'young_driver',
    'senior_driver',
    'additional_driver',
    'airport',
    'tax',
    'surcharge',
    'fee',
    'equipment',
    'coverage',
    'fuel',
    'distance',
    'discount',
    'delivery',
    'out_of_hours',
    'other',
  ]),
  code: text.optional(),
  description: text,
  amount: money,
  unit: z.enum(['rental', 'day', 'week', 'hour', 'percent']),
  quantity: z.number().nonnegative(),
  mandatory: z.boolean(),
  includedInTotal: z.boolean(),
  payable: z.enum(['now', 'counter']),
});

const price = z.strictObject({
  total: cost,
  base: cost.optional(),
  taxes: money.optional(),
  fees: money.optional(),
  oneWay: money.optional(),
  extras: money.optional(),
  coverages: money.optional(),
  discount: money.optional(),
  dueNow: cost,
  dueAtCounter: cost,
  items: z.array(priceItem),
  unitemised: money.optional(),
  display: cost.optional(),
});

/** One vehicle at one rate, as found or priced. */
export const offerShape = z.strictObject({
  brand: text,
  status: z.enum(['available', 'on_request']),
  supplierRef: ref.refine((value) => Object.keys(value).length > 0, 'is empty, so that the offer could not be booked'),
  expiresAt: z.iso.datetime().optional(),
  vehicle,
  pickup: locationShape,
  dropoff: locationShape,
  pickupDate: localDateTime,
  dropoffDate: localDateTime,
  rate: z.strictObject({
    code: text.optional(),
    type: text.optional(),
    payment: z.enum(['pay_now', 'pay_later', 'pay_partial', 'guarantee', 'voucher']),
    inclusive: z.boolean(),
    discountsApplied: z.array(text),
  }),
  price,
  rentalDays: z.int().positive(),
  statesDates: z.boolean().optional(),
  distancePolicy: z.array(
    z.strictObject({
      unlimited: z.boolean(),
      included: distance.optional(),
      per: z.enum(['rental', 'day', 'week', 'month', 'hour']).optional(),
      overage: cost.optional(),
    }),
  ),
  fuelPolicy: z.enum(['full_to_full', 'full_to_empty', 'prepaid', 'same_to_same', 'electric', 'unknown']),
  coverages: z.array(
    z.strictObject({
      code: text,
      type: z.string().regex(/^[a-z0-9_]+$/),
      name: text,
      included: z.boolean(),
      mandatory: z.boolean(),
      pricePerDay: cost.optional(),
      priceTotal: cost.optional(),
      excess: cost.optional(),
    }),
  ),
  extras: z.array(
    z.strictObject({
      code: text,
      type: z.string().regex(/^[a-z0-9_]+$/),
      name: text,
      pricePerDay: cost.optional(),
      priceTotal: cost.optional(),
      maxQuantity: z.int().positive(),
      mandatory: z.boolean(),
    }),
  ),
  deposit: z.strictObject({ amount: cost, takenAt: z.enum(['booking', 'pickup']).optional() }).optional(),
  cancellation: z.strictObject({
    refundable: z.boolean().optional(),
    freeUntil: localDateTime.optional(),
    rules: z.array(
      z.strictObject({
        from: localDateTime.optional(),
        until: localDateTime.optional(),
        fee: cost.optional(),
        percent: text.optional(),
        text: text.optional(),
      }),
    ),
    noShowFee: cost.optional(),
    noShow: z
      .strictObject({
        cancelBy: localDateTime.optional(),
        graceUntil: localDateTime.optional(),
        text: text.optional(),
      })
      .optional(),
    source: z.enum(['structured', 'text', 'unknown']),
  }),
  changes: z.strictObject({ allowed: z.boolean().optional(), penalty: z.boolean().optional() }).optional(),
  requirements: z.strictObject({
    minAge: z.int().positive().optional(),
    maxAge: z.int().positive().optional(),
    youngDriverFee: cost.optional(),
    flightRequired: z.boolean().optional(),
    creditCardRequired: z.boolean().optional(),
    acceptedCards: z.array(text).optional(),
  }),
  terms,
});

const warnings = z.array(
  z.strictObject({
    kind: z.enum(Object.keys(WARNING_KINDS) as WarningKind[]),
    text,
    times: z.int().positive(),
  }),
);

const bookedPlace = z.strictObject({
  code: text,
  iataCode: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
});

/** A booking. */
export const bookingShape = z.strictObject({
  status: z.enum(['confirmed', 'on_request', 'rejected', 'cancelled', 'held']),
  isStatusAssumed: z.boolean().optional(),
  confirmationNumber: z
    .string()
    .regex(/^[\x20-\x7e]{1,64}$/)
    .optional(),
  reference: text.optional(),
  ref,
  total: cost.optional(),
  creditCardRequired: z.boolean().optional(),
  pickupDate: localDateTime.optional(),
  dropoffDate: localDateTime.optional(),
  sippCode: z
    .string()
    .regex(/^[A-Z]{4}$/)
    .optional(),
  pickup: bookedPlace.optional(),
  dropoff: bookedPlace.optional(),
  extras: z.array(z.strictObject({ code: text, quantity: z.int().positive().optional() })).optional(),
  extraNotices: z
    .array(z.strictObject({ status: z.enum(['on_request', 'not_booked']), codes: z.array(text).min(1).optional() }))
    .optional(),
  warnings: warnings.optional(),
});

/** What a cancellation cost. */
export const cancelShape = z.strictObject({
  fee: cost.optional(),
  refund: cost.optional(),
  cancellationNumber: text.optional(),
  warnings: warnings.optional(),
});
