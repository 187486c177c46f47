import type { BookingKey, BookRequest, CancelResult, ModifyRequest, SupplierBooking } from '../../model/bookings.js';
import type { Money } from '../../model/money.js';
import type { SupplierOffer } from '../../model/offers.js';
import { type SupplierAnswer, type SupplierContext, SupplierError } from '../../model/supplier.js';
import { mapBooking } from './booking-mapping.js';
import type { Manifest, Step } from './options.js';
import type { RequestValues, RequestWriter } from './requests.js';
import type { Ask, RestApi } from './rest-api.js';
import type { AnswerReader } from './wire.js';

/** What the booking operations of one supplier work with. */
export interface BookingHandlers {
  readonly mapping: NonNullable<Manifest['booking']>;
  readonly writer: RequestWriter;
  readonly api: RestApi;
  readonly context: SupplierContext;
}

type Ref = SupplierOffer['supplierRef'];
type BookStep = NonNullable<Manifest['book']>;
type HoldStep = NonNullable<BookStep['hold']>;
type RetrieveStep = NonNullable<Manifest['retrieve']>;

const READ: Pick<Ask, 'repeatable' | 'accepted'> = { repeatable: true, accepted: ['empty', 'not_found'] };

/**
 * Books, in one step or, with a hold, in two: only the second books. Where the supplier said a clear no after the hold, the hold is given
 * back; where the answer to the confirmation is lost or doubtful, it is left alone, for it may be a booking by now.
 */
export async function book(step: BookStep, request: BookRequest, desk: BookingHandlers): Promise<SupplierBooking> {
  const { hold } = step;
  if (!hold) return confirm(step, request, desk);
  const held = await holdCar(hold, request, desk);
  if (!covers(request.total, held.total)) {
    await giveBack(hold, request, held.ref, desk);
    throw new SupplierError('rejected', 'the hold costs more than was accepted', true, { refusal: 'price_changed' });
  }
  try {
    return await confirm(step, request, desk, held.ref);
  } catch (error) {
    if (isClearNo(error)) await giveBack(hold, request, held.ref, desk);
    throw error;
  }
}

/** Changes a booking to what the request says; the answer must be of the same booking. */
export async function modify(
  step: NonNullable<Manifest['modify']>,
  request: ModifyRequest,
  desk: BookingHandlers,
): Promise<SupplierBooking> {
  const reader = await written(step, desk.writer.booking(request, desk.context), desk.api);
  const booking = made(mapBooking(desk.mapping, reader, reader.node(step.booking, reader.answer)), request.reference);
  if (booking.confirmationNumber !== request.confirmationNumber) {
    throw new SupplierError('bad_payload', 'another booking than asked for was changed');
  }
  return booking;
}

/** By number, or all bookings and living holds with our reference. Empty = the supplier says that it has none. */
export async function retrieve(
  step: RetrieveStep,
  key: BookingKey,
  desk: BookingHandlers,
): Promise<SupplierAnswer<SupplierBooking>> {
  const items = key.confirmationNumber === undefined ? await listed(step, key, desk) : await numbered(step, key, desk);
  return { items, warnings: [] };
}

/**
 * Cancels by number. Without one it releases the holds with our reference and touches no booking: what was never confirmed is abandoned,
 * while a booking that turns up is a finding to be told, not to be undone.
 */
export async function cancel(manifest: Manifest, key: BookingKey, desk: BookingHandlers): Promise<CancelResult> {
  const { cancel: step, book: booking, retrieve: retrieval } = manifest;
  if (key.confirmationNumber === undefined && booking?.hold && retrieval)
    return releaseHolds(booking.hold, retrieval, key, desk);
  if (key.confirmationNumber === undefined || !step) {
    throw new SupplierError('rejected', 'there is no number to cancel by', false, { refusal: 'not_found' });
  }
  const values = desk.writer.key(key, desk.context);
  const reader = await desk.api.ask(step, { values, repeatable: false, accepted: ['done'] });
  if (!reader) return {};
  const { answer } = reader;
  const currency = reader.currency(step.currency, answer);
  return {
    fee: reader.money(step.fee, answer, currency),
    refund: reader.money(step.refund, answer, currency),
    cancellationNumber: reader.text(step.cancellationNumber, answer),
  };
}

async function holdCar(
  step: HoldStep,
  request: BookRequest,
  desk: BookingHandlers,
): Promise<{ readonly ref: Ref; readonly total: Money }> {
  const reader = await written(step, desk.writer.booking(request, desk.context), desk.api);
  const ref = reader.ref(step.ref, reader.answer);
  const total = reader.money(step.total, reader.answer, reader.currency(step.currency, reader.answer));
  if (!ref || !total) throw new SupplierError('bad_payload', 'the hold has no readable id or total');
  return { ref, total };
}

