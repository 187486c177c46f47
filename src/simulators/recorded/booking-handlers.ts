import { type Money, writtenAmount } from '../../model/money.js';
import { moneyFormOf } from '../../model/money-form.js';
import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import { recordingOf } from './answers.js';
import type { CallName, ManifestCall, RequestValues } from './calls.js';
import { type Expression, evaluate, textOf } from './expression.js';
import { type Assignment, exampleOf, pathOf, withValues } from './inverse.js';
import { readLocal, writeLocal } from './local-time.js';
import type { Manifest } from './options.js';
import { codeOf, recordedCar } from './search-handlers.js';

/** Dependencies of the booking handlers. */
export interface RecordedContext {
  readonly manifest: Manifest;
  readonly folder: string;
  readonly ledger: BookingLedger;
  readonly brand: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Where the number of a booking is in a request. */
export function numberIn(values: RequestValues): string | undefined {
  const [, hold] = [...values].find(([name]) => name.startsWith('hold.')) ?? [];
  const number = values.get('confirmationNumber') ?? hold;
  return number === undefined ? undefined : String(number);
}

/** Stores the booking that a request makes, changes (`before`) or holds. Undefined if its car was not recorded. */
export function storeBooking(
  values: RequestValues,
  context: RecordedContext,
  status: SimulatedBooking['status'],
  before?: SimulatedBooking,
): SimulatedBooking | undefined {
  const { manifest, folder, ledger, brand, now } = context;
  const car =
    recordedCar(manifest, folder, values) ??
    (before && { total: { currency: before.currency, amountMinor: before.total }, sippCode: before.sippCode });
  if (!car) return undefined;
  const text = (...names: readonly string[]): string | undefined => textFrom(values, names);
  const facts = {
    firstName: text('driver.firstName'),
    lastName: text('driver.lastName'),
    email: text('driver.email'),
    phone: text('driver.phone'),
    flight: text('arrival.flightNumber'),
    remark: text('remark'),
    pickupCode: text('pickup.code', 'pickup.supplierCode', 'pickup.iataCode'),
    dropoffCode: text('dropoff.code', 'dropoff.supplierCode', 'dropoff.iataCode'),
    pickupDate: localIn(values, 'pickupDate', manifest),
    dropoffDate: localIn(values, 'dropoffDate', manifest),
    sippCode: car.sippCode,
    countryCode: text('countryCode'),
  };
  return ledger.put({
    ...(before ?? {
      ...BLANK,
      confirmation: freshNumber(context),
      reference: text('reference') ?? '',
      brand,
      createdAt: now(),
    }),
    ...Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)),
    status,
    age: Number(values.get('age') ?? before?.age ?? 0),
    currency: car.total.currency,
    total: car.total.amountMinor,
  });
}

/** Values that a request may omit. */
const BLANK = {
  ...{
    firstName: '',
    lastName: '',
    pickupCode: '',
    dropoffCode: '',
    pickupDate: '',
    dropoffDate: '',
    sippCode: '',
    rateCode: '',
  },
  ...{ countryCode: '', prepaid: false, extras: [], coverages: [] },
};

/** The answer to a call about one booking: the one recorded for it, or for `book`, with the facts of this booking. */
export function bookingAnswer(call: ManifestCall, booking: SimulatedBooking, context: RecordedContext): unknown {
  const { manifest, folder } = context;
  const { book, retrieve, modify } = manifest;
  const base = baseOf(call.name, folder);
  if (call.name === 'hold') return heldAnswer(base, booking, manifest);
  if (call.name === 'cancel' || call.name === 'release')
    return withValues(base, endedAssignments(call, booking, manifest));
  const places: Partial<Record<CallName, Expression | undefined>> = {
    book: book?.booking,
    retrieve: retrieve?.byNumber.booking,
    modify: modify?.booking,
  };
  return withValues(base, [[plain(places[call.name]), nodeOf(booking, context)]]);
}

/** The answer of the call that finds bookings by reference, without released holds. */
export function bookingListAnswer(bookings: readonly SimulatedBooking[], context: RecordedContext): unknown {
  const rows = bookings.filter(({ status }) => status !== 'released').map((booking) => nodeOf(booking, context));
  return withValues(baseOf('find', context.folder), [[plain(context.manifest.retrieve?.byReference?.rows), rows]]);
}

function baseOf(name: CallName, folder: string): unknown {
  return recordingOf(folder, name) ?? recordingOf(folder, 'book') ?? {};
}

