import type { BookRequest, SupplierBooking } from '../model/bookings.js';
import type { Fault, Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';
import { describeError, must } from './breach.js';
import { type ContractCase } from './case.js';
import { failureOf } from './ended.js';
import { halved, instead, truncated } from './failure-plays.js';
import { type Exchange, type Play, pass, type ReceivedCall } from './fault-server.js';
import { keyOf } from './kit-bookings.js';
import type { Questions } from './operations.js';

/** Time budget when the answer never arrives; enough for the preceding steps on a busy machine. */
const DEADLINE_MS = 600;
const DOUBTFUL: readonly Fault[] = ['unavailable', 'timeout', 'bad_payload'];

/** How the answer is lost after the supplier has done its work. */
const LOSSES: readonly (readonly [what: string, play: Play, timeoutMs?: number])[] = [
  ['connection reset', after(({ socket }) => void socket.resetAndDestroy())],
  ['never sent', after(() => undefined), DEADLINE_MS],
  ['cut off', truncated],
  ['half a document', halved],
  ['an empty success', after(instead(200, ''))],
  ['a web page', after(instead(200, '<html><body>Hotel guests</body></html>', 'text/html'))],
  ['a 500', after(instead(500, 'Oops', 'text/plain'))],
  ['a 502 from a proxy', after(instead(502, '<html><body>Bad gateway</body></html>', 'text/html'))],
];

/** A write whose answer is lost is in doubt: it is reported as unknown, found again if possible, and made once. */
export const SAFETY_CASES: readonly ContractCase[] = [
  {
    id: 'lost_answer',
    guarantee: 'a write whose answer is lost is in doubt and sent once: the supplier carries it out exactly once',
    operations: ['book', 'modify', 'cancel'],
    simulated: true,
    waits: true,
    run: async (bench, operation) => {
      const steps = await stepsOf(bench, operation);
      for (const [what, play, timeoutMs] of LOSSES) {
        for (let step = 1; step <= steps; step += 1)
          await lost(bench, operation, {
            what: `${what} (call ${step} of ${steps})`,
            play,
            timeoutMs,
            step,
            isLast: step === steps,
          });
      }
    },
  },
];

/** The number of calls that the operation makes. */
async function stepsOf(bench: Bench, operation: Operation): Promise<number> {
  const { question, undo } = await attempt(bench, operation);
  const steps = await bench.withCaller(async (caller) => {
    bench.server.play(pass);
    await caller.ask(operation, question);
    return bench.server.calls.length;
  });
  await undo();
  return steps;
}

/** One lost answer. `timeoutMs` undefined = the call ends without a timeout. */
interface Loss {
  readonly what: string;
  readonly play: Play;
  readonly timeoutMs: number | undefined;
  /** The step of the operation whose answer is lost, from 1. */
  readonly step: number;
  readonly isLast: boolean;
}

async function lost(bench: Bench, operation: Operation, { what, play, timeoutMs, step, isLast }: Loss): Promise<void> {
  const { question, reference, undo, judge } = await attempt(bench, operation);
  const { ended, calls } = await bench.withCaller(async (caller) => {
    bench.server.play((exchange) => (exchange.step === step ? play(exchange) : pass(exchange)));
    const ended = await caller.ask(operation, question, timeoutMs === undefined ? {} : { timeoutMs });
    return { ended, calls: bench.server.calls };
  });
  must(sentTwice(calls) === undefined, `${what}: ${sentTwice(calls)} was sent again`);
  const error = failureOf(ended);
  must(DOUBTFUL.includes(error.fault), `${what}: got ${describeError(error)}; expected ${DOUBTFUL.join(' or ')}`);
  must(error.sent, `${what}: the error says that nothing was sent`);
  if (isLast) await judge(what);
  else
    must(
      (await activeBookings(bench, reference)) === 0,
      `${what}: booked although the answer to an earlier step was lost`,
    );
  await undo();
}

interface Attempt<O extends Operation = Operation> {
  readonly question: Questions[O];
  readonly reference: string;
  /** Throws a Breach unless the supplier carried it out exactly once. */
  judge(what: string): Promise<void>;
  /** Undoes it at the supplier. */
  undo(): Promise<void>;
}

async function attempt(bench: Bench, operation: Operation): Promise<Attempt> {
  if (operation === 'book') {
    const request = await bench.subject.bookRequest();
    const { reference } = request;
    return {
      question: request,
      reference,
      judge: (what) => judgeBooked(bench, request, what),
      undo: () => cancelAll(bench, request),
    };
  }
  const made = await bench.subject.book();
  const { reference } = made.request;
  return {
    question: operation === 'modify' ? await bench.subject.changed(made, bench.subject.firstChange()) : made.key,
    reference,
    judge: async (what) => {
      const [row, ...more] = await bench.booked(reference);
      must(
        row !== undefined && more.length === 0,
        `${what}: the supplier has ${more.length + 1} bookings with the reference; expected 1`,
      );
      if (operation === 'cancel')
        must(row.status === 'cancelled', `${what}: the supplier recorded ${row.status}; expected cancelled`);
    },
    undo: () => cancelAll(bench, made.request, made.booking),
  };
}

async function cancelAll(bench: Bench, request: BookRequest, booking?: SupplierBooking): Promise<void> {
  for (const { confirmation, status } of await bench.booked(request.reference)) {
    if (status !== 'confirmed' && status !== 'on_request') continue;
    await bench.found('cancel', keyOf(request, { ref: {}, ...booking, status, confirmationNumber: confirmation }));
  }
}

/**
 * Throws a Breach unless there is exactly one booking and, if the adapter declares it, it is found by its reference.
 */
async function judgeBooked(bench: Bench, request: BookRequest, what: string): Promise<void> {
  const count = await activeBookings(bench, request.reference);
  must(count === 1, `${what}: the supplier has ${count} bookings with the reference; expected 1`);
  if (!bench.adapter.booking?.findsByReference) return;
  const found = await bench.found('retrieve', keyOf(request));
  must(
    found.length === 1 && found[0]?.status === 'confirmed',
    `${what}: found ${found.length} bookings by the reference; expected 1`,
  );
}

async function activeBookings(bench: Bench, reference: string): Promise<number> {
  return (await bench.booked(reference)).filter(({ status }) => status === 'confirmed' || status === 'on_request')
    .length;
}

/** The first write that was sent twice, ignoring ids and times, which may differ in a retry. */
function sentTwice(calls: readonly ReceivedCall[]): string | undefined {
  const seen = new Set<string>();
  for (const { method, url, body } of calls) {
    const call = `${method} ${url} ${body}`.replace(/[\da-f]{8}[\da-f-]*|\d+/gi, '#');
    if (method !== 'GET' && seen.has(call)) return `${method} call ${seen.size}`;
    seen.add(call);
  }
  return undefined;
}

/** Lets the supplier do its work, then runs `play` instead of answering. */
function after(play: Play): Play {
  return async (exchange: Exchange) => {
    await exchange.forward();
    await play(exchange);
  };
}
