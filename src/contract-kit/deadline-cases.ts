import type { Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';
import { must, told } from './breach.js';
import { type ContractCase, EVERY, READS } from './case.js';
import { failureOf, itemsOf } from './ended.js';
import { type Play, pass } from './fault-server.js';

const DEADLINE_MS = 250;
const TOLERANCE_MS = 50;
/** A machine that was busy for a moment is no breach; an adapter is late every time. */
const ROUNDS = 5;
/** A connection that is kept is kept for good: to wait longer makes nothing of it right. */
const PATIENCE_MS = 1_000;

/** Time is the engine's: whatever the supplier does, a call ends at its deadline and its connection with it. */
export const DEADLINE_CASES: readonly ContractCase[] = [
  {
    id: 'deadline',
    guarantee: `without an answer a call is timeout at its deadline ±${TOLERANCE_MS} ms, and the supplier sees its connection closed`,
    operations: EVERY,
    waits: true,
    run: (bench, operation) => judged(bench, operation, () => undefined),
  },
  {
    id: 'dribble',
    guarantee: 'an answer that comes byte by byte does not stretch the deadline',
    operations: EVERY,
    waits: true,
    run: (bench, operation) => judged(bench, operation, dribble),
  },
  {
    id: 'slow',
    guarantee: 'an answer that comes slowly, but in time, is as good as any',
    operations: READS,
    waits: true,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const plain = await bench.found(operation, question);
      const slow = itemsOf(await bench.played(operation, slowly, question), 'a slow answer');
      must(slow.length === plain.length, `found ${slow.length} items instead of ${plain.length}`);
    },
  },
];

async function judged(bench: Bench, operation: Operation, play: Play): Promise<void> {
  const question = await bench.subject.question(operation);
  const times: number[] = [];
  while (times.length < ROUNDS) {
    const { ended, closed } = await bench.line(async (line) => {
      bench.server.play(play);
      const ended = await line.ask(operation, question, { timeoutMs: DEADLINE_MS });
      return { ended, closed: await bench.server.calledOff(PATIENCE_MS) };
    });
    const error = failureOf(ended);
    must(error.fault === 'timeout', `is ${told(error)}; right would be timeout`);
    must(closed, 'the connection stayed open after the deadline');
    times.push(Math.round(ended.ms));
    if (Math.abs(ended.ms - DEADLINE_MS) <= TOLERANCE_MS) return;
  }
  must(false, `ended after ${times.join(', ')} ms where the deadline was ${DEADLINE_MS} ms`);
}

const dribble: Play = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n');
  const timer = setInterval(() => socket.write(' '), 20);
  socket.once('close', () => clearInterval(timer));
};

/** The answer waits, then comes in two parts. */
const slowly: Play = (exchange) => {
  setTimeout(() => void pass(exchange), 150);
};
