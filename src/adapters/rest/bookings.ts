import {
  type BookingKey,
  type BookRequest,
  type CancelResult,
  isSameCode,
  type ModifyRequest,
  type SupplierBooking,
} from '../../model/bookings.js';
import { showsChange } from '../../model/contradicted-refusal.js';
import { MOST_BOOKINGS, refuseMoreThan } from '../../model/limits.js';
import type { Money } from '../../model/money.js';
import type { SupplierOffer } from '../../model/offers.js';
import { isClearRefusal, type SupplierAnswer, type SupplierContext, SupplierError } from '../../model/supplier.js';
import { calledBooking, hasBooking, mapBooking } from './booking-mapping.js';
import type { Manifest, Step } from './options.js';
import { reads } from './request.schema.js';
import type { RequestValues, RequestWriter } from './requests.js';
import type { Ask, RestApi } from './rest-api.js';
import type { AnswerReader } from './wire.js';

/** What the booking operations of one supplier need. */
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

const NOTHING: SupplierAnswer<never> = { items: [], warnings: [] };

/**
 * Books in one step or, with a hold, in two; only the second step books. If the supplier clearly refuses after the
 * hold, the hold is released. If the answer to the confirmation is lost or unclear, the hold is kept because it may
 * already be a booking.
 */
export async function book(step: BookStep, request: BookRequest, handlers: BookingHandlers): Promise<SupplierBooking> {
  const { hold } = step;
  if (!hold) return confirm(step, request, handlers);
  const held = await holdCar(hold, request, handlers);
  if (!covers(request.total, held.total)) {
    await releaseHold(hold, request, held.ref, handlers);
    throw new SupplierError('rejected', 'the hold costs more than the accepted price', true, {
      refusal: 'price_changed',
    });
  }
  try {
    return await confirm(step, request, handlers, held.ref);
  } catch (error) {
    if (error instanceof SupplierError && isClearRefusal(error)) await releaseHold(hold, request, held.ref, handlers);
    throw error;
  }
}

/** Changes a booking as requested; the answer must be for the same booking, which may have another number since (`calledBooking`). */
export async function modify(
  step: NonNullable<Manifest['modify']>,
  request: ModifyRequest,
  handlers: BookingHandlers,
): Promise<SupplierBooking> {
  const stated = (reader: AnswerReader) =>
    mapBooking(handlers.mapping, reader, reader.node(step.booking, reader.answer), request.reference);
  const shows = (reader: AnswerReader) => showsChange(stated(reader), request);
  const reader = await write(step, handlers.writer.booking(request, handlers.context), handlers.api, shows);
  const booking = requireBooked(stated(reader), request.reference);
  return { ...calledBooking(booking, request), ...warningsOf(reader) };
}

/**
 * Retrieves by number, or lists all bookings and active holds with our reference. Empty means the supplier says that
 * there are none.
 */
export async function retrieve(
  step: RetrieveStep,
  key: BookingKey,
  handlers: BookingHandlers,
): Promise<SupplierAnswer<SupplierBooking>> {
  return key.confirmationNumber === undefined
    ? listByReference(step, key, handlers)
    : findByNumber(step, key, handlers);
}

/**
 * Cancels by number, or by our reference a request that the supplier hasn't numbered yet, if its interface can. Without a number, a manifest
 * with holds releases those with our reference and never touches a booking: an unconfirmed hold is abandoned, but an unexpected booking must be
 * reported, not cancelled.
 */
