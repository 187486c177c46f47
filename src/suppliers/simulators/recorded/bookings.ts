import { toUtc } from '../../../places/zone-clock.js';
import { AnswerReader } from '../../adapters/rest/answer-reader.js';
import type { Expression } from '../../adapters/rest/expression.js';
import { isEpoch, readLocal, writeLocal } from '../../adapters/rest/local-time.js';
import type { Manifest } from '../../adapters/rest/manifest.schema.js';
import { formatAmount, type Money } from '../../money.js';
import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import { recordingOf } from './answers.js';
import type { CallName, Heard, ManifestCall } from './calls.js';
import { type Assignment, exampleOf, pathOf, withValues } from './inverse.js';
import { carMeant, codeOf } from './searches.js';

/** What bookings are made and told with. */
export interface BookingDesk {
  readonly manifest: Manifest;
  readonly folder: string;
  readonly ledger: BookingLedger;
  readonly brand: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Where the number of a booking stands in a request. */
export function numberIn(heard: Heard): string | undefined {
  const [, hold] = [...heard].find(([name]) => name.startsWith('hold.')) ?? [];
  const number = heard.get('confirmationNumber') ?? hold;
  return number === undefined ? undefined : String(number);
}

/** Enters what a request books, changes (`before`) or holds. Undefined where its car is none of the recorded ones. */
export function entered(
  heard: Heard,
  desk: BookingDesk,
  status: SimulatedBooking['status'],
  before?: SimulatedBooking,
): SimulatedBooking | undefined {
  const { manifest, folder, ledger, brand, now } = desk;
  const car =
    carMeant(manifest, folder, heard) ??
    (before && { total: { currency: before.currency, amountMinor: before.total }, sippCode: before.sippCode });
  if (!car) return undefined;
  const said = (name: string): string | undefined => textOf(heard.get(name));
  return ledger.put({
    confirmation: before?.confirmation ?? freshNumber(desk),
    reference: before?.reference ?? said('reference') ?? '',
    status,
    brand,
    firstName: said('driver.firstName') ?? before?.firstName ?? '',
    lastName: said('driver.lastName') ?? before?.lastName ?? '',
    ...(said('driver.email') === undefined ? {} : { email: said('driver.email') ?? '' }),
    pickupCode: said('pickup.code') ?? said('pickup.iataCode') ?? before?.pickupCode ?? '',
    dropoffCode: said('dropoff.code') ?? said('dropoff.iataCode') ?? before?.dropoffCode ?? '',
    pickupDate: localIn(heard, 'pickupDate', manifest) ?? before?.pickupDate ?? '',
    dropoffDate: localIn(heard, 'dropoffDate', manifest) ?? before?.dropoffDate ?? '',
    sippCode: car.sippCode ?? '',
    rateCode: before?.rateCode ?? '',
    prepaid: false,
    age: Number(heard.get('age') ?? before?.age ?? 0),
    countryCode: said('countryCode') ?? before?.countryCode ?? '',
    currency: car.total.currency,
    total: car.total.amountMinor,
    extras: before?.extras ?? [],
    coverages: before?.coverages ?? [],
    createdAt: before?.createdAt ?? now(),
  });
}

/** The answer of a call about one booking: as recorded for it, or for `book`, with what is true of this one. */
export function told(call: ManifestCall, booking: SimulatedBooking, desk: BookingDesk): unknown {
  const { manifest, folder } = desk;
  const { book, retrieve, modify } = manifest;
  const base = baseOf(call.name, folder);
  if (call.name === 'hold') return heldAnswer(base, booking, manifest);
  if (call.name === 'cancel' || call.name === 'release') return withValues(base, endedAssignments(call, booking, manifest));
  const places: Partial<Record<CallName, Expression | undefined>> = {
    book: book?.booking,
    retrieve: retrieve?.byNumber.booking,
    modify: modify?.booking,
  };
  return withValues(base, [[plain(places[call.name]), nodeOf(booking, desk)]]);
}

/** The answer of the call that finds bookings by our reference; what was given back is not told. */
export function listed(bookings: readonly SimulatedBooking[], desk: BookingDesk): unknown {
  const rows = bookings.filter(({ status }) => status !== 'released').map((booking) => nodeOf(booking, desk));
  return withValues(baseOf('find', desk.folder), [[plain(desk.manifest.retrieve?.byReference?.rows), rows]]);
}

function baseOf(name: CallName, folder: string): unknown {
  return recordingOf(folder, name) ?? recordingOf(folder, 'book') ?? {};
}

/** The recorded booking with the facts of this one. */
function nodeOf(booking: SimulatedBooking, { manifest, folder }: BookingDesk): unknown {
  const { booking: mapping, book, tables } = manifest;
  if (!mapping) return {};
  const recorded = recordingOf(folder, 'book');
  const node = book ? (new AnswerReader(manifest, recorded, {}).node(book.booking, recorded) ?? {}) : {};
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
    facts.flatMap(([field, value]) => assigned(field, value, node, manifest)),
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
    facts.flatMap(([field, value]) => assigned(field, value, base, manifest)),
  );
}

