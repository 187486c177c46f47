import { setTimeout as wait } from 'node:timers/promises';
import { type RedisCluster, type RedisProcess, startRedisCluster } from '../support/redis-cluster.js';
import { startRedisSentinels } from '../support/redis-sentinel.js';
import { type AccountCall, judgeStrike, overAdmitted, type Strike, strangeCalls, type Verdict } from './judge.js';
import { nowMs, type Observer, startObserver } from './observer.js';
import { LIMITED, type RedisWorld, startWorld } from './world.js';

/** The longest time of 503 after a strike, beyond the node timeout. */
const MOST_BEYOND_MS = 2_000;
const ACCOUNTS = 31;
/** How long /health/ready may take: 99 of 100 answers, and the slowest, which may wait for a complete garbage collection. */
const MOST_READY_MS = { usual: 50, slowest: 250 };
const CALM_MS = 1_000;
const WARM_UP_AT_A_TIME = 15;

export interface RedisProofOptions {
  /** After this time without an answer, a master counts as failed (cluster-node-timeout, down-after-milliseconds). */
  readonly nodeTimeoutMs: number;
  readonly perSecond: number;
  readonly kills: number;
  readonly reshards: number;
  /** Calls before anything is observed: a gateway that has just started compiles what it runs. */
  readonly warmUpCalls: number;
  /** The core of the gateway, if it has one of its own. */
  readonly gatewayCore?: number;
}

export interface RedisRun {
  readonly calls: number;
  /** Answers that no strike may cause, by what they are. */
  readonly strange: Readonly<Record<string, number>>;
  readonly overAdmitted: number;
  /** 99 of 100 answers of /health/ready took at most this. */
  readonly usualReadyMs: number;
  /** The slowest answer, when it was asked for (since the start of the load), and the longest delay of the process that asked. */
  readonly slowestReadyMs: number;
  readonly slowestReadyAtMs: number;
  readonly observerDelayMs: number;
  readonly verdicts: readonly Verdict[];
  /** Calls after the last strike: all of them should be served. */
  readonly end: { readonly served: number; readonly failed: number };
  readonly isProven: boolean;
}

type StrikeNow = () => Promise<{
  readonly name: string;
  readonly affected: ReadonlySet<number>;
  settle(observer: Observer): Promise<void>;
}>;

/** Kills masters of a cluster and moves slots, under load. */
export async function runCluster(options: RedisProofOptions): Promise<RedisRun> {
  const { kills, reshards, nodeTimeoutMs, gatewayCore } = options;
  const cluster = await startRedisCluster(nodeTimeoutMs);
  const world = await startWorld(cluster.url, ACCOUNTS, gatewayCore);
  try {
    const strikes: StrikeNow[] = [
      ...Array.from({ length: reshards }, (_, at) => () => reshard(cluster, world, at)),
      ...Array.from({ length: kills }, (_, at) => () => killMaster(cluster, world, at, nodeTimeoutMs)),
    ];
    return await underLoad(world, options, cluster.nodes, strikes);
  } finally {
    await world.dispose();
    await cluster.dispose();
  }
}

/** Kills the master of Sentinels, under load. */
export async function runSentinels(options: RedisProofOptions): Promise<RedisRun> {
  const { kills, nodeTimeoutMs, gatewayCore } = options;
  const sentinels = await startRedisSentinels(nodeTimeoutMs);
  const world = await startWorld(sentinels.url, ACCOUNTS, gatewayCore);
  const all = new Set(world.slots.keys());
  const kill: StrikeNow = async () => {
    const master = await sentinels.master();
    const killedMs = nowMs();
    await master.kill();
    const settle = async (observer: Observer): Promise<void> => {
      await outage(observer, killedMs, nodeTimeoutMs);
      await master.start();
      await sentinels.settled();
    };
    return { name: 'master killed (Sentinel)', affected: all, settle };
  };
  try {
    return await underLoad(
      world,
      options,
      sentinels.nodes,
      Array.from({ length: kills }, () => kill),
    );
  } finally {
    await world.dispose();
    await sentinels.dispose();
  }
}

async function killMaster(
  cluster: RedisCluster,
  world: RedisWorld,
  at: number,
  nodeTimeoutMs: number,
): ReturnType<StrikeNow> {
  const masters = await Promise.all(world.slots.map((slot) => cluster.masterOf(slot)));
  const killed = masters[(at * 7) % masters.length];
  const killedMs = nowMs();
  await killed?.kill();
  const affected = new Set([...world.slots.keys()].filter((account) => masters[account] === killed));
  const settle = async (observer: Observer): Promise<void> => {
    await outage(observer, killedMs, nodeTimeoutMs);
    await killed?.start();
    await cluster.settled();
  };
  return { name: 'master killed', affected, settle };
}

