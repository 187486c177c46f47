import { afterEach, beforeEach, expect, jest } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { createLogger } from '../config/logger.js';
import type { DueEvent, LeasedEndpoint } from './delivery-queue.js';
import { type Lease, LINE_MS, MOST_AHEAD_MS } from './due-endpoints.js';
import { WebhookWorker } from './webhook-worker.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** When an endpoint that goes ahead by so much seems to have begun to wait. */
const aheadBy = (ms: number) => performance.now() - LINE_MS - ms;

/** A fast endpoint in the line below. */
interface Line extends LeasedEndpoint {
  readonly answersMs: number;
  /** Events that wait. */
  due: number;
  /** Null = nothing waits. */
  wakesAt: number | null;
  isLeased: boolean;
  deliveredAt: number[];
  /** It fails so often. */
  failing: number;
  /** When its events may be sent again. */
  retryAt: number;
}

/** A worker, and endpoints that are leased in the order of due-endpoints.ts. All times are of the faked clock. */
function setUp() {
  const lines: Line[] = [];
  let events = 0;
  const queue = {
    anyEndpoint: undefined,
    lease: async ({ fast, perAccount }: Lease) => {
      const now = performance.now();
      const leasedOf = new Map<string, number>();
      for (const one of lines) if (one.isLeased) leasedOf.set(one.accountId, 1 + (leasedOf.get(one.accountId) ?? 0));
      const awake = lines.filter((one) => !one.isLeased && one.wakesAt !== null && one.wakesAt <= now);
      for (const one of awake) if ((one.wakesAt ?? 0) > aheadBy(0)) one.wakesAt = aheadBy(MOST_AHEAD_MS);
      const turns = awake
        .sort((one, other) => (one.wakesAt ?? now) - (other.wakesAt ?? now))
        .map((line) => {
          const turn = 1 + (leasedOf.get(line.accountId) ?? 0);
          leasedOf.set(line.accountId, turn);
          return { line, turn };
        });
      const leased = turns
        .filter(({ turn }) => turn <= perAccount)
        .sort((one, other) => one.turn - other.turn)
        .slice(0, fast)
        .map(({ line }) => line);
      for (const line of leased)
        Object.assign(line, { isLeased: true, isAhead: (line.wakesAt ?? now) <= aheadBy(MOST_AHEAD_MS) });
      return leased;
    },
    due: async ({ due, retryAt }: Line) =>
      Array.from({ length: retryAt > performance.now() ? 0 : Math.min(20, due) }, () => {
        events += 1;
        return {
          id: events,
          eventId: `evt_${events}`,
          type: 'webhook.test',
          at: 0,
          data: { endpointId: '' },
        } as DueEvent;
      }),
    delivered: async (line: Line) => {
      line.due -= 1;
      line.deliveredAt.push(performance.now());
    },
    failed: async (line: Line) => {
      line.failing -= 1;
      line.retryAt = performance.now() + 2_000;
    },
    release: async (line: Line, aheadMs: number) => {
      line.isLeased = false;
      line.wakesAt = line.retryAt > performance.now() ? line.retryAt : aheadBy(aheadMs);
      if (line.due === 0) line.wakesAt = null;
    },
    purge: async () => true,
  };
  const sender = {
    send: async (url: string) => {
      const ms = Number(new URL(url).pathname.slice(1));
      await new Promise((resolve) => setTimeout(resolve, ms));
      const isFailing = lines.some((line) => line.url === url && line.failing > 0);
      return { status: isFailing ? 503 : 204, error: null, ms };
    },
    close: async () => undefined,
  };
  const changes = { watch: () => undefined, isInformed: false };
  const reads = { add: ({ apply }: { apply: (rows: unknown[]) => void }) => apply([1]) };
  const rest = [{ sign: () => '' }, { look: async () => undefined }, { backgroundWork: true }, { changes }];
  const worker = new WebhookWorker(
    ...([queue, sender, ...rest, createLogger('silent'), reads] as unknown as ConstructorParameters<
      typeof WebhookWorker
    >),
  );
  const add = (accountId: string, answersMs: number): Line => {
    const line = {
      id: `${lines.length}`,
      accountId,
      answersMs,
      url: `http://127.0.0.1/${answersMs}`,
      isSlow: false,
    } as Line;
    return lines[
      lines.push(
        Object.assign(line, { due: 0, wakesAt: null, isLeased: false, deliveredAt: [], failing: 0, retryAt: 0 }),
      ) - 1
    ] as Line;
  };
  const arrive = (line: Line, count: number): void => {
    line.due += count;
    if (!line.isLeased) line.wakesAt ??= aheadBy(MOST_AHEAD_MS);
  };
  return { worker, add, arrive };
}

claim.each([
  ['many events', 2, 1_000],
  ['few events at many endpoints', 20, 4],
])(
  'API4',
  'A hundred accounts with webhook endpoints that answer in 1.9 s delay events of an endpoint that answers quickly by three seconds at most, once each of them had a turn.',
  'accounts with %s',
  async (_which, endpoints, events) => {
    const { worker, add, arrive } = setUp();
    const accounts = Array.from({ length: 100 }, (_, number) => `acc_${number}`);
    const slow = accounts.flatMap((account) => Array.from({ length: endpoints }, () => add(account, 1_900)));
    const quick = add('acc_quick', 30);
    const replay = () => {
      for (const one of slow) if (one.due === 0) arrive(one, events);
    };
    replay();
    worker.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(60_000);
    const delays = [];
    for (let event = 0; event < 12; event += 1) {
      replay();
      const since = performance.now();
      arrive(quick, 1);
      await jest.advanceTimersByTimeAsync(3_100);
      delays.push((quick.deliveredAt[event] ?? Number.POSITIVE_INFINITY) - since);
    }
    expect(Math.max(...delays)).toBeLessThan(3_000);
    const had = accounts.map((account) =>
      slow.some(({ accountId, deliveredAt }) => accountId === account && deliveredAt.length > 0),
    );
    expect(had).not.toContain(false);
    const stopped = worker.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(15_000);
    await stopped;
  },
);

it('a retry of an endpoint that answers quickly, and newer events, wait for moments beside 400 accounts with a backlog', async () => {
  const { worker, add, arrive } = setUp();
  for (let number = 0; number < 400; number += 1) arrive(add(`acc_${number}`, 1_900), 1_000);
  const quick = add('acc_quick', 30);
  worker.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(60_000);
  quick.failing = 1;
  const since = performance.now();
  arrive(quick, 1);
  await jest.advanceTimersByTimeAsync(3_100);
  expect([quick.failing, quick.deliveredAt]).toEqual([0, []]);
  arrive(quick, 1);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(quick.deliveredAt.map((at) => at - since < 8_000)).toEqual([true, true]);
  const stopped = worker.beforeApplicationShutdown();
  await jest.advanceTimersByTimeAsync(15_000);
  await stopped;
});
