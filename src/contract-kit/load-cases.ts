import { setTimeout as wait } from 'node:timers/promises';
import { must, told } from './breach.js';
import { type ContractCase } from './case.js';
import { type Ended, itemsOf } from './ended.js';
import { type Play, pass } from './fault-server.js';

const CALLS = 200;
const PATIENCE_MS = 2_000;

/** Many calls at once, some of which go wrong, on one connection pool. */
export const LOAD_CASES: readonly ContractCase[] = [
  {
    id: 'parallel',
    guarantee: `${CALLS} calls at once, a fifth of them failing, leave no socket, timer or listener behind`,
    operations: ['searchVehicles'],
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const plain = await bench.found(operation, question);
      const before = await heldNow();
      const warnings = await warningsDuring(async () => {
        const { ended, most } = await bench.line(async (line) => {
          bench.server.play(everyFifthFails);
          const ended = await Promise.all(Array.from({ length: CALLS }, () => line.ask(operation, question)));
          return { ended, most: bench.server.most() };
        });
        must(most <= bench.config.connections, `opened ${most} connections; allowed are ${bench.config.connections}`);
        judgeAnswers(ended, plain.length);
      });
      must(await bench.server.drained(PATIENCE_MS), 'connections stayed open after the last call was closed');
      const left = await leftOver(before);
      must(left === '', `left behind: ${left}`);
      must(warnings.length === 0, `Node warned: ${warnings.join('; ')}`);
    },
  },
];

/** A call that fails does so once: what the engine repeats by itself is answered. */
const everyFifthFails: Play = (exchange) => {
  if (exchange.step % 10 === 0) exchange.socket.resetAndDestroy();
  else if (exchange.step % 10 === 5) exchange.answer({ status: 503, headers: {}, body: Buffer.from('busy') });
  else return pass(exchange);
};

function judgeAnswers(ended: readonly Ended<unknown>[], expected: number): void {
  for (const one of ended) {
    if (one.error && one.bug === undefined)
      must(
        one.error.fault === 'unavailable',
        `a call is ${told(one.error)} although nothing but unavailable was played`,
      );
    else
      must(
        itemsOf(one, 'one of many calls').length === expected,
        `a call found ${one.items?.length} items, alone it finds ${expected}`,
      );
  }
  const failed = ended.filter(({ error }) => error !== undefined).length;
  must(failed <= CALLS / 5, `${failed} of ${CALLS} calls failed where ${CALLS / 5} were made to`);
}

/** What keeps this process busy, by kind and count. */
async function heldNow(): Promise<ReadonlyMap<string, number>> {
  await wait(20);
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** What is held more than before, once things had time to settle; '' for nothing. */
async function leftOver(before: ReadonlyMap<string, number>): Promise<string> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const now = await heldNow();
    const more = [...now].filter(([kind, count]) => LEAKS.has(kind) && count > (before.get(kind) ?? 0));
    if (more.length === 0 || performance.now() > until)
      return more.map(([kind, count]) => `${count - (before.get(kind) ?? 0)} ${kind}`).join(', ');
  }
}

/** Kinds that an adapter could leave behind. */
const LEAKS: ReadonlySet<string> = new Set([
  'TCPSocketWrap',
  'TCPWRAP',
  'TCPServerWrap',
  'TLSWRAP',
  'Timeout',
  'Immediate',
  'FSReqCallback',
]);

/** What Node says of listeners that pile up while `work` is done. */
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