/** A master that is started again before its replica was promoted comes back without its data. */
async function outage(observer: Observer, killedMs: number, nodeTimeoutMs: number): Promise<void> {
  await observer.promotedSince(killedMs);
  await wait(killedMs + nodeTimeoutMs + MOST_BEYOND_MS + CALM_MS - nowMs());
}

/** The accounts whose slot may be in the middle of a move: none may fail, because calls wait for that. */
async function reshard(cluster: RedisCluster, world: RedisWorld, at: number): ReturnType<StrikeNow> {
  const [from, to] = await Promise.all(
    [at, at + 1].map((part) => cluster.masterOf(((part % 3) * 5_461 + 4_000) % 16_384)),
  );
  if (!from || !to || from === to) throw new Error('the masters to move slots between are not two');
  return { name: 'slots moved', affected: new Set(world.slots.keys()), settle: () => cluster.reshard(from, to, 500) };
}

async function underLoad(
  world: RedisWorld,
  { perSecond, nodeTimeoutMs, warmUpCalls }: RedisProofOptions,
  nodes: readonly RedisProcess[],
  strikes: readonly StrikeNow[],
): Promise<RedisRun> {
  await Promise.all(Array.from({ length: WARM_UP_AT_A_TIME }, (_, at) => warmUp(world, at, warmUpCalls)));
  const calls: Promise<AccountCall>[] = [];
  const observer = startObserver(
    world.port,
    nodes.map(({ port }) => port),
  );
  const fromMs = nowMs();
  const load = setInterval(() => {
    const due = ((nowMs() - fromMs) * perSecond) / 1_000;
    while (calls.length < due) calls.push(world.call(calls.length % ACCOUNTS));
  }, 5);
  const done: Strike[] = [];
  try {
    for (const strike of strikes) {
      await wait(CALM_MS);
      const strikeMs = nowMs();
      const { name, affected, settle } = await strike();
      await settle(observer);
      done.push({ name, affected, fromMs: strikeMs, toMs: nowMs() });
    }
    await wait(CALM_MS);
  } finally {
    clearInterval(load);
  }
  const overMs = nowMs() - fromMs;
  const seen = await observer.end();
  const observed = await Promise.all(calls);
  const verdicts = done.map((strike) => judgeStrike(strike, observed, seen));
  const strange = strangeCalls(observed);
  const admitted = observed.filter(({ account, status }) => account === ACCOUNTS - 1 && status === 400).length;
  const over = overAdmitted(admitted, LIMITED.perMinute, LIMITED.burst, overMs);
  const endMs = done.at(-1)?.toMs ?? fromMs;
  const last = observed.filter(({ sentMs }) => sentMs > endMs);
  const failed = last.filter(({ status }) => status === 503).length;
  const readiness = seen.readiness.map(({ sentMs, answeredMs }) => ({
    atMs: sentMs - fromMs,
    ms: answeredMs - sentMs,
  }));
  const slowest = readiness.reduce((most, one) => (one.ms > most.ms ? one : most), { atMs: 0, ms: 0 });
  const times = readiness.map(({ ms }) => ms).sort((one, other) => one - other);
  const usualReadyMs = times[Math.floor(times.length * 0.99)] ?? 0;
  const isWithin = verdicts.every(
    ({ unaffected, outageMs, falselyReadyMs }) =>
      unaffected === 0 && outageMs <= nodeTimeoutMs + MOST_BEYOND_MS && falselyReadyMs === 0,
  );
  return {
    ...{ calls: observed.length, strange, verdicts, overAdmitted: over },
    ...{ usualReadyMs, slowestReadyMs: slowest.ms, slowestReadyAtMs: slowest.atMs, observerDelayMs: seen.ownDelayMs },
    end: { served: last.length - failed, failed },
    isProven:
      isWithin &&
      failed === 0 &&
      Object.keys(strange).length === 0 &&
      over <= LIMITED.burst * done.length &&
      usualReadyMs <= MOST_READY_MS.usual &&
      slowest.ms <= MOST_READY_MS.slowest,
  };
}

/** One of several callers at a time; the last account has a limit of its own and is left out. */
async function warmUp(world: RedisWorld, first: number, calls: number): Promise<void> {
  for (let number = first; number < calls; number += WARM_UP_AT_A_TIME) await world.call(number % (ACCOUNTS - 1));
}