async function confirm(
  step: BookStep,
  request: BookRequest,
  desk: BookingHandlers,
  hold?: Ref,
): Promise<SupplierBooking> {
  const reader = await written(step, desk.writer.booking(request, desk.context, hold), desk.api);
  return made(mapBooking(desk.mapping, reader, reader.node(step.booking, reader.answer)), request.reference);
}

/** A booking that was made or changed. Declined = certainly not; in any other state nobody knows. */
function made(booking: SupplierBooking, reference: string): SupplierBooking {
  const { status } = booking;
  if (booking.reference !== undefined && booking.reference !== reference) {
    throw new SupplierError('bad_payload', 'the answer is a booking with another reference');
  }
  if (status === 'rejected') throw new SupplierError('rejected', 'the supplier declined');
  if (status !== 'confirmed' && status !== 'on_request')
    throw new SupplierError('bad_payload', `the answer is a booking that is ${status}`);
  return booking;
}

async function numbered(
  { byNumber }: RetrieveStep,
  key: BookingKey,
  { writer, api, context, mapping }: BookingHandlers,
): Promise<readonly SupplierBooking[]> {
  const reader = await api.ask(byNumber, { values: writer.key(key, context), ...READ });
  if (!reader) return [];
  const booking = mapBooking(mapping, reader, reader.node(byNumber.booking, reader.answer));
  if (booking.confirmationNumber === key.confirmationNumber) return [booking];
  throw new SupplierError('bad_payload', 'the booking has another number than asked for');
}

/** A row that cannot be read spoils it all, for it may be the one looked for; so does one that is not ours. */
async function listed(
  { byReference }: RetrieveStep,
  key: BookingKey,
  { writer, api, context, mapping }: BookingHandlers,
): Promise<readonly SupplierBooking[]> {
  if (!byReference) throw new SupplierError('rejected', 'the supplier finds bookings by number only', false);
  const reader = await api.ask(byReference, { values: writer.key(key, context), ...READ });
  if (!reader) return [];
  const rows = reader.rows(byReference.rows, reader.answer);
  if (!rows) throw new SupplierError('bad_payload', `the answer has no list "${byReference.rows.text}"`);
  const bookings = rows.map((row) => mapBooking(mapping, reader, row));
  if (bookings.some((booking) => booking.reference !== key.reference)) {
    throw new SupplierError('bad_payload', 'the list has a booking with another reference than asked for');
  }
  return bookings;
}

async function releaseHolds(
  { release }: HoldStep,
  retrieval: RetrieveStep,
  key: BookingKey,
  desk: BookingHandlers,
): Promise<CancelResult> {
  const found = await listed(retrieval, key, desk);
  if (found.length === 0)
    throw new SupplierError('rejected', 'no hold with the reference', true, { refusal: 'not_found' });
  if (found.some(({ status }) => status === 'confirmed' || status === 'on_request')) {
    throw new SupplierError('rejected', 'the reference has a booking, which is cancelled by its number', true, {
      refusal: 'not_changeable',
    });
  }
  for (const { status, ref } of found) {
    if (status === 'held') await released(release, desk.writer.key(key, desk.context, ref), desk.api);
  }
  return {};
}

async function giveBack(
  { release }: HoldStep,
  request: BookRequest,
  ref: Ref,
  { writer, api, context }: BookingHandlers,
): Promise<void> {
  try {
    await released(release, writer.booking(request, context, ref), api);
  } catch (error) {
    // A hold that could not be given back books nothing and falls away by itself; the refusal is what the caller must hear.
    if (!(error instanceof SupplierError)) throw error;
  }
}

async function released(step: Step, values: RequestValues, api: RestApi): Promise<void> {
  await api.ask(step, { values, repeatable: false, accepted: ['done'] });
}

async function written(step: Step, values: RequestValues, api: RestApi): Promise<AnswerReader> {
  const reader = await api.ask(step, { values, repeatable: false });
  if (reader) return reader;
  throw new SupplierError('bad_payload', 'the answer says nothing');
}

/** Whether certainly nothing was booked: the supplier refused, or the confirmation never left. */
function isClearNo(error: unknown): boolean {
  if (!(error instanceof SupplierError)) return false;
  return !error.sent || error.fault === 'rejected' || error.fault === 'throttled' || error.fault === 'auth';
}

function covers(accepted: Money, asked: Money): boolean {
  return accepted.currency === asked.currency && asked.amountMinor <= accepted.amountMinor;
}
