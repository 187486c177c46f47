import type { BookRequest, SupplierBooking } from '../model/bookings.js';
import type { Fault, Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';
import { must, told } from './breach.js';
import { type ContractCase } from './case.js';
import { failureOf } from './ended.js';
import { halved, instead, truncated } from './failure-cases.js';
import { type Exchange, type Play, pass, type ReceivedCall } from './fault-server.js';
import type { Questions } from './operations.js';
import { keyOf } from './subject.js';

/** Of an answer that never comes; long enough for the steps before it on a busy machine. */
const DEADLINE_MS = 600;
const DOUBTFUL: readonly Fault[] = ['unavailable', 'timeout', 'bad_payload'];

/** What happens to an answer after the supplier has done its work. */
const LOSSES: readonly (readonly [what: string, play: Play, timeoutMs?: number])[] = [
  ['lost with the connection', after(({ socket }) => void socket.resetAndDestroy())],
  ['never sent', after(() => undefined), DEADLINE_MS],
  ['broken off', truncated],
  ['half a document', halved],
  ['an empty success', after(instead(200, ''))],
  ['a web page', after(instead(200, '<html><body>Hotel guests</body></html>', 'text/html'))],
  ['a 500', after(instead(500, 'Oops', 'text/plain'))],
  ['a 502 of a proxy', after(instead(502, '<html><body>Bad gateway</body></html>', 'text/html'))],
];

/** A call that changes something, whose answer gets lost, may have been carried out: it is unknown, found again where it can be, made once. */
export const SAFETY_CASES: readonly ContractCase[] = [
  {
    id: 'lost_answer',
    guarantee: 'a write whose answer is lost is unknown and was sent once: the supplier has done it exactly once',
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

/** How many calls the operation takes. */
async function stepsOf(bench: Bench, operation: Operation): Promise<number> {
  const { question, undo } = await attempt(bench, operation);
  const steps = await bench.line(async (line) => {
    bench.server.play(pass);
    await line.ask(operation, question);
    return bench.server.calls.length;
  });
  await undo();
  return steps;
}

/** One answer that gets lost. `timeoutMs` undefined = the call ends by itself. */
interface Loss {
  readonly what: string;
  readonly play: Play;
  readonly timeoutMs: number | undefined;
  /** Which call of the operation it is the answer to, from 1. */
  readonly step: number;
  readonly isLast: boolean;
}

async function lost(bench: Bench, operation: Operation, { what, play, timeoutMs, step, isLast }: Loss): Promise<void> {
  const { question, reference, undo, judge } = await attempt(bench, operation);
  const { ended, calls } = await bench.line(async (line) => {
    bench.server.play((exchange) => (exchange.step === step ? play(exchange) : pass(exchange)));
    const ended = await line.ask(operation, question, timeoutMs === undefined ? {} : { timeoutMs });
    return { ended, calls: bench.server.calls };
  });
  must(sentTwice(calls) === undefined, `${what}: ${sentTwice(calls)} was sent again`);
  const error = failureOf(ended);
  must(DOUBTFUL.includes(error.fault), `${what}: is ${told(error)}; right would be ${DOUBTFUL.join(' or ')}`);
  must(error.sent, `${what}: says that nothing was sent`);
  if (isLast) await judge(what);
  else must((await standing(bench, reference)) === 0, `${what}: booked although a step before the last was lost`);
  await undo();
}

interface Attempt<O extends Operation = Operation> {
  readonly question: Questions[O];
  readonly reference: string;
  /** Throws a Breach unless the supplier has done it once. */
  judge(what: string): Promise<void>;
  /** Leaves nothing of it at the supplier. */
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
        `${what}: the supplier's book has ${more.length + 1} bookings of the reference`,
      );
      if (operation === 'cancel') must(row.status === 'cancelled', `${what}: the supplier's book says ${row.status}`);
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

/** Exactly one booking, and it is found by our reference where the adapter says that it can be. */
async function judgeBooked(bench: Bench, request: BookRequest, what: string): Promise<void> {
  const count = await standing(bench, request.reference);
  must(count === 1, `${what}: the supplier's book has ${count} bookings of the reference`);
  if (!bench.adapter.booking?.findsByReference) return;
  const found = await bench.found('retrieve', keyOf(request));
  must(
    found.length === 1 && found[0]?.status === 'confirmed',
    `${what}: found ${found.length} bookings by our reference`,
  );
}

async function standing(bench: Bench, reference: string): Promise<number> {
  return (await bench.booked(reference)).filter(({ status }) => status === 'confirmed' || status === 'on_request')
    .length;
}

/** The first call that changes something and came twice. Ids and times may differ: what is sent again is seldom sent letter by letter. */
function sentTwice(calls: readonly ReceivedCall[]): string | undefined {
  const seen = new Set<string>();
  for (const { method, url, body } of calls) {
    const call = `${method} ${url} ${body}`.replace(/[\da-f]{8}[\da-f-]*|\d+/gi, '#');
    if (method !== 'GET' && seen.has(call)) return `${method} call ${seen.size}`;
    seen.add(call);
  }
  return undefined;
}

/** Lets the supplier do its work and then something else than answer. */
function after(play: Play): Play {
  return async (exchange: Exchange) => {
    await exchange.forward();
    await play(exchange);
  };
}