export async function cancel(manifest: Manifest, key: BookingKey, handlers: BookingHandlers): Promise<CancelResult> {
  const { cancel: step, book: booking, retrieve: retrieval } = manifest;
  if (key.confirmationNumber === undefined && booking?.hold && retrieval)
    return releaseHolds(booking.hold, retrieval, key, handlers);
  const isByReference = step && reads(step.request, 'reference') && !reads(step.request, 'confirmationNumber');
  if (!step || (key.confirmationNumber === undefined && !isByReference)) {
    throw new SupplierError('rejected', 'the booking has no confirmation number to cancel by', false, {
      refusal: 'unsupported_by_supplier',
    });
  }
  const values = handlers.writer.key(key, handlers.context);
  const { expects } = step;
  // An expectation that holds for any answer, for a supplier that answers with HTTP 204, shows nothing, nor does one that holds for an active booking.
  const showsDone = (answered: AnswerReader) =>
    expects !== undefined &&
    answered.holds(expects, answered.answer) &&
    !answered.holds(expects, null) &&
    !isActive(handlers.mapping, answered, answered.answer);
  const reader = await handlers.api.ask(step, { values, repeatable: false, accepted: ['done'], showsDone });
  if (!reader) return {};
  const { answer } = reader;
  const number = reader.text(step.confirmationNumber, answer);
  if (number !== undefined && !isSameCode(number, key.confirmationNumber ?? number))
    throw new SupplierError('bad_payload', 'the supplier cancelled a different booking');
  const currency = reader.currency(step.currency, answer);
  return {
    fee: reader.optionalPayable(step.fee, answer, currency),
    refund: reader.optionalPayable(step.refund, answer, currency),
    cancellationNumber: reader.text(step.cancellationNumber, answer),
    ...warningsOf(reader),
  };
}

async function holdCar(
  step: HoldStep,
  request: BookRequest,
  handlers: BookingHandlers,
): Promise<{ readonly ref: Ref; readonly total: Money }> {
  const reader = await write(step, handlers.writer.booking(request, handlers.context), handlers.api);
  const ref = reader.ref(step.ref, reader.answer);
  const total = reader.money(step.total, reader.answer, reader.currency(step.currency, reader.answer));
  if (!ref || !total) throw new SupplierError('bad_payload', 'the hold has no readable id or total');
  return { ref, total };
}

async function confirm(
  step: BookStep,
  request: BookRequest,
  handlers: BookingHandlers,
  hold?: Ref,
): Promise<SupplierBooking> {
  const shows = (reader: AnswerReader) => showsBooking(handlers.mapping, step, reader, request.reference);
  const values = handlers.writer.booking(request, handlers.context, hold);
  const reader = await write(step, values, handlers.api, shows);
  const booking = mapBooking(handlers.mapping, reader, reader.node(step.booking, reader.answer), request.reference);
  return { ...requireBooked(booking, request.reference), ...warningsOf(reader) };
}

/** The warnings of a write's answer; no member if there are none. */
function warningsOf({ warnings }: AnswerReader): Pick<SupplierBooking, 'warnings'> {
  return warnings.list.length > 0 ? { warnings: warnings.list } : {};
}

/**
 * A booking that was made or changed. If it was declined, certainly nothing was booked; in any other state the outcome
 * is unknown.
 */
function requireBooked(booking: SupplierBooking, reference: string): SupplierBooking {
  const { status } = booking;
  if (booking.reference !== undefined && booking.reference !== reference) {
    throw new SupplierError('bad_payload', 'the supplier returned a booking with a different reference');
  }
  if (status === 'rejected') throw new SupplierError('rejected', 'the supplier declined the booking');
  if (status !== 'confirmed' && status !== 'on_request')
    throw new SupplierError('bad_payload', `the supplier returned a booking with status ${status}`);
  return booking;
}

/** What retrieves. An answer that has the booking anywhere doesn't say that there is none. */
function lookup(key: BookingKey, { writer, context, mapping }: BookingHandlers): Ask {
  return {
    values: writer.key(key, context),
    repeatable: true,
    accepted: ['empty', 'not_found'],
    showsFound: (reader) => hasBooking(mapping, reader, key),
  };
}

async function findByNumber(
  { byNumber }: RetrieveStep,
  key: BookingKey,
  handlers: BookingHandlers,
): Promise<SupplierAnswer<SupplierBooking>> {
  const { api, mapping } = handlers;
  const reader = await api.ask(byNumber, lookup(key, handlers));
  if (!reader) return NOTHING;
  const booking = mapBooking(mapping, reader, reader.node(byNumber.booking, reader.answer), key.reference);
  return { items: [calledBooking(booking, key)], warnings: reader.warnings.list };
}