/** A cancellation costs nothing at a supplier of recorded answers. */
function endedAssignments({ expects }: ManifestCall, { currency }: SimulatedBooking, manifest: Manifest): readonly Assignment[] {
  const { cancel } = manifest;
  const free = cancel?.fee && pathOf(cancel.fee);
  const paid = cancel?.currency && pathOf(cancel.currency);
  return [
    ...((expects && exampleOf(expects)) ?? []),
    ...(free ? [[free, moneyOf(manifest, { currency, amountMinor: 0 })] as const] : []),
    ...(paid ? [[paid, currency] as const] : []),
  ];
}

/** A fact where its expression is a plain path; of the kind (number or text) that was recorded there. One that nobody knows is not told. */
function assigned(field: Expression | undefined, value: unknown, node: unknown, manifest: Manifest): readonly Assignment[] {
  const path = field && pathOf(field);
  if (!field || !path) return [];
  if (value === undefined) return [[path, undefined]];
  const before = new AnswerReader(manifest, node, {}).node(field, node);
  return [[path, typeof before === 'number' ? Number(value) : typeof before === 'string' ? String(value) : value]];
}

function plain(place: Expression | undefined): NonNullable<ReturnType<typeof pathOf>> {
  const path = place && pathOf(place);
  if (!path) throw new Error(`"${place?.text ?? ''}" cannot be turned round: only a plain path can`);
  return path;
}

/** As the recorded number looks: digits become others. */
function freshNumber({ manifest, folder, ledger }: BookingDesk): string {
  const recorded = recordingOf(folder, 'book');
  const reader = new AnswerReader(manifest, recorded, {});
  const node = manifest.book && reader.node(manifest.book.booking, recorded);
  const form = reader.text(manifest.booking?.confirmationNumber, node) ?? 'R00000000';
  return ledger.freshNumber((digits) => {
    const left = [...digits.replace(/^0+/, '7')];
    return form.replaceAll(/\d/g, () => left.shift() ?? '0');
  });
}

function moneyOf({ money }: Manifest, amount: Money): string | number {
  return money === 'minor' ? amount.amountMinor : formatAmount(amount);
}

function timeOf(local: string, zoneField: Expression | undefined, node: unknown, manifest: Manifest): unknown {
  const { read, zone: usual } = manifest.times;
  if (local === '') return undefined;
  if (!isEpoch(read)) return writeLocal(local, read);
  const zone = new AnswerReader(manifest, node, {}).text(zoneField, node) ?? usual;
  if (zone === undefined) return undefined;
  const epochMs = Date.parse(toUtc(local, zone));
  return read === 'epoch-seconds' ? epochMs / 1_000 : epochMs;
}

function localIn(heard: Heard, name: string, { times }: Manifest): string | undefined {
  return readLocal(heard.get(name), times.write, undefined);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
