import { isDeepStrictEqual } from 'node:util';
import type { SupplierBooking } from '../../model/bookings.js';
import { UnreadableAmountError } from '../../model/money.js';
import type { SupplierOffer } from '../../model/offers.js';
import {
  type Fault,
  type Operation,
  type Refusal,
  type SupplierAdapter,
  type SupplierAnswer,
  type SupplierContext,
  SupplierError,
  type SupplierHttp,
  type SupplierHttpAnswer,
  type SupplierHttpCall,
} from '../../model/supplier.js';
import { keepSent, type SentCall } from '../sent-call.js';
import { withCurrentTerms, withoutExpired } from './current-terms.js';
import { refuseUnbounded } from './json-bounds.js';
import { checkAnswer } from './limits.js';
import { isAboutOne, type Naming, refuseAnother, refuseMixedUp } from './names-another.js';
import { onlyRequested } from './requested.js';
import { trimmed } from './trimmed.js';

/** More than is logged. */
const MOST_MESSAGE = 2_000;

/** One HTTP call of an operation and how it ended. */
export interface EndedCall {
  readonly call: SupplierHttpCall;
  readonly ended: { readonly answer: SupplierHttpAnswer } | { readonly failure: PlainFailure };
}

/** The context of an operation that is performed or replayed. */
export interface PerformContext extends SupplierContext {
  /** Which reservation it is about; absent = none, or it isn't checked whether the answers are about it. */
  readonly naming?: Naming;
}

/** An operation and all its HTTP calls so far: everything that its result depends on. */
export interface Recording {
  readonly operation: Operation;
  readonly question: unknown;
  readonly context: Omit<PerformContext, 'http'>;
  readonly calls: readonly EndedCall[];
}

/** What a recorded operation led to. All of it can be sent between threads. */
export type Replayed =
  | { readonly kind: 'answered'; readonly answer: unknown }
  /** `call`: the failure is that of this recorded call. */
  | { readonly kind: 'failed'; readonly failure: PlainFailure; readonly call?: number }
  /** The adapter threw something other than a SupplierError. */
  | { readonly kind: 'broken'; readonly error: unknown }
  /** The operation makes further calls. */
  | { readonly kind: 'unfinished'; readonly calls: readonly NextCall[] };

/** A call that the recording doesn't have. */
export interface NextCall {
  readonly call: SupplierHttpCall;
  readonly repeatable: boolean;
}

/** The content of a SupplierError. */
export interface PlainFailure {
  readonly fault: Fault;
  readonly message: string;
  readonly sent: boolean;
  readonly refusal: Refusal | undefined;
  readonly booked: SupplierBooking | undefined;
}

/**
 * Runs an operation of an adapter on recorded calls, sending nothing, and checks the answer's limits. Never rejects. An adapter
 * makes the same calls for the same question and answers; if it doesn't, the result is `broken`, because repeating a
 * call that differs slightly could book twice.
 */
export async function replay(adapter: SupplierAdapter, recording: Recording): Promise<Replayed> {
  const { operation, question, context } = recording;
  const open = [...recording.calls.entries()];
  const failures = new Map<unknown, number>();
  const next: NextCall[] = [];
  const stuck = Promise.withResolvers<Replayed>();
  const send = (call: SupplierHttpCall, repeatable = false): Promise<SupplierHttpAnswer> => {
    const at = open.findIndex(([, recorded]) => isSameCall(recorded.call, call));
    const [index, recorded] = (at === -1 ? undefined : open.splice(at, 1)[0]) ?? [];
    if (index === undefined || recorded === undefined) {
      next.push({ call, repeatable });
      // Other calls that the adapter makes in the same turn belong to the result.
      if (next.length === 1) setImmediate(() => stuck.resolve(unfinished(next, open.length)));
      return new Promise(() => undefined);
    }
    return given(recorded.ended, (error) => failures.set(error, index));
  };
  const finish = async (): Promise<Replayed> => {
    try {
      const answer = await perform(adapter, operation, question, { ...context, http: { send } });
      return { kind: 'answered', answer };
    } catch (error) {
      if (!(error instanceof SupplierError)) return { kind: 'broken', error };
      const call = failures.get(error);
      return { kind: 'failed', failure: plainOf(error), ...(call === undefined ? {} : { call }) };
    }
  };
  return Promise.race([finish(), stuck.promise]);
}

