import type { Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';
import { describeError, must } from './breach.js';
import { type ContractCase, OPERATIONS, READS } from './case.js';
import { failureOf, itemsOf } from './ended.js';
import { type Play, pass } from './fault-server.js';

const DEADLINE_MS = 250;
const TOLERANCE_MS = 50;
/** A busy machine may cause one late call; a faulty adapter is late every time. */
const ROUNDS = 5;
/** A connection that is still open after this time was leaked; waiting longer would not help. */
const MAX_WAIT_MS = 1_000;

/** The engine owns the time: whatever the supplier does, a call and its connection end at the deadline. */
export const DEADLINE_CASES: readonly ContractCase[] = [
  {
    id: 'deadline',
    guarantee: `a call without an answer fails as timeout at its deadline ±${TOLERANCE_MS} ms, and its connection is closed`,
    operations: OPERATIONS,
    waits: true,
    run: (bench, operation) => judged(bench, operation, () => undefined),
  },
  {
    id: 'dribble',
    guarantee: 'an answer that arrives byte by byte does not extend the deadline',
    operations: OPERATIONS,
    waits: true,
    run: (bench, operation) => judged(bench, operation, dribble),
  },
  {
    id: 'slow',
    guarantee: 'an answer that is slow but in time is accepted',
    operations: READS,
    waits: true,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const plain = await bench.found(operation, question);
      const slow = itemsOf(await bench.played(operation, slowly, question), 'a slow answer');
      must(slow.length === plain.length, `found ${slow.length} items; expected ${plain.length}`);
    },
  },
];

async function judged(bench: Bench, operation: Operation, play: Play): Promise<void> {
  const question = await bench.subject.question(operation);
  const times: number[] = [];
  while (times.length < ROUNDS) {
    const { ended, closed } = await bench.withCaller(async (caller) => {
      bench.server.play(play);
      const ended = await caller.ask(operation, question, { timeoutMs: DEADLINE_MS });
      return { ended, closed: await bench.server.calledOff(MAX_WAIT_MS) };
    });
    const error = failureOf(ended);
    must(error.fault === 'timeout', `got ${describeError(error)}; expected timeout`);
    must(closed, 'the connection stayed open after the deadline');
    times.push(Math.round(ended.ms));
    if (Math.abs(ended.ms - DEADLINE_MS) <= TOLERANCE_MS) return;
  }
  must(false, `ended after ${times.join(', ')} ms; the deadline was ${DEADLINE_MS} ms`);
}

const dribble: Play = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n');
  const timer = setInterval(() => socket.write(' '), 20);
  socket.once('close', () => clearInterval(timer));
};

/** Delays the answer, then sends it in two parts. */
const slowly: Play = (exchange) => {
  setTimeout(() => void pass(exchange), 150);
};