/** The recorded booking with the facts of this one. */
function nodeOf(booking: SimulatedBooking, { manifest, folder }: RecordedContext): unknown {
  const { booking: mapping, book, tables } = manifest;
  if (!mapping) return {};
  const recorded = recordingOf(folder, 'book');
  const node = book ? (evaluate(book.booking, recorded) ?? {}) : {};
  const status = booking.status === 'released' ? 'cancelled' : booking.status;
  const facts: readonly (readonly [Expression | undefined, unknown])[] = [
    [mapping.status, codeOf(tables.bookingStatus, status)],
    [mapping.confirmationNumber, booking.confirmation],
    [mapping.reference, booking.reference],
    ...Object.values(mapping.ref).map((field) => [field, booking.confirmation] as const),
    [mapping.total, moneyOf(manifest, { currency: booking.currency, amountMinor: booking.total })],
    [mapping.currency, booking.currency],
    [mapping.sippCode, booking.sippCode || undefined],
    [mapping.pickupDate, timeOf(booking.pickupDate, mapping.pickupZone, node, manifest)],
    [mapping.dropoffDate, timeOf(booking.dropoffDate, mapping.dropoffZone, node, manifest)],
  ];
  return withValues(
    node,
    facts.flatMap(([field, value]) => assigned(field, value, node)),
  );
}

function heldAnswer(base: unknown, booking: SimulatedBooking, manifest: Manifest): unknown {
  const hold = manifest.book?.hold;
  if (!hold) return base;
  const facts: readonly (readonly [Expression, unknown])[] = [
    ...Object.values(hold.ref).map((field) => [field, booking.confirmation] as const),
    [hold.total, moneyOf(manifest, { currency: booking.currency, amountMinor: booking.total })],
    [hold.currency, booking.currency],
  ];
  return withValues(
    base,
    facts.flatMap(([field, value]) => assigned(field, value, base)),
  );
}

/** Cancellation is free at a supplier with recorded answers. */
function endedAssignments(
  { expects }: ManifestCall,
  { currency }: SimulatedBooking,
  manifest: Manifest,
): readonly Assignment[] {
  const { cancel } = manifest;
  const free = cancel?.fee === undefined ? undefined : pathOf(cancel.fee);
  const paid = cancel?.currency === undefined ? undefined : pathOf(cancel.currency);
  const done = expects === undefined ? undefined : exampleOf(expects);
  return [
    ...(done ?? []),
    ...(free ? [[free, moneyOf(manifest, { currency, amountMinor: 0 })] as const] : []),
    ...(paid ? [[paid, currency] as const] : []),
  ];
}

/** A fact, if its expression is a plain path, with the recorded type (number or text). Unknown facts are left out. */
function assigned(field: Expression | undefined, value: unknown, node: unknown): readonly Assignment[] {
  const path = field && pathOf(field);
  if (!field || !path) return [];
  if (value === undefined) return [[path, undefined]];
  const before = evaluate(field, node);
  return [[path, typeof before === 'number' ? Number(value) : typeof before === 'string' ? String(value) : value]];
}

function plain(place: Expression | undefined): NonNullable<ReturnType<typeof pathOf>> {
  const path = place && pathOf(place);
  if (!path) throw new Error(`"${place ?? ''}" cannot be inverted: use a plain path`);
  return path;
}

/** A number in the format of the recorded one, with different digits. */
function freshNumber({ manifest, folder, ledger }: RecordedContext): string {
  const recorded = recordingOf(folder, 'book');
  const node = evaluate(manifest.book?.booking, recorded);
  const form = textOf(manifest.booking?.confirmationNumber, node, recorded) ?? 'R00000000';
  return ledger.freshNumber((digits) => {
    const left = [...digits.replace(/^0+/, '7')];
    return form.replaceAll(/\d/g, () => left.shift() ?? '0');
  });
}

/** An amount as the manifest reads it: a number in minor units, or else text. */
function moneyOf({ money }: Manifest, amount: Money): string | number {
  const form = moneyFormOf(money);
  return form?.minor ? amount.amountMinor : writtenAmount(amount, form);
}

function timeOf(local: string, zone: Expression | undefined, node: unknown, { times }: Manifest): unknown {
  return local === '' ? undefined : writeLocal(local, times.read, textOf(zone, node) ?? times.zone);
}

function localIn(values: RequestValues, name: string, { times }: Manifest): string | undefined {
  return readLocal(values.get(name), times.write);
}

/**
 * The value written from the first of these members in the request, alone or joined: `join('', [arrival.carrierCode,
 * arrival.flightNumber])`.
 */
function textFrom(values: RequestValues, names: readonly string[]): string | undefined {
  const candidates = names.flatMap((name) => [
    values.get(name),
    [...values].find(([text]) => text.includes(name))?.[1],
  ]);
  const found = candidates.find((value) => typeof value === 'string' || typeof value === 'number');
  return found === undefined ? undefined : String(found);
}
