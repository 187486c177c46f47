import { setTimeout as wait } from 'node:timers/promises';
import { describeError, must } from './breach.js';
import { type ContractCase } from './case.js';
import { type Ended, itemsOf } from './ended.js';
import { type Play, pass } from './fault-server.js';

const CALLS = 100;
/** They wait for each other, and this machine may be busy: it is not the supplier that is judged by the time. */
const CALL_MS = 60_000;
const MAX_WAIT_MS = 2_000;

/** Many concurrent calls on one connection pool, some of which fail. */
export const LOAD_CASES: readonly ContractCase[] = [
  {
    id: 'parallel',
    guarantee: `${CALLS} concurrent calls, a fifth of them failing, leave no socket, timer or listener behind`,
    operations: ['searchVehicles'],
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const plain = await bench.found(operation, question);
      const before = await heldNow();
      const warnings = await warningsDuring(async () => {
        const { ended, peak } = await bench.withCaller(async (caller) => {
          bench.server.play(everyFifthFails);
          const ended = await Promise.all(
            Array.from({ length: CALLS }, () => caller.ask(operation, question, { timeoutMs: CALL_MS })),
          );
          return { ended, peak: bench.server.peakConnections() };
        });
        must(
          peak <= bench.config.connections,
          `opened ${peak} connections; at most ${bench.config.connections} are allowed`,
        );
        judgeAnswers(ended, plain.length);
      });
      must(await bench.server.drained(MAX_WAIT_MS), 'connections stayed open after the last call ended');
      const left = await leftOver(before);
      must(left === '', `left behind: ${left}`);
      must(warnings.length === 0, `Node.js warned: ${warnings.join('; ')}`);
    },
  },
];

/** Fails one call in five. The engine's retry of a failed call is answered. */
const everyFifthFails: Play = (exchange) => {
  if (exchange.step % 10 === 0) exchange.socket.resetAndDestroy();
  else if (exchange.step % 10 === 5) exchange.answer({ status: 503, headers: {}, body: Buffer.from('busy') });
  else return pass(exchange);
};

function judgeAnswers(ended: readonly Ended<unknown>[], expected: number): void {
  for (const one of ended) {
    if (one.error && one.bug === undefined)
      must(one.error.fault === 'unavailable', `got ${describeError(one.error)}; only unavailable was simulated`);
    else
      must(
        itemsOf(one, 'one of many calls').length === expected,
        `a concurrent call found ${one.items?.length} items; a single call found ${expected}`,
      );
  }
  const failed = ended.filter(({ error }) => error !== undefined).length;
  must(failed <= CALLS / 5, `${failed} of ${CALLS} calls failed; at most ${CALLS / 5} should`);
}

/** The resources that keep this process alive: kind → count. */
async function heldNow(): Promise<ReadonlyMap<string, number>> {
  await wait(20);
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Resources in excess of `before`, after they had time to close; '' = none. */
async function leftOver(before: ReadonlyMap<string, number>): Promise<string> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const now = await heldNow();
    const more = [...now].filter(([kind, count]) => LEAKS.has(kind) && count > (before.get(kind) ?? 0));
    if (more.length === 0 || performance.now() > until)
      return more.map(([kind, count]) => `${count - (before.get(kind) ?? 0)} ${kind}`).join(', ');
  }
}

/** Kinds of resources that an adapter could leak. */
const LEAKS: ReadonlySet<string> = new Set([
  'TCPSocketWrap',
  'TCPWRAP',
  'TCPServerWrap',
  'TLSWRAP',
  'Timeout',
  'Immediate',
  'FSReqCallback',
]);

/** Node's warnings about too many listeners while `work` runs. */
async function warningsDuring(work: () => Promise<void>): Promise<readonly string[]> {
  const heard: string[] = [];
  const listener = ({ name, message }: Error): void => {
    if (name === 'MaxListenersExceededWarning') heard.push(message);
  };
  process.on('warning', listener);
  try {
    await work();
  } finally {
    process.off('warning', listener);
  }
  return heard;
}