/**
 * An unreadable row fails the complete list because it could be the one requested. So does a row with a different
 * reference.
 */
async function listByReference(
  { byReference }: RetrieveStep,
  key: BookingKey,
  handlers: BookingHandlers,
): Promise<SupplierAnswer<SupplierBooking>> {
  if (!byReference) throw new SupplierError('rejected', 'the supplier can find bookings only by number', false);
  const { api, mapping } = handlers;
  const reader = await api.ask(byReference, lookup(key, handlers));
  if (!reader) return NOTHING;
  const rows = reader.rows(byReference.rows, reader.answer);
  if (!rows) throw new SupplierError('bad_payload', `the answer has no list "${byReference.rows.text}"`);
  refuseMoreThan(MOST_BOOKINGS, rows.length, 'bookings');
  const bookings = rows.map((row) => mapBooking(mapping, reader, row, key.reference));
  if (bookings.length === 0 && hasBooking(mapping, reader, key))
    throw new SupplierError('bad_payload', 'the list is empty, but the answer has a booking with the reference');
  if (bookings.some((booking) => booking.reference !== key.reference)) {
    throw new SupplierError('bad_payload', 'the list has a booking with a different reference');
  }
  return { items: bookings, warnings: reader.warnings.list };
}

async function releaseHolds(
  { release }: HoldStep,
  retrieval: RetrieveStep,
  key: BookingKey,
  handlers: BookingHandlers,
): Promise<CancelResult> {
  const { items: found } = await listByReference(retrieval, key, handlers);
  if (found.length === 0)
    throw new SupplierError('rejected', 'there is no hold with this reference', true, { refusal: 'not_found' });
  if (found.some(({ status }) => status === 'confirmed' || status === 'on_request')) {
    throw new SupplierError('rejected', 'there is a booking with this reference; cancel it by its number', true, {
      refusal: 'not_changeable',
    });
  }
  for (const { status, ref } of found) {
    if (status === 'held') await sendRelease(release, handlers.writer.key(key, handlers.context, ref), handlers.api);
  }
  return {};
}

async function releaseHold(
  { release }: HoldStep,
  request: BookRequest,
  ref: Ref,
  { writer, api, context }: BookingHandlers,
): Promise<void> {
  try {
    await sendRelease(release, writer.booking(request, context, ref), api);
  } catch (error) {
    // A hold that can't be released books nothing and expires on its own. The caller needs the refusal.
    if (!(error instanceof SupplierError)) throw error;
  }
}

async function sendRelease(step: Step, values: RequestValues, api: RestApi): Promise<void> {
  await api.ask(step, { values, repeatable: false, accepted: ['done'] });
}

/**
 * Whether an answer has an active booking with its number, or a request with our reference, whatever else it says: the word alone may be that of
 * the answer.
 */
function showsBooking(
  mapping: BookingHandlers['mapping'],
  step: BookStep,
  reader: AnswerReader,
  reference: string,
): boolean {
  const node = reader.node(step.booking, reader.answer);
  if (!isActive(mapping, reader, node)) return false;
  const isRequest = reader.word('bookingStatus', mapping.status, node) === 'on_request';
  if (isRequest && isSameCode(reader.text(mapping.reference, node), reference)) return true;
  return reader.text(mapping.confirmationNumber, node) !== undefined;
}

function isActive(mapping: BookingHandlers['mapping'], reader: AnswerReader, node: unknown): boolean {
  const status = reader.word('bookingStatus', mapping.status, node);
  return status === 'confirmed' || status === 'on_request';
}

async function write(
  step: Step,
  values: RequestValues,
  api: RestApi,
  showsDone?: Ask['showsDone'],
): Promise<AnswerReader> {
  const reader = await api.ask(step, { values, repeatable: false, ...(showsDone && { showsDone }) });
  if (reader) return reader;
  throw new SupplierError('bad_payload', 'the answer has no booking');
}

function covers(accepted: Money, asked: Money): boolean {
  return accepted.currency === asked.currency && asked.amountMinor <= accepted.amountMinor;
}
