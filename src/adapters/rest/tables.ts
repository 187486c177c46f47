import { z } from 'zod';
import type { ChangeKind, ExtraNotice, SupplierBooking } from '../../model/bookings.js';
import type { Counter, LocationType, Weekday } from '../../model/locations.js';
import type { ChargeKind, DistancePolicy, FuelPolicy, OfferStatus, PaymentType } from '../../model/offers.js';

/** Our words of each kind: the values a table may map to, and the words an answer must use without a table. */
export const WORDS = {
  locationType: ['airport', 'downtown', 'rail', 'port', 'hotel', 'dealer', 'other'],
  counter: ['in_terminal', 'shuttle_on_airport', 'shuttle_off_airport', 'meet_and_greet', 'rental_center', 'other'],
  day: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  offerStatus: ['available', 'on_request'],
  payment: ['pay_now', 'pay_later', 'pay_partial', 'guarantee', 'voucher'],
  fuelPolicy: ['full_to_full', 'full_to_empty', 'prepaid', 'same_to_same', 'electric', 'unknown'],
  transmission: ['manual', 'automatic'],
  distanceUnit: ['km', 'mi'],
  distancePer: ['rental', 'day', 'week', 'month', 'hour'],
  depositTaken: ['booking', 'pickup'],
  bookingStatus: ['confirmed', 'on_request', 'rejected', 'cancelled', 'held'],
  extraStatus: ['confirmed', 'on_request', 'not_booked'],
  charge: [
    ...([
      'rental',
      'one_way',
      'young_driver',
      'senior_driver',
      'additional_driver',
      'airport',
      'tax',
      'surcharge',
      'fee',
    ] as const),
    ...(['equipment', 'coverage', 'fuel', 'distance', 'discount', 'delivery', 'out_of_hours', 'other'] as const),
  ],
} as const satisfies WordsOfModel;

interface WordsOfModel {
  readonly locationType: readonly LocationType[];
  readonly counter: readonly Counter[];
  readonly day: readonly Weekday[];
  readonly offerStatus: readonly OfferStatus[];
  readonly payment: readonly PaymentType[];
  readonly fuelPolicy: readonly FuelPolicy[];
  readonly transmission: readonly ('manual' | 'automatic')[];
  readonly distanceUnit: readonly ('km' | 'mi')[];
  readonly distancePer: readonly NonNullable<DistancePolicy['per']>[];
  readonly depositTaken: readonly ('booking' | 'pickup')[];
  readonly bookingStatus: readonly SupplierBooking['status'][];
  readonly extraStatus: readonly ('confirmed' | ExtraNotice['status'])[];
  readonly charge: readonly ChargeKind[];
}

/** Kinds of words for which the model has a closed list. */
export type WordKind = keyof typeof WORDS;
/** A word of a kind. */
export type WordOf<K extends WordKind> = (typeof WORDS)[K][number];

/** Kinds of changes to a booking, as named in `modify.changes`. */
export const CHANGES = [
  'contact',
  'arrival',
  'remark',
  'extras',
  'coverages',
  'rental',
] as const satisfies readonly ChangeKind[];

const table = <T extends z.ZodType<string>>(ours: T) =>
  z.record(z.string(), ours).transform((rows): ReadonlyMap<string, z.output<T>> => new Map(Object.entries(rows)));
const words = <K extends WordKind>(kind: K) => table(z.enum(WORDS[kind] as readonly WordOf<K>[])).optional();
const lowerSnake = table(
  z.string().regex(/^[a-z][a-z_]{0,39}$/, 'must be 1 to 40 lowercase letters and underscores, beginning with a letter'),
).optional();

/**
 * Code tables: the supplier's code (as text; numbers as written) → our word. Without a table an answer must use our
 * words. A code missing from its table is unknown, except for extras, coverages and charges, which become `other`.
 */
export const tablesSchema = z.strictObject({
  locationType: words('locationType'),
  counter: words('counter'),
  day: words('day'),
  offerStatus: words('offerStatus'),
  payment: words('payment'),
  fuelPolicy: words('fuelPolicy'),
  transmission: words('transmission'),
  distanceUnit: words('distanceUnit'),
  distancePer: words('distancePer'),
  depositTaken: words('depositTaken'),
  bookingStatus: words('bookingStatus'),
  extraStatus: words('extraStatus'),
  charge: words('charge'),
  extra: lowerSnake,
  coverage: lowerSnake,
  fuel: lowerSnake,
  sipp: table(
    z.string().regex(/^[A-Z]{4}$/, 'is not an ACRISS code; use four uppercase letters, such as ECAR'),
  ).optional(),
  brand: table(z.string()).optional(),
});

/** The tables of a manifest. */
export type Tables = z.infer<typeof tablesSchema>;

/** Whether a word is in our list for its kind. */
export function isWord<K extends WordKind>(kind: K, word: string): word is WordOf<K> {
  return (WORDS[kind] as readonly string[]).includes(word);
}
