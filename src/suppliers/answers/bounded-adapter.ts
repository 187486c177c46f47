import { loopTurns } from '../../config/loop-turns.js';
import {
  OPERATIONS,
  type Operation,
  type SupplierAdapter,
  SupplierError,
  type SupplierHttp,
  type SupplierHttpAnswer,
  type SupplierHttpCall,
} from '../../model/supplier.js';
import type { Warning } from '../../model/warnings.js';
import { refuseUnbounded } from './json-bounds.js';
import {
  type EndedCall,
  errorOf,
  type PerformContext,
  perform,
  plainOf,
  type Recording,
  type Replayed,
} from './replay.js';

/**
 * Answers up to this size are read in the thread that received them. The worst of them takes less than 50 ms there, and
 * a larger one is read faster elsewhere (docs/decisions/0025-large-answers.md).
 */
export const INLINE_BYTES = 65_536;

/** The most that the answers of one operation may add up to: with each further page, all pages are read again. */
const MOST_BYTES = 8_000_000;

/** The context of an operation in the engine. */
export interface EngineContext extends PerformContext {
  /** When the operation times out (performance.now); absent = never. */
  readonly endsAtMs?: number;
  /** The account for which the operation is made; absent or empty = background work. */
  readonly account?: string;
  /** Called when an answer begins to wait for a thread, and when it was read: the supplier isn't to blame in between. */
  waits?(): void;
  waited?(): void;
  /** Called if an answer isn't read because too many wait, or no thread had time before the deadline. */
  unread?(): void;
  /** Whether the operation was aborted, so that its answer is no longer needed. */
  isOver?(): boolean;
  /** Called with the warnings of an answer, if it has any. */
  warned?(warnings: readonly Warning[]): void;
}

/** What reading elsewhere needs to know of the context of an operation. */
export type ReadingContext = Pick<EngineContext, 'endsAtMs' | 'account' | 'waited' | 'unread' | 'isOver'>;

/**
 * Replays a recording outside this thread. Rejects with SupplierError `bad_payload` if reading exceeds its time or memory, and
 * with CallRejectedError if too many answers wait or it isn't done by the deadline.
 */
export type ReadElsewhere = (recording: Recording, context: ReadingContext) => Promise<Replayed>;

const LARGE = Symbol('a large answer arrived');

/**
 * The same adapter within the limits of an answer (limits.ts): an operation whose answer exceeds them rejects with
 * `bad_payload`. With `elsewhere`, an operation that receives a large answer starts over there with the answers so far,
 * because reading, mapping and checking it could hold up this thread for seconds.
 */
export function boundedAdapter(adapter: SupplierAdapter, elsewhere?: ReadElsewhere): SupplierAdapter {
  const operations = OPERATIONS.filter((operation) => adapter[operation] !== undefined).map((operation) => [
    operation,
    async (question: unknown, context: EngineContext) => {
      const answer = await carryOut(adapter, operation, question, context, elsewhere);
      const { warnings = [] } = answer as { readonly warnings?: readonly Warning[] };
      if (warnings.length > 0) context.warned?.(warnings);
      return answer;
    },
  ]);
  const { brandsPerCall, booking } = adapter;
  return {
    brandsPerCall,
    ...(booking && { booking }),
    ...(adapter.authenticate && { authenticate: adapter.authenticate.bind(adapter) }),
    ...Object.fromEntries(operations),
  };
}

async function carryOut(
  adapter: SupplierAdapter,
  operation: Operation,
  question: unknown,
  context: EngineContext,
  elsewhere: ReadElsewhere | undefined,
): Promise<unknown> {
  const calls = new CallLog(context.http);
  const large = Promise.withResolvers<typeof LARGE>();
  let isLarge = false;
  const send = async (call: SupplierHttpCall, repeatable?: boolean): Promise<SupplierHttpAnswer> => {
    if (isLarge) return never();
    const answer = await calls.send(call, repeatable);
    if (elsewhere && answer.body.length > INLINE_BYTES) {
      isLarge = true;
      large.resolve(LARGE);
    }
    if (!isLarge) await turnOf(context);
    if (isLarge) return never();
    refuseUnbounded(answer.body);
    return answer;
  };
  const answer = await Promise.race([
    perform(adapter, operation, question, { ...context, http: { send } }),
    large.promise,
  ]);
  if (answer !== LARGE || !elsewhere) return answer;
  const { requestId, environment, now, salt, naming } = context;
  const kept = { requestId, environment, now, ...(salt === undefined ? {} : { salt }), ...(naming && { naming }) };
  return replayed(elsewhere, { operation, question, context: kept }, calls, context);
}

/**
 * Resolves when an answer may be read here. A supplier that keeps its answers and gives all of them in one moment would otherwise hold up
 * this thread for as long as all of them take.
 */
async function turnOf(context: EngineContext): Promise<void> {
  const turn = loopTurns.take(context.account ?? '');
  if (!turn) return;
  context.waits?.();
  await turn;
  context.waited?.();
}

/** Continues an operation elsewhere; the calls that it makes there are sent from here. */
async function replayed(
  elsewhere: ReadElsewhere,
  operation: Omit<Recording, 'calls'>,
  log: CallLog,
  context: EngineContext,
): Promise<unknown> {
  for (;;) {
    const { calls, errors } = await log.ended();
    context.waits?.();
    const result = await elsewhere({ ...operation, calls }, context);
    if (result.kind === 'answered') return result.answer;
    if (result.kind === 'broken') throw result.error;
    if (result.kind === 'failed') throw errors.get(result.call) ?? errorOf(result.failure);
    for (const { call, repeatable } of result.calls) void log.send(call, repeatable);
  }
}

/** The HTTP calls of one operation. */
class CallLog {
  readonly #calls: { readonly call: SupplierHttpCall; readonly answer: Promise<SupplierHttpAnswer> }[] = [];

  constructor(private readonly http: SupplierHttp) {}

  send(call: SupplierHttpCall, repeatable?: boolean): Promise<SupplierHttpAnswer> {
    const answer = this.http.send(call, repeatable);
    // An operation that starts over no longer waits for it.
    answer.catch(() => undefined);
    this.#calls.push({ call, answer });
    return answer;
  }

  /**
   * All calls after the last one has settled, and their errors by position. Rejects with `bad_payload` if the answers
   * together exceed the limit.
   */
  async ended(): Promise<{
    readonly calls: readonly EndedCall[];
    readonly errors: ReadonlyMap<unknown, SupplierError>;
  }> {
    const errors = new Map<unknown, SupplierError>();
    const calls: EndedCall[] = [];
    let bytes = 0;
    for (const [index, { call, answer }] of this.#calls.entries()) {
      try {
        const { status, headers, body } = await answer;
        bytes += body.length;
        calls.push({ call, ended: { answer: { status, headers, body } } });
      } catch (error) {
        if (!(error instanceof SupplierError)) throw error;
        errors.set(index, error);
        calls.push({ call, ended: { failure: plainOf(error) } });
      }
    }
    if (bytes > MOST_BYTES)
      throw new SupplierError('bad_payload', `the answers of one operation are larger than ${MOST_BYTES} bytes`);
    return { calls, errors };
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