/**
 * Runs an operation, checks the limits of its answer and whether it is about the reservation, and leaves out what isn't for the request, and what has expired. Rejects as the adapter
 * does, with `bad_payload` if the answer exceeds a limit or nothing is left, and with an Error if the adapter doesn't have the operation.
 */
export async function perform(
  adapter: SupplierAdapter,
  operation: Operation,
  question: unknown,
  context: PerformContext,
): Promise<unknown> {
  const work = adapter[operation] as ((question: unknown, context: SupplierContext) => Promise<unknown>) | undefined;
  if (!work) throw new Error(`the adapter has no ${operation}`);
  const { naming } = context;
  const sent: SentCall[] = [];
  const stated = await readable(
    work.call(adapter, question, naming ? { ...context, http: kept(context, sent, operation) } : context),
  );
  const answer = trimmed(operation, stated);
  checkAnswer(operation, answer);
  const requested = onlyRequested(operation, question, answer);
  if (naming) refuseMixedUp(operation, requested, sent, naming);
  const { now } = context;
  if (operation !== 'searchVehicles' && operation !== 'priceCheck') return requested;
  const offers = requested as SupplierAnswer<SupplierOffer>;
  return withCurrentTerms(operation === 'searchVehicles' ? withoutExpired(offers, now) : offers, now);
}

/**
 * The calls of a context, of which the last ones are kept in `sent`. Rejects with `bad_payload` before the adapter reads an answer that is about another
 * reservation: a refusal of that one is none of this one, and its hold must not be confirmed.
 */
function kept({ http, naming }: PerformContext, sent: SentCall[], operation: Operation): SupplierHttp {
  return {
    send: async (call, repeatable) => {
      const one = keepSent(sent, call);
      one.answer = await http.send(call, repeatable);
      if (naming && isAboutOne(operation, naming)) refuseAnother([one], naming.reference, naming.renter);
      return one.answer;
    },
  };
}

/** An amount that can't be read makes the answer unreadable, unless the adapter left out its row. */
async function readable(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof UnreadableAmountError)) throw error;
    throw new SupplierError('bad_payload', error.message, true, { cause: error });
  }
}

/** The error of a recorded call or of a replayed operation. */
export function errorOf({ fault, message, sent, refusal, booked }: PlainFailure): SupplierError {
  return new SupplierError(fault, message, sent, { refusal, booked });
}

/** The content of a SupplierError, for a recording. Of a long message, which quotes the supplier, only the beginning. */
export function plainOf({ fault, message, sent, refusal, booked }: SupplierError): PlainFailure {
  return { fault, message: message.slice(0, MOST_MESSAGE), sent, refusal, booked };
}

async function given(ended: EndedCall['ended'], failed: (error: SupplierError) => void): Promise<SupplierHttpAnswer> {
  if ('answer' in ended) {
    refuseUnbounded(ended.answer.body);
    return ended.answer;
  }
  const error = errorOf(ended.failure);
  failed(error);
  throw error;
}

/** Recorded calls that the adapter didn't make again show that it isn't repeatable. */
function unfinished(calls: readonly NextCall[], unused: number): Replayed {
  if (unused === 0) return { kind: 'unfinished', calls };
  return { kind: 'broken', error: new Error('the adapter makes other calls for the same question and answers') };
}

function isSameCall(one: SupplierHttpCall, other: SupplierHttpCall): boolean {
  return (
    one.method === other.method &&
    one.path === other.path &&
    one.body === other.body &&
    isDeepStrictEqual(one.headers, other.headers)
  );
}
